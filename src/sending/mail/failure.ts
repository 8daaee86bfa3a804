import { oneLine } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import { type MailConfig, placeOf } from '../../config/mail.ts'
import { NoAnswerError } from '../../remote/no-answer.ts'
import { type Found, findAnswer, type Source } from './answers.ts'

/** How an attempt to send a mail ended. */
export interface Outcome {
  /** `refused` if the mail or its address will never be taken; `later` if another attempt may succeed. */
  readonly result: 'delivered' | 'later' | 'refused'
  /** The SMTP code of the response; null if there was none. */
  readonly status: number | null
  /** The reason, for the owner of a form: in a sentence without a full stop, and not which mail server it is. */
  readonly error: string | null
  /** The error in words for the operator: with host and port, where they help. */
  readonly operatorError: string | null
  /** The response of the mail server, at most 500 characters in one line, without its address and how to sign in. */
  readonly answer: string
  /** Whether the settings are wrong rather than the mail, so that no mail gets through. */
  readonly isOurFault: boolean
  /** Whether this mail or its address was answered: who may not sign in or send at all is told before. */
  readonly isOfMail?: boolean
  /** Whether no mail will ever be taken for this address. */
  readonly isAddressRefused?: boolean
  /** How long a provider asks to wait. */
  readonly retryAfterMilliseconds?: number | null
}

interface About {
  readonly source: Source
  /** What `findAnswer` finds. */
  readonly line: string
  /** The status of HTTP; null without a response. */
  readonly status: number | null
  /** What came back, as text. */
  readonly answer: string
  /** Host and port of what answered, if it is not the mail server itself. */
  readonly place?: string
  readonly retryAfterMilliseconds?: number | null
}

/** An answer that has a row in the table. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly about: About

  constructor(about: About) {
    super('an answer')
    this.about = about
  }
}

type Access = Pick<MailConfig, 'server' | 'oauth'>

/** A mail that was taken. */
export const toSent = (status: number | null, response: string, access: Access): Outcome => ({
  ...{ result: 'delivered', status, error: null, operatorError: null, isOurFault: false },
  answer: toAnswer(response, access),
})

/** The response of a mail server, as text that can be shown. */
const toAnswer = (response: string, access: Access): string =>
  visible(oneLine(withoutToken(withoutSecrets(response, access).slice(0, 2000))).slice(0, 500)).toWellFormed()

/** What an error means that a way throws, nodemailer or HTTP. */
export const toFailure = (error: unknown, access: Access): Outcome => {
  const cause = error instanceof AnswerError ? error : (error as { cause?: unknown }).cause
  if (cause instanceof AnswerError) return ofAnswer(cause.about, access)
  if (error instanceof NoAnswerError) return { ...noAnswer, error: error.message, operatorError: error.message }
  const { response = '', responseCode = null } = error as NodemailerError
  const source = responseCode ? 'smtp' : 'net'
  const line = responseCode ? lineOf(error as NodemailerError) : netLineOf(error)
  return ofAnswer({ source, line, status: responseCode, answer: response }, access)
}

const ofAnswer = ({ source, line, status, answer, place, retryAfterMilliseconds }: About, access: Access): Outcome => {
  const server = place ?? placeOf(access.server)
  const host = place ?? (access.server.way === 'smtp' ? access.server.host : server)
  const code = line.trim().split(' ').at(-1) || 'unknown reason'
  return {
    ...toOutcome(findAnswer(source, withoutNames(line)), { server, host, code }),
    status,
    isOfMail: isOfMail(source, line),
    answer: toAnswer(answer, access),
    ...(retryAfterMilliseconds && { retryAfterMilliseconds }),
  }
}

/** Of SMTP by its command, of an API by its status. A service for tokens has no part in a mail. */
const isOfMail = (source: Source, line: string): boolean =>
  source !== 'oauth' && (source === 'smtp' ? /^(?:RCPT TO|DATA) / : /^4(?!01)\d\d /).test(line)

/**
 * Many servers repeat what they refuse: an address, its domain, or a host to which the text links. A visitor chose it, and a word
 * in it, such as `sender-rejected` or `sandbox`, could make one refusal look like a wrong setting, for which all mail waits.
 */
const withoutNames = (line: string): string =>
  line.slice(0, maxLine).replaceAll(parts, (part) => (isName.test(part) && !isOfProgram.test(part) ? '<>' : part))

