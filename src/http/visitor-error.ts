import type { AppError, ErrorCode } from '../base/errors.ts'
import type { Place } from '../config/addresses.ts'
import type { Html } from '../html/html.ts'
import { because, type Reason, type ReasonName, type Texts } from '../languages/texts.ts'
import type { Exchange } from './exchange.ts'
import { ownersText, textsFor, visitorMessage } from './visitor-page.ts'

/** Says to a visitor, in the visitor's language, what went wrong, and what to do next. */
export const visitorError = async (exchange: Exchange, error: AppError, place: Place): Promise<string> => {
  const { method } = exchange.request
  const texts = await textsFor(exchange)
  const reason = reasonOf(error, method, place)
  const { sentences } = whatHappened(texts, error, reason)
  const isSent = place !== 'link' && method === 'POST'
  const { title, next } = isSent || isOfAddress(reason) ? pages[reason[0]] : ofLook
  // Someone who only looks has typed nothing.
  const steps = isSent ? next : next.filter((step) => step !== 'copyAndContact')
  return visitorMessage(exchange, texts, {
    title: texts.titles[title],
    sentences: [...sentences, ...steps.map((step) => texts.next[step === 'again' ? waitOf(error) : step])],
  })
}

/** Why something is not possible, without what to do next. */
export const whatHappened = (
  texts: Texts,
  error: AppError,
  reason: Reason = ownReason(error),
): { readonly title: string; readonly sentences: readonly (string | Html)[] } => {
  const ofOwner = error.code === 'closed' ? error.issues[0]?.message : undefined
  const isDated = reason.length > 1
  const sentences = [
    ...(ofOwner === undefined || isDated ? [say(texts, reason)] : []),
    ...(ofOwner === undefined ? [] : [ownersText(ofOwner)]),
  ]
  return { title: texts.titles[pages[reason[0]].title], sentences }
}

/** The sentence for a reason. */
const say = ({ reasons }: Texts, [name, ...given]: Reason): string =>
  (reasons[name] as (...given: unknown[]) => string)(...given)

const reasonOf = (error: AppError, method: string, place: Place): Reason => {
  if (error.code === 'not_found' && place === 'link') return because('badLink')
  const isLookedAt = place === 'messages' && method === 'GET'
  return error.code === 'not_found' && isLookedAt ? because('messagesOnly') : ownReason(error)
}

const ownReason = ({ code, reason }: AppError): Reason => (reason as Reason | undefined) ?? because(usual[code])

/** For an error that has none. */
const usual = {
  invalid: 'malformed',
  unauthenticated: 'malformed',
  forbidden: 'malformed',
  wrong_origin: 'unknownPage',
  unsolved: 'unsolved',
  closed: 'closed',
  not_found: 'noForm',
  too_large: 'malformed',
  unsatisfiable: 'malformed',
  rate_limited: 'tooMany',
  unavailable: 'busy',
  internal: 'internal',
} as const satisfies Record<ErrorCode, ReasonName>

/** `again` for the time after which to try again. */
type Step = keyof Texts['next'] | 'again'

interface Page {
  readonly title: keyof Texts['titles']
  readonly next: readonly Step[]
}

/** For what fails while someone only looks, or follows the link in a mail. */
const ofLook: Page = { title: 'wrong', next: ['later'] }

/** Whether the address itself is the reason. */
const isOfAddress = ([name]: Reason): boolean => name === 'noForm' || name === 'messagesOnly' || name === 'badLink'

const pages: { readonly [Name in ReasonName]: Page } = {
  early: { title: 'early', next: ['copy'] },
  over: { title: 'closed', next: ['copy'] },
  full: { title: 'full', next: ['copy'] },
  closed: { title: 'closed', next: ['copy'] },
  otherPage: { title: 'notSent', next: ['copyAndContact'] },
  unknownPage: { title: 'notSent', next: ['copyAndContact'] },
  unsolved: { title: 'notSent', next: ['again', 'allowScript', 'contact'] },
  empty: { title: 'notSent', next: ['change'] },
  malformed: { title: 'notSent', next: ['again', 'contact'] },
  interrupted: { title: 'notSent', next: ['again'] },
  textTooLong: { title: 'notSent', next: ['change'] },
  filesTooLarge: { title: 'notSent', next: ['change'] },
  fileTooLarge: { title: 'notSent', next: ['change'] },
  wrongKind: { title: 'notSent', next: ['change'] },
  tooManyFiles: { title: 'notSent', next: ['change'] },
  noFiles: { title: 'notSent', next: ['change'] },
  tooMany: { title: 'notSent', next: ['again'] },
  tooManyBytes: { title: 'notSent', next: ['again'] },
  busy: { title: 'notSent', next: ['again'] },
  noDisk: { title: 'notSent', next: ['again', 'withoutFiles'] },
  uncertain: { title: 'wrong', next: ['again'] },
  noForm: { title: 'noForm', next: ['copyAndContact'] },
  internal: { title: 'wrong', next: ['maybeLost', 'again', 'contact'] },
  messagesOnly: { title: 'messagesOnly', next: ['toForm'] },
  notPosted: { title: 'notSent', next: ['copyAndContact'] },
  otherAddress: { title: 'notSent', next: ['copyAndContact'] },
  badLink: { title: 'badLink', next: [] },
}

/** The wait in words that need no plural: of some seconds, a minute or ten. */
const waitOf = ({ retryAfterSeconds = 0 }: AppError): keyof Texts['next'] => {
  if (retryAfterSeconds <= 10) return 'seconds'
  return retryAfterSeconds <= 60 ? 'minute' : 'minutes'
}
