import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param } from '../db/tables.ts'
import { forbidden, notFound } from '../errors.ts'

/** A deleted form is gone for everybody, while its submissions are still being removed. */
export const liveForm = isNull(forms.deletedAt)

export const formOwnership = (db: Db) => {
  const byId = db
    .select()
    .from(forms)
    .where(and(eq(forms.id, param('id')), liveForm))
    .prepare()
  const find = (id: string) => byId.get({ id }) as typeof forms.$inferSelect | undefined

  return {
    /** @throws AppError `not_found` when there is no such form, `forbidden` when it is another user's. */
    findOwnForm(userId: string, id: string): typeof forms.$inferSelect {
      const form = find(id)
      if (!form) throw notFound('Form')
      if (form.userId !== userId) throw forbidden()
      return form
    },
    /** The same for several at once: one that is missing anywhere wins over one that is another user's. */
    findOwnForms(userId: string, ids: readonly string[]): (typeof forms.$inferSelect)[] {
      const found = ids.map((id) => {
        const form = find(id)
        if (!form) throw notFound('Form')
        return form
      })
      if (found.some((form) => form.userId !== userId)) throw forbidden()
      return found
    },
  }
}
