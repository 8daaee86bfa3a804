import type { Context } from 'elysia'
import { AppError, notFound, tooLarge } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { idempotencyField } from '../forms/control-fields.ts'
import type { Form } from '../forms/form.ts'
import { type Closed, closedError, whyClosed } from '../forms/settings/opening.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import type { Reporter } from '../http/error-response.ts'
import { type Exchange, isBrowser, jsonText, routes } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import { idempotencyKey, replayedHeader } from '../http/idempotency-key.ts'
import { type BodyRequest, readBody, readUpload } from '../http/read-body.ts'
import { languageFor } from '../http/visitor-page.ts'
import { foreign } from '../languages/foreign.ts'
import { because } from '../languages/texts.ts'
import { checkKey, concurrencyGuard, type IdempotentRequest, toIdempotentRequest } from '../storage/idempotency.ts'
import { openAcceptance } from '../submissions/acceptance.ts'
import { RefusedFields } from '../submissions/check-fields.ts'
import {
  askedLanguage,
  type Field,
  maxSentBytes,
  type SentSubmission,
  toSentSubmission,
} from '../submissions/fields.ts'
import type { FileStore } from '../submissions/files/store.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { challengeScript, challengeScriptPath, openChallenges } from './challenges.ts'
import { openFormAgain, withTexts } from './form-again.ts'
import { openFormPage } from './form-page.ts'
import type { IncomingFiles } from './incoming-files.ts'
import { openLongPages } from './long-pages.ts'
import { showNotPosted } from './not-posted.ts'
import { MultipartFields, multipartType, parseFields } from './parse.ts'
import { isFromPage, nameOrigin, originOf, refuseOtherOrigins } from './sender-origin.ts'
import { openSubmitLimits } from './submit-limits.ts'
import { thank } from './thank.ts'
import { openUploads } from './uploads.ts'

interface Options {
  readonly config: Config
  readonly findForm: (id: string) => Form | undefined
  readonly submissions: Pick<SubmissionStore, 'findRepeated' | 'createSubmission'>
  readonly files: Pick<FileStore, 'stage' | 'giveUp'>
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: Pick<RecentOrigins, 'add'>
  readonly ignoredNext: Pick<RecentOrigins, 'add'>
  readonly lostMessages: Pick<RecentOrigins, 'add'>
  /** Whether a user's account is switched off. */
  readonly isDisabled: (userId: string) => boolean
  readonly report: Reporter
  readonly now: () => number
}

/**
 * `POST /s/:formId`, where plain HTML forms, scripts on other sites and `curl` send their submissions, and `GET /f/:formId`, the
 * page of a form.
 */
