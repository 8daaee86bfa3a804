import { tooLarge } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { idempotencyField } from '../forms/control-fields.ts'
import type { Form } from '../forms/form.ts'
import { type Closed, closedError, closedReasons } from '../forms/settings/opening.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import type { Reporter } from '../http/error-response.ts'
import type { Exchange } from '../http/exchange.ts'
import { idempotencyKey } from '../http/idempotency-key.ts'
import { type BodyRequest, readBody, readUpload } from '../http/read-body.ts'
import { languageFor } from '../http/visitor-page.ts'
import { because } from '../languages/texts.ts'
import { checkKey, concurrencyGuard, type IdempotentRequest, toIdempotentRequest } from '../storage/idempotency.ts'
import { openAcceptance } from '../submissions/acceptance.ts'
import {
  askedLanguage,
  type Field,
  maxSentBytes,
  type SentSubmission,
  toSentSubmission,
} from '../submissions/fields.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { openChallenges } from './challenges.ts'
import type { FileTaker, IncomingFiles } from './incoming-files.ts'
import { MultipartFields, multipartType, parseFields } from './parse.ts'
import { openUploads } from './uploads.ts'

/** What takes a submission, and says what its form has no room for. */
export type SubmissionTaker = Pick<
  SubmissionStore,
  'findRepeated' | 'createSubmission' | 'fullAmong' | 'refusedAgain' | 'placesLeft'
>

interface Options {
  readonly config: Config
  readonly submissions: SubmissionTaker
  readonly files: FileTaker
  readonly addressOf: (exchange: Exchange) => string
  readonly checkChallenge: ReturnType<typeof openChallenges>['check']
  readonly report: Reporter
  readonly now: () => number
}

export interface Stored {
  readonly id: string
  readonly isRepeat: boolean
  readonly sent: SentSubmission
}

/** Returns the function that reads what a visitor sends to a form and stores it, or throws the error with which it is refused. */
export const openReceiver = ({ config, submissions, files, addressOf, checkChallenge, report, now }: Options) => {
  const acceptance = openAcceptance({ now, checkChallenge, submissions })
  const oneAtATime = concurrencyGuard()
  const openFiles = openUploads({ config, files, addressOf, report, now })

  const bodyOf = (exchange: Exchange): BodyRequest => ({
    request: exchange.request,
    server: exchange.server,
    owner: () => addressOf(exchange),
  })

  const receiveFiles = async (exchange: Exchange, incoming: IncomingFiles): Promise<readonly Field[]> => {
    const body = new MultipartFields(exchange.request, incoming)
    try {
      const end = await readUpload(bodyOf(exchange), config.uploadLimitBytes, body)
      if (end === 'too large')
        throw tooLarge(config.uploadLimitBytes, because('filesTooLarge', config.uploadLimitBytes))
      return body.end()
    } catch (error) {
      exchange.askedLanguage = askedLanguage(body.fields)
      throw error
    }
  }

  const store = async (
    exchange: Exchange,
    form: Form,
    closed: Closed | undefined,
    incoming?: IncomingFiles,
  ): Promise<Stored> => {
    const header = idempotencyKey(exchange.request)
    if (closed && !mayRepeat(closed, exchange.request)) throw closedError(form, closed)
    const settings = parseSettings(form.settings)
    let sent: SentSubmission
    try {
      const fields = incoming
        ? await receiveFiles(exchange, incoming)
        : parseFields(exchange, withinLimit(await readBody(bodyOf(exchange), maxSentBytes)))
      sent = toSentSubmission(fields, settings.honeypot)
      exchange.askedLanguage = sent.language
    } catch (error) {
      throw closed ? closedError(form, closed) : error
    }
    const repeatable = toRequest({ form, header, sent, at: now() })
    // Looking for every repeat took 20 µs, because the reader forgets everything at a commit. The command finds the
    // others.
    const mayRefuse = acceptance.mayRefuse(form)
    const repeated = repeatable && mayRefuse ? submissions.findRepeated(repeatable) : undefined
    if (repeated !== undefined) return { id: repeated, isRepeat: true, sent }
    const language = settings.reply === null && settings.confirm === null ? undefined : languageFor(exchange)
    const sentWith = { request: repeatable, files: incoming?.all, language }
    // Most forms refuse nothing, and need no more promises.
    const create = mayRefuse
      ? async () =>
          submissions.createSubmission(form, sent, { ...sentWith, challenge: await acceptance.check(form, sent) })
      : () => submissions.createSubmission(form, sent, sentWith)
    // A browser does not try again. It waits in the writer's queue behind the first one.
    const { id, isRepeat } = await oneAtATime(header === undefined ? undefined : repeatable, create)
    if (!isRepeat) incoming?.keep()
    return { id, isRepeat, sent }
  }

  const storeUpload = async (exchange: Exchange, form: Form, closed: Closed | undefined): Promise<Stored> => {
    const incoming = openFiles(exchange, form, closed !== undefined)
    try {
      return await store(exchange, form, closed, incoming)
    } finally {
      await incoming.giveUp()
    }
  }

  return (exchange: Exchange, form: Form, closed: Closed | undefined): Promise<Stored> =>
    exchange.mediaType() === multipartType ? storeUpload(exchange, form, closed) : store(exchange, form, closed)
}

/** @throws AppError `too_large` */
const withinLimit = (body: Uint8Array | 'too large'): Uint8Array => {
  if (body === 'too large') throw tooLarge(maxSentBytes, because('textTooLong', maxSentBytes))
  return body
}

/**
 * Whether a request to a form that is closed may repeat one that it took before, and has to be answered as that one was: a
 * visitor who reloads the page after the last place was given must not read that the form is full. Where there is no header,
 * only the body says that, and a long one is not read for it.
 */
const mayRepeat = ({ reason }: Closed, request: Request): boolean =>
  idempotencyKey(request) !== undefined || (closedReasons[reason].isByItself && isShort(request))

const isShort = ({ headers }: Request): boolean => Number(headers.get('content-length') ?? Number.NaN) <= maxSentBytes

interface Sent {
  readonly form: Pick<Form, 'id'>
  /** `Idempotency-Key`, if there is one. */
  readonly header: string | undefined
  readonly sent: SentSubmission
  /** Time of arrival as Unix milliseconds. */
  readonly at: number
}

/**
 * The idempotency key of a submission, from the header or the field `_idempotency`; undefined without one.
 *
 * Fields are compared, not bytes, because a browser that sends a form again separates its parts in another way. The proof
 * of work is left out: by then, a browser may have another one. With the field, other content is another submission, and
 * no mistake: a visitor may go back, change the text and send it again.
 *
 * @throws AppError `invalid` if the key is not valid
 */
const toRequest = ({ form, header, sent: { fields, control }, at }: Sent): IdempotentRequest | undefined => {
  const { idempotencyKey, next, subject, isTrapFilled } = control
  const key = header ?? (idempotencyKey === undefined ? undefined : checkKey(idempotencyKey, idempotencyField))
  if (key === undefined) return undefined
  const isKeyedByContent = header === undefined
  const scope = `form ${form.id} ${isKeyedByContent ? 'field' : 'header'}`
  const data = fields.map(({ name, json, sameAs = json }) => `${JSON.stringify(name)}:${sameAs}`).join()
  const content = `${JSON.stringify([next, subject, isTrapFilled])}${data}`
  return toIdempotentRequest({ scope, key, content, isKeyedByContent, at })
}
