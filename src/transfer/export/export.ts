import { afterEveryId } from '../../base/id.ts'
import type { FormTo } from '../../forms/access.ts'
import { fieldNameReader } from '../../forms/field-names.ts'
import type { Db } from '../../storage/open.ts'
import { bounds, type DateRange } from '../../submissions/date-range.ts'
import { fileReads } from '../../submissions/files/file-reads.ts'
import { inboxOf, type List, type ListName, listOf } from '../../submissions/lists.ts'
import { pieceBytes, pieceReader } from '../../submissions/pieces.ts'
import { maxUnansweredMilliseconds } from '../../submissions/search/turns.ts'
import { aroundData, type StoredSubmission, storedJson, storedReads } from '../../submissions/stored-submission.ts'
import type { ExportFormat } from '../formats.ts'
import { archivedFiles, archiveParts, archivePath, maxArchivedFiles, refuseTooMany, tooMany } from './archive.ts'
import { type CsvStyle, csvFormat, onOneLine, type TableFormat, tableLines } from './csv.ts'
import { type Filtering, foundSlices, withPauses } from './found.ts'
import { lastGroups, lastIn } from './last-columns.ts'
import { sheetFormat, xlsxParts } from './xlsx.ts'

export interface ExportOptions {
  readonly format: ExportFormat
  /** The inbox if it is absent. */
  readonly list?: ListName
  readonly range: DateRange
  /** Only these submissions, in ascending order, whatever the range. */
  readonly ids?: readonly string[]
  /** Only those that a search finds. */
  readonly filter?: Filtering
  readonly style: CsvStyle
}

/** A part of the file: text, or bytes of UTF-8. */
export type Part = string | Uint8Array

/**
 * The submissions of a form as a file, oldest first. Each part is made when it is asked for: some submissions, or a
 * piece of a long one or of a file.
 *
 * @param db must be in a transaction, so that all parts show the same state
 * @throws AppError `invalid` if there are more files than an archive can hold; of what a search finds, in place of the first
 *   part, which is empty then
 */
export const exportParts = (
  db: Db,
  form: FormTo<'read'>,
  options: ExportOptions,
): Iterable<Part, void> | AsyncIterable<Part, void> => {
  const list = listOf(form, options.list ?? 'inbox')
  const { filter, ids } = options
  const fieldNames = (): string[] => JSON.parse(fieldNameReader(db)(form) ?? '[]')
  const submissions = oldestFirst(db, form, options)
  const paced = <T extends Part>(parts: Iterable<T>) => (filter ? withPauses(parts, filter.pause) : parts)
  switch (options.format) {
    case 'csv':
      return paced(csvParts(submissions, fieldNames(), options.style))
    case 'ndjson':
    case 'json':
      return paced(jsonParts(submissions, form.id, brackets[options.format]))
    case 'xlsx': {
      const format = sheetFormat(options.style.zone ?? 'UTC')
      return xlsxParts({ lines: paced(tableParts(submissions, fieldNames(), format)), format })
    }
    case 'zip': {
      const { count, ofRows, all } = archivedFiles(db, list)
      const { from: after, before } = bounds(options.range)
      const range = { after, before }
      const inRange = ids ? 0 : count(range)
      if (!filter) refuseTooMany(inRange)
      // Each of the two tables reads all submissions, and so do the files of found ones.
      const [second, third] = [oldestFirst(db, form, options), oldestFirst(db, form, options)]
      const archive = archiveParts({
        csv: paced(csvParts({ ...submissions, filesOf: ofRows }, fieldNames(), options.style)),
        ndjson: paced(jsonParts({ ...second, filesOf: ofRows }, form.id, brackets.ndjson)),
        files: ids || filter ? filesOfSlices(third.slices, ofRows, filter) : all(range),
        bytesOf: fileReads(db).bytesOf,
        now: new Date(),
      })
      if (!filter) return archive
      const { slices } = oldestFirst(db, form, options)
      const refuse = () => refuseManyFound((paused) => filesOfSlices(slices, ofRows, paused), inRange, filter)
      return afterCheck(inRange > maxArchivedFiles ? refuse : undefined, archive)
    }
  }
}

