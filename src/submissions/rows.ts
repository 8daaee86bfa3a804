import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { abandonedPieces, param, pieces, submissions } from '../db/tables.ts'
import { invalid, notFound } from '../errors.ts'
import { isLong, pieceWriter } from './pieces.ts'
import { recountAdded } from './recount.ts'
import { tallyWrites } from './tally.ts'

interface NewRow {
  readonly id: string
  /** JSON object. */
  readonly data: string
  /** Why it is spam; absent if it is none. */
  readonly reason?: Judged['reason']
}

/** What a row of spam says besides. */
export interface Judged {
  readonly reason: (typeof submissions.$inferSelect)['reason']
  /** When the owner marked it, as Unix milliseconds. */
  readonly markedAt: number | null
}

/** The rows of submissions with their pieces and tallies. What the form's row says of them is up to the caller. */
export const submissionRows = (db: Db) => {
  const tally = tallyWrites(db)
  let recount: ReturnType<typeof recountAdded> | undefined
  const writePieces = pieceWriter(db)
  const { find, insert, insertSpam, remove, abandon, movePieces } = statements(db)

  const removeRow = (form: number, id: string): { readonly data: string } => {
    const removed = remove.get({ form, id })
    if (!removed) throw notFound('Submission')
    tally.remove(form, id)
    return removed
  }

  return {
    /** Returns their identifiers in ascending order. */
    add(form: number, added: readonly NewRow[]): string[] {
      const ids = added.map(({ id }) => id).sort()
      tally.add(form, ids)
      for (const { id, data, reason } of added) {
        const row = { form, id, data: isLong(data) ? '' : data }
        if (reason) insertSpam.run({ ...row, reason, markedAt: null })
        else insert.run(row)
        writePieces(form, id, data)
      }
      return ids
    },

    /**
     * Returns true if some were long: their pieces remain, and have to be removed in slices.
     *
     * @throws AppError `not_found`
     */
    remove(form: number, ids: ReadonlySet<string>): boolean {
      let isMoreLeft = false
      for (const id of ids) {
        if (removeRow(form, id).data !== '') continue
        abandon.run({ form, id })
        isMoreLeft = true
      }
      return isMoreLeft
    },

    /** @throws AppError `not_found`, or `invalid` if it is there already: an export may have been imported again */
    move(from: number, to: number, id: string, judged: Judged): void {
      const { data } = removeRow(from, id)
      if (find.get({ form: to, id })) throw invalid({ message: 'the submission must not be there already' })
      tally.add(to, [id])
      insertSpam.run({ form: to, id, data, ...judged })
      if (data === '') movePieces.run({ from, to, id })
      // What is moved belongs anywhere, and goes into a stretch that is there.
      if (!tally.isCrowded(to, id)) return
      recount ??= recountAdded(db)
      recount(to, (start) => (start <= id ? id : undefined))
    },
  }
}

const statements = (db: Db) => {
  const row = { form: param('form'), id: param('id'), data: param('data') }
  const insert = db.insert(submissions).values(row).prepare()
  const insertSpam = db
    .insert(submissions)
    .values({ ...row, reason: param('reason'), markedAt: param('markedAt') })
    .prepare()
  const byId = and(eq(submissions.form, param('form')), eq(submissions.id, param('id')))
  const find = db.select({ id: submissions.id }).from(submissions).where(byId).prepare()
  const remove = db.delete(submissions).where(byId).returning({ data: submissions.data }).prepare()
  const abandon = db
    .insert(abandonedPieces)
    .values({ form: param('form'), submission: param('id') })
    .prepare()
  const movePieces = db
    .update(pieces)
    .set({ form: sql`${param('to')}` })
    .where(and(eq(pieces.form, param('from')), eq(pieces.submission, param('id'))))
    .prepare()
  return { find, insert, insertSpam, remove, abandon, movePieces }
}
