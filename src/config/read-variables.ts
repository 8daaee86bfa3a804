import { closeSync, openSync, readSync } from 'node:fs'
import { type AppError, invalid } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'
import { cannot } from '../base/operator-errors.ts'

export interface Variable {
  readonly name: string
  /** Empty if the setting has no default. */
  readonly default: string
  readonly help: string
  /**
   * `NAME_FILE` may name a file with the value instead. Other processes of the user, `docker inspect` and crash reports
   * show the environment. Nothing may print the value, not even the parser's error message.
   */
  readonly secret?: true
  /** Returns the part of a valid secret that `formbox config` may show; nothing if absent. */
  readonly show?: (value: string) => string
}

/** The text for `--help` and docs/configuration.md. */
export const meaningOf = ({ name, help, secret }: Variable): string => (secret ? `${help}; or ${name}_FILE` : help)

export interface Given {
  /** Empty if the setting is not set. */
  readonly value: string
  readonly source: 'default' | 'environment' | 'file' | 'flag'
  /** Name that the operator used, for error messages: `FORMBOX_PORT`, `--port`, `FORMBOX_TOKEN_FILE`. */
  readonly label: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The value of each setting and where it comes from. A flag wins over the environment, the environment over the
 * default. An empty variable counts as not set.
 *
 * @param wanted which variables to find; secrets that are not among them are not read
 * @throws AppError `invalid` for an unknown variable that begins with `FORMBOX_`, a secret that is given twice, or a
 *   file without a valid secret; OperatorError for a file that cannot be read
 */
export const readVariables = <Name extends string, Wanted extends Name = Name>(
  variables: readonly (Variable & { readonly name: Name })[],
  environment: Environment,
  flags: Partial<Record<Name, string | undefined>> = {},
  wanted?: readonly Wanted[],
): Readonly<Record<Wanted, Given>> => {
  const known = new Set(variables.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])))
  for (const [name, value = ''] of Object.entries(environment))
    if (name.startsWith(prefix) && !known.has(name) && !isServiceLink(name, value)) throw unknown(name, [...known])
  const found = wanted ? variables.filter(({ name }) => wanted.some((one) => one === name)) : variables
  return Object.fromEntries(
    found.map((variable) => [variable.name, find(variable, environment, flags[variable.name])]),
  ) as Record<Wanted, Given>
}

const prefix = 'FORMBOX_'

/** The name that was planned before there were providers without SMTP. */
const replaced = /^FORMBOX_SMTP_URL(?=$|_FILE$)/

const unknown = (name: string, known: readonly string[]): AppError => {
  if (replaced.test(name))
    return invalid({ field: name, message: `unknown setting; use ${name.replace(replaced, 'FORMBOX_MAIL_URL')}` })
  const withoutPrefix = (text: string): string => text.slice(prefix.length)
  const near = nearest(withoutPrefix(name), known.map(withoutPrefix))
  const advice = near === undefined ? '' : `; did you mean ${prefix}${near}?`
  return invalid({ field: name, message: `unknown setting${advice}` })
}

/**
 * Whether Kubernetes has set the variable in every container, because there is a Service whose name is `formbox` or
 * begins with `formbox-`: `FORMBOX_SERVICE_HOST`, `FORMBOX_DB_PORT=tcp://10.0.0.1:5432`, `FORMBOX_PORT_8080_TCP_ADDR`.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /^FORMBOX(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(
    name,
  ) ||
  (name.endsWith('_PORT') && isLinkToPort(value))

/** Whether it is what Kubernetes puts into the variable `NAME_PORT` for a Service. */
export const isLinkToPort = (value: string): boolean => /^(tcp|udp|sctp):\/\//.test(value)

const find = ({ name, default: preset, secret }: Variable, environment: Environment, flag?: string): Given => {
  if (flag !== undefined) return { value: flag, source: 'flag', label: `--${name.slice(prefix.length).toLowerCase()}` }
  const value = environment[name]
  const label = `${name}_FILE`
  const path = secret && environment[label]
  if (value && path) throw invalid({ field: `${name} and ${label}`, message: 'set only one of them' })
  if (path) return { value: readSecret(path, label), source: 'file', label }
  return value ? { value, source: 'environment', label: name } : { value: preset, source: 'default', label: name }
}

const maxSecretBytes = 4096

/** The single line of a file, without its line break. No message quotes it, because it may be the wrong file. */
export const readSecret = (path: string, label: string): string => {
  const file = JSON.stringify(path)
  const bytes = readUpTo(path, maxSecretBytes, `read ${file}, which ${label} names`)
  if (bytes.length > maxSecretBytes)
    throw invalid({ field: label, message: `${file} is larger than ${maxSecretBytes} bytes` })
  // Editors of Windows put a byte order mark before the text.
  const text = bytes.toString('utf8').replace(/^\ufeff|\r?\n$/g, '')
  if (text === '') throw invalid({ field: label, message: `${file} is empty` })
  // Bytes that are not UTF-8 become U+FFFD.
  if (/[\p{Cc}\ufffd]/u.test(text))
    throw invalid({ field: label, message: `${file} must contain one line of UTF-8 text` })
  return text
}

/**
 * Reads a file or a pipe, but at most one byte more than allowed: `/dev/zero` has no end, and its size is 0.
 *
 * @param what the action for the error message, such as `apply /x/forms.toml`
 * @throws OperatorError, which is not a wrong setting: the file may be on a disk that is not mounted yet
 */
export const readUpTo = (path: string, maxBytes: number, what: string): Buffer => {
  const bytes = Buffer.alloc(maxBytes + 1)
  let length = 0
  try {
    const descriptor = openSync(path, 'r')
    try {
      for (let count = -1; count !== 0 && length < bytes.length; length += count)
        count = readSync(descriptor, bytes, length, bytes.length - length, null)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw cannot(what, error)
  }
  return bytes.subarray(0, length)
}