async function* afterCheck(check: (() => Promise<void>) | undefined, parts: AsyncIterable<Part, void>) {
  await check?.()
  yield ''
  yield* parts
}

/** Looks once more through all submissions, because those of the range have more files than an archive can hold. */
const refuseManyFound = async (
  files: (paused: Filtering) => AsyncIterable<unknown>,
  inRange: number,
  filter: Filtering,
): Promise<void> => {
  const { maxCountMilliseconds = maxUnansweredMilliseconds } = filter
  let read = 0
  let readSince = performance.now()
  const pause = async (): Promise<void> => {
    read += performance.now() - readSince
    if (read >= maxCountMilliseconds)
      throw tooMany(
        `it takes too long to count those of what is found among ${inRange}; choose a shorter range of dates`,
      )
    await filter.pause()
    readSince = performance.now()
  }
  let found = 0
  for await (const _ of files({ ...filter, pause }))
    if (++found > maxArchivedFiles)
      throw tooMany('what is found has more; search for less, or choose a shorter range of dates')
}

async function* filesOfSlices(
  slices: ExportedSubmissions['slices'],
  filesOf: NonNullable<ExportedSubmissions['filesOf']>,
  filter: Filtering | undefined,
) {
  for (const slice of slices) {
    const files = filesIn(slice, filesOf)
    for (const { id } of slice) yield* files?.get(id) ?? []
    if (slice.length === 0) await filter?.pause()
  }
}

/** The newest submissions of a form as CSV, newest first. @param db must be in a transaction */
export const sheetParts = (db: Db, form: FormTo<'read'>, limit: number): Generator<Part, void> => {
  const list = inboxOf(form.number)
  const newest = {
    slices: readNewest(db, list, limit),
    readPieces: piecesOf(db, list),
    last: lastIn(db, form),
  }
  return csvParts(newest, JSON.parse(fieldNameReader(db)(form) ?? '[]'), {})
}

const csvParts = (
  submissions: ExportedSubmissions,
  fieldNames: readonly string[],
  style: CsvStyle,
): Generator<string, void> => tableParts(submissions, fieldNames, csvFormat(style))

/** The header, and then the rows. */
function* tableParts(
  { slices, readPieces, filesOf, last }: ExportedSubmissions,
  fieldNames: readonly string[],
  format: TableFormat,
): Generator<string, void> {
  const { header, row } = tableLines({ fieldNames, lastNames: last.names }, format)
  yield header()
  for (const slice of slices) {
    const files = filesIn(slice, filesOf)
    const cellsOf = last.cells(slice, format)
    let lines = ''
    for (const submission of slice) {
      const { id, data } = submission
      const lastCells = cellsOf(submission)
      const paths = files?.get(id)?.map((file): [string, string] => [file.id, archivePath(file)])
      if (data !== '') {
        lines += row(submission, { paths, lastCells })
        // Of notes, each may have much.
        if (lines.length < maxPartLength) continue
        yield lines
        lines = ''
        continue
      }
      // A long submission has at most 2 MiB. It is split into its fields as a whole.
      yield lines + row({ ...submission, data: Buffer.concat([...readPieces(id)]).toString() }, { paths, lastCells })
      lines = ''
    }
    yield lines
  }
}

export interface Brackets {
  readonly start: string
  readonly separator: string
  readonly end: string
  /** The whole file if there are no submissions. */
  readonly empty: string
}

export const brackets = {
  ndjson: { start: '', separator: '\n', end: '\n', empty: '' },
  json: { start: '[\n', separator: ',\n', end: '\n]\n', empty: '[]\n' },
} as const satisfies Record<string, Brackets>

