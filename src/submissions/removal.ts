import { and, asc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import { addressWrites } from '../forms/address-writes.ts'
import { endedShareWrites } from '../forms/ended-shares.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { changesOf, type Db } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import {
  abandonedLists,
  abandonedPieces,
  forms,
  members,
  ofForms,
  param,
  pieces,
  submissions,
  trail,
} from '../storage/tables.ts'
import { bytesOfMany, submissionBelongings } from './belongings.ts'
import { fileRemoval, submissionFiles } from './files/file-writes.ts'
import { formImportRemoval } from './imports/take-back.ts'
import { inList, type List } from './lists.ts'
import { pieceBytes } from './pieces.ts'
import type { Slice } from './slices.ts'
import { tallyWrites } from './tally.ts'

/**
 * Removes part of what was deleted: first files, then the pieces of submissions and what else one may have much of, then lists
 * that were deleted as a whole, then the submissions of deleted forms, and each form after its last submission. Returns how
 * many files, submissions, deliveries and forms they were: 0 when nothing is left. Removing a form with a million submissions
 * at once would delay every other write.
 */
export const removalInSlices = (db: Db): ((slice: Slice) => number) => {
  const removeFiles = fileRemoval(db)
  const removePieces = removalOfPieces(db)
  const removeFrom = removalFromList(db)
  const removeLists = removalOfLists(db, removeFrom)
  const removeForms = removalOfForms(db, removeFrom)
  return (slice) => removeFiles(slice) || removePieces(slice) || removeLists(slice) || removeForms(slice)
}

/** Removes pieces of submissions that were deleted, and that of which they may have many. */
const removalOfPieces = (db: Db): ((slice: Slice) => number) => {
  const { removeMany } = submissionBelongings(db)
  const nextAbandoned = db
    .select()
    .from(abandonedPieces)
    .orderBy(asc(abandonedPieces.form), asc(abandonedPieces.list), asc(abandonedPieces.submission))
    .limit(1)
    .prepare()
  const removePieces = db
    .delete(pieces)
    .where(and(inList(pieces), eq(pieces.submission, param('submission'))))
    .returning({ position: pieces.position })
    .prepare()
  const removeAbandoned = db
    .delete(abandonedPieces)
    .where(and(inList(abandonedPieces), eq(abandonedPieces.submission, param('submission'))))
    .prepare()

  return ({ maxBytes }) => {
    let count = 0
    let bytes = 0
    for (let next = nextAbandoned.get(); next && bytes < maxBytes; next = nextAbandoned.get()) {
      bytes += removePieces.all(next).length * pieceBytes
      bytes += removeMany(next.form, next.submission)
      removeAbandoned.run(next)
      count++
    }
    return count
  }
}

type RemovalFromList = (list: List, slice: Slice) => OldestSubmissions

/** Removes the oldest submissions of a list, and their tallies. What is left is no longer counted. */
const removalFromList = (db: Db): RemovalFromList => {
  const tally = tallyWrites(db)
  const { removeWith } = submissionBelongings(db)
  const nextOf = sliceReader(db)
  const files = submissionFiles(db)
  const removePiecesBefore = db
    .delete(pieces)
    .where(and(inList(pieces), lt(pieces.submission, param('end'))))
    .prepare()
  const removeBefore = db
    .delete(submissions)
    .where(and(inList(submissions), lt(submissions.id, param('end'))))
    .prepare()

  return (list, slice) => {
    const oldest = nextOf(list, slice)
    const before = { ...list, end: oldest.end ?? afterEveryId }
    if (files.areIn(list.form)) files.detachBefore(list, before.end)
    removePiecesBefore.run(before)
    removeBefore.run(before)
    tally.removeBefore(list, before.end)
    // Only the numbers of spam are above 0.
    removeWith(list.form, oldest.ids, list.list > 0 ? 'spam' : null)
    return oldest
  }
}

/** Removes submissions of the first list that was deleted as a whole. */
const removalOfLists = (db: Db, removeFrom: RemovalFromList): ((slice: Slice) => number) => {
  const deliveries = deliveryRemoval(db)
  const nextAbandoned = db
    .select()
    .from(abandonedLists)
    .orderBy(asc(abandonedLists.form), asc(abandonedLists.list))
    .limit(1)
    .prepare()
  const removeAbandoned = db.delete(abandonedLists).where(inList(abandonedLists)).prepare()

  return (slice) => {
    const list = nextAbandoned.get()
    if (!list) return 0
    const { ids, end } = removeFrom(list, slice)
    // There may be deliveries of what was marked as spam later.
    deliveries.ofSubmissions(list.form, ids)
    if (end === undefined) removeAbandoned.run({ ...list })
    // Of a list that is empty, because all of it was imported again, only its own row.
    return Math.max(1, ids.length)
  }
}

