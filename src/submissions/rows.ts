import { and, eq, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { abandonedPieces, forms, given, givens, param, params, pieces, submissions } from '../storage/tables.ts'
import { submissionBelongings } from './belongings.ts'
import { fileAdopter, type NewFile, submissionFiles } from './files/file-writes.ts'
import { inList, isHeldList, type ListedForm, type ListName, listOf, lists, ofEachList, whereIs } from './lists.ts'
import { abandonedRemoval, isLong, pieceWriter } from './pieces.ts'
import { recountAdded } from './recount-tallies.ts'
import type { Reason } from './stored-submission.ts'
import { tallyWrites } from './tally.ts'
import { unreadWrites } from './unread-writes.ts'

/** Values that come with the fields of a submission, and are stored beside its data. */
export interface Accompanying {
  /** The staged files that its data names, in their order. Of a repeat, they stay staged. */
  readonly files?: readonly NewFile[] | undefined
}

export interface NewRow extends Accompanying {
  readonly id: string
  /** JSON object. */
  readonly data: string
  /** The signal by which it was judged to be spam: then it is held back. Absent for what goes into the inbox. */
  readonly reason?: Exclude<Reason, 'marked'> | undefined
}

/** The values that change when a submission is moved, besides its list. */
interface Judged {
  readonly reason: Reason | null
  /** When the owner marked it, as Unix milliseconds. */
  readonly markedAt: number | null
}

/** The rows of submissions, with their pieces and tallies, and what the form's row says of them. */
export const submissionRows = oncePerConnection((db: Db) => {
  const tally = tallyWrites(db)
  const totals = formTotals(db)
  const unread = unreadWrites(db)
  const writePieces = pieceWriter(db)
  const removeAbandoned = abandonedRemoval(db)
  const adopt = fileAdopter(db)
  const files = submissionFiles(db)
  const belongings = submissionBelongings(db)
  let recount: ReturnType<typeof recountAdded> | undefined
  const { find, insert, insertSpam, remove, move, abandon, movePieces } = rowStatements(db)

  return {
    /** Adds submissions of visitors. */
    add(form: ListedForm & Pick<Form, 'latestId'>, name: ListName, added: readonly NewRow[]): void {
      const list = listOf(form, name)
      const ids = added.map(({ id }) => id).sort()
      tally.add(list, ids)
      for (const { id, data, reason, files: sent } of added) {
        const row = { ...list, id, data: isLong(data) ? '' : data }
        if (reason || isHeldList(name)) insertSpam.run({ ...row, reason: isHeldList(name) ? name : reason })
        else insert.run(row)
        writePieces(list, id, data)
        if (sent) adopt(list, id, sent)
      }
      if (name === 'inbox') totals.add(form.number, ids)
      else totals.change(form.number, name, ids.length)
      const oldest = ids[0] as string
      if (name === 'inbox' && oldest < form.latestId) unread.added(form.number, oldest)
    },

    /**
     * Returns true if some were long, or had files or notes: these remain, and have to be removed in slices.
     *
     * @throws AppError `not_found`
     */
    remove(form: ListedForm & Pick<Form, 'lessonChanges'>, name: ListName, ids: ReadonlySet<string>): boolean {
      const list = listOf(form, name)
      const hasFiles = files.areIn(form.number)
      const hasMany = belongings.manyIn(form.number)
      let isMoreLeft = false
      for (const id of ids) {
        const removed = remove.get({ ...list, id })
        if (!removed) throw notFound('Submission')
        tally.remove(list, id)
        if (removed.data === '' || hasMany(id)) {
          abandon.run({ ...list, id })
          isMoreLeft = true
        }
        if (hasFiles && files.detach(list, id)) isMoreLeft = true
      }
      if (ids.size === 0) return false
      totals.change(form.number, name, -ids.size)
      belongings.remove(form, ids, name)
      return isMoreLeft
    },

    /** See `whereIs`. */
    listWith: (form: Form, name: ListName, id: string): ListName =>
      whereIs(form, name, (held) => find.get({ ...held, id })),

    /**
     * Moves a submission to this list from another one. Returns why it was held; null if it was not.
     *
     * @throws AppError `not_found`
     */
    move(form: ListedForm, before: ListName, name: ListName, id: string, judged: Judged): Reason | null {
      const [from, to] = [listOf(form, before), listOf(form, name)]
      const found = find.get({ ...from, id })
      if (!found) throw notFound('Submission')
      move.run({ ...from, id, to: to.list, ...judged })
      tally.remove(from, id)
      tally.add(to, [id])
      if (found.data === '') {
        removeAbandoned(to, id)
        movePieces.run({ ...from, to: to.list, id })
      }
      files.move(from, to, id)
      // What is moved belongs anywhere, and goes into a stretch that is there.
      if (tally.isCrowded(to, id)) {
        recount ??= recountAdded(db)
        recount(to, (start) => (start <= id ? id : undefined))
      }
      totals.change(form.number, before, -1)
      totals.change(form.number, name, 1)
      const isBack = found.reason === 'marked' || isHeldList(before)
      belongings.move(form.number, id, before, name, isBack)
      return found.reason
    },
  }
})

/**
 * Keeps what a form's row says of its submissions: how many there are, and which identifier is the latest. Must run in the
 * transaction that adds or removes them, and after that.
 */
export const formTotals = (db: Db) => {
  const { added, changed } = totalStatements(db)

  return {
    /** Counts what was added to the inbox. @param ids of submissions of visitors, in ascending order */
    add(formNumber: number, ids: readonly string[]): void {
      added.run({ form: formNumber, by: ids.length, newest: ids.at(-1) })
    },

    /** Counts what was removed, or added in any other way. */
    change(formNumber: number, name: ListName, by: number): void {
      changed[name].run({ form: formNumber, by })
    },
  }
}

const rowStatements = (db: Db) => {
  const row = { form: param('form'), list: param('list'), id: param('id'), data: param('data') }
  const insert = db.insert(submissions).values(row).prepare()
  const insertSpam = db
    .insert(submissions)
    .values({ ...row, reason: param('reason') })
    .prepare()
  const byId = and(inList(submissions), eq(submissions.id, param('id')))
  const find = db.select({ data: submissions.data, reason: submissions.reason }).from(submissions).where(byId).prepare()
  const remove = db.delete(submissions).where(byId).returning({ data: submissions.data }).prepare()
  // Keeps all other columns, whichever they are.
  const move = db
    .update(submissions)
    .set({ ...givens('reason', 'markedAt'), list: given('to') })
    .where(byId)
    .prepare()
  const abandon = db
    .insert(abandonedPieces)
    .values({ ...params('form', 'list'), submission: param('id') })
    .prepare()
  const movePieces = db
    .update(pieces)
    .set({ list: given('to') })
    .where(and(inList(pieces), eq(pieces.submission, param('id'))))
    .prepare()
  return { find, insert, insertSpam, remove, move, abandon, movePieces }
}

const totalStatements = (db: Db) => {
  const changing = (name: ListName, more: Partial<Record<'changeCount' | 'latestId', SQL>>) =>
    db
      .update(forms)
      .set({ [lists[name].counter]: sql`${forms[lists[name].counter]} + ${param('by')}`, ...more })
      .where(eq(forms.number, param('form')))
      .prepare()
  const changeCount = sql`${forms.changeCount} + 1`
  const newestId = sql`(select max(${submissions.id}) from ${submissions} where ${submissions.form} = ${forms.number} and ${submissions.list} = 0)`
  const latestId = sql`max(${forms.id}, coalesce(${newestId}, ''))`
  return {
    added: changing('inbox', { changeCount, latestId: sql`max(${forms.latestId}, ${param('newest')})` }),
    changed: ofEachList((_, name) => changing(name, name === 'inbox' ? { changeCount, latestId } : {})),
  }
}
