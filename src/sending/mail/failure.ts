import { oneLine } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import type { SmtpServer } from '../../config/mail.ts'
import { hostAndPort } from '../../config/values.ts'
import { NoAnswerError } from '../../remote/no-answer.ts'
import { type Found, findAnswer } from './answers.ts'

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
  /** Whether no mail will ever be taken for this address. */
  readonly isAddressRefused?: boolean
}

/** The response of this mail server, as text that can be shown. */
export const toAnswer = (response: string, server: SmtpServer): string =>
  visible(oneLine(withoutServer(response, server).slice(0, 2000)).slice(0, 500)).toWellFormed()

/** What an error means that nodemailer throws. */
export const toFailure = (error: unknown, server: SmtpServer): Outcome => {
  if (error instanceof NoAnswerError) return { ...noAnswer, error: error.message, operatorError: error.message }
  const { response = '', responseCode = null, ...rest } = error as NodemailerError
  const found = responseCode ? findAnswer('smtp', lineOf(error as NodemailerError)) : findAnswer('net', netLineOf(rest))
  const code = rest.originalCode || rest.code || 'unknown reason'
  return {
    ...toOutcome(found, { server: hostAndPort(server), host: server.host, code }),
    status: responseCode,
    answer: toAnswer(response, server),
  }
}

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

const netLineOf = ({ code = '', originalCode = '', timeoutType }: NodemailerError): string =>
  `${timeoutType === 'GREETING_TIMEOUT' ? timeoutType : code} ${originalCode}`

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
const withoutServer = (response: string, { host, credentials }: SmtpServer): string => {
  const { user, password } = credentials ?? { user: '', password: '' }
  const encoded = [`\0${user}\0${password}`, user, password].map((text) => Buffer.from(text).toString('base64'))
  // A host without a dot may be a usual word.
  return [...(credentials ? [...encoded, password, user] : []), /[.:]/.test(host) ? host : '']
    .filter(({ length }) => length >= shortestSecret)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), response)
}

/** Shorter ones would be found in other words. */
const shortestSecret = 4

interface NodemailerError {
  readonly code?: string
  /** A code of the system or of TLS, such as ECONNREFUSED. */
  readonly originalCode?: string
  readonly response?: string
  readonly responseCode?: number
  /** Such as `RCPT TO`. */
  readonly command?: string
  readonly timeoutType?: string
}