/**
 * Removes rows of the forms that were deleted first: deliveries, then the submissions list by list, and after the last one
 * the form.
 */
const removalOfForms = (db: Db, removeFrom: RemovalFromList): ((slice: Slice) => number) => {
  const deliveries = deliveryRemoval(db)
  const ended = endedShareWrites(db)
  const { leaveAddresses } = addressWrites(db)
  const removeImports = formImportRemoval(db)
  const { formBeingRemoved, nextList, usersOf, removeTrail, removeRest } = formStatements(db)

  return ({ maxRows, maxBytes }) => {
    let rows = 0
    let bytes = 0
    let told = 0
    while (rows + told < maxRows && bytes < maxBytes) {
      const found = formBeingRemoved.get()
      if (!found) break
      const { number: formNumber } = found
      rows += deliveries.ofForm(formNumber, maxRows - rows)
      if (rows === maxRows) break
      const next = nextList.get({ form: formNumber })
      if (next) {
        const oldest = removeFrom(
          { form: formNumber, list: next.list },
          { maxRows: maxRows - rows, maxBytes: maxBytes - bytes },
        )
        rows += oldest.ids.length
        bytes += oldest.bytes
        if (oldest.end !== undefined) break
        if (nextList.get({ form: formNumber })) continue
      }
      const limit = Math.max(1, maxRows - rows)
      const imported = removeImports(formNumber, { maxRows: limit, maxBytes: maxBytes - bytes })
      rows += imported.count
      bytes += imported.bytes
      if (imported.count >= limit || bytes >= maxBytes) break
      const deeds = changesOf(removeTrail.run({ form: formNumber, limit }))
      rows += deeds
      if (deeds === limit) break
      const readers = usersOf.all({ form: formNumber })
      for (const { userId } of readers) ended.end(found, userId as string, 'deleted', found.deletedAt as number)
      told += readers.length
      leaveAddresses(formNumber, found.deletedAt as number)
      for (const one of removeRest) one.run({ form: formNumber })
      rows++
    }
    return rows
  }
}

interface OldestSubmissions {
  readonly ids: readonly string[]
  /** Bytes of their pieces, and of that of which they may have many. */
  readonly bytes: number
  /** The identifier of the first one that does not fit in the slice; undefined if all of them fit. */
  readonly end: string | undefined
}

const sliceReader = (db: Db): ((list: List, slice: Slice) => OldestSubmissions) => {
  const oldest = oldestOfList(db)

  return (list, { maxRows, maxBytes }) => {
    const rows = oldest.all({ ...list, limit: maxRows + 1 })
    const ids: string[] = []
    let bytes = 0
    for (const row of rows) {
      if (ids.length === maxRows || (ids.length > 0 && bytes + row.bytes > maxBytes)) return { ids, bytes, end: row.id }
      ids.push(row.id)
      bytes += row.bytes
    }
    return { ids, bytes, end: undefined }
  }
}

const oldestOfList = statement(
  `SELECT id, ${bytesOfMany} + ${pieceBytes} * iif(data = '', (
    SELECT count(*) FROM pieces
    WHERE pieces.form = submissions.form AND pieces.list = submissions.list AND submission = submissions.id), 0) AS bytes
  FROM submissions WHERE form = $form AND list = $list
  ORDER BY id LIMIT $limit`,
  { id: submissions.id, bytes: computed<number>() },
)

const formStatements = (db: Db) => {
  const formBeingRemoved = db
    .select({
      number: forms.number,
      id: forms.id,
      userId: forms.userId,
      title: forms.title,
      deletedAt: forms.deletedAt,
    })
    .from(forms)
    .where(sql`${forms.deletedAt} is not null`)
    .orderBy(asc(forms.deletedAt), asc(forms.number))
    .limit(1)
    .prepare()
  const nextList = db
    .select({ list: submissions.list })
    .from(submissions)
    .where(eq(submissions.form, param('form')))
    .orderBy(asc(submissions.list))
    .limit(1)
    .prepare()
  const usersOf = db
    .select({ userId: members.userId })
    .from(members)
    .where(and(eq(members.form, param('form')), isNotNull(members.userId)))
    .orderBy(asc(members.id))
    .prepare()
  const oldestDeeds = db
    .select({ number: trail.number })
    .from(trail)
    .where(eq(trail.form, param('form')))
    .orderBy(asc(trail.number))
    .limit(param('limit'))
  const removeTrail = db.delete(trail).where(inArray(trail.number, oldestDeeds)).prepare()
  const removeRest = [
    ...ofForms.map((table) =>
      db
        .delete(table)
        .where(eq(table.form, param('form')))
        .prepare(),
    ),
    db
      .delete(forms)
      .where(eq(forms.number, param('form')))
      .prepare(),
  ]
  return { formBeingRemoved, nextList, usersOf, removeTrail, removeRest }
}
