import { and, asc, gt, lt } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { param, submissions } from '../db/tables.ts'
import { fieldNameReader } from '../forms/field-names.ts'
import { inboxOf, inList, type List } from '../forms/lists.ts'
import type { Form } from '../forms/ownership.ts'
import { afterEveryId, createdAt, timePrefix } from '../id.ts'
import type { DateRange } from '../submissions/date-range.ts'
import { pieceBytes, pieceReader } from '../submissions/pieces.ts'
import { csvLines, onOneLine } from './csv.ts'

export const exportFormats = ['csv', 'ndjson', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface ExportOptions {
  readonly format: ExportFormat
  readonly range: DateRange
  /** CSV only: cells that a spreadsheet would run as a formula stay as they are. */
  readonly isRaw: boolean
  /** CSV only: the file begins with a byte order mark, so that Excel reads it as UTF-8. */
  readonly hasByteOrderMark: boolean
}

/** A part of the file: text, or bytes of UTF-8. */
export type Part = string | Uint8Array

/**
 * The submissions of a form as a file, oldest first. Each part is made when it is asked for: some submissions, or a
 * piece of a long one.
 *
 * @param db must be in a transaction, so that all parts show the same state
 */
export const exportParts = (db: Db, form: Form, options: ExportOptions): Generator<Part, void> => {
  const submissions = oldestFirst(db, inboxOf(form.number), options.range)
  switch (options.format) {
    case 'csv':
      return csvParts(submissions, JSON.parse(fieldNameReader(db)(form) ?? '[]'), options)
    case 'ndjson':
      return jsonParts(submissions, form.id, { start: '', separator: '\n', end: '\n', empty: '' })
    case 'json':
      return jsonParts(submissions, form.id, { start: '[\n', separator: ',\n', end: '\n]\n', empty: '[]\n' })
  }
}

function* csvParts(
  { slices, readPieces }: ExportedSubmissions,
  fieldNames: readonly string[],
  { isRaw, hasByteOrderMark }: ExportOptions,
): Generator<Part, void> {
  const { header, row } = csvLines({ fieldNames, isRaw })
  yield (hasByteOrderMark ? '\ufeff' : '') + header()
  for (const slice of slices) {
    let lines = ''
    for (const [id, data] of slice) {
      if (data !== '') {
        lines += row(id, data)
        continue
      }
      // A long submission has at most 2 MiB. It is split into its fields as a whole.
      yield lines + row(id, Buffer.concat([...readPieces(id)]).toString())
      lines = ''
    }
    yield lines
  }
}

interface Brackets {
  readonly start: string
  readonly separator: string
  readonly end: string
  /** The whole file if there are no submissions. */
  readonly empty: string
}

/** In both formats, each submission has a line of its own. */
function* jsonParts(
  { slices, readPieces }: ExportedSubmissions,
  formId: string,
  { start, separator, end, empty }: Brackets,
): Generator<Part, void> {
  let before = start
  for (const slice of slices) {
    let lines = ''
    for (const [id, data] of slice) {
      lines += `${before}{"id":"${id}","formId":"${formId}","data":${onOneLine(data)}`
      before = separator
      if (data === '') {
        yield lines
        for (const piece of readPieces(id)) yield bytesOnOneLine(piece)
        lines = ''
      }
      lines += `,"createdAt":"${createdAt(id)}"}`
    }
    yield lines
  }
  yield before === start ? empty : end
}

/** Does the same as `onOneLine`, in place. */
const bytesOnOneLine = (bytes: Buffer): Buffer => {
  for (const character of [0x09, 0x0a, 0x0d])
    for (let at = bytes.indexOf(character); at !== -1; at = bytes.indexOf(character, at + 1)) bytes[at] = 0x20
  return bytes
}

/** The data is JSON text. It is empty for a long submission, whose text `readPieces` returns. */
type ExportedRow = readonly [id: string, data: string]

interface ExportedSubmissions {
  /** Oldest first. Each slice is read in a fraction of a millisecond. */
  readonly slices: Generator<readonly ExportedRow[], void>
  /** The JSON text of a long submission in UTF-8, in pieces of 64 KiB. */
  readPieces(id: string): Generator<Buffer, void>
}

const rowsPerSlice = 50

/** All submissions of a list in that range, each once. @param db must be in a transaction, as for `exportParts` */
const oldestFirst = (db: Db, list: List, range: DateRange): ExportedSubmissions => ({
  slices: readSlices(db, list, range),
  readPieces: piecesOf(db, list),
})

function* readSlices(db: Db, list: List, { start, end }: DateRange): Generator<readonly ExportedRow[], void> {
  const next = db
    .select({ id: submissions.id, data: submissions.data })
    .from(submissions)
    .where(and(inList(submissions), gt(submissions.id, param('after')), lt(submissions.id, param('before'))))
    .orderBy(asc(submissions.id))
    .limit(param('limit'))
    .prepare()
  const before = end === null ? afterEveryId : timePrefix(Math.max(0, end + 1))
  // The first characters of an identifier sort before the whole identifier.
  let after = start === null ? '' : timePrefix(Math.max(0, start))
  for (;;) {
    const rows = next.values({ ...list, after, before, limit: rowsPerSlice }) as unknown as ExportedRow[]
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerSlice) return
    after = (rows.at(-1) as ExportedRow)[0]
  }
}

const piecesOf = (db: Db, list: List): ExportedSubmissions['readPieces'] => {
  const readPiece = pieceReader(db)
  return function* readPieces(id) {
    for (let position = 0; ; position++) {
      const piece = readPiece(list, id, position)
      if (!piece) throw new Error(`submission ${id} lacks a piece`)
      yield piece
      if (piece.length < pieceBytes) return
    }
  }
}
