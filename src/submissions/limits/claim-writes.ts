import { and, eq, sql } from 'drizzle-orm'
import { limitedFields } from '../../forms/fields/limited-fields.ts'
import type { Form } from '../../forms/form.ts'
import { limitKey } from '../../forms/limit-writes.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { claims, given, limits, param, params } from '../../storage/tables.ts'
import { fieldsIn } from '../sent-fields.ts'
import { type ChosenPlace, placesIn } from './places.ts'

/** What submissions take of one form, in one command. */
export type Taking = NonNullable<ReturnType<ReturnType<typeof claimWrites>['open']>>

/**
 * Takes places for submissions, and gives them back. Must run in the transaction that adds, moves or removes the
 * submissions: a place is taken as long as one of the inbox has it.
 */
export const claimWrites = oncePerConnection((db: Db) => {
  const { find, any, insert, change, removeOne } = statements(db)

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

      return {
        /** The places that a submission asks for. @param data its whole JSON text */
        placesIn: (data: string): readonly ChosenPlace[] => placesIn(limited, fieldsIn(data)),

        /** Those of them of which none is left. */
        full: (places: readonly ChosenPlace[]): readonly ChosenPlace[] =>
          places.filter((place) => {
            const row = rowOf(place)
            const most = limited.get(place.field)?.places.get(place.option)
            if (!row || row.countFrom !== null || most === undefined) return false
            return row.taken + (counts.get(row.number) ?? 0) >= most
          }),

        /** Takes them, also where none is left. */
        take(submission: string, places: readonly ChosenPlace[]): void {
          const held = places.flatMap((place) => rowOf(place)?.number ?? []).sort((a, b) => a - b)
          if (held.length === 0) return
          insert.run({ form, submission, held: JSON.stringify(held) })
          for (const number of held) counts.set(number, (counts.get(number) ?? 0) + 1)
        },

        write(): void {
          changeBy(counts)
          counts.clear()
          known.clear()
        },
      }
    },

    /** Gives back what submissions have taken. */
    free(form: number, ids: Iterable<string>): void {
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
