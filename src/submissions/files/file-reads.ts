import { and, asc, eq, gte, isNotNull, lte } from 'drizzle-orm'
import { type Db, hasRows, oncePerConnection } from '../../storage/open.ts'
import { isAbandoned } from '../../storage/partial-file.ts'
import { computed, statement } from '../../storage/statement.ts'
import { filePieces, files, forms, param } from '../../storage/tables.ts'
import { inList, type List } from '../lists.ts'
import { firstPiece } from './pieces.ts'

/** A file of a submission. Its bytes are read in pieces. */
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
    .where(and(eq(files.number, param('number')), eq(files.id, param('id')), isNotNull(files.submission)))
    .prepare()

  const counted = countFiles(db)

  return {
    /** Counts the files of a list and their bytes, up to 10,000. */
    count: (list: List): { count: number; bytes: number } => counted.get({ ...list }) ?? { count: 0, bytes: 0 },
    /** Lists the files of a submission, in the order in which they were sent. */
    list: (list: List, submission: string): StoredFile[] => all.all({ ...list, submission }),
    /** Finds the files with an identifier: several if a submission was imported into another form. */
    findAll: (id: string): FoundFile[] => byId.all({ id }) as FoundFile[],
    /** A piece of 64 KiB, or less at the end, counted from 0; undefined after the last one, and of a file that is gone. */
    readPiece: ({ number, id }: Pick<StoredFile, 'number' | 'id'>, position: number): Uint8Array | undefined =>
      piece.get({ number, id, piece: firstPiece(number) + position })?.bytes,
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

/** Reads a staged file, piece by piece. */
export const stagedPieces = (db: Db): ((id: string) => Generator<Uint8Array, void>) => {
  const staged = db
    .select({ number: files.number, size: files.size })
    .from(files)
    .where(and(eq(files.id, param('id')), isNotNull(files.stagedUntil)))
    .prepare()
  const piece = db
    .select({ bytes: filePieces.bytes })
    .from(filePieces)
    .where(eq(filePieces.number, param('piece')))
    .prepare()
  return function* (id) {
    const file = staged.get({ id })
    if (!file) return
    for (let at = 0, position = 0; at < file.size; position++) {
      const bytes = piece.get({ piece: firstPiece(file.number) + position })?.bytes
      if (!bytes) return
      yield bytes
      at += bytes.length
    }
  }
}

/** Whether a file is staged: one arrives, or someone who brought it has gone. */
export const stagedFileReader = (db: Db): (() => boolean) => hasRows(db, files, isNotNull(files.stagedUntil))

/** Names of imports that were killed on this machine, and have left staged files. */
export const abandonedImports = (db: Db): (() => string[]) => {
  const names = db.selectDistinct({ name: files.stagedBy }).from(files).where(isNotNull(files.stagedUntil)).prepare()
  return () => names.all().flatMap(({ name }) => (name !== null && isAbandoned(name) ? [name] : []))
}