/** In both formats, each submission has a line of its own. In an archive, it lists its files. */
function* jsonParts(
  { slices, readPieces, filesOf, last }: ExportedSubmissions,
  formId: string,
  { start, separator, end, empty }: Brackets,
): Generator<Part, void> {
  let before = start
  for (const slice of slices) {
    const files = filesIn(slice, filesOf)
    const membersOf = last.members(slice)
    let lines = ''
    for (const submission of slice) {
      const { id, data } = submission
      const own = files?.get(id)
      const list = own ? `,"files":${JSON.stringify(own.map((file) => file.id))}` : ''
      const more = list + membersOf(submission)
      lines += before
      before = separator
      if (data !== '') {
        lines += storedJson(formId, submission, more, onOneLine(data))
        if (lines.length < maxPartLength) continue
        yield lines
        lines = ''
        continue
      }
      const [first, last] = aroundData(formId, submission, more)
      yield lines + first
      for (const piece of readPieces(id)) yield bytesOnOneLine(piece)
      lines = last
    }
    yield lines
  }
  yield before === start ? empty : end
}

/** Characters of a part, if not of one submission. */
const maxPartLength = 256 * 1024

/** Does the same as `onOneLine`, in place. */
const bytesOnOneLine = (bytes: Buffer): Buffer => {
  for (const character of [0x09, 0x0a, 0x0d])
    for (let at = bytes.indexOf(character); at !== -1; at = bytes.indexOf(character, at + 1)) bytes[at] = 0x20
  return bytes
}

interface ExportedSubmissions {
  /** In order. Each slice is read in a fraction of a millisecond. */
  readonly slices: Iterable<readonly StoredSubmission[]>
  /** The JSON text of a long submission in UTF-8, in pieces of 64 KiB. */
  readPieces(id: string): Generator<Buffer, void>
  /** In an archive: the files of submissions from the first to the last one. */
  readonly filesOf?: ReturnType<typeof archivedFiles>['ofRows']
  readonly last: ReturnType<typeof lastIn>
}

const filesIn = (slice: readonly StoredSubmission[], filesOf: ExportedSubmissions['filesOf']) => {
  const [first, last] = [slice[0]?.id, slice.at(-1)?.id]
  return first !== undefined && last !== undefined ? filesOf?.(first, last) : undefined
}

const rowsPerSlice = 50

/** All submissions of the list in that range, each once. @param db must be in a transaction, as for `exportParts` */
const oldestFirst = (
  db: Db,
  form: FormTo<'read'>,
  { list: name = 'inbox', range, ids, filter }: Pick<ExportOptions, 'list' | 'range' | 'ids' | 'filter'>,
): ExportedSubmissions => {
  const list = listOf(form, name)
  const all = () => (filter ? foundSlices(db)(form, list, range, filter) : readSlices(db, list, range))
  return {
    slices: ids ? readThese(db, list, ids) : all(),
    readPieces: piecesOf(db, list),
    // No one handles spam.
    last: lastIn(db, form, name === 'inbox' ? lastGroups : []),
  }
}

function* readSlices(db: Db, list: List, range: DateRange): Generator<readonly StoredSubmission[], void> {
  const { oldestFirst: next } = storedReads(db)
  const { from: start, before } = bounds(range)
  for (let from = start; ; ) {
    const rows = next(list, { from, before, limit: rowsPerSlice })
    if (rows.length > 0) yield rows
    if (rows.length < rowsPerSlice) return
    from = (rows.at(-1) as StoredSubmission).id + afterEveryId
  }
}

/** One by one: the files of a slice are those from its first submission to its last one. */
function* readThese(db: Db, list: List, ids: readonly string[]): Generator<readonly StoredSubmission[], void> {
  const { findRow } = storedReads(db)
  for (const id of ids) {
    const row = findRow(list, id)
    yield row ? [row] : []
  }
}

function* readNewest(db: Db, list: List, count: number): Generator<readonly StoredSubmission[], void> {
  const { newestFirst: next } = storedReads(db)
  let before = afterEveryId
  for (let rest = count; rest > 0; ) {
    const limit = Math.min(rest, rowsPerSlice)
    const rows = next(list, { from: '', before, limit })
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    before = (rows.at(-1) as StoredSubmission).id
    rest -= limit
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
