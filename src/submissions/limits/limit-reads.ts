import { and, asc, eq } from 'drizzle-orm'
import { type LimitedFields, limitedFields } from '../../forms/fields/limited-fields.ts'
import type { Form } from '../../forms/form.ts'
import { limitKey } from '../../forms/limit-writes.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { limits, param } from '../../storage/tables.ts'
import type { Field } from '../fields.ts'
import { type ChosenPlace, placesIn } from './places.ts'

/** How many places are left of each option that has some and is counted, by field and option. */
export interface PlacesLeft {
  readonly of: (field: string, option: string) => number | undefined
  /** The same text as long as nothing has changed. */
  readonly state: string
}

export const limitReads = oncePerConnection((db: Db) => {
  const ofForm = eq(limits.form, param('form'))
  const columns = { field: limits.field, option: limits.option, taken: limits.taken, countFrom: limits.countFrom }
  const list = db.select(columns).from(limits).where(ofForm).orderBy(asc(limits.field), asc(limits.option)).prepare()
  const find = db
    .select({ taken: limits.taken, countFrom: limits.countFrom })
    .from(limits)
    .where(and(ofForm, eq(limits.field, param('field')), eq(limits.option, param('option'))))
    .prepare()

  const left = (limited: LimitedFields, place: ChosenPlace, row: ReturnType<typeof find.get>): number | undefined => {
    const most = limited.get(place.field)?.places.get(place.option)
    if (most === undefined || row?.countFrom !== null) return undefined
    return Math.max(0, most - row.taken)
  }

  return {
    placesLeft({ number: form, settings }: Pick<Form, 'number' | 'settings'>): PlacesLeft | undefined {
      const limited = limitedFields(parseSettings(settings).fields)
      if (!limited) return undefined
      const counts = new Map(
        list
          .all({ form })
          .map(({ field, option, ...row }) => [limitKey(field, option), left(limited, { field, option }, { ...row })]),
      )
      return { of: (field, option) => counts.get(limitKey(field, option.trim())), state: [...counts.values()].join() }
    },

    fullAmong({ number: form, settings }: Pick<Form, 'number' | 'settings'>, sent: readonly Field[]): ChosenPlace[] {
      const limited = limitedFields(parseSettings(settings).fields)
      if (!limited) return []
      const texts = sent.filter(({ sameAs }) => sameAs === undefined)
      return placesIn(limited, texts).filter((place) => left(limited, place, find.get({ form, ...place })) === 0)
    },
  }
})
