import { eq } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { param, silences } from '../storage/tables.ts'
import type { Form } from './form.ts'

/** How a form with `quietDays` is watched. */
export interface Silence {
  /** When the last submission came, or from when on silence is counted: in Unix milliseconds. */
  readonly cameAt: number
  /** When its addresses will be told if nothing comes; null once they were. */
  readonly tellAt: number | null
}

export type ReadSilence = (form: Pick<Form, 'number'>) => Silence | undefined

/** Reads how a form is watched; undefined without `quietDays`. */
export const silenceReader = (db: Db): ReadSilence => {
  const find = db
    .select({ cameAt: silences.cameAt, tellAt: silences.tellAt })
    .from(silences)
    .where(eq(silences.form, param('form')))
    .prepare()
  return ({ number }) => find.get({ form: number })
}