/** What is in brackets, addresses of pages, and words. */
const parts = /<[^<>]*>|\w+:\/\/\S*|[^\s<>"'`(),;:]+/g
/** Not the codes of RFC 3463. */
const isName = /^<|@|:\/\/|[\w-]\.[\w-]*[a-z]/i
/** Exchange: `SendAsDeniedException.MapiExceptionSendAsDenied`. */
const isOfProgram = /^[A-Z]\w+(?:\.[A-Z][a-zA-Z]+)+$/

/** More than any answer has that is in the table. Patterns take long on a text of 64 KiB. */
const maxLine = 1000

interface Names {
  /** Host and port, at the beginning of a sentence. */
  readonly server: string
  readonly host: string
  readonly code: string
}

/** The owner of a form has no right to know where the mail server is. */
const hidden = { server: 'The mail server', host: 'the mail server' }

const toOutcome = ({ then, says, step }: Found, names: Names): Omit<Outcome, 'status' | 'answer'> => {
  const text = step === '' ? says : `${says}. ${step}`
  const error = fill(text, { ...names, ...hidden })
  const operatorError = fill(text, names)
  const outcome = { error, operatorError, isOurFault: then === 'wait' }
  if (then === 'sent') return { ...outcome, result: 'delivered', error: null, operatorError: null }
  if (then === 'again' || then === 'wait') return { ...outcome, result: 'later' }
  return { ...outcome, result: 'refused', isAddressRefused: then === 'address' }
}

const fill = (text: string, names: Names): string =>
  text.replaceAll(/\{(server|host|code)\}/g, (_, name: keyof Names) => names[name])

const lineOf = ({ command = 'DATA', responseCode, response = '' }: NodemailerError): string => {
  const [, detail = '-'] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  return `${command} ${responseCode} ${detail} ${oneLine(response)}`
}

/** The line of an error without a response: of nodemailer, or of a request over HTTP. */
export const netLineOf = (error: unknown): string => {
  const { name, code = '', originalCode = '', timeoutType } = error as NodemailerError
  if (timeoutType === 'GREETING_TIMEOUT') return timeoutType
  if (name === 'AbortError' || name === 'TimeoutError') return 'ETIMEDOUT'
  if (code.startsWith('DNS_')) return code.replace('DNS_', 'EDNS ')
  return /^E(DNS|TLS|SOCKET|CONNECTION|TIMEDOUT|ABORT|PROTOCOL|STREAM|MESSAGE)$/.test(code)
    ? `${code} ${originalCode}`
    : `ESOCKET ${code}`
}

/**
 * Whether the connection had ended before a mail was sent on it: the library knows of a connection that had been used
 * before, and says nothing about why.
 */
export const isUnsent = (error: unknown): boolean => {
  const { code, command, responseCode } = error as NodemailerError
  return code === 'ECONNECTION' && command === undefined && responseCode === undefined
}

const noAnswer = { result: 'later', status: null, answer: '', isOurFault: false } as const

/**
 * Some mail servers repeat what they refuse, and most of them say their names. The owner of a form reads it, who must not
 * learn where Formbox sends mail and how it signs in.
 */
const withoutSecrets = (response: string, { server, oauth }: Access): string => {
  const [user, password, host] =
    server.way === 'smtp'
      ? [server.credentials?.user ?? '', server.credentials?.password ?? '', server.host]
      : [server.keyId, server.secret, server.place]
  // Of SMTP, and of an API that takes a name with its key.
  const encoded = [`\0${user}\0${password}`, `api:${password}`, user, password].map((text) =>
    Buffer.from(text).toString('base64'),
  )
  const secrets = user === '' && password === '' ? [] : [...encoded, password, user]
  // A host without a dot may be a usual word.
  return [...secrets, oauth?.clientSecret ?? '', oauth?.clientId ?? '', /[.:]/.test(host) ? host : '']
    .filter(({ length }) => length >= shortestSecret)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), response)
}

/** A token (RFC 7519), or its beginning; and what signs in with one by XOAUTH2. */
const withoutToken = (text: string): string =>
  text.replaceAll(/\beyJ[\w.-]{8,}/g, '***').replaceAll(/\bdXNlcj1[\w+/=-]{8,}/g, '***')

/** Shorter ones would be found in other words. */
const shortestSecret = 4

interface NodemailerError {
  readonly name?: string
  readonly code?: string
  /** A code of the system or of TLS, such as ECONNREFUSED. */
  readonly originalCode?: string
  readonly response?: string
  readonly responseCode?: number
  /** Such as `RCPT TO`. */
  readonly command?: string
  readonly timeoutType?: string
}
