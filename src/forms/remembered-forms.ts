import { and, eq, isNull } from 'drizzle-orm'
import { isId } from '../base/id.ts'
import type { Db } from '../storage/open.ts'
import type { Reader } from '../storage/reader.ts'
import { formAddresses, forms, param } from '../storage/tables.ts'
import { formAccess, type MemberRole, roleReader } from './access.ts'
import { type Form, formReader, liveForm } from './form.ts'
import { isFormAddress } from './form-address.ts'

/** Returns what takes the place of a form that was found. Tests use it to watch how long a form is kept. */
export type WatchForm = (form: Form, reader: Reader) => Form

/** The roles of one user that are remembered. Someone with more has them read. */
const maxRoles = 100

/** Finds forms, and what users may do with them, from memory until something is committed. */
export const rememberedForms = (reader: Reader, watchForm?: WatchForm) => {
  const readForm = formReader(reader.db)
  const findStored = reader.remembering((id) => (isId(id) ? readForm(id) : undefined))
  const findForm = watchForm
    ? (id: string): Form | undefined => {
        const form = findStored(id)
        return form && watchForm(form, reader)
      }
    : findStored

  const readAddress = addressReader(reader.db)
  const findAddress = reader.remembering((address) => (isFormAddress(address) ? readAddress(address) : undefined))
  /**
   * Finds the form that a visitor means: by its identifier, or by an address that it has or had (see address-writes.ts).
   *
   * @param text null if it cannot be decoded: that is what Elysia makes of `%ff`
   */
  const findVisited = (text: string | null): Form | undefined => {
    if (text === null) return undefined
    const form = findForm(text)
    if (form) return form
    const id = findAddress(text)
    return id === undefined ? undefined : findForm(id)
  }

  const readRole = roleReader(reader.db)
  const rolesOf = reader.remembering((_userId) => new Map<number, MemberRole>())
  const findRole = (userId: string, form: number): MemberRole | undefined => {
    const roles = rolesOf(userId)
    const role = roles?.get(form) ?? readRole(userId, form)
    if (role !== undefined && roles && roles.size < maxRoles) roles.set(form, role)
    return role
  }
  return { findForm, findVisited, access: formAccess({ findForm, findRole }) }
}

/** Finds the identifier of the form that an address leads to. */
export const addressReader = (db: Db): ((address: string) => string | undefined) => {
  const byAddress = db
    .select({ id: forms.id })
    .from(formAddresses)
    .innerJoin(forms, eq(forms.number, formAddresses.form))
    .where(and(eq(formAddresses.address, param('address')), isNull(formAddresses.lastDay), liveForm))
    .prepare()
  return (address) => byAddress.get({ address })?.id
}
