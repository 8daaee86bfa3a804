import type { MailConfig } from './mail.ts'

/** Another sender of mails, which forms may choose. */
export interface Sender {
  readonly name: string
  /** Email addresses in lower case of the users whose forms may choose it; null for all. */
  readonly users: readonly string[] | null
  readonly mail: MailConfig
  /** Whether its mail goes another way than that of the server. */
  readonly hasOwnUrl: boolean
}

/** A key of a table in TOML, without quotation marks. */
export const isSenderName = (name: string): boolean => /^[A-Za-z0-9_-]{1,60}$/.test(name)

/** Whether the forms of this user may choose it. */
export const maySend = ({ users }: Pick<Sender, 'users'>, email: string | null): boolean =>
  users === null || (email !== null && users.includes(email.toLowerCase()))
