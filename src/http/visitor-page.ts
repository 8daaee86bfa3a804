import { maxHeaderCharacters, parseOnce } from '../base/parse-once.ts'
import { isHttpUrl } from '../base/text-rules.ts'
import { visible } from '../base/visible.ts'
import { frameOrigins, nextOrigins } from '../forms/settings/origins.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { framedMarkup, pageHeaders } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { sentence } from '../html/sentence.ts'
import { acceptedLanguage, chooseLanguage } from '../languages/choose.ts'
import { foreign, partsOf } from '../languages/foreign.ts'
import { type Language, loadTexts } from '../languages/languages.ts'
import type { Texts } from '../languages/texts.ts'
import type { Exchange } from './exchange.ts'

/** The texts of the language in which a visitor gets the response. */
export const textsFor = (exchange: Exchange): Promise<Texts> => loadTexts(languageFor(exchange))

export const languageFor = ({ request, askedLanguage: asked, visited }: Exchange): Language =>
  chooseLanguage({
    asked,
    setting: parseSettings(visited?.settings ?? null).language,
    accepted: () => languageOfHeader(request.headers.get('accept-language') ?? ''),
  })

const languageOfHeader = parseOnce(acceptedLanguage, maxHeaderCharacters)

interface VisitorPage {
  readonly title: string
  readonly body: Html
  /** Whether the form is on it. */
  readonly hasForm?: boolean
}

/**
 * A page in the language of these texts. Its headers are put into those of the exchange: Elysia would copy a Response of our
 * own with all of them.
 */
export const visitorPage = (exchange: Exchange, texts: Texts, { hasForm = false, ...page }: VisitorPage): string => {
  Object.assign(exchange.headers, visitorHeaders(exchange, texts, hasForm))
  return visitorMarkup(texts, page)
}

export const visitorMarkup = (language: Texts, { title, body }: Omit<VisitorPage, 'hasForm'>): string =>
  framedMarkup({ title: partsOf(title).join(''), body, language, width: 'visitor' })

/** The headers of a page in the language of these texts. */
export const visitorHeaders = (
  { visited, headers: { vary } }: Exchange,
  { tag }: Pick<Texts, 'tag'>,
  hasForm: boolean,
): Readonly<Record<string, string>> => ({
  ...pageHeaders,
  ...(visited && headersFor(visited, hasForm)),
  vary: vary === undefined ? 'Accept-Language' : `${vary}, Accept-Language`,
  'content-language': tag,
})

/** The headers that say who may frame a page of this form, and where it may lead after sending. */
const headersFor = (form: NonNullable<Exchange['visited']>, hasForm: boolean): Readonly<Record<string, string>> => {
  const framing = frameOrigins(form)
  if (framing.length === 0 && !hasForm) return {}
  // Browsers compare each redirect after sending with the policy of the page.
  const targets = hasForm ? ["'self'", ...nextOrigins(form).filter(isSource)] : ["'self'"]
  const policy = pageHeaders['content-security-policy']
    .replace("form-action 'self'", () => `form-action ${targets.join(' ')}`)
    .replace("frame-ancestors 'none'", () => `frame-ancestors ${framing.length === 0 ? "'none'" : framing.join(' ')}`)
  return {
    'content-security-policy': hasForm ? `${policy}; connect-src 'self'` : policy,
    ...(framing.length > 0 && { 'cross-origin-resource-policy': 'cross-origin' }),
  }
}

/** Whether a policy can name an origin. A host may have a `;`, which would end the directive (CSP 3, section 2.3.1). */
const isSource = (origin: string): boolean => /^https?:\/\/[\w.*:[\]-]+$/.test(origin)

interface VisitorMessage {
  readonly title: string
  readonly sentences: readonly (string | Html)[]
}

/** A page with one message: thanks for a submission, or an error. */
export const visitorMessage = (exchange: Exchange, texts: Texts, { title, sentences }: VisitorMessage): string => {
  const body = html`<div class="card message">
<h1>${sentence(title)}</h1>
${sentences.map((one) => html`<p>${typeof one === 'string' ? sentence(one) : one}</p>\n`)}${backLink(exchange, texts)}
</div>`
  return visitorPage(exchange, texts, { title, body })
}

/** A text of the form's owner, which may have several lines, and be in any language. */
export const ownersText = (text: string): Html => html`<bdi lang="">${visible(text)}</bdi>`

/**
 * A link to where the visitor's browser says that it comes from: often the site alone. With the script, it goes back to the
 * page itself, which still has what was typed.
 */
const backLink = ({ request }: Exchange, texts: Texts): Html | false => {
  const referer = request.headers.get('referer') ?? ''
  const url = isHttpUrl({ maxLength: 2048 }, referer) ? URL.parse(referer) : null
  const isPlain = url !== null && url.username === '' && url.password === ''
  if (!isPlain) return false
  return html`<p><a href="${url.href}" data-back>${sentence(texts.backTo(foreign(url.host)))}</a></p>`
}

export interface Where {
  readonly texts: Texts
  /** An address of the server. */
  readonly address: string
  readonly abuseContact: string | null
}

/** Names who runs the server, and the data that no form of it asks for: the form may be a stranger's. */
export const about = ({ texts, address, abuseContact }: Where): Html =>
  html`<p class="about small muted">${sentence(texts.page.madeBy(foreign(new URL(address).host)))}${texts.space}<strong>${texts.page.noPassword}</strong>${
    abuseContact !== null &&
    html`${texts.space}<a href="${abuseContact}" rel="nofollow noopener noreferrer">${texts.page.report}</a>`
  }</p>
`
