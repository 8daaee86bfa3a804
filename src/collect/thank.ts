import type { Context } from 'elysia'
import { isHttpUrl, isText } from '../base/text-rules.ts'
import type { Form } from '../forms/form.ts'
import { frameOrigins, isAllowedOrigin, nextOrigins, type RecentOrigins } from '../forms/settings/origins.ts'
import { type FormSettings, parseSettings, returnUrlRule, titleForVisitors } from '../forms/settings/settings.ts'
import type { Exchange } from '../http/exchange.ts'
import { isOwnOrigin } from '../http/host.ts'
import { ownersText, textsFor, visitorMessage } from '../http/visitor-page.ts'
import { foreign } from '../languages/foreign.ts'
import type { Stored } from './receive.ts'

type Thanking = Pick<Form, 'id' | 'title' | 'returnUrl' | 'settings'>

interface Thanked {
  readonly exchange: Exchange
  readonly set: Context['set']
  readonly form: Thanking
  readonly stored: Stored
  readonly publicUrl: string | null
  /** Notes the origin of a `_next` that has no effect. */
  readonly ignored: Pick<RecentOrigins, 'add'>
}

/** Sends a browser to the page that it asks for or that the form names, or shows a page of Formbox. */
export const thank = async ({ exchange, set, form, stored, publicUrl, ignored }: Thanked): Promise<string> => {
  const { returnUrl, settings } = form
  const { next } = stored.sent.control
  const allowed = next && allowedNext(next, nextOrigins(form), returnUrl)
  if (next && !allowed) ignored.add(form, httpUrlIn(next, returnUrl)?.origin ?? null)
  const location = allowed || (returnUrl && toLocation(returnUrl))
  if (!location || isFramed(form, exchange.request, publicUrl))
    return thankYouPage(exchange, titleForVisitors(form), parseSettings(settings))
  set.status = 303
  set.headers.location = location
  return ''
}

/** Whether the page of the form is in a frame: the owner's site would then load inside itself. */
const isFramed = (form: Thanking, request: Request, publicUrl: string | null): boolean =>
  frameOrigins(form).length > 0 &&
  request.headers.get('sec-fetch-dest') === 'iframe' &&
  isOwnOrigin(request.headers.get('origin') ?? '', request, publicUrl)

/**
 * The owner's text may be in any language, so the page adds no words to it, except to the way back, and that the address has to
 * be confirmed. Spam reads that too.
 */
const thankYouPage = async (
  exchange: Exchange,
  title: string,
  { thankYou: text, confirm }: Pick<FormSettings, 'thankYou' | 'confirm'>,
): Promise<string> => {
  const texts = await textsFor(exchange)
  const { step, look } = texts.confirm
  const next = confirm === null ? [] : [look]
  if (text !== null)
    return visitorMessage(exchange, texts, { title: foreign(title), sentences: [ownersText(text), ...next] })
  return visitorMessage(
    exchange,
    texts,
    confirm === null
      ? { title: texts.thankYou, sentences: [texts.received(foreign(title))] }
      : { title: step, sentences: next },
  )
}

/** The URL as it is if all its characters may be in a URI (RFC 3986 section 2), otherwise as a browser would write it. */
const toLocation = (url: string): string => (/^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(url) ? url : new URL(url).href)

/**
 * The URL as a browser writes it, if it is an `http:` or `https:` URL with one of these origins (see `toAllowedOrigin`).
 * Otherwise null, because anyone may send the field, and Formbox must not send browsers anywhere else.
 *
 * @param base the return address, from which a relative URL leads on
 */
export const allowedNext = (next: string, origins: readonly string[], base: string | null = null): string | null => {
  const url = httpUrlIn(next, base)
  const isAllowed = url !== null && isAllowedOrigin(origins, url.origin) && url.username === '' && url.password === ''
  return isAllowed ? url.href : null
}

/** A relative one may begin with `//` or `\\` and a host, so its origin has to be looked at as well. */
const httpUrlIn = (next: string, base: string | null): URL | null => {
  if (isHttpUrl(returnUrlRule, next)) return URL.parse(next)
  const isRelative = isText(returnUrlRule, next) && !/^[a-z][a-z\d+.-]*:|[\s\p{Cc}]/iu.test(next)
  return isRelative && base ? URL.parse(next, base) : null
}
