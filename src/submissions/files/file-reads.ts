import { and, asc, eq, gte, isNotNull, lte, or } from 'drizzle-orm'
import { type Db, hasRows, oncePerConnection } from '../../storage/open.ts'
import { isAbandoned } from '../../storage/partial-file.ts'
import { computed, statement } from '../../storage/statement.ts'
import { filePieces, files, forms, param } from '../../storage/tables.ts'
import { inList, type List } from '../lists.ts'
import { firstPiece, pieceBytes } from './pieces.ts'

/** A file of a submission. `bytesOf` reads its bytes. */
export type StoredFile = Pick<typeof files.$inferSelect, 'number' | 'id' | 'name' | 'type' | 'size' | 'kind'>

/** The columns of one. */
export const storedFile = {
  number: files.number,
  id: files.id,
  name: files.name,
  type: files.type,
  size: files.size,
  kind: files.kind,
}

/** A file, and where it belongs. */
type FoundFile = StoredFile & {
  readonly formId: string
  readonly list: number
  readonly submission: string
}

/** More files of a list are not counted: with 10,000, it takes 10 ms. */
export const maxCountedFiles = 10_000

const countFiles = statement(
  `SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes
   FROM (SELECT size FROM files WHERE form = $form AND list = $list LIMIT ${maxCountedFiles}) AS found`,
  { count: computed<number>(), bytes: computed<number>() },
)

export type FileReads = ReturnType<typeof fileReads>

export const fileReads = oncePerConnection((db: Db) => {
  const ofSubmission = and(inList(files), eq(files.submission, param('submission')))
  const all = db.select(storedFile).from(files).where(ofSubmission).orderBy(asc(files.position)).prepare()
  const byId = db
    .select({ ...storedFile, formId: forms.id, list: files.list, submission: files.submission })
    .from(files)
    .innerJoin(forms, eq(forms.number, files.form))
    .where(and(eq(files.id, param('id')), isNotNull(files.submission)))
    .orderBy(asc(files.number))
    .prepare()
  // By its identifier too: after it was removed, another file may get its number while someone still reads.
  const piece = db
    .select({ bytes: filePieces.bytes })
    .from(files)
    .innerJoin(filePieces, eq(filePieces.number, param('piece')))
    .where(
      and(
        eq(files.number, param('number')),
        eq(files.id, param('id')),
        or(isNotNull(files.submission), isNotNull(files.stagedUntil)),
      ),
    )
    .prepare()

  const counted = countFiles(db)

  return {
    /** Counts the files of a list and their bytes, up to 10,000. */
    count: (list: List): { count: number; bytes: number } => counted.get({ ...list }) ?? { count: 0, bytes: 0 },
    /** Lists the files of a submission, in the order in which they were sent. */
    list: (list: List, submission: string): StoredFile[] => all.all({ ...list, submission }),
    /** Finds the files with an identifier: several if a submission was imported into another form. */
    findAll: (id: string): FoundFile[] => byId.all({ id }) as FoundFile[],
    /**
     * Reads a file, or its part from `start` to before `end`, as it is taken: 64 KiB at a time, or less.
     *
     * @param gone makes the error for a file that is deleted meanwhile; in a transaction, none is
     */
    *bytesOf(
      { number, id, size }: Pick<StoredFile, 'number' | 'id' | 'size'>,
      gone = () => new Error(`file ${id} lacks a piece`),
      start = 0,
      end = size,
    ): Generator<Uint8Array, void> {
      for (let position = Math.floor(start / pieceBytes); position * pieceBytes < end; position++) {
        const found = piece.get({ number, id, piece: firstPiece(number) + position })
        if (!found) throw gone()
        const from = position * pieceBytes
        yield found.bytes.subarray(Math.max(0, start - from), end - from)
      }
    },
  }
})

/** Which of some submissions have files. @param ids in order, either way */
export const submissionsWithFiles = (db: Db): ((list: List, ids: readonly string[]) => ReadonlySet<string>) => {
  const { submission } = files
  const between = db
    .selectDistinct({ submission })
    .from(files)
    .where(and(inList(files), gte(submission, param('from')), lte(submission, param('to'))))
    .prepare()
  return (list, ids) => {
    const [from, to] = [ids[0] ?? '', ids.at(-1) ?? ''].sort()
    return new Set(between.all({ ...list, from, to }).flatMap(({ submission: id }) => id ?? []))
  }
}

/** Reads a staged file; nothing if there is none. */
export const stagedBytes = (db: Db): ((id: string) => Iterable<Uint8Array>) => {
  const staged = db
    .select({ number: files.number, id: files.id, size: files.size })
    .from(files)
    .where(and(eq(files.id, param('id')), isNotNull(files.stagedUntil)))
    .prepare()
  const { bytesOf } = fileReads(db)
  return (id) => {
    const file = staged.get({ id })
    return file ? bytesOf(file) : []
  }
}

/** Whether a file is staged: one arrives, or someone who brought it has gone. */
export const stagedFileReader = (db: Db): (() => boolean) => hasRows(db, files, isNotNull(files.stagedUntil))

/** Names of imports that were killed on this machine, and have left staged files. */
export const abandonedImports = (db: Db): (() => string[]) => {
  const names = db.selectDistinct({ name: files.stagedBy }).from(files).where(isNotNull(files.stagedUntil)).prepare()
  return () => names.all().flatMap(({ name }) => (name !== null && isAbandoned(name) ? [name] : []))
}
