import type { Context } from 'elysia'
import { AppError, notFound } from '../base/errors.ts'
import { challengePath, challengeScriptPath, submitPath, visitorsPath } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import type { Form } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import { whyClosed } from '../forms/settings/opening.ts'
import type { RecentOrigins } from '../forms/settings/origins.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import type { Reporter } from '../http/error-response.ts'
import { type Exchange, isBrowser, jsonText, routes } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import { replayedHeader } from '../http/idempotency-key.ts'
import { foreign } from '../languages/foreign.ts'
import { because } from '../languages/texts.ts'
import { RefusedFields } from '../submissions/check-fields.ts'
import { browserToken } from '../submissions/confirm/asked.ts'
import { challengeScript, openChallenges } from './challenges.ts'
import { openFormAgain, withTexts } from './form-again.ts'
import { openFormPage } from './form-page.ts'
import type { FileTaker } from './incoming-files.ts'
import { openLongPages } from './long-pages.ts'
import { showNotPosted } from './not-posted.ts'
import { openReceiver, type Stored, type SubmissionTaker } from './receive.ts'
import { isFromPage, nameOrigin, originOf, refuseOtherOrigins } from './sender-origin.ts'
import { sentCookies } from './sent-cookies.ts'
import { openSubmitLimits } from './submit-limits.ts'
import { thank } from './thank.ts'

interface Options {
  readonly config: Config
  readonly findForm: (id: string) => Form | undefined
  readonly submissions: SubmissionTaker
  readonly files: FileTaker
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: Pick<RecentOrigins, 'add'>
  readonly ignoredNext: Pick<RecentOrigins, 'add'>
  readonly lostMessages: Pick<RecentOrigins, 'add'>
  /** Whether a user's account is switched off. */
  readonly isDisabled: (userId: string) => boolean
  /** Called with the address that a stored submission came from. */
  readonly onStored: (address: string) => void
  readonly report: Reporter
  readonly now: () => number
}

/**
 * `POST /s/:formId`, where plain HTML forms, scripts on other sites and `curl` send their submissions, and `GET /f/:formId`, the
 * page of a form.
 */
export const collect = (options: Options) => {
  const { config, findForm, submissions, files, signingKey, isDisabled, report, now } = options
  const { refusedOrigins, ignoredNext, lostMessages, onStored } = options
  const challenges = openChallenges({ signingKey, now })
  const { publicUrl } = config
  const longPages = openLongPages(report)
  const showAgain = openFormAgain({ config, isDisabled, longPages, placesLeft: submissions.placesLeft })
  const { showPage, hasPage } = openFormPage({
    config,
    findForm,
    isDisabled,
    longPages,
    placesLeft: submissions.placesLeft,
    now,
  })

  const addressOf = (exchange: Exchange): string => {
    exchange.addressKey ??= addressKey(clientOf(exchange, config.trustedProxies))
    return exchange.addressKey
  }

  const limits = openSubmitLimits({ submitLimit: config.submitLimit, addressOf, now })
  const receive = openReceiver({ config, submissions, files, addressOf, checkChallenge: challenges.check, report, now })

  const cookies = sentCookies(publicUrl)

  /** Whether a browser shows a page next: it gets a cookie if the form asks to confirm addresses, also for spam, which learns nothing. */
  const isRemembered = (exchange: Exchange, { settings }: Form): boolean =>
    parseSettings(settings).confirm !== null &&
    isBrowser(exchange) &&
    (exchange.request.headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate'

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
    .options(submitPath.route, (context) => allow('POST', context.params.formId, context))
    .options(challengePath.route, (context) => allow('GET', context.params.formId, context))
    .post(
      submitPath.route,
      async ({ exchange, params, request, set }) => {
        allowEveryOrigin(set.headers)
        const form = findForm(params.formId)
        if (form) nameOrigin(set.headers, { form, request, publicUrl })
        exchange.visited = form
        limits.count(exchange, form)
        if (!form) throw notFound('Form')
        refuseOtherOrigins({ form, request, publicUrl }, refusedOrigins)
        let stored: Stored
        try {
          stored = await receive(exchange, form, whyClosed(form, now()))
        } catch (error) {
          if (!(error instanceof RefusedFields)) throw error
          if (!isBrowser(exchange)) throw await withTexts(exchange, error)
          set.status = 400
          return showAgain(exchange, form, error)
        }
        const { id, isRepeat } = stored
        onStored(addressOf(exchange))
        if (isRepeat) exchange.headers[replayedHeader] = 'true'
        if (isRemembered(exchange, form)) {
          const token = browserToken(await signingKey(), { formId: form.id, id })
          exchange.headers['set-cookie'] = cookies.set(request, token, parseSettings(form.settings).confirm?.days ?? 0)
        }
        if (isBrowser(exchange)) return thank({ exchange, set, form, stored, publicUrl, ignored: ignoredNext })
        return jsonText(exchange, `{"id":"${id}","formId":"${form.id}","ok":true}`)
      },
      // Elysia's own parser drops fields called `constructor` and lets `x[30000000]` allocate 340 MB.
      { parse: 'none' },
    )
    .get(submitPath.route, ({ exchange, params, request, set }) => {
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
      set.headers.location = visitorsPath(params.formId)
      set.headers['cache-control'] = 'no-store'
      return ''
    })
    .get(challengePath.route, async ({ exchange, params, request, set }) => {
      allowEveryOrigin(set.headers)
      const form = findForm(params.formId)
      if (!form) throw notFound('Form')
      nameOrigin(set.headers, { form, request, publicUrl })
      set.headers['cache-control'] = 'no-store'
      return jsonText(exchange, await challenges.create(form, addressOf(exchange)))
    })
    .get(visitorsPath.route, ({ exchange, params }) => showPage(exchange, params.formId))
    .head(visitorsPath.route, ({ exchange, params }) => showPage(exchange, params.formId))
    .options(visitorsPath.route, (context) => allow('POST', context.params.formId, context))
    .post(
      visitorsPath.route,
      ({ exchange, params, request, set }) => {
        allowEveryOrigin(set.headers)
        const form = findForm(params.formId)
        exchange.visited = form
        if (!form) throw notFound('Form')
        lostMessages.add(form, originOf(request))
        throw otherAddress(`${ownAddress(request, publicUrl)}${submitPath(visitedName(form))}`)
      },
      { parse: 'none' },
    )
    .get(challengeScriptPath.route, async ({ set, request }) => {
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

const preflightHeaders = (method: string, request: Request) => ({
  'access-control-allow-methods': method,
  'access-control-allow-headers': allowedHeaders(request.headers.get('access-control-request-headers')),
  'access-control-max-age': '86400',
})

/** The headers that a script wants to send. A long list is not repeated: 1,500 stalled clients would hold 64 MB of it. */
const allowedHeaders = (asked: string | null): string =>
  asked !== null && asked.length <= 1000 ? asked : 'Content-Type, Idempotency-Key'
