/** Of JSON text: texts, empty objects and arrays, what opens, separates and closes, and white space. */
const tokens = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g

/** Indents JSON text, unless that would multiply it by its depth. The tokens stay: a long number keeps its digits. */
export const readableJson = (json: string): string => {
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  const indented = json.replaceAll(tokens, (token) => {
    if (token === '{' || token === '[') {
      depth++
      return token + newLine()
    }
    if (token === '}' || token === ']') {
      depth--
      return newLine() + token
    }
    if (token === ',') return token + newLine()
    if (token === ':') return ': '
    return token.trim()
  })
  return indented.length > 4 * json.length ? json : indented
}
