import { and, asc, eq } from 'drizzle-orm'
import { type Limited, limitedFields } from '../../forms/fields/limited-fields.ts'
import type { Form } from '../../forms/form.ts'
import { limitKey, onceOption } from '../../forms/limit-writes.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { limits, onces, param } from '../../storage/tables.ts'
import type { Field } from '../fields.ts'
import type { Hashes } from './once.ts'
import { type ChosenPlace, placesIn } from './places.ts'

/** An option with places. */
export interface TakenPlaces {
  readonly option: string
  /** How often it is given; null while what was there before is counted. */
  readonly taken: number | null
  readonly most: number
}

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

  const number = db
    .select({ number: limits.number })
    .from(limits)
    .where(and(ofForm, eq(limits.field, param('field')), eq(limits.option, param('option'))))
    .prepare()
  const holder = db
    .select({ submission: onces.submission })
    .from(onces)
    .where(and(eq(onces.number, param('number')), eq(onces.hash, param('hash'))))
    .orderBy(asc(onces.submission))
    .limit(1)
    .prepare()

  const held = db
    .select({ field: limits.field, number: onces.number, hash: onces.hash })
    .from(onces)
    .innerJoin(limits, eq(limits.number, onces.number))
    .where(and(eq(onces.form, param('form')), eq(onces.submission, param('submission'))))
    .orderBy(asc(onces.number), asc(onces.hash))
    .prepare()

  const left = (limited: Limited, place: ChosenPlace, row: ReturnType<typeof find.get>): number | undefined => {
    const most = limited.places.get(place.field)?.get(place.option)
    if (most === undefined || row?.countFrom !== null) return undefined
    return Math.max(0, most - row.taken)
  }

  return {
    placesLeft({ number: form, settings }: Pick<Form, 'number' | 'settings'>): PlacesLeft | undefined {
      const limited = limitedFields(parseSettings(settings).fields)
      if (!limited?.places.size) return undefined
      const counts = new Map(
        list
          .all({ form })
          .map(({ field, option, ...row }) => [limitKey(field, option), left(limited, { field, option }, { ...row })]),
      )
      return { of: (field, option) => counts.get(limitKey(field, option.trim())), state: [...counts.values()].join() }
    },

    /** The first options with places, field by field, and how many there are. A form may have thousands. */
    placesTaken({ number: form, settings }: Pick<Form, 'number' | 'settings'>, most: number) {
      const all = [...(limitedFields(parseSettings(settings).fields)?.places ?? [])].flatMap(([field, given]) =>
        [...given].map(([option, count]) => ({ field, option, most: count })),
      )
      const first = all.slice(0, most).map(({ field, option, most }): TakenPlaces => {
        const row = find.get({ form, field, option })
        return { option, taken: row?.countFrom === null ? row.taken : null, most }
      })
      return { first, count: all.length }
    },

    /** The first submission of the inbox that has a value of this one, by field, if that is another one. */
    firstBefore({ number: form }: Pick<Form, 'number'>, submission: string): ReadonlyMap<string, string> {
      const firsts = held.all({ form, submission }).flatMap(({ field, number, hash }): [string, string][] => {
        const first = holder.get({ number, hash })?.submission
        return first === undefined || first === submission ? [] : [[field, first]]
      })
      return new Map(firsts)
    },

    /** The first submission of the inbox that has one of these values, by field. */
    firstWith({ number: form }: Pick<Form, 'number'>, hashes: Hashes): ReadonlyMap<string, string> {
      const found = Object.entries(hashes).flatMap(([field, all]): [string, string][] => {
        const limit = number.get({ form, field, option: onceOption })?.number
        const first =
          limit === undefined ? [] : all.flatMap((hash) => holder.get({ number: limit, hash })?.submission ?? [])
        return first[0] === undefined ? [] : [[field, first[0]]]
      })
      return new Map(found)
    },

    fullAmong({ number: form, settings }: Pick<Form, 'number' | 'settings'>, sent: readonly Field[]): ChosenPlace[] {
      const limited = limitedFields(parseSettings(settings).fields)
      if (!limited) return []
      const texts = sent.filter(({ sameAs }) => sameAs === undefined)
      return placesIn(limited, texts).filter((place) => left(limited, place, find.get({ form, ...place })) === 0)
    },
  }
})
