import type { Db } from '../db/open.ts'
import { OperatorError } from '../errors.ts'
import { type Form, formReader } from '../forms/ownership.ts'

/** @throws OperatorError when there is no such form */
export const existingForm = (db: Db, id: string): Form => {
  const form = formReader(db)(id)
  if (!form)
    throw new OperatorError(`there is no form ${JSON.stringify(id)}; its page and its address /s/… name its ID`)
  return form
}
