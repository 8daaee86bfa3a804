import { asc, eq } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { limits, param, params, placeCounters } from '../storage/tables.ts'
import { limitedFields } from './fields/limited-fields.ts'
import type { Form } from './form.ts'
import { parseSettings } from './settings/settings.ts'

/**
 * Keeps a row for each limit of a form, after its settings have changed. An option is known by its text: under another one
 * it is another option, and begins with what was sent under that. A new limit is not in force until a job has counted what
 * is there (upkeep/jobs/count-limits.ts), unless that is nothing.
 */
export const limitWrites = oncePerConnection((db: Db) => {
  const numbersOf = numberReader(db)
  const { insert, remove } = statements(db)

  return {
    follow(counted: Pick<Form, 'number' | (typeof placeCounters)[number]>, settings: string | null): void {
      const form = counted.number
      const limited = limitedFields(parseSettings(settings).fields)
      const wanted = new Set(
        limited
          ? [
              ...[...limited.places].flatMap(([name, given]) => [...given.keys()].map((one) => limitKey(name, one))),
              ...[...limited.once.keys()].map((name) => limitKey(name, onceOption)),
            ]
          : [],
      )
      for (const [key, number] of numbersOf(form)) if (!wanted.delete(key)) remove.run({ number })
      const countFrom = placeCounters.some((counter) => counted[counter] > 0) ? '' : null
      for (const key of wanted) {
        const [field = '', option = ''] = key.split(separator)
        insert.run({ form, field, option, countFrom })
      }
    },
  }
})

/** In the place of an option, where a field has values that come once. */
export const onceOption = ''

/** No name and no option has one. */
const separator = '\0'

export const limitKey = (field: string, option: string): string => `${field}${separator}${option}`

/** Reads the numbers of all limits of a form, by field and option. */
export const numberReader = (db: Db): ((form: number) => ReadonlyMap<string, number>) => {
  const list = db
    .select({ number: limits.number, field: limits.field, option: limits.option })
    .from(limits)
    .where(eq(limits.form, param('form')))
    .orderBy(asc(limits.field), asc(limits.option))
    .prepare()
  return (form) => new Map(list.all({ form }).map(({ number, field, option }) => [limitKey(field, option), number]))
}

const statements = (db: Db) => {
  const insert = db
    .insert(limits)
    .values(params('form', 'field', 'option', 'countFrom'))
    .prepare()
  const remove = db
    .delete(limits)
    .where(eq(limits.number, param('number')))
    .prepare()
  return { insert, remove }
}
