import { pieceBytes } from '../submissions/pieces.ts'
import type { FoundSubmissions } from '../submissions/store.ts'

interface FirstWords {
  /** The first text that was sent, which is usually a name. */
  readonly who: string
  /** The longest of the other texts; of those with several words, if there are any. */
  readonly words: string
}

/** What a list shows of a submission in one line. */
export const firstWords = ({ submissions, readPiece }: FoundSubmissions): FirstWords => {
  const [id, data] = submissions[0] as (typeof submissions)[number]
  const json = data === '' ? wholeText(readPiece(id, 0)) : data
  if (json === undefined) return { who: '', words: 'More than 64 KiB' }
  const texts = Object.values(JSON.parse(json)).filter((value) => typeof value === 'string' && value.trim() !== '')
  const [who, ...others] = texts as string[]
  if (who === undefined) return { who: '', words: cut(json) }
  const sentences = others.filter((text) => /\s/.test(text.trim()))
  return { who: cut(who), words: cut(longest(sentences.length > 0 ? sentences : others)) }
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), '')

/** Undefined for a text of several pieces: a line of a list is not worth reading up to megabytes. */
const wholeText = (piece: Uint8Array | undefined): string | undefined =>
  piece && piece.length < pieceBytes ? Buffer.from(piece).toString() : undefined

/** More than any screen shows of it. */
const maxCharacters = 200

const cut = (text: string): string =>
  text
    .slice(0, 4 * maxCharacters)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxCharacters)
    .toWellFormed()
