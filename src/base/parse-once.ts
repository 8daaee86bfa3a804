/** Characters of remembered texts. */
const maxCharacters = 1_000_000

/** For a header that anyone may send, and most browsers send alike. */
export const maxHeaderCharacters = 20_000

/**
 * A function that parses a text once and remembers the result. Because the key is the text itself, a result stays right
 * whatever a command or a rollback does to the form that it comes from. Callers share the result, so they must not
 * change it.
 *
 * @param most characters of the texts that are remembered: those that were used last
 */
export const parseOnce = <T>(parse: (text: string) => T, most = maxCharacters): ((text: string) => T) => {
  // Those that were used last are at the end.
  const results = new Map<string, T>()
  let characters = 0
  const remembered = (text: string): T => {
    const known = results.get(text)
    // As long as there is much room, the order does not matter: to keep it takes as long as a short text to parse.
    if (known !== undefined && characters < most / 2) return known
    const result = known ?? parse(text)
    if (!results.delete(text)) characters += text.length
    results.set(text, result)
    for (const oldest of results.keys()) {
      if (characters <= most || oldest === text) break
      results.delete(oldest)
      characters -= oldest.length
    }
    return result
  }
  let last: { readonly text: string; readonly result: T } | undefined
  return (text) => {
    // A row that is read again has its text in another object. To compare it takes a tenth of the time that its hash does.
    if (last?.text !== text) last = { text, result: remembered(text) }
    return last.result
  }
}
