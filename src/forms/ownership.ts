import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param } from '../db/tables.ts'
import { forbidden, notFound } from '../errors.ts'

/** A deleted form is gone for everybody, while its submissions are still being removed. */
export const liveForm = isNull(forms.deletedAt)

export type Form = typeof forms.$inferSelect

/** Reads a form by its identifier, unless it was deleted. */
export const formReader = (db: Db): ((id: string) => Form | undefined) => {
  const byId = db
    .select()
    .from(forms)
    .where(and(eq(forms.id, param('id')), liveForm))
    .prepare()
  return (id) => byId.get({ id })
}

/** @param findForm reads from the database, or from a memory of it */
export const formOwnership = (findForm: (id: string) => Form | undefined) => {
  return {
    /** @throws AppError `not_found` when there is no such form, `forbidden` when it is another user's. */
    findOwnForm(userId: string, id: string): Form {
      const form = findForm(id)
      if (!form) throw notFound('Form')
      if (form.userId !== userId) throw forbidden()
      return form
    },
    /** The same for several at once: one that is missing anywhere wins over one that is another user's. */
    findOwnForms(userId: string, ids: readonly string[]): Form[] {
      const found = ids.map((id) => {
        const form = findForm(id)
        if (!form) throw notFound('Form')
        return form
      })
      if (found.some((form) => form.userId !== userId)) throw forbidden()
      return found
    },
  }
}
