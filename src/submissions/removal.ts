import { and, asc, eq, lt, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { abandonedPieces, forms, longFieldNames, param, pieces, submissions } from '../db/tables.ts'
import { afterEveryId } from '../id.ts'
import { deliveryRemoval } from '../outbox/removal.ts'
import { pieceBytes } from './pieces.ts'
import { tallyWrites } from './tally.ts'

/** What one write may remove at most. */
interface Slice {
  readonly maxRows: number
  /** Bytes of long submissions. At least one is removed, however long it is. */
  readonly maxBytes: number
}

/** Small, because other writes wait meanwhile: 8 MiB take about 30 ms. */
export const oneSlice: Slice = { maxRows: 500, maxBytes: 8 * 1024 * 1024 }

/**
 * Removes part of what was deleted: first the pieces of long submissions, then the submissions of deleted forms, and
 * each form after its last submission. Returns how many submissions, deliveries and forms they were: 0 when nothing is
 * left. Removing a form with a million submissions at once would delay every other write.
 */
export const removalInSlices = (db: Db): ((slice: Slice) => number) => {
  const removePieces = removalOfPieces(db)
  const removeForms = removalOfForms(db)
  return (slice) => removePieces(slice) || removeForms(slice)
}

/** Of long submissions that were deleted. */
const removalOfPieces = (db: Db): ((slice: Slice) => number) => {
  const nextAbandoned = db
    .select()
    .from(abandonedPieces)
    .orderBy(asc(abandonedPieces.form), asc(abandonedPieces.submission))
    .limit(1)
    .prepare()
  const removePieces = db
    .delete(pieces)
    .where(and(eq(pieces.form, param('form')), eq(pieces.submission, param('submission'))))
    .returning({ position: pieces.position })
    .prepare()
  const removeAbandoned = db
    .delete(abandonedPieces)
    .where(and(eq(abandonedPieces.form, param('form')), eq(abandonedPieces.submission, param('submission'))))
    .prepare()

  return ({ maxBytes }) => {
    let count = 0
    let bytes = 0
    for (let next = nextAbandoned.get(); next && bytes < maxBytes; next = nextAbandoned.get()) {
      bytes += removePieces.all(next).length * pieceBytes
      removeAbandoned.run(next)
      count++
    }
    return count
  }
}

/** Of the forms that were deleted first: deliveries, then the oldest submissions, and after the last of them the form. */
const removalOfForms = (db: Db): ((slice: Slice) => number) => {
  const deliveries = deliveryRemoval(db)
  const tally = tallyWrites(db)
  const nextOf = sliceReader(db)
  const { formBeingRemoved, removePiecesBefore, removeBefore, removeNames, removeForm } = formStatements(db)

  return ({ maxRows, maxBytes }) => {
    let rows = 0
    let bytes = 0
    while (rows < maxRows && bytes < maxBytes) {
      const found = formBeingRemoved.get()
      if (!found) break
      const { number: form, spamForm } = found
      rows += deliveries.ofForm(form, maxRows - rows)
      if (rows === maxRows) break
      const oldest = nextOf(form, { maxRows: maxRows - rows, maxBytes: maxBytes - bytes })
      const { ids, end = afterEveryId } = oldest
      // Somebody may have been told about what was marked as spam later. Those deliveries are stored with the form itself.
      if (spamForm !== null) deliveries.ofSubmissions(spamForm, ids)
      removePiecesBefore.run({ form, end })
      removeBefore.run({ form, end })
      rows += ids.length
      bytes += oldest.bytes
      if (oldest.end !== undefined) break
      tally.removeAll(form)
      removeNames.run({ form })
      removeForm.run({ form })
      rows++
    }
    return rows
  }
}

interface OldestSubmissions {
  readonly ids: readonly string[]
  /** Of their pieces. */
  readonly bytes: number
  /** The identifier of the first one that does not fit in the slice; undefined if all of them fit. */
  readonly end: string | undefined
}

const sliceReader = (db: Db): ((form: number, slice: Slice) => OldestSubmissions) => {
  const pieceCount = db
    .select({ count: sql`count(*)` })
    .from(pieces)
    .where(and(eq(pieces.form, submissions.form), eq(pieces.submission, submissions.id)))
  const oldest = db
    .select({ id: submissions.id, pieces: sql<number>`iif(${submissions.data} = '', (${pieceCount}), 0)` })
    .from(submissions)
    .where(eq(submissions.form, param('form')))
    .orderBy(asc(submissions.id))
    .limit(param('limit'))
    .prepare()

  return (form, { maxRows, maxBytes }) => {
    const rows = oldest.all({ form, limit: maxRows + 1 })
    const ids: string[] = []
    let bytes = 0
    for (const row of rows) {
      const ownBytes = row.pieces * pieceBytes
      if (ids.length === maxRows || (ids.length > 0 && bytes + ownBytes > maxBytes)) return { ids, bytes, end: row.id }
      ids.push(row.id)
      bytes += ownBytes
    }
    return { ids, bytes, end: undefined }
  }
}

const formStatements = (db: Db) => {
  const formBeingRemoved = db
    .select({ number: forms.number, spamForm: forms.spamForm })
    .from(forms)
    .where(sql`${forms.deletedAt} is not null`)
    .orderBy(asc(forms.deletedAt), asc(forms.number))
    .limit(1)
    .prepare()
  const removePiecesBefore = db
    .delete(pieces)
    .where(and(eq(pieces.form, param('form')), lt(pieces.submission, param('end'))))
    .prepare()
  const removeBefore = db
    .delete(submissions)
    .where(and(eq(submissions.form, param('form')), lt(submissions.id, param('end'))))
    .prepare()
  const removeNames = db
    .delete(longFieldNames)
    .where(eq(longFieldNames.form, param('form')))
    .prepare()
  const removeForm = db
    .delete(forms)
    .where(eq(forms.number, param('form')))
    .prepare()
  return { formBeingRemoved, removePiecesBefore, removeBefore, removeNames, removeForm }
}
