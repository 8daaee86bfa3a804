/** Characters of remembered texts. */
const maxCharacters = 1_000_000

/**
 * A function that parses a text once and remembers the result. Because the key is the text itself, a result stays right
 * whatever a command or a rollback does to the form that it comes from. Callers share the result, so they must not
 * change it.
 *
 * @param most characters of the texts that are remembered
 */
export const parseOnce = <T>(parse: (text: string) => T, most = maxCharacters): ((text: string) => T) => {
  const results = new Map<string, T>()
  let characters = 0
  return (text) => {
    const remembered = results.get(text)
    if (remembered !== undefined) return remembered
    if (characters > most) {
      results.clear()
      characters = 0
    }
    characters += text.length
    const result = parse(text)
    results.set(text, result)
    return result
  }
}
