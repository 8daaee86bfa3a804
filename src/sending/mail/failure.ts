import { oneLine } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import type { SmtpServer } from '../../config/mail.ts'
import { hostAndPort } from '../../config/values.ts'
import { NoAnswerError } from '../../remote/no-answer.ts'

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

/** Members of an error that nodemailer throws. */
export const toFailure = (error: unknown, server: SmtpServer): Outcome => {
  if (error instanceof NoAnswerError) return { ...noAnswer, error: error.message, operatorError: error.message }
  const found = error as NodemailerError
  const { response = '', responseCode = null } = found
  const names = { hostAndPort: hostAndPort(server), host: server.host }
  const ofOperator = responseCode ? ofAnswer(found) : ofError(found, server, names)
  const ofOwner = responseCode ? ofOperator : ofError(found, server, hidden)
  const { result = 'later', isOurFault = false, isAddressRefused = false } = ofOperator
  return {
    result,
    status: responseCode,
    error: ofOwner.error,
    operatorError: ofOperator.error,
    answer: toAnswer(response, server),
    isOurFault,
    isAddressRefused,
  }
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

/** Names of the mail server for the owner of a form, who has no right to know where it is. */
const hidden: Names = { hostAndPort: 'The mail server', host: 'the mail server' }

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

interface Names {
  /** Host and port, at the beginning of a sentence. */
  readonly hostAndPort: string
  readonly host: string
}

type Found = { readonly error: string } & Partial<Pick<Outcome, 'result' | 'isOurFault' | 'isAddressRefused'>>

const ourFault = (error: string): Found => ({ error, isOurFault: true })

/** RFC 5321 section 4.2: 4yz may succeed later, 5yz will not. RFC 3463 has the codes with dots. */
const ofAnswer = ({ responseCode = 0, response = '', command = '' }: NodemailerError): Found => {
  const [, detail = ''] = /^\d{3}[ -]\d\.(\d{1,3}\.\d{1,3})\b/.exec(response) ?? []
  const isPermanent = responseCode >= 500
  if (command === 'STARTTLS')
    return ourFault(
      isPermanent
        ? 'The mail server offers no encryption (STARTTLS)'
        : 'The mail server cannot encrypt the connection at the moment',
    )
  if (command.startsWith('AUTH')) return ofSigningIn(responseCode)
  if (responseCode === 530 || responseCode === 538) return ourFault('The mail server requires a user and a password')
  if (isRelay.test(response)) return ourFault('The mail server does not send email to other servers for Formbox')
  if (isPermanent && isClient.test(response)) return ourFault('The mail server accepts no email from this machine')
  if (isPermanent && (command === 'MAIL FROM' || isSender.test(response)))
    return ourFault('The mail server does not accept the sender in FORMBOX_MAIL_FROM')
  if (command === 'CONN' || command === 'EHLO' || command === 'HELO')
    return { error: 'The mail server accepts no email at the moment', isOurFault: isPermanent }
  if (isPermanent && (detail === '3.4' || isSize.test(response))) return tooLarge
  if (detail === '2.2' || (responseCode === 552 && !detail.startsWith('7.'))) return { error: 'The mailbox is full' }
  if (!isPermanent || responseCode === 503) return { error: 'The mail server asks to try again later' }
  if (command === 'RCPT TO')
    return { error: 'The mail server refused the address', result: 'refused', isAddressRefused: true }
  return { error: 'The mail server refused the email', result: 'refused' }
}

// The words of Postfix, Exim, Sendmail, Exchange, Amazon SES, Postmark and Gmail. The codes are the same for much else.
const isRelay = /\brelay(ing)? (access )?(denied|not permitted|prohibited)|\bunable to relay\b|\brcpthosts\b/i
const isClient = /\b(client host|helo command) rejected\b/i
const isSender = /\bsender\b.*\b(rejected|denied|not (allowed|owned|verified))|\bnot verified\b|\bsend as\b|\bdmarc\b/i

// Exim gives no code with dots, and Gmail one of the mailbox.
const isSize = /\bmessage('s)? (size|length|exceeds|exceeded|(is )?too (big|large))\b/i

const tooLarge: Found = { error: 'The email is larger than the mail server allows', result: 'refused' }

const ofSigningIn = (responseCode: number): Found => {
  if (responseCode < 500) return { error: 'The mail server cannot check the password at the moment' }
  if (responseCode === 535) return ourFault('The mail server refused the user or the password')
  if (responseCode === 534) return ourFault('The mail server requires another way to sign in, such as an app password')
  return ourFault('The mail server offers no way to sign in that Formbox supports: PLAIN, LOGIN or CRAM-MD5')
}

const ofError = (
  { code, originalCode = '', timeoutType }: NodemailerError,
  { isTls }: SmtpServer,
  { hostAndPort, host }: Names,
): Found => {
  if (code === 'EDNS')
    return {
      error: `The address of ${host} ${originalCode === 'ENOTFOUND' ? 'was not found' : 'could not be looked up'}`,
    }
  if (timeoutType === 'GREETING_TIMEOUT')
    return { error: `${hostAndPort} accepts connections, but sends nothing${isTls ? '' : '; it may need smtps://'}` }
  if (code === 'ETIMEDOUT' || code === 'EABORT') return { error: `${hostAndPort} does not respond in time` }
  const words = errors[originalCode]
  if (words) return { error: `${hostAndPort} ${words}` }
  const certificate = certificateErrors[originalCode]
  if (certificate) return ourFault(`The certificate of ${host} ${certificate}`)
  if (originalCode === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return ourFault(`${hostAndPort} does not begin with TLS; it may need smtp://`)
  if (code === 'ETLS' || /^ERR_(SSL|TLS)_/.test(originalCode))
    return ourFault(`No encrypted connection with ${hostAndPort} (${originalCode || code})`)
  if (code === 'EPROTOCOL') return ourFault(`${hostAndPort} does not respond like a mail server`)
  if (code === 'ESTREAM') return { error: 'A file was deleted while it was sent' }
  if (code === 'EMESSAGE') return tooLarge
  if (code === 'ECONNECTION' || code === 'ESOCKET') return { error: `${hostAndPort} ended the connection` }
  return { error: `The email could not be sent (${originalCode || code || 'unknown reason'})` }
}

const errors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'ended the connection',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
}

const isUntrusted = 'is not signed by an authority that this machine trusts'

const certificateErrors: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: isUntrusted,
  SELF_SIGNED_CERT_IN_CHAIN: isUntrusted,
  UNABLE_TO_GET_ISSUER_CERT: isUntrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: isUntrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: isUntrusted,
}
