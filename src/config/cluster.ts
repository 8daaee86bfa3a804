import { hostname } from 'node:os'
import { invalid } from '../base/errors.ts'
import type { Given } from './read-variables.ts'
import { bareHost, decodeCredential, isHost } from './values.ts'

/** The cluster of this machine. */
export interface ClusterConfig {
  /** URLs of the engine that keeps the log, of one kind, at least one. They contain the password. */
  readonly engine: readonly string[]
  /** The name of this machine, which no other one has. */
  readonly node: string
  /** URL at which the other machines reach this one; null if not set. */
  readonly url: string | null
}

/** @throws AppError `invalid` for what means nothing on a standalone machine */
export const toCluster = ({
  engine,
  node,
  url,
}: {
  engine: readonly string[] | null
  node: Given
  url: string | null
}) => {
  if (engine) return Object.freeze({ engine, node: parseNode(node.label, node.value), url })
  for (const [name, isSet] of [
    ['FORMBOX_NODE', node.value !== ''],
    ['FORMBOX_NODE_URL', url !== null],
  ] as const)
    if (isSet) throw invalid({ field: name, message: 'has no effect without FORMBOX_CLUSTER' })
  return null
}

const maxServers = 9

/** @throws AppError `invalid` that does not show the URLs, which contain a password */
export const parseEngine = (name: string, value: string): readonly string[] | null => {
  if (value === '') return null
  // A comma may also be part of a password.
  const urls = value.split(/,\s*(?=[a-z]+:\/\/)/i).map((text) => parseServer(name, text))
  if (new Set(urls.map(isPostgres)).size > 1)
    throw invalid({ field: name, message: 'must not mix servers of PostgreSQL and of rqlite' })
  if (urls.length > maxServers) throw invalid({ field: name, message: `must be at most ${maxServers} URLs` })
  if (new Set(urls.map(labelOf)).size < urls.length)
    throw invalid({ field: name, message: 'must not name the same host and port twice' })
  return Object.freeze(urls.map(({ href }) => href))
}

/** Whether it is the URL of a PostgreSQL server, and not of rqlite. */
export const isPostgres = ({ protocol }: URL): boolean => protocol.startsWith('postgres')

/** Host and port of a URL of the engine, for messages. */
export const labelOf = ({ protocol, hostname, port }: URL): string => `${hostname}:${port || defaultPorts[protocol]}`

const defaultPorts: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'http:': 80,
  'https:': 443,
}

const parseServer = (name: string, text: string): URL => {
  const url = /^(postgres(ql)?|https?):\/\/[^\s\p{C}]+$/iu.test(text) ? URL.parse(text) : null
  if (!url || !isHost(bareHost(url)) || url.port === '0' || text.includes('#'))
    throw invalid({
      field: name,
      message:
        'must be postgres://USER:PASSWORD@HOST:PORT/DATABASE, or http:// or https://HOST:PORT of rqlite, or several of ' +
        'one kind separated by commas; in the user and the password, write %25 for %, %2F for /, %3A for :, %3F for ?, ' +
        '%23 for # and %40 for @',
    })
  // Both protocols end or separate them with control characters.
  if (/\p{Cc}/u.test(decodeCredential(name, url.username) + decodeCredential(name, url.password)))
    throw invalid({ field: name, message: 'must not have control characters in the user or the password' })
  if (isPostgres(url)) checkPostgres(name, url)
  else checkRqlite(name, url)
  return url
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** Bun or PostgreSQL takes such a name without an error, and the connection may not be encrypted. */
const isMeantAsSslMode = (name: string): boolean =>
  /^(use|require)?(ssl|tls)(mode)?$/i.test(name.replaceAll(/[_-]/g, ''))

const checkPostgres = (name: string, { username, pathname, searchParams }: URL): void => {
  if (username === '') throw invalid({ field: name, message: 'must have a user before the host of PostgreSQL' })
  if (!/^\/[^/,]+$/.test(pathname))
    throw invalid({ field: name, message: 'must have one database after the host of PostgreSQL, such as /formbox' })
  decodeCredential(name, pathname)
  if (!searchParams.getAll('sslmode').every((mode) => sslModes.includes(mode)))
    throw invalid({ field: name, message: `must have one of ${sslModes.join(', ')} as sslmode` })
  const otherName = [...searchParams.keys()].find((key) => key !== 'sslmode' && isMeantAsSslMode(key))
  if (otherName !== undefined) throw invalid({ field: name, message: `must say sslmode instead of ${otherName}` })
}

const checkRqlite = (name: string, { username, password, pathname, search }: URL): void => {
  if ((username === '') !== (password === ''))
    throw invalid({ field: name, message: 'must have both a user and a password for rqlite, or neither' })
  if (pathname !== '/' || search !== '')
    throw invalid({ field: name, message: 'must end after the host or port of rqlite' })
}

/** Hides the credentials: `postgres://***@db1.example.com:5432/formbox`. The options after the path are hidden, too. */
export const showEngine = (value: string): string =>
  (parseEngine('', value) ?? []).map((text) => showUrl(new URL(text))).join(',')

const showUrl = (url: URL): string =>
  `${url.protocol}//${url.username === '' ? '' : '***@'}${labelOf(url)}${url.pathname === '/' ? '' : url.pathname}`

/** @throws AppError `invalid` */
const parseNode = (name: string, value: string): string => {
  const node = value === '' ? hostname() : value
  if (/^[\w.-]{1,100}$/.test(node)) return node
  throw invalid({ field: name, message: 'must be 1 to 100 letters, digits, dots, hyphens or underscores' })
}
