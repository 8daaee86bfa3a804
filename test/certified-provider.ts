// Runs `oidc-provider`, which is certified by the OpenID Foundation, as a process: `bun test/certified-provider.ts ISSUER REDIRECT`.
// Who signs in as `ada` has ada@example.com, which is verified; as `eve`, an address that is not.
import { argv, stdout } from 'node:process'

const [issuer = '', redirect = ''] = argv.slice(2)

interface Certified {
  readonly Provider: new (
    issuer: string,
    options: object,
  ) => { listen(port: number, host: string, ready: () => void): void }
}

// It has no types of its own.
const { Provider } = (await import('oidc-provider' as string)) as Certified

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'formbox',
      client_secret: 'a secret of the client: %+',
      redirect_uris: [redirect],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: true } },
  findAccount: (_context: unknown, id: string) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: id === 'ada' }),
  }),
})
provider.listen(Number(new URL(issuer).port), '127.0.0.1', () => stdout.write('listening\n'))
