import { dayMilliseconds } from '../../base/durations.ts'
import { invalid } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { toMailAddress } from '../../base/mail-address.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { addressReads, hashOfPerson } from '../../outbox/known-addresses.ts'
import type { Reader } from '../../storage/reader.ts'
import { sign } from '../../storage/secrets/signing-key.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { Session } from '../sessions/store.ts'
import { parseEmail } from '../users/email.ts'
import { userReads } from '../users/user-reads.ts'
import type { AddressWrites } from './address-writes.ts'

/** How long a mailed link works. */
const linkMilliseconds = dayMilliseconds

/** A mail about the address of an account. */
export interface AddressMail {
  readonly id: string
  /** In ASCII. */
  readonly to: string
  /** The address of the account. */
  readonly email: string
  /** Of the link that makes `to` the account's; absent if `to` was the account's until now. */
  readonly token?: string
}

interface Options {
  readonly reader: Reader
  readonly writer: Writer<AddressWrites>
  readonly now: () => number
  /** See storage/secrets/signing-key.ts. */
  readonly signingKey: () => Promise<Uint8Array>
  /** Resolves to whether a mail server has taken it. Null if the server sends no mail. */
  readonly sendAddressMail: ((mail: AddressMail) => Promise<boolean>) | null
  /** Counts a mail of this user to this person. Returns the seconds to wait after too many. */
  readonly countAddressMail: (userId: string, person: string) => number | null
}

type Asked =
  | { readonly state: 'sent' }
  | { readonly state: 'not sent' }
  | { readonly state: 'wait'; readonly seconds: number }

type User = NonNullable<ReturnType<ReturnType<typeof userReads>['findUserById']>>

/**
 * Changes the address of an account by a link that is mailed to the new one. Nothing is stored until it is opened: the link is
 * signed with the account's present address and password, so that it ends when one of these changes, and works for no one else.
 */
export const openAddressStore = (options: Options) => {
  const { reader, writer, now, signingKey, sendAddressMail, countAddressMail } = options
  const { findUserById } = userReads(reader.db)
  const { isStopped } = addressReads(reader.db)

  const signatureOf = async ({ id, email, passwordHash }: User, content: string): Promise<string> =>
    sign(await signingKey(), 'address', [id, email, passwordHash, content].join('\n'))

  /** The user, and the address that such a link proves; null if the link is of another account, or no longer valid. */
  const read = async (userId: string, token: string): Promise<{ user: User; email: string } | null> => {
    const [, content, expiresAt, address, signature] = /^((\d{1,16})\.([\w-]{1,400}))\.([\w-]{43})$/.exec(token) ?? []
    const user = findUserById(userId)
    if (!user || content === undefined || address === undefined || signature === undefined) return null
    if (!secureCompare(signature, await signatureOf(user, content)) || Number(expiresAt) <= now()) return null
    return { user, email: Buffer.from(address, 'base64url').toString() }
  }

  /** @returns whether a mail server has taken it, or it goes to someone who wants no mail of this server */
  const mail = async (to: string, rest: Omit<AddressMail, 'id' | 'to'>): Promise<boolean> =>
    isStopped(to) || (await sendAddressMail?.({ id: newId(now()), to, ...rest })) === true

  return {
    canMail: sendAddressMail !== null,

    /**
     * Mails a link that proves an address, whether or not another user has it: that is said only to who has proved it.
     *
     * @param email as `parseEmail` returns it, of which `toMailAddress` knows how to mail it
     */
    async askFor(userId: string, email: string): Promise<Asked> {
      const user = findUserById(userId)
      const to = toMailAddress(email)
      if (!user || to === null) return { state: 'not sent' }
      const seconds = countAddressMail(userId, hashOfPerson(to))
      if (seconds !== null) return { state: 'wait', seconds }
      const content = `${now() + linkMilliseconds}.${Buffer.from(email).toString('base64url')}`
      const token = `${content}.${await signatureOf(user, content)}`
      return { state: (await mail(to, { email: user.email, token })) ? 'sent' : 'not sent' }
    },

    /** The address that a link is for, if it is of this user and still works. */
    async findProved(userId: string, token: string): Promise<string | undefined> {
      return (await read(userId, token))?.email
    },

    /**
     * Uses a link. The former address is told, once, if it was a proved one.
     *
     * @throws AppError `unauthenticated` as the command does
     */
    async prove({ userId, hash }: Session, token: string): Promise<'proved' | 'changed' | 'gone' | 'taken'> {
      const found = await read(userId, token)
      if (!found) return 'gone'
      const { user, email } = found
      const { email: from, passwordHash } = user
      const done = await writer.run('proveAddress', { userId, from, email, passwordHash, session: hash, now: now() })
      const former = done === 'changed' && user.isProved ? toMailAddress(from) : null
      // No one waits for it: the address is changed, whether or not this arrives.
      if (former !== null) void mail(former, { email: from }).catch(() => {})
      return done
    },
  }
}

/** The address that a user types to prove it. @throws AppError `invalid` if it is no address that can get a mail, or there is nothing to prove */
export const parseNewAddress = (text: string, user: Pick<User, 'email' | 'isProved'> | undefined): string => {
  const email = parseEmail(text)
  const refused = (message: string) => invalid({ field: 'address', message })
  if (toMailAddress(email) === null) throw refused('must be an address to which email can be sent')
  if (user?.isProved && email === user.email) throw refused('must be another one than now')
  return email
}
