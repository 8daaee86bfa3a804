import { oneLine } from './short-text.ts'

/**
 * RFC 2047 section 2 allows 76 characters in a line, and one with `Subject: ` has room for 67. `=?UTF-8?B?` and `?=` take
 * 12, and base64 a third more.
 */
const maxBytes = 39

/**
 * A text as the value of a header, in one line: in UTF-8 and base64 (RFC 2047) unless it is plain ASCII. A text that looks
 * like an encoded word is encoded too. Otherwise the reader's program would decode what no one here has checked.
 */
export const encodedWords = (text: string): string => {
  const line = oneLine(text.toWellFormed())
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes('=?')) return line
  return inPieces(line)
    .map((piece) => `=?UTF-8?B?${Buffer.from(piece).toString('base64')}?=`)
    .join(' ')
}

/** Each a whole number of characters (section 5). */
const inPieces = (text: string): string[] => {
  const pieces: string[] = []
  let piece = ''
  for (const character of text) {
    if (Buffer.byteLength(piece + character) > maxBytes) {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...pieces, piece]
}
