import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { param, submissions } from '../db/tables.ts'
import { inList, type List } from '../forms/lists.ts'
import { pieceBytes, pieceReader } from './pieces.ts'
import type { FoundSubmissions } from './submission-reads.ts'

/** The JSON text of a submission, however long it is. Of one that was deleted meanwhile, what could still be read. */
export const wholeText = (
  { readPiece }: Pick<FoundSubmissions, 'readPiece'>,
  [id, data]: readonly [id: string, data: string, ...unknown[]],
): string => {
  if (data !== '') return data
  const pieces: Uint8Array[] = []
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (piece) pieces.push(piece)
    if (!piece || piece.length < pieceBytes) return Buffer.concat(pieces).toString()
  }
}

/** Reads the JSON text of a submission, however long it is; undefined if it was deleted. */
export const textReader = (db: Db): ((list: List, id: string) => string | undefined) => {
  const readPiece = pieceReader(db)
  const find = db
    .select({ data: submissions.data })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()
  return (list, id) => {
    const found = find.get({ ...list, id })
    return found && wholeText({ readPiece: (of, position) => readPiece(list, of, position) }, [id, found.data])
  }
}

/** Pieces that a row of a list reads: one, and one more for each file that goes beyond its piece. 20 rows take 10 ms. */
const maxPieces = 10

/**
 * The same without the contents of files, for a row of a list. Reads at most 64 KiB of it, and skips what a large file
 * says is its content. `isWhole` is false if there is more, or a file is longer or shorter than it says.
 */
export const textWithoutFiles = (
  readPiece: FoundSubmissions['readPiece'],
  id: string,
): { readonly text: string; readonly isWhole: boolean } => {
  // Of a piece, leaves out a character that was cut, and begins the next one with it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  let at = 0
  for (let pieces = 0; pieces < maxPieces && text.length < pieceBytes; pieces++) {
    const piece = readPiece(id, Math.floor(at / pieceBytes))
    if (!piece) break
    const bytes = piece.subarray(at % pieceBytes)
    const next = decoder.decode(bytes, { stream: true })
    if (text.endsWith(contentStart) && !next.startsWith('"}')) break
    text += next.replaceAll(wholeFiles, '$1"}')
    if (piece.length < pieceBytes) return { text, isWhole: true }
    at += bytes.length
    const [, size, content] = cutOffFile.exec(text) ?? []
    if (content === undefined) continue
    const left = 4 * Math.ceil(Number(size) / 3) - content.length
    if (left < 0) break
    at += left
    text = text.slice(0, text.length - content.length)
  }
  return { text, isWhole: false }
}

// As collect/parse.ts stores a file. In JSON, none of it can be inside a text, where quotes are escaped.
const contentStart = ',"base64":"'
const wholeFiles = /(,"size":\d+,"base64":")[\w+/=]*"}/g
const cutOffFile = /,"size":(\d+),"base64":"([\w+/=]*)$/
