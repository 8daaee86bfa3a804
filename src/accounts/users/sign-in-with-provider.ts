import { and, eq } from 'drizzle-orm'
import { newId } from '../../base/id.ts'
import type { Config } from '../../config/config.ts'
import type { OidcUsers } from '../../config/oidc.ts'
import type { Db } from '../../storage/open.ts'
import type { Reader } from '../../storage/reader.ts'
import { identities, param, users } from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { accountChanged } from './account-changed.ts'
import { parseEmail } from './email.ts'
import type { FirstSignIn, Identity, IdentityWrites } from './identity-writes.ts'
import { unknownPasswordHash } from './passwords.ts'
import { userReads } from './user-reads.ts'

/** Someone whom a provider has signed in. */
interface Person extends Identity {
  /** Null if the provider has verified none. */
  readonly verifiedEmail: string | null
}

/** The user who signs in through a provider, or why there is none. */
export type ProviderSignIn =
  | { readonly state: 'user'; readonly user: ProviderUser }
  /** `unverified`: the provider vouches for no address. */
  | { readonly state: 'disabled' | 'unverified' }
  /**
   * `password`: the account with the address has a password and must be connected first. `taken`: the person has another
   * account, or the account another person. `uninvited`: no one has invited the address.
   */
  | { readonly state: 'password' | 'taken' | 'uninvited'; readonly email: string }

type ProviderUser = NonNullable<ReturnType<ReturnType<typeof identityReader>>>

/** The command that makes an account and accepts what its address is invited to. */
type FirstSignInWrites = {
  createUserOfProvider(user: FirstSignIn): 'created' | 'taken' | 'uninvited'
}

export interface ProviderSignInOptions {
  readonly reader: Reader
  readonly writer: Writer<IdentityWrites & FirstSignInWrites>
  readonly now: () => number
  readonly config: Pick<Config, 'invitedMayOwnForms'>
}

/** Decides who may sign in through an OpenID Connect provider. */
export const providerSignIn = ({ reader, writer, now, config }: ProviderSignInOptions) => {
  const { findUser, findUserById } = userReads(reader.db)
  const findUserOf = identityReader(reader.db)

  /** The account may own forms if it needs no invitation, or if those who are invited may. */
  const createUser = (email: string, { issuer, subject }: Person, policy: OidcUsers) => {
    const at = now()
    const needsInvitation = policy !== 'all' && (policy === 'invited' || !email.endsWith(`@${policy.domain}`))
    const mayOwnForms = !needsInvitation || config.invitedMayOwnForms
    const user = { id: newId(at), email, passwordHash: unknownPasswordHash(), mayOwnForms }
    return writer.run('createUserOfProvider', { ...user, issuer, subject, needsInvitation, now: at })
  }

  const claimUser = async (userId: string, { issuer, subject }: Person) =>
    (await writer.run('claimUser', { userId, issuer, subject })) ? 'claimed' : 'taken'

  /**
   * Finds the user that a person is, or makes one. Links nothing that someone may have a password of: an account whose address
   * the person is the first to prove is replaced.
   *
   * @param policy who gets an account at the first sign-in
   */
  const signIn = async (person: Person, policy: OidcUsers): Promise<ProviderSignIn> => {
    const known = findUserOf(person)
    const email = toEmail(person.verifiedEmail)
    const proves = known && !known.isProved && !known.wasProved && known.email === email
    if (known && !proves) return known.disabledAt === null ? { state: 'user', user: known } : { state: 'disabled' }
    if (email === null) return { state: 'unverified' }
    const owner = findUser(email)
    if (owner?.disabledAt != null) return { state: 'disabled' }
    const isTheirs = owner?.isProved || owner?.wasProved
    if (owner && isTheirs && owner.hasPassword) return { state: 'password', email }
    const outcome = await (owner && isTheirs ? claimUser(owner.id, person) : createUser(email, person, policy))
    if (outcome === 'taken' || outcome === 'uninvited') return { state: outcome, email }
    const user = findUserOf(person)
    return user ? { state: 'user', user } : { state: 'disabled' }
  }

  return {
    signIn,

    /**
     * Connects a person with a user who is signed in. One who proves the user's own address signs in instead, to an account
     * without a password.
     *
     * @param session hash of the user's session
     * @throws AppError `unauthenticated` if the session has ended or the password was changed
     */
    async connect(
      person: Person,
      { userId, session }: { readonly userId: string; readonly session: string },
      policy: OidcUsers,
    ): Promise<ProviderSignIn | { readonly state: 'connected' }> {
      const user = findUserById(userId)
      if (!user) throw accountChanged()
      const owner = findUserOf(person)?.id ?? userId
      if (!user.isProved && !user.wasProved && toEmail(person.verifiedEmail) === user.email && owner === userId)
        return signIn(person, policy)
      const { email, passwordHash } = user
      const { issuer, subject } = person
      const isConnected = await writer.run('connectIdentity', { userId, passwordHash, session, issuer, subject })
      return isConnected ? { state: 'connected' } : { state: 'taken', email }
    },
  }
}

/** Finds the user that a person at a provider may sign in as. */
const identityReader = (db: Db) => {
  const byIdentity = db
    .select({
      id: users.id,
      email: users.email,
      passwordHash: users.passwordHash,
      disabledAt: users.disabledAt,
      isProved: users.isProved,
      wasProved: users.wasProved,
    })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, param('issuer')), eq(identities.subject, param('subject'))))
    .prepare()
  return ({ issuer, subject }: Identity) => byIdentity.get({ issuer, subject })
}

const toEmail = (text: string | null): string | null => {
  try {
    return text === null ? null : parseEmail(text)
  } catch {
    return null
  }
}
