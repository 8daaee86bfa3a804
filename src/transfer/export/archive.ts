import { makeZip } from 'client-zip'
import { and, asc, gt, gte, lt, lte, sql } from 'drizzle-orm'
import { type AppError, invalid } from '../../base/errors.ts'
import { fileName } from '../../base/file-name.ts'
import { creationTime } from '../../base/id.ts'
import type { Db } from '../../storage/open.ts'
import { files, param } from '../../storage/tables.ts'
import { type StoredFile, storedFile } from '../../submissions/files/file-reads.ts'
import { inList, type List } from '../../submissions/lists.ts'

/** Names in the archive: the two tables, and the folder with one folder for each submission that has files. */
const csvName = 'submissions.csv'
export const ndjsonName = 'submissions.ndjson'
export const filesFolder = 'files'

/** Each takes 1.3 kB of memory until the end. From 65,536 entries on, client-zip counts wrong. */
export const maxArchivedFiles = 65_000

/** A file, and where it belongs. */
type ArchivedFile = StoredFile & {
  readonly submission: string
  /** Among those of its submission, from 0. */
  readonly position: number
}

/** `files/01k…/1-cv.pdf`. The number makes it unique, also where a file system ignores case, and never a name of Windows. */
export const archivePath = ({ submission, position, name }: Omit<ArchivedFile, keyof StoredFile> & { name: string }) =>
  `${filesFolder}/${submission}/${position + 1}-${fileName(name, 'file')}`

/** The identifiers of submissions, without both ends. */
interface Between {
  readonly after: string
  readonly before: string
}

/** The files of a list. @param db must be in a transaction, as for `exportParts` */
export const archivedFiles = (db: Db, list: List) => {
  const columns = {
    ...storedFile,
    submission: sql<string>`${files.submission}`.as('submission'),
    position: files.position,
  }
  const ordered = [asc(files.submission), asc(files.position)] as const
  const between = and(inList(files), gt(files.submission, param('after')), lt(files.submission, param('before')))
  const count = db.select({ count: sql<number>`count(*)` }).from(files).where(between).prepare()
  const ofRows = db
    .select(columns)
    .from(files)
    .where(and(inList(files), gte(files.submission, param('first')), lte(files.submission, param('last'))))
    .orderBy(...ordered)
    .prepare()
  const nextSubmission = db
    .select({ submission: columns.submission })
    .from(files)
    .where(between)
    .orderBy(...ordered)
    .limit(1)
    .prepare()

  return {
    count: (range: Between): number => count.get({ ...list, ...range })?.count ?? 0,

    /** Reads the files of the submissions from the first to the last one, by submission. */
    ofRows(first: string, last: string): Map<string, ArchivedFile[]> {
      return Map.groupBy(ofRows.all({ ...list, first, last }), ({ submission }) => submission)
    },

    /** All of them, by submission and in the order in which they were sent. */
    *all({ after, before }: Between): Generator<ArchivedFile, void> {
      for (let next = nextSubmission.get({ ...list, after, before }); next; ) {
        const { submission } = next
        yield* ofRows.all({ ...list, first: submission, last: submission })
        next = nextSubmission.get({ ...list, after: submission, before })
      }
    },
  }
}

/** @throws AppError `invalid` if an archive cannot hold so many files */
export const refuseTooMany = (count: number): void => {
  if (count > maxArchivedFiles) throw tooMany(`these submissions have ${count}; choose a shorter range of dates`)
}

/** The error for more files than an archive can hold. @param rest the end of its sentence */
export const tooMany = (rest: string): AppError =>
  invalid({ field: 'format', message: `zip holds at most ${maxArchivedFiles} files, and ${rest}` })

type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

interface Archive {
  readonly csv: Parts
  readonly ndjson: Parts
  readonly files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>
  readonly bytesOf: (file: ArchivedFile) => Parts
  readonly now: Date
}

/** The two tables, and the files. */
export const archiveParts = ({ csv, ndjson, files, bytesOf, now }: Archive): AsyncGenerator<Uint8Array, void> => {
  async function* entries(): AsyncGenerator<ZipEntry, void> {
    yield { name: csvName, parts: csv, at: now.getTime() }
    yield { name: ndjsonName, parts: ndjson, at: now.getTime() }
    for await (const file of files)
      yield { name: archivePath(file), parts: bytesOf(file), at: creationTime(file.submission) }
  }
  return zipParts(entries())
}

export interface ZipEntry {
  readonly name: string
  readonly parts: Parts
  /** Unix milliseconds. */
  readonly at: number
}

/** A ZIP archive, made as it is read: at most 64 KiB of a file are in memory. Nothing is compressed, as most files are. */
export async function* zipParts(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
): AsyncGenerator<Uint8Array, void> {
  // For the owner alone, as a backup.
  const mode = 0o600
  async function* files() {
    for await (const { name, parts, at } of entries)
      yield { name, input: awaited(parts), lastModified: new Date(Math.max(at, earliest)), mode }
  }
  const reader = makeZip(files()).getReader()
  let small: Uint8Array[] = []
  let bytes = 0
  const takeSmall = (): Buffer => {
    const joined = Buffer.concat(small)
    small = []
    bytes = 0
    return joined
  }
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { value } = read
      if (value.length >= largeBytes) {
        if (small.length > 0) yield takeSmall()
        yield value
        continue
      }
      bytes += value.length
      if (small.push(value) === maxSmall || bytes >= largeBytes) yield takeSmall()
    }
    if (small.length > 0) yield takeSmall()
  } finally {
    // Ends in the error that it throws into `entries`.
    reader.cancel().catch(() => {})
  }
}

/** Chunks from this size on are not joined with others, which would copy them. */
const largeBytes = 16 * 1024
/** The server serves other requests between two parts. So many headers of small files take 1 ms. */
const maxSmall = 200

/** client-zip takes an empty text for the end. */
async function* awaited(parts: Parts): AsyncGenerator<string | Uint8Array, void> {
  for await (const part of parts) if (part.length > 0) yield part
}

/** ZIP has no earlier year than 1980. */
const earliest = Date.UTC(1980, 0, 2)
