import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import { type Form, formReader } from '../../forms/form.ts'
import { numberReader } from '../../forms/limit-writes.ts'
import type { Db } from '../../storage/open.ts'
import { claims, forms, given, imports, limits, onces, param, params, submissions } from '../../storage/tables.ts'
import { inList, listOf, placeLists } from '../lists.ts'
import { numbersIn } from './claim-writes.ts'

/**
 * The limits of a form that are still to be counted: their numbers, and from which identifier on. `imported` changes when
 * something is imported, which has to be read before anything after it counts as known.
 */
export type Uncounted = readonly (readonly [number: number, from: string, imported: number])[]

interface Counted {
  readonly formId: string
  /** As they were when the submissions were read. */
  readonly limits: Uncounted
  /** The submissions that take something, with the numbers of limits, and the hashes of values that come once. */
  readonly rows: readonly (readonly [
    id: string,
    taken: readonly number[],
    hashes?: readonly (readonly [limit: number, hash: string])[],
  ])[]
  /** The identifier to go on from; null if there is no more. */
  readonly next: string | null
}

export type CountWrites = ReturnType<typeof countWrites>

export const countWrites = (db: Db) => {
  const findForm = formReader(db)
  const uncountedOf = uncountedReader(db)
  const numbersOf = numberReader(db)
  const rows = statements(db)

  const add = (
    form: Form,
    [submission, taken, hashes = []]: Counted['rows'][number],
    known: ReadonlySet<number>,
  ): void => {
    const list = placeLists.find((name) => rows.isIn.get({ ...listOf(form, name), id: submission }))
    if (!list) return
    // Of limits that are gone: otherwise each change of the form would leave as many rows behind as it has submissions.
    rows.forget.run({ form: form.number, submission })
    for (const [number, hash] of list === 'inbox' ? hashes : [])
      if (known.has(number)) rows.hold.run({ number, hash, submission, form: form.number })
    if (taken.length === 0) return
    const before = rows.find.get({ form: form.number, submission })?.held
    // Without those of limits that are gone, as above.
    const held = new Set(before === undefined ? [] : numbersIn(before).filter((number) => known.has(number)))
    for (const number of taken.filter((one) => known.has(one))) {
      if (!held.has(number)) rows.countOne.run({ number })
      held.add(number)
    }
    rows.save.run({ form: form.number, submission, held: JSON.stringify([...held].sort((a, b) => a - b)) })
  }

  return {
    /**
     * Counts a slice of the submissions that were there before a limit. Does nothing if the limits are others by now,
     * something was imported, or another machine has counted the same: then the slice has to be read again.
     */
    countLimits({ formId, limits: counted, rows: found, next }: Counted): void {
      const form = findForm(formId)
      if (!form || !Bun.deepEquals(uncountedOf(form.number), counted)) return
      const known = new Set(numbersOf(form.number).values())
      for (const row of found) add(form, row, known)
      if (next === null) rows.end.run({ form: form.number })
      else rows.goOn.run({ form: form.number, next })
    },
  }
}

/** Reads the limits of a form that are still to be counted, by their numbers. */
export const uncountedReader = (db: Db): ((form: number) => Uncounted) => {
  const list = db
    .select({
      number: limits.number,
      countFrom: limits.countFrom,
      imported: sql<number>`(select coalesce(sum(${imports.added}), 0) from ${imports} where ${imports.form} = ${param('form')})`,
    })
    .from(limits)
    .where(and(eq(limits.form, param('form')), isNotNull(limits.countFrom)))
    .orderBy(asc(limits.number))
    .prepare()
  return (form) => list.all({ form }).map(({ number, countFrom, imported }) => [number, countFrom ?? '', imported])
}

export type FormToCount = Pick<Form, 'id' | 'number' | 'spamList' | 'settings'>

/** Finds a form with limits that are still to be counted. What an import brings in is counted when all of it is there. */
export const formToCount = (db: Db): (() => FormToCount | undefined) => {
  const find = db
    .select({ id: forms.id, number: forms.number, spamList: forms.spamList, settings: forms.settings })
    .from(limits)
    .innerJoin(forms, eq(forms.number, limits.form))
    .where(
      and(
        isNotNull(limits.countFrom),
        sql`${forms.deletedAt} is null`,
        sql`not exists (select 1 from ${imports} where ${imports.form} = ${limits.form} and ${imports.state} = 'adding')`,
      ),
    )
    .orderBy(asc(limits.form))
    .limit(1)
    .prepare()
  return () => find.get()
}

const statements = (db: Db) => {
  const ofForm = eq(limits.form, param('form'))
  const isIn = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()
  const find = db
    .select({ held: claims.held })
    .from(claims)
    .where(and(eq(claims.form, param('form')), eq(claims.submission, param('submission'))))
    .prepare()
  const save = db
    .insert(claims)
    .values(params('form', 'submission', 'held'))
    .onConflictDoUpdate({ target: [claims.form, claims.submission], set: { held: sql`excluded.held` } })
    .prepare()
  const countOne = db
    .update(limits)
    .set({ taken: sql`${limits.taken} + 1` })
    .where(eq(limits.number, param('number')))
    .prepare()
  const hold = db
    .insert(onces)
    .values(params('number', 'hash', 'submission', 'form'))
    .onConflictDoNothing()
    .prepare()
  const forget = db
    .delete(onces)
    .where(
      and(
        eq(onces.form, param('form')),
        eq(onces.submission, param('submission')),
        sql`not exists (select 1 from ${limits} where ${limits.number} = ${onces.number})`,
      ),
    )
    .prepare()
  const uncounted = and(ofForm, isNotNull(limits.countFrom))
  const end = db.update(limits).set({ countFrom: null }).where(uncounted).prepare()
  const goOn = db
    .update(limits)
    .set({ countFrom: sql`max(${limits.countFrom}, ${given('next')})` })
    .where(uncounted)
    .prepare()
  return { isIn, find, save, countOne, hold, forget, end, goOn }
}
