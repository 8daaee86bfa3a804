import { and, asc, eq, isNull } from 'drizzle-orm'
import { sha256 } from '../../base/hash.ts'
import { newId } from '../../base/id.ts'
import type { TextRule } from '../../base/text-rules.ts'
import { newToken } from '../../base/token.ts'
import type { FormTo } from '../../forms/access.ts'
import { liveForm } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { forms, param, sheets, users } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { LastUsed } from '../keys/last-used.ts'
import type { SheetWrites } from './sheet-writes.ts'

/** A sheet without its token, which is not stored. */
export interface Sheet {
  readonly id: string
  readonly description: string | null
  /** When it was read last, in Unix milliseconds; null if it never was. */
  readonly lastUsedAt: number | null
}

/** The sheet that a token is for. */
interface OpenedSheet {
  readonly id: string
  readonly formId: string
  /** The owner of the form. */
  readonly userId: string
  /** Changes with what the sheet shows. */
  readonly changeCount: number
}

export type SheetStore = ReturnType<typeof openSheetStore>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<SheetWrites>
  readonly lastUsed: LastUsed
  readonly now: () => number
}

/**
 * The addresses at which programs for spreadsheets read a form's submissions. Functions with a `userId` throw the AppErrors
 * `not_found` and `forbidden`.
 */
export const openSheetStore = ({ reader, writer, lastUsed, now }: Options) => {
  const { ofForm, byHash } = statements(reader.db)
  const findByHash = reader.remembering((hash) => byHash.get({ hash }))

  return {
    /** In the order in which they were made. */
    listSheets: ({ number: form }: FormTo<'sheets'>): Sheet[] =>
      ofForm.all({ form }).map((sheet) => ({ ...sheet, lastUsedAt: lastUsed.latest(sheet.id, sheet.lastUsedAt) })),

    /**
     * @returns its identifier and its token, which is not stored
     * @throws AppError `invalid` if the form has as many as it may have
     */
    async createSheet(userId: string, formId: string, description: string | null) {
      const token = newToken(24)
      const id = newId(now())
      await writer.run('createSheet', { userId, formId, id, description, hash: sha256(token, 'hex') })
      return { id, token }
    },

    /** From now on, its address leads nowhere. */
    deleteSheet: (userId: string, formId: string, id: string): Promise<void> =>
      writer.run('deleteSheet', { userId, formId, id, now: now() }),

    /** Finds the sheet that a token is for; undefined if there is none, or the form's owner is disabled. */
    openSheet(token: string): OpenedSheet | undefined {
      const found = /^[\w-]{32}$/.test(token) ? findByHash(sha256(token, 'hex')) : undefined
      if (found) lastUsed.note(found.id)
      return found as OpenedSheet | undefined
    },
  }
}

const statements = (db: Db) => {
  const ofForm = db
    .select({ id: sheets.id, description: sheets.description, lastUsedAt: sheets.lastUsedAt })
    .from(sheets)
    .where(eq(sheets.form, param('form')))
    .orderBy(asc(sheets.id))
    .prepare()
  const byHash = db
    .select({ id: sheets.id, formId: forms.id, userId: forms.userId, changeCount: forms.changeCount })
    .from(sheets)
    .innerJoin(forms, eq(forms.number, sheets.form))
    .innerJoin(users, eq(users.id, forms.userId))
    .where(and(eq(sheets.hash, param('hash')), liveForm, isNull(users.disabledAt)))
    .prepare()
  return { ofForm, byHash }
}

export const sheetDescriptionRule: TextRule = { maxLength: 200 }
