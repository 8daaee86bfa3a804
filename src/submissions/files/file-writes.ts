import { and, asc, eq, gt, gte, isNotNull, lt, or } from 'drizzle-orm'
import { dayMilliseconds } from '../../base/durations.ts'
import { invalid, unavailable } from '../../base/errors.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { filePieces, files, given, givens, isDetached, param, params } from '../../storage/tables.ts'
import { inList, type List } from '../lists.ts'
import { firstPiece, maxFileBytes, pieceBytes } from './pieces.ts'

/** A part of a file that arrives. */
interface Part {
  /** The file's identifier. */
  readonly id: string
  /** The source, so that the files that a process leaves behind can be found. */
  readonly stagedBy: string
  /** The file is given up from this moment on, in Unix milliseconds. */
  readonly stagedUntil: number
  /** How many bytes of it have come before: a multiple of 64 KiB. */
  readonly offset: number
  /** In the log of a cluster, base64. */
  readonly bytes: Uint8Array | string
}

/**
 * Files that are given up: those with these identifiers, those whose time is over, or those that one brought whose
 * identifiers are less than `before`.
 */
type GivenUp =
  | { readonly ids: readonly string[] }
  | { readonly now: number }
  | { readonly stagedBy: string; readonly before: string }

/** A staged file of a submission that is stored now. */
export interface NewFile {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly kind: string | null
}

/** No file is staged for longer, not even one of an import. What says so was staged while the clock was wrong. */
const maxStagedMilliseconds = 2 * dayMilliseconds

/** Whether the time of a staged file is over. If not, `giveUpFiles` need not run for the time. */
export const expiredFileReader = (db: Db): ((now: number) => boolean) => {
  const one = db.select({ number: files.number }).from(files).where(isExpired()).limit(1).prepare()
  return (now) => one.get(expiryAt(now)) !== undefined
}

const isExpired = () => or(lt(files.stagedUntil, param('now')), gt(files.stagedUntil, param('tooLate')))

const expiryAt = (now: number) => ({ now, tooLate: now + maxStagedMilliseconds })

export type FileWrites = ReturnType<typeof fileWrites>

export const fileWrites = (db: Db) => {
  const { find, begin, extend, insertPiece, giveUpId, giveUpOf, giveUpOld } = stagingStatements(db)

  return {
    /** Adds a part to a file that arrives. @throws AppError `invalid` if it does not follow what has come */
    stageFile({ id, stagedBy, stagedUntil, offset, bytes: sent }: Part): void {
      const bytes = typeof sent === 'string' ? Buffer.from(sent, 'base64') : sent
      const staged = find.get({ id }) ?? (offset === 0 ? begin.get({ id, stagedBy, stagedUntil }) : undefined)
      const follows = staged?.stagedBy === stagedBy && staged.size === offset && offset % pieceBytes === 0
      if (!follows) throw invalid({ message: 'a part of a file must follow the part before it' })
      if (offset + bytes.length > maxFileBytes)
        throw invalid({ message: `a file must be at most ${maxFileBytes} bytes` })
      const first = firstPiece(staged.number) + offset / pieceBytes
      for (let at = 0; at < bytes.length; at += pieceBytes)
        insertPiece.run({ number: first + at / pieceBytes, bytes: bytes.subarray(at, at + pieceBytes) })
      extend.run({ number: staged.number, size: offset + bytes.length, stagedUntil })
    },

    /** Gives up staged files. Returns true if there were any: `removeDeletedSlice` has to follow. */
    giveUpFiles(input: GivenUp): boolean {
      if ('stagedBy' in input) return giveUpOf.all(input).length > 0
      if ('now' in input) return giveUpOld.all(expiryAt(input.now)).length > 0
      return input.ids.flatMap((id) => giveUpId.all({ id })).length > 0
    },
  }
}

/** Adopts the staged files of a submission that is stored now. @throws AppError `unavailable` if one is not there whole */
export const fileAdopter = (db: Db): ((list: List, submission: string, added: readonly NewFile[]) => void) => {
  const adopt = db
    .update(files)
    .set({
      ...givens('form', 'list', 'submission', 'position', 'name', 'type', 'kind'),
      stagedBy: null,
      stagedUntil: null,
    })
    .where(and(eq(files.id, param('id')), isNotNull(files.stagedUntil), eq(files.size, param('size'))))
    .returning({ number: files.number })
    .prepare()
  return (list, submission, added) => {
    added.forEach((file, position) => {
      if (!adopt.get({ ...list, submission, position, ...file })) throw unavailable(1)
    })
  }
}

