import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Reader } from '../db/reader.ts'
import type { Writer } from '../db/writer/writer.ts'
import { assets } from '../html/assets.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { ownAddress } from '../http/own-address.ts'
import type { KeyWrites } from '../keys/key-writes.ts'
import type { LastUsed } from '../keys/last-used.ts'
import type { SessionWrites } from '../sessions/session-writes.ts'
import { createCredentialCheck } from '../users/credentials.ts'
import { createThrottle } from '../users/failed-tries.ts'
import { hasUsers } from '../users/store.ts'
import type { AccountWrites } from '../users/user-writes.ts'
import { account } from './account.ts'
import { openDevices } from './devices.ts'
import { keyPages } from './keys.ts'
import { createGate } from './page-access.ts'
import { openSessions } from './sessions.ts'
import { setup } from './setup.ts'
import type { SetupToken } from './setup-token.ts'
import { signIn } from './sign-in.ts'

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

  const addressOf = (exchange: Exchange): string => addressKey(clientOf(exchange, trustedProxies))

  return new Elysia({ name: 'dashboard' })
    .use(assets())
    .use(setup({ gate, sessions, writer, token: setupToken, hasUsers: isInUse, now }))
    .use(signIn({ gate, sessions, devices, check, hasUsers: isInUse, addressOf }))
    .use(account({ gate, sessions, devices, writer, check }))
    .use(keyPages({ gate, reader, writer, lastUsed, now, addressOf: (request) => ownAddress(request, publicUrl) }))
}
