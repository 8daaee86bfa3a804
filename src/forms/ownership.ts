import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param } from '../db/tables.ts'
import { forbidden, notFound } from '../errors.ts'

/** A deleted form keeps its row until its submissions are removed. Nobody may see it in the meantime. */
export const liveForm = isNull(forms.deletedAt)

export type Form = typeof forms.$inferSelect

/** Finds a form by its identifier, unless it has been deleted. */
export const formReader = (db: Db): ((id: string) => Form | undefined) => {
  const byId = db
    .select()
    .from(forms)
    .where(and(eq(forms.id, param('id')), liveForm))
    .prepare()
  return (id) => byId.get({ id })
}

/** @param findForm reads from the database, or from a cache of it */
export const formOwnership = (findForm: (id: string) => Form | undefined) => {
  return {
    /** @throws AppError `not_found` if the form does not exist, `forbidden` if it is another user's */
    findOwnForm(userId: string, id: string): Form {
      const form = findForm(id)
      if (!form) throw notFound('Form')
      if (form.userId !== userId) throw forbidden()
      return form
    },
    /** The same for several forms. `not_found` for any of them wins over `forbidden`. */
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