/** Files follow their submissions. */
export const submissionFiles = oncePerConnection((db: Db) => {
  const { some, detach, detachBefore, moveFiles } = followStatements(db)
  return {
    /** Whether a form has any: otherwise nothing need be done for each of its submissions. */
    areIn: (form: number): boolean => some.get({ form }) !== undefined,
    /** Takes them from a deleted submission. Returns true if there were any. */
    detach: (list: List, submission: string): boolean => detach.all({ ...list, submission }).length > 0,
    /** Takes them from all submissions with smaller identifiers. */
    detachBefore: (list: List, end: string): void => void detachBefore.run({ ...list, end }),
    move: (from: List, to: List, submission: string): void => void moveFiles.run({ ...from, to: to.list, submission }),
  }
})

/** Removes detached files, up to so many and so many bytes. Returns how many it removed, or began to remove. */
export const fileRemoval = (db: Db): ((slice: { maxRows: number; maxBytes: number }) => number) => {
  const { nextDetached, removePieces, shorten, remove } = removalStatements(db)
  return ({ maxRows, maxBytes }) => {
    let count = 0
    for (let rest = maxBytes; rest > 0 && count < maxRows; count++) {
      const file = nextDetached.get()
      if (!file) break
      const { number, size } = file
      const kept = Math.floor(Math.max(0, size - rest) / pieceBytes)
      removePieces.run({ from: firstPiece(number) + kept, end: firstPiece(number + 1) })
      if (kept > 0) shorten.run({ number, size: kept * pieceBytes })
      else remove.run({ number })
      rest -= size - kept * pieceBytes
    }
    return count
  }
}

const stagingStatements = (db: Db) => {
  const byId = and(eq(files.id, param('id')), isNotNull(files.stagedUntil))
  const staged = { number: files.number, size: files.size, stagedBy: files.stagedBy }
  const find = db.select(staged).from(files).where(byId).prepare()
  const begin = db
    .insert(files)
    .values(params('id', 'stagedBy', 'stagedUntil'))
    .returning(staged)
    .prepare()
  const extend = db
    .update(files)
    .set(givens('size', 'stagedUntil'))
    .where(eq(files.number, param('number')))
    .prepare()
  const insertPiece = db.insert(filePieces).values(params('number', 'bytes')).prepare()
  const giveUp = () => db.update(files).set({ stagedBy: null, stagedUntil: null })
  const number = { number: files.number }
  const giveUpId = giveUp().where(byId).returning(number).prepare()
  const giveUpOf = giveUp()
    .where(and(isNotNull(files.stagedUntil), eq(files.stagedBy, param('stagedBy')), lt(files.id, param('before'))))
    .returning(number)
    .prepare()
  const giveUpOld = giveUp().where(isExpired()).returning(number).prepare()
  return { find, begin, extend, insertPiece, giveUpId, giveUpOf, giveUpOld }
}

const followStatements = (db: Db) => {
  const ofSubmission = and(inList(files), eq(files.submission, param('submission')))
  const detached = { form: null, list: null, submission: null }
  const some = db
    .select({ number: files.number })
    .from(files)
    .where(eq(files.form, param('form')))
    .limit(1)
    .prepare()
  const detach = db.update(files).set(detached).where(ofSubmission).returning({ number: files.number }).prepare()
  const detachBefore = db
    .update(files)
    .set(detached)
    .where(and(inList(files), lt(files.submission, param('end'))))
    .prepare()
  const moveFiles = db
    .update(files)
    .set({ list: given('to') })
    .where(ofSubmission)
    .prepare()
  return { some, detach, detachBefore, moveFiles }
}

const removalStatements = (db: Db) => {
  const nextDetached = db
    .select({ number: files.number, size: files.size })
    .from(files)
    .where(isDetached(files))
    .orderBy(asc(files.id))
    .limit(1)
    .prepare()
  const removePieces = db
    .delete(filePieces)
    .where(and(gte(filePieces.number, param('from')), lt(filePieces.number, param('end'))))
    .prepare()
  const shorten = db
    .update(files)
    .set({ size: given('size') })
    .where(eq(files.number, param('number')))
    .prepare()
  const remove = db
    .delete(files)
    .where(eq(files.number, param('number')))
    .prepare()
  return { nextDetached, removePieces, shorten, remove }
}
