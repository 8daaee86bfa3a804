import { isId } from '../base/id.ts'
import type { Reader } from '../storage/reader.ts'
import { formAccess, type MemberRole, roleReader } from './access.ts'
import { type Form, formReader } from './form.ts'

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

  const readRole = roleReader(reader.db)
  const rolesOf = reader.remembering((_userId) => new Map<number, MemberRole>())
  const findRole = (userId: string, form: number): MemberRole | undefined => {
    const roles = rolesOf(userId)
    const role = roles?.get(form) ?? readRole(userId, form)
    if (role !== undefined && roles && roles.size < maxRoles) roles.set(form, role)
    return role
  }
  return { findForm, access: formAccess({ findForm, findRole }) }
}
