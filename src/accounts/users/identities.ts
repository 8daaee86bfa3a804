import { and, eq } from 'drizzle-orm'
import { identities, param } from '../../storage/tables.ts'
import { type ProviderSignInOptions, providerSignIn } from './sign-in-with-provider.ts'

/** Maps identities at an OpenID Connect provider to users. */
export const openIdentityStore = (options: ProviderSignInOptions) => {
  const { reader, writer } = options
  const ofUser = reader.db
    .select({ subject: identities.subject })
    .from(identities)
    .where(and(eq(identities.userId, param('userId')), eq(identities.issuer, param('issuer'))))
    .prepare()

  return {
    ...providerSignIn(options),

    /** @param issuer as the operator wrote it; the provider's own spelling may lack the slash at the end */
    isConnected: (userId: string, issuer: URL): boolean =>
      spellingsOf(issuer).some((spelling) => ofUser.get({ userId, issuer: spelling }) !== undefined),

    /** @param issuer as of `isConnected` */
    disconnectIdentities: (userId: string, issuer: URL): Promise<void> =>
      writer.run('disconnectIdentities', { userId, issuers: spellingsOf(issuer) }),
  }
}

const spellingsOf = ({ href }: URL): string[] => [href, ...(href.endsWith('/') ? [href.slice(0, -1)] : [])]
