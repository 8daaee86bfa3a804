import { and, eq } from 'drizzle-orm'
import type { Reader } from '../db/reader.ts'
import { identities, param, users } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import type { Identity, IdentityWrites } from './identity-writes.ts'

export type IdentityStore = ReturnType<typeof openIdentityStore>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<IdentityWrites>
}

/** Who at an OpenID Connect provider is which user. */
export const openIdentityStore = ({ reader, writer }: Options) => {
  const byIdentity = reader.db
    .select({
      id: users.id,
      email: users.email,
      passwordHash: users.passwordHash,
      disabledAt: users.disabledAt,
      isProved: users.isProved,
    })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, param('issuer')), eq(identities.subject, param('subject'))))
    .prepare()
  const ofUser = reader.db
    .select({ subject: identities.subject })
    .from(identities)
    .where(and(eq(identities.userId, param('userId')), eq(identities.issuer, param('issuer'))))
    .prepare()

  return {
    /** The user that a person at a provider may sign in as. */
    findUserOf: ({ issuer, subject }: Identity) => byIdentity.get({ issuer, subject }),

    /** @param issuer as the operator wrote it; the provider's own spelling may lack the slash at the end */
    isConnected: (userId: string, issuer: URL): boolean =>
      spellingsOf(issuer).some((spelling) => ofUser.get({ userId, issuer: spelling }) !== undefined),

    /** @throws AppError as the command does */
    claimUser: (userId: string, { issuer, subject }: Identity): Promise<void> =>
      writer.run('claimUser', { userId, issuer, subject }),

    /** @throws AppError as the command does */
    connectIdentity: (input: Parameters<IdentityWrites['connectIdentity']>[0]): Promise<void> =>
      writer.run('connectIdentity', input),

    /** @param issuer as of `isConnected` */
    disconnectIdentities: (userId: string, issuer: URL): Promise<void> =>
      writer.run('disconnectIdentities', { userId, issuers: spellingsOf(issuer) }),
  }
}

const spellingsOf = ({ href }: URL): string[] => [href, ...(href.endsWith('/') ? [href.slice(0, -1)] : [])]
