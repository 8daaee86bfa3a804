import { and, eq, sql } from 'drizzle-orm'
import { invalid, notFound } from '../../base/errors.ts'
import { creationTime } from '../../base/id.ts'
import { accessIn } from '../../forms/access.ts'
import { trailWrites } from '../../forms/trail.ts'
import type { Db } from '../../storage/open.ts'
import { param, params, sheets } from '../../storage/tables.ts'

/** Sheets that a form may have. */
export const maxSheets = 10

interface OfSheet {
  readonly userId: string
  readonly formId: string
  /** The sheet's identifier. */
  readonly id: string
}

export type SheetWrites = ReturnType<typeof sheetWrites>

/** @throws AppErrors `not_found` and `forbidden` for the form, `not_found` for the sheet */
export const sheetWrites = (db: Db) => {
  const { findFormTo } = accessIn(db)
  const note = trailWrites(db)
  const ofForm = eq(sheets.form, param('form'))
  const count = db.select({ count: sql<number>`count(*)` }).from(sheets).where(ofForm).prepare()
  const insert = db
    .insert(sheets)
    .values(params('id', 'form', 'description', 'hash'))
    .prepare()
  const remove = db
    .delete(sheets)
    .where(and(ofForm, eq(sheets.id, param('id'))))
    .returning({ id: sheets.id })
    .prepare()

  return {
    /** @throws AppError `invalid` if the form has as many as it may have */
    createSheet({ userId, formId, ...sheet }: OfSheet & { hash: string; description: string | null }): void {
      const { number: form } = findFormTo('sheets', userId, formId)
      if ((count.get({ form })?.count ?? 0) >= maxSheets)
        throw invalid({ field: 'formId', message: `must be a form with fewer than ${maxSheets} sheets` })
      insert.run({ ...sheet, form })
      note(form, { userId, at: creationTime(sheet.id), what: 'settings', detail: 'sheet created' })
    },

    deleteSheet({ userId, formId, id, now: at }: OfSheet & { now: number }): void {
      const { number: form } = findFormTo('sheets', userId, formId)
      if (!remove.get({ form, id })) throw notFound('Sheet')
      note(form, { userId, at, what: 'settings', detail: 'sheet deleted' })
    },
  }
}
