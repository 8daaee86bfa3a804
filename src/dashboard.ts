import { type Context, Elysia } from 'elysia'
import { account } from './accounts/account.ts'
import { createCredentialCheck } from './accounts/credentials.ts'
import { openDevices } from './accounts/devices.ts'
import { createGate } from './accounts/gate.ts'
import type { SessionWrites } from './accounts/session-writes.ts'
import { openSessions } from './accounts/sessions.ts'
import { setup } from './accounts/setup.ts'
import type { SetupToken } from './accounts/setup-token.ts'
import { signIn } from './accounts/sign-in.ts'
import { createThrottle } from './accounts/throttle.ts'
import { hasUsers } from './accounts/users.ts'
import type { AccountWrites } from './accounts/writes.ts'
import type { Config } from './config.ts'
import type { Reader } from './db/reader.ts'
import type { Writer } from './db/writer.ts'
import { addressKey, clientAddress } from './http/client-address.ts'
import { ownAddress } from './http/own-address.ts'
import type { LastUsed } from './keys/last-used.ts'
import { keyPages } from './keys/routes.ts'
import type { KeyWrites } from './keys/writes.ts'
import { assets } from './pages/assets.ts'

interface Options {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<AccountWrites & SessionWrites & KeyWrites>
  readonly lastUsed: LastUsed
  readonly setupToken: SetupToken
  readonly now: () => number
}

/** The pages on which the owner of the server signs in and manages keys. */
export const dashboard = ({ config, reader, writer, lastUsed, setupToken, now }: Options) => {
  const { publicUrl, trustedProxies } = config
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const devices = openDevices({ reader, now, isSecure })
  const sessions = openSessions({ reader, writer, devices, now, isSecure })
  const gate = createGate({ sessions, publicUrl })
  const check = createCredentialCheck({ reader, throttle: createThrottle(now) })
  const isInUse = () => hasUsers(reader.db)

  const addressOf = ({ request, server }: Pick<Context, 'request' | 'server'>): string => {
    const socketAddress = server?.requestIP(request)?.address ?? ''
    return addressKey(clientAddress(socketAddress, request.headers.get('x-forwarded-for'), trustedProxies))
  }

  return new Elysia({ name: 'dashboard' })
    .use(assets())
    .use(setup({ gate, sessions, writer, token: setupToken, hasUsers: isInUse, now }))
    .use(signIn({ gate, sessions, devices, check, hasUsers: isInUse, addressOf }))
    .use(account({ gate, sessions, devices, writer, check }))
    .use(keyPages({ gate, reader, writer, lastUsed, now, addressOf: (request) => ownAddress(request, publicUrl) }))
}
