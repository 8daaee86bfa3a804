import { dirname, resolve } from 'node:path'
import { invalid } from '../base/errors.ts'
import { toMailAddress } from '../base/mail-address.ts'
import type { Config } from './config.ts'
import { type MailConfig, parseMailbox, parseMailUrl } from './mail.ts'
import { toOauth } from './mail-oauth.ts'
import { parseClientText } from './oidc.ts'
import { readSecret, readUpTo } from './read-variables.ts'
import { isSenderName, type Sender } from './sender.ts'
import { safeUrl } from './values.ts'

const maxSenders = 50
const maxFileBytes = 256 * 1024

/**
 * The settings with the senders in the operator's file. It is read once, by commands that need it.
 *
 * @throws AppError `invalid` that names the table and the key; OperatorError if the file cannot be read
 */
export const withSenders = async (config: Config): Promise<Config> => {
  const { sendersFile: path, mail } = config
  if (path === '') return config
  if (!mail)
    throw invalid({ field: variable, message: 'needs FORMBOX_MAIL_URL and FORMBOX_MAIL_FROM, for all other mail' })
  const bytes = readUpTo(path, maxFileBytes, `read ${JSON.stringify(path)}, which ${variable} names`)
  if (bytes.length > maxFileBytes) throw invalid({ field: variable, message: `is larger than ${maxFileBytes} bytes` })
  // Servers without such a file load no parser.
  const { readToml } = await import('../base/read-toml.ts')
  const tables = Object.entries(readToml(bytes))
  if (tables.length > maxSenders)
    throw invalid({ field: variable, message: `must have at most ${maxSenders} tables; has ${tables.length}` })
  return Object.freeze({ ...config, senders: tables.map(([name, table]) => toSender({ name, mail, path }, table)) })
}

const variable = 'FORMBOX_SENDERS_FILE'

interface Place {
  readonly name: string
  /** That of the server, for what the table leaves out. */
  readonly mail: MailConfig
  readonly path: string
}

const toSender = ({ name, mail, path }: Place, table: unknown): Sender => {
  if (!isSenderName(name))
    throw invalid({ field: fieldOf(name), message: 'must be named with 1 to 60 letters, digits, _ and -' })
  const given = keysOf(name, table, ['from', 'url', 'urlFile', 'oauth', 'users'])
  const at = (key: string): string => fieldOf(`${name}.${key}`)
  const textAt = (key: string): string => textIn(at(key), given[key])
  const from = parseMailbox(at('from'), textAt('from'))
  if (!from) throw invalid({ field: at('from'), message: 'must be set' })
  if (given.url !== undefined && given.urlFile !== undefined)
    throw invalid({ field: at('url'), message: 'must not stand beside urlFile' })
  const url =
    given.urlFile === undefined ? textAt('url') : readSecret(resolve(dirname(path), textAt('urlFile')), at('urlFile'))
  const server = parseMailUrl(at('url'), url)
  if (!server && given.oauth !== undefined) throw invalid({ field: at('oauth'), message: 'needs url' })
  const own = server && { server, oauth: oauthOf(name, server, given.oauth) }
  return {
    name,
    users: usersOf(at('users'), given.users),
    mail: Object.freeze({ ...mail, ...own, from }),
    hasOwnUrl: server !== null,
  }
}

const fieldOf = (place: string): string => `${place} in ${variable}`

const oauthOf = (name: string, server: MailConfig['server'], table: unknown): MailConfig['oauth'] => {
  const given = keysOf(`${name}.oauth`, table ?? {}, ['clientId', 'clientSecret', 'tokenUrl', 'scope'])
  const at = (key: string): string => fieldOf(`${name}.oauth.${key}`)
  const textAt = (key: string): string => parseClientText(at(key), textIn(at(key), given[key]))
  const oauth = {
    clientId: textAt('clientId'),
    clientSecret: textAt('clientSecret'),
    tokenUrl: safeUrl('')(at('tokenUrl'), textIn(at('tokenUrl'), given.tokenUrl)),
    scope: textAt('scope'),
  }
  const [url, clientId, clientSecret, tokenUrl] = [
    fieldOf(`${name}.url`),
    ...['clientId', 'clientSecret', 'tokenUrl'].map(at),
  ] as [string, string, string, string]
  return toOauth(server, oauth, { url, clientId, clientSecret, tokenUrl })
}

/** @throws AppError `invalid` if it is no table, or has another key: a misspelt one would be ignored */
const keysOf = (place: string, table: unknown, known: readonly string[]): Readonly<Record<string, unknown>> => {
  if (typeof table !== 'object' || table === null || Array.isArray(table) || table instanceof Date)
    throw invalid({ field: fieldOf(place), message: 'must be a table' })
  const unknown = Object.keys(table).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw invalid({ field: fieldOf(`${place}.${unknown}`), message: `unknown; must be one of ${known.join(', ')}` })
  return { ...table }
}

/** Does not quote it: it may be a secret. */
const textIn = (field: string, value: unknown): string => {
  if (value === undefined) return ''
  if (typeof value !== 'string' || value === '') throw invalid({ field, message: 'must be text' })
  return value
}

const usersOf = (field: string, value: unknown): Sender['users'] => {
  if (value === undefined) return null
  const addresses = Array.isArray(value)
    ? value.map((one) => (typeof one === 'string' ? toMailAddress(one) : null))
    : [null]
  if (addresses.some((one) => one === null))
    throw invalid({ field, message: 'must be a list of email addresses of users' })
  return addresses.map((one) => (one as string).toLowerCase())
}
