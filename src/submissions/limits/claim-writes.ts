import { and, eq, sql } from 'drizzle-orm'
import { limitedFields } from '../../forms/fields/limited-fields.ts'
import type { Form } from '../../forms/form.ts'
import { limitKey, onceOption } from '../../forms/limit-writes.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { claims, given, limits, literal, onces, param, params } from '../../storage/tables.ts'
import { fieldsIn } from '../sent-fields.ts'
import type { Hashes } from './once.ts'
import { type ChosenPlace, placesIn } from './places.ts'

/** What submissions take of one form, in one command. */
export type Taking = NonNullable<ReturnType<ReturnType<typeof claimWrites>['open']>>

/**
 * Takes places for submissions, and gives them back. Must run in the transaction that adds, moves or removes the
 * submissions: a place is taken as long as one has it that is in the inbox, or waits for a confirmation.
 */
export const claimWrites = oncePerConnection((db: Db) => {
  const { find, any, insert, change, removeOne } = statements(db)
  const once = onceStatements(db)

  const changeBy = (counts: ReadonlyMap<number, number>): void => {
    for (const number of [...counts.keys()].sort((a, b) => a - b))
      change.run({ number, by: counts.get(number) as number })
  }

  return {
    /** Returns undefined for a form that limits nothing. `write` has to follow what was taken. */
    open({ number: form, settings }: Pick<Form, 'number' | 'settings'>) {
      const limited = limitedFields(parseSettings(settings).fields)
      if (!limited) return undefined
      const known = new Map<string, ReturnType<typeof find.get>>()
      const counts = new Map<number, number>()
      const rowOf = ({ field, option }: ChosenPlace) => {
        const key = limitKey(field, option)
        if (!known.has(key)) known.set(key, find.get({ form, field, option }))
        return known.get(key)
      }
      const added = new Set<string>()
      const numbered = (hashes: Hashes) =>
        [...limited.once.keys()].flatMap((field) => {
          const number = rowOf({ field, option: onceOption })?.number
          return number === undefined ? [] : (hashes[field] ?? []).map((hash) => ({ field, number, hash }))
        })

      return {
        /** The places that a submission asks for. @param data its whole JSON text */
        placesIn: (data: string): readonly ChosenPlace[] => placesIn(limited, fieldsIn(data)),

        /** Those of them of which none is left. */
        full: (places: readonly ChosenPlace[]): readonly ChosenPlace[] =>
          places.filter((place) => {
            const row = rowOf(place)
            const most = limited.places.get(place.field)?.get(place.option)
            if (!row || row.countFrom !== null || most === undefined) return false
            return row.taken + (counts.get(row.number) ?? 0) >= most
          }),

        /** The fields whose values come once, if the hashes of one are missing. */
        unhashed(hashes: Hashes = {}): readonly string[] | undefined {
          const names = [...limited.once.keys()]
          return names.every((name) => Object.hasOwn(hashes, name)) ? undefined : names
        },

        /** The fields with a value that another submission of the inbox has, and what becomes of it. */
        repeated(hashes: Hashes = {}) {
          const fields = numbered(hashes)
            .filter(({ number, hash }) => added.has(`${number} ${hash}`) || once.holder.get({ number, hash }))
            .map(({ field }) => field)
          return [...new Set(fields)].map((field) => ({ field, what: limited.once.get(field) }))
        },

        /** Takes places, also where none is left, and the values that come once. */
        take(submission: string, places: readonly ChosenPlace[], hashes: Hashes = {}): void {
          for (const { number, hash } of numbered(hashes)) {
            once.insert.run({ number, hash, submission, form })
            added.add(`${number} ${hash}`)
          }
          const held = places.flatMap((place) => rowOf(place)?.number ?? []).sort((a, b) => a - b)
          if (held.length === 0) return
          insert.run({ form, submission, held: JSON.stringify(held) })
          for (const number of held) counts.set(number, (counts.get(number) ?? 0) + 1)
        },

        write(): void {
          changeBy(counts)
          counts.clear()
          known.clear()
          added.clear()
        },
      }
    },

    /** A job has to read again what was added from this identifier on: a command cannot fold the values that come once. */
    readAgain: (form: number, from: string): void => void once.readAgain.run({ form, from }),

    /** Gives back what submissions have taken. */
    free(form: number, ids: Iterable<string>): void {
      if (once.any.get({ form })) for (const submission of ids) once.removeOf.run({ form, submission })
      if (!any.get({ form })) return
      const counts = new Map<number, number>()
      for (const submission of ids) {
        const held = removeOne.get({ form, submission })?.held
        for (const number of held === undefined ? [] : numbersIn(held))
          counts.set(number, (counts.get(number) ?? 0) - 1)
      }
      changeBy(counts)
    },
  }
})

/** The numbers in `claims.held`. */
export const numbersIn = (held: string): readonly number[] => JSON.parse(held)

const statements = (db: Db) => {
  const find = db
    .select({ number: limits.number, taken: limits.taken, countFrom: limits.countFrom })
    .from(limits)
    .where(and(eq(limits.form, param('form')), eq(limits.field, param('field')), eq(limits.option, param('option'))))
    .prepare()
  const ofForm = eq(claims.form, param('form'))
  const any = db.select({ form: claims.form }).from(claims).where(ofForm).limit(1).prepare()
  const insert = db
    .insert(claims)
    .values(params('form', 'submission', 'held'))
    .prepare()
  const change = db
    .update(limits)
    .set({ taken: sql`${limits.taken} + ${given('by')}` })
    .where(eq(limits.number, param('number')))
    .prepare()
  const removeOne = db
    .delete(claims)
    .where(and(ofForm, eq(claims.submission, param('submission'))))
    .returning({ held: claims.held })
    .prepare()
  return { find, any, insert, change, removeOne }
}

const onceStatements = (db: Db) => {
  const ofForm = eq(onces.form, param('form'))
  const any = db.select({ form: onces.form }).from(onces).where(ofForm).limit(1).prepare()
  const holder = db
    .select({ submission: onces.submission })
    .from(onces)
    .where(and(eq(onces.number, param('number')), eq(onces.hash, param('hash'))))
    .limit(1)
    .prepare()
  const insert = db
    .insert(onces)
    .values(params('number', 'hash', 'submission', 'form'))
    .onConflictDoNothing()
    .prepare()
  const removeOf = db
    .delete(onces)
    .where(and(ofForm, eq(onces.submission, param('submission'))))
    .prepare()
  const readAgain = db
    .update(limits)
    .set({ countFrom: sql`min(coalesce(${limits.countFrom}, ${given('from')}), ${given('from')})` })
    .where(and(eq(limits.form, param('form')), eq(limits.option, literal(onceOption))))
    .prepare()
  return { any, holder, insert, removeOf, readAgain }
}