export const collect = (options: Options) => {
  const { config, findForm, submissions, files, signingKey, isDisabled, report, now } = options
  const { refusedOrigins, ignoredNext, lostMessages } = options
  const challenges = openChallenges({ signingKey, now })
  const { publicUrl } = config
  const acceptance = openAcceptance({ now, checkChallenge: challenges.check })
  const oneAtATime = concurrencyGuard()
  const longPages = openLongPages(report)
  const showAgain = openFormAgain({ config, isDisabled, longPages })
  const { showPage, hasPage } = openFormPage({ config, findForm, isDisabled, longPages, now })

  const addressOf = (exchange: Exchange): string => {
    exchange.addressKey ??= addressKey(clientOf(exchange, config.trustedProxies))
    return exchange.addressKey
  }

  const limits = openSubmitLimits({ submitLimit: config.submitLimit, addressOf, now })

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

  interface Stored {
    readonly id: string
    readonly isRepeat: boolean
    readonly next: string | undefined
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
    const { next } = sent.control
    // Looking for every repeat took 20 µs, because the reader forgets everything at a commit. The command finds the
    // others.
    const mayRefuse = acceptance.mayRefuse(form)
    const repeated = repeatable && mayRefuse ? submissions.findRepeated(repeatable) : undefined
    if (repeated !== undefined) return { id: repeated, isRepeat: true, next }
    const create = async () =>
      submissions.createSubmission(form, sent, {
        request: repeatable,
        files: incoming?.all,
        language: settings.reply === null ? undefined : languageFor(exchange),
        challenge: mayRefuse ? await acceptance.check(form, sent) : undefined,
      })
    // A browser does not try again. It waits in the writer's queue behind the first one.
    const { id, isRepeat } = await oneAtATime(header === undefined ? undefined : repeatable, create)
    if (!isRepeat) incoming?.keep()
    return { id, isRepeat, next }
  }

  const storeUpload = async (exchange: Exchange, form: Form, closed: Closed | undefined): Promise<Stored> => {
    const incoming = openFiles(exchange, form, closed !== undefined)
    try {
      return await store(exchange, form, closed, incoming)
    } finally {
      await incoming.giveUp()
    }
  }

  /** Responds to a preflight. */
  const allow = (method: string, formId: string, { request, set }: Pick<Context, 'request' | 'set'>): string => {
    allowEveryOrigin(set.headers)
    const form = findForm(formId)
    if (form) nameOrigin(set.headers, { form, request, publicUrl })
    set.status = 204
    Object.assign(set.headers, preflightHeaders(method, request))
    return ''
  }

  return routes('collect')
    .options('/s/:formId', (context) => allow('POST', context.params.formId, context))
    .options('/s/:formId/challenge', (context) => allow('GET', context.params.formId, context))
    .post(
      '/s/:formId',
      async ({ exchange, params, request, set }) => {
        allowEveryOrigin(set.headers)
        const form = findForm(params.formId)
        if (form) nameOrigin(set.headers, { form, request, publicUrl })
        exchange.visited = form
        limits.count(exchange, form)
        if (!form) throw notFound('Form')
        refuseOtherOrigins({ form, request, publicUrl }, refusedOrigins)
        const storeSent = exchange.mediaType() === multipartType ? storeUpload : store
        let stored: Stored
        try {
          stored = await storeSent(exchange, form, whyClosed(form, now()))
        } catch (error) {
          if (!(error instanceof RefusedFields)) throw error
          if (!isBrowser(exchange)) throw await withTexts(exchange, error)
          set.status = 400
          return showAgain(exchange, form, error)
        }
        const { id, isRepeat, next } = stored
        if (isRepeat) exchange.headers[replayedHeader] = 'true'
        if (isBrowser(exchange)) return thank({ exchange, set, form, next, publicUrl, ignored: ignoredNext })
        return jsonText(exchange, `{"id":"${id}","formId":"${form.id}","ok":true}`)
      },
      // Elysia's own parser drops fields called `constructor` and lets `x[30000000]` allocate 340 MB.
      { parse: 'none' },
    )
    .get('/s/:formId', ({ exchange, params, request, set }) => {
      if (!isBrowser(exchange)) throw notFound()
      const form = findForm(params.formId)
      exchange.visited = form
      if (request.url.includes('?') && isFromPage(request)) {
        if (form) lostMessages.add(form, originOf(request))
        set.status = 404
        return showNotPosted(exchange, form, longPages)
      }
      // Where people are after sending. They press Enter in the address bar, or the browser opens it again.
      if (!hasPage(params.formId)) throw notFound()
      set.status = 303
      set.headers.location = `/f/${params.formId}`
      set.headers['cache-control'] = 'no-store'
      return ''
    })
    .get('/s/:formId/challenge', async ({ exchange, params, request, set }) => {
      allowEveryOrigin(set.headers)
      const form = findForm(params.formId)
      if (!form) throw notFound('Form')
      nameOrigin(set.headers, { form, request, publicUrl })
      set.headers['cache-control'] = 'no-store'
      return jsonText(exchange, await challenges.create(form, addressOf(exchange)))
    })
    .get('/f/:formId', ({ exchange, params }) => showPage(exchange, params.formId))
    .head('/f/:formId', ({ exchange, params }) => showPage(exchange, params.formId))
    .options('/f/:formId', (context) => allow('POST', context.params.formId, context))
    .post(
      '/f/:formId',
      ({ exchange, params, request, set }) => {
        allowEveryOrigin(set.headers)
        const form = findForm(params.formId)
        exchange.visited = form
        if (!form) throw notFound('Form')
        lostMessages.add(form, originOf(request))
        throw otherAddress(`${ownAddress(request, publicUrl)}/s/${form.id}`)
      },
      { parse: 'none' },
    )
    .get(challengeScriptPath, async ({ set, request }) => {
      allowEveryOrigin(set.headers)
      return challengeScript(request)
    })
}

/** Formspree's own addresses begin with `/f/`, so people who come from there send to the page of a form. */
const otherAddress = (address: string): AppError =>
  new AppError('not_found', `This is the page of a form: submissions are sent to ${address}`, {
    reason: because('otherAddress', foreign(address)),
  })

/**
 * A page on any site may post here and read the response, even if it is an error, unless the form's settings name the sites.
 * So this comes first.
 */
const allowEveryOrigin = (headers: Exchange['headers']): void => {
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = 'X-Request-Id, Retry-After, Idempotency-Replayed'
}

/** @throws AppError `too_large` */
const withinLimit = (body: Uint8Array | 'too large'): Uint8Array => {
  if (body === 'too large') throw tooLarge(maxSentBytes, because('textTooLong', maxSentBytes))
  return body
}

const preflightHeaders = (method: string, request: Request) => ({
  'access-control-allow-methods': method,
  'access-control-allow-headers': allowedHeaders(request.headers.get('access-control-request-headers')),
  'access-control-max-age': '86400',
})

/** The headers that a script wants to send. A long list is not repeated: 1,500 stalled clients would hold 64 MB of it. */
const allowedHeaders = (asked: string | null): string =>
  asked !== null && asked.length <= 1000 ? asked : 'Content-Type, Idempotency-Key'

/**
 * Whether a request to a form that is closed may repeat one that it took before, and has to be answered as that one was: a
 * visitor who reloads the page after the last place was given must not read that the form is full. Where there is no header,
 * only the body says that, and a long one is not read for it.
 */
const mayRepeat = ({ reason }: Closed, request: Request): boolean =>
  idempotencyKey(request) !== undefined || (closesByItself[reason] && isShort(request))

const closesByItself: Readonly<Record<Closed['reason'], boolean>> = {
  closed: false,
  early: false,
  over: true,
  full: true,
}

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
