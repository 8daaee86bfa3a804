import type { Context } from 'elysia'
import type { Config } from '../config/config.ts'
import { notFound, tooLarge } from '../errors.ts'
import { nextField } from '../forms/control-fields.ts'
import type { Form } from '../forms/ownership.ts'
import type { RefusedOrigins } from '../forms/refused-origins.ts'
import { parseSettings, refuseIfClosed } from '../forms/settings.ts'
import { html } from '../html/html.ts'
import { messagePage } from '../html/message-page.ts'
import { addressKey, clientOf } from '../http/client-address.ts'
import { type Exchange, routes } from '../http/exchange.ts'
import { idempotencyKey, markReplayed } from '../http/idempotency-key.ts'
import { isBrowser } from '../http/is-browser.ts'
import { jsonText } from '../http/json-text.ts'
import { maxBodyBytes, readBody } from '../http/read-body.ts'
import type { First, Once } from '../once/once.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { challengeScript, challengeScriptPath } from './challenge-script.ts'
import { openChallenges } from './challenges.ts'
import { allowedNext } from './control-fields.ts'
import { type Field, firstText, refuseFiles } from './fields.ts'
import { parseFields } from './parse.ts'
import { openRepeats } from './repeats.ts'
import { nameOrigin, refuseOtherOrigins } from './sender-origin.ts'
import type { Submit } from './submit.ts'
import { openSubmitLimits } from './submit-limits.ts'

interface Options {
  readonly config: Config
  readonly store: Pick<SubmissionStore, 'findTarget'>
  readonly submit: Submit
  readonly findFirst: (once: Once) => First | undefined
  readonly signingKey: () => Promise<Uint8Array>
  readonly refusedOrigins: Pick<RefusedOrigins, 'add'>
  readonly now: () => number
}

/** `POST /s/:formId`, where plain HTML forms, scripts on other sites and `curl` send their submissions. */
export const collect = ({ config, store, submit, findFirst, signingKey, refusedOrigins, now }: Options) => {
  const challenges = openChallenges({ signingKey, now })
  const { publicUrl } = config
  const repeats = openRepeats({ findFirst, now })

  const addressOf = (exchange: Exchange): string => {
    exchange.addressKey ??= addressKey(clientOf(exchange, config.trustedProxies))
    return exchange.addressKey
  }

  const limits = openSubmitLimits({ submitLimit: config.submitLimit, addressOf, now })

  const receive = async (exchange: Exchange): Promise<Field[]> => {
    const { request, server } = exchange
    const body = await readBody({ request, server, owner: () => addressOf(exchange) }, maxBodyBytes)
    if (body === 'too large') throw tooLarge(maxBodyBytes)
    return parseFields(request, body)
  }

  return (
    routes('collect')
      // A page on any site may post here and read the answer, even if it is an error, unless the form's settings name the
      // sites. So this comes first.
      .onTransform(({ set }) => {
        set.headers['access-control-allow-origin'] = '*'
        set.headers['access-control-expose-headers'] = 'X-Request-Id, Retry-After, Idempotency-Replayed'
      })
      .options('/s/:formId', ({ params, set, request }) => {
        const form = store.findTarget(params.formId)
        if (form) nameOrigin(set.headers, { form, request, publicUrl })
        set.status = 204
        Object.assign(set.headers, preflightHeaders(request))
        return ''
      })
      .post(
        '/s/:formId',
        async ({ exchange, params, request, set }) => {
          const form = store.findTarget(params.formId)
          if (form) nameOrigin(set.headers, { form, request, publicUrl })
          limits.count(exchange, form)
          if (!form) throw notFound('Form')
          refuseOtherOrigins({ form, request, publicUrl }, (origin) => refusedOrigins.add(form, origin))
          const header = idempotencyKey(request)
          // A repeat is answered as before, also by a form that was closed meanwhile.
          if (header === undefined) refuseIfClosed(form)
          const fields = await receive(exchange)
          const onRepeat = () => markReplayed(exchange)
          const id = await repeats.storeOnce({ form, header, fields, onRepeat }, async (repeatable) => {
            refuseIfClosed(form)
            const { acceptFiles, challenge: isAsked } = parseSettings(form.settings)
            if (!acceptFiles) refuseFiles(fields)
            const challenge = isAsked ? await challenges.check(form, fields) : undefined
            return await submit(form, fields, { challenge, repeatable })
          })
          return isBrowser(request)
            ? thank(set, form, fields)
            : jsonText(exchange, `{"id":"${id}","formId":"${form.id}"}`)
        },
        // Elysia's own parser drops fields called `constructor` and lets `x[30000000]` allocate 340 MB.
        { parse: 'none' },
      )
      .get('/s/:formId/challenge', async ({ exchange, params, request, set }) => {
        const form = store.findTarget(params.formId)
        if (!form) throw notFound('Form')
        nameOrigin(set.headers, { form, request, publicUrl })
        set.headers['cache-control'] = 'no-store'
        return jsonText(exchange, await challenges.create(form, addressOf(exchange)))
      })
      .get(challengeScriptPath, ({ request }) => challengeScript(request))
  )
}

const preflightHeaders = (request: Request) => ({
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': allowedHeaders(request.headers.get('access-control-request-headers')),
  'access-control-max-age': '86400',
})

/** The headers that a script wants to send. A long list is not repeated: 1,500 stalled clients would hold 64 MB of it. */
const allowedHeaders = (asked: string | null): string =>
  asked !== null && asked.length <= 1000 ? asked : 'Content-Type, Idempotency-Key'

type Thanking = Pick<Form, 'title' | 'returnUrl' | 'settings'>

/** Sends a browser to the page that it asks for or that the form names, or shows one of our own. */
const thank = (set: Context['set'], form: Thanking, fields: readonly Field[]): Response | string => {
  const { title, returnUrl, settings } = form
  const { allowedOrigins, thankYou } = parseSettings(settings)
  const next = firstText(fields, nextField)
  const origins = returnUrl && next ? [...allowedOrigins, new URL(returnUrl).origin] : allowedOrigins
  const location = (next && allowedNext(next, origins)) || (returnUrl && toLocation(returnUrl))
  if (!location) return thankYouPage(title, thankYou)
  set.status = 303
  set.headers.location = location
  return ''
}

/** The owner's own text may be in any language, so nothing of ours stands beside it. */
const thankYouPage = (title: string, text: string | null): Response =>
  text === null
    ? messagePage(200, 'Thank you', [`Your message to “${title}” was received.`])
    : messagePage(200, title, [html`<bdi>${text}</bdi>`])

/** Unchanged if it has only characters that a URI may have (RFC 3986 section 2), otherwise as a browser would write it. */
const toLocation = (url: string): string => (/^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(url) ? url : new URL(url).href)
