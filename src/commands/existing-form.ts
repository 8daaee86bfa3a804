import type { Db } from '../db/open.ts'
import { type Form, formReader } from '../forms/ownership.ts'
import { OperatorError } from '../operator-errors.ts'

/** @throws OperatorError if there is no such form */
export const existingForm = (db: Db, id: string): Form => {
  const form = formReader(db)(id)
  if (!form)
    throw new OperatorError(
      `there is no form ${JSON.stringify(id)}; the ID is part of the address of its page, and of /s/…`,
    )
  return form
}
