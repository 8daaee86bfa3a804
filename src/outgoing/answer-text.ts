const maxCharacters = 500
/** So many bytes of UTF-8 always hold the characters that are shown. */
export const keptBytes = 4 * maxCharacters

/**
 * The beginning of what a receiver answered, as text that can be stored and shown: invalid UTF-8 and control characters
 * become U+FFFD, but for tabs and line breaks.
 */
export const beginningOf = (bytes: Uint8Array): string => {
  const text = new TextDecoder().decode(bytes.subarray(0, keptBytes))
  const clean = text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd')
  return [...clean.trim()].slice(0, maxCharacters).join('')
}
