import { notFound } from '../base/errors.ts'
import { challengeScriptPath, submitPath, visitorsPath } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { idempotencyField, languageField } from '../forms/control-fields.ts'
import { drawFields, paragraphs, sendButton } from '../forms/fields/draw-fields.ts'
import { type FormField, sendsFiles, sendsList } from '../forms/fields/form-field.ts'
import type { Form } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import { type Closed, closedError, whyClosed } from '../forms/settings/opening.ts'
import { fishingInForm } from '../forms/settings/page-secrets.ts'
import { type FormSettings, type PageSettings, parseSettings, titleForVisitors } from '../forms/settings/settings.ts'
import { type Html, html } from '../html/html.ts'
import { sentence } from '../html/sentence.ts'
import type { Exchange } from '../http/exchange.ts'
import { ownAddress } from '../http/host.ts'
import { whatHappened } from '../http/visitor-error.ts'
import {
  about,
  languageFor,
  textsFor,
  visitorHeaders,
  visitorMarkup,
  visitorPage,
  type Where,
} from '../http/visitor-page.ts'
import { firstLanguage } from '../languages/choose.ts'
import type { Texts } from '../languages/texts.ts'
import type { PlacesLeft } from '../submissions/limits/limit-reads.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { type LongPages, maxSmallBytes } from './long-pages.ts'

interface Options {
  readonly config: Pick<Config, 'publicUrl' | 'formPages' | 'abuseContact'>
  readonly findForm: (id: string) => Form | undefined
  readonly isDisabled: (userId: string) => boolean
  readonly longPages: LongPages
  readonly placesLeft: SubmissionStore['placesLeft']
  readonly now: () => number
}

/** A form that has a page, with what is on it. */
interface Paged {
  readonly form: Form
  readonly settings: FormSettings
  readonly page: PageSettings
  readonly texts: Texts
}

interface Asked extends Omit<Paged, 'texts'> {
  /** The address of the page, as the visitor's browser sees it. */
  readonly address: string
  /** Where the page is remembered. */
  readonly place: string
  readonly values: Values
  readonly closed: Closed | undefined
  readonly left: PlacesLeft | undefined
}

/** `GET /f/:formId`: the page of a form, drawn from its fields. A visitor needs no script but for the proof of work. */
export const openFormPage = ({ config, findForm, isDisabled, longPages, placesLeft, now }: Options) => {
  const { publicUrl, formPages, abuseContact } = config
  const drawn = openDrawnPages()

  const findPaged = (formId: string): Omit<Paged, 'texts'> | undefined => {
    const form = formPages ? findForm(formId) : undefined
    if (!form || (form.userId !== null && isDisabled(form.userId))) return undefined
    const settings = parseSettings(form.settings)
    if (!settings.page || fishingInForm(form.settings)) return undefined
    return { form, settings, page: settings.page }
  }

  const show = async (exchange: Exchange, asked: Asked): Promise<Response | string> => {
    const { form, address, place, values, closed, left } = asked
    const texts = await textsFor(exchange)
    const paged = { ...asked, texts }
    if (closed) return closedPage(exchange, paged, closed, about({ texts, address, abuseContact }))
    const page = drawn.find(place, form, left) ?? drawn.keep(place, form, drawPage(exchange, paged), left)
    const ending =
      page.ending.address === address ? page.ending : await drawEnding({ texts, address, abuseContact }, page.end)
    page.ending = ending
    if (values.size > 0) {
      const filled = drawPage(exchange, paged, values, page.fields)
      const sent = send(exchange, longPages, { ...filled, ending })
      // Without what its address says, it takes no memory of its own.
      if (sent) return sent
    }
    return send(exchange, longPages, { ...page, ending }, true) as string
  }

  const showPage = (exchange: Exchange, formId: string): Promise<Response | string> | Response | string => {
    const { request, headers } = exchange
    headers['x-robots-tag'] = 'noindex, nofollow'
    const query = queryOf(request)
    if (query) exchange.askedLanguage = firstLanguage(query.get('lang') ?? [])
    const paged = findPaged(formId)
    // The same as for a form that does not exist.
    if (!paged) throw notFound('Form')
    const { form, settings } = paged
    exchange.visited = form
    const address = `${ownAddress(request, publicUrl)}${visitorsPath(visitedName(form))}`
    // Anyone may send any host, so it is not part of the place.
    const place = `${languageFor(exchange)} ${exchange.askedLanguage ?? ''} ${form.id}`
    const values: Values = query ? prefilledIn(settings.fields, query) : new Map()
    const closed = whyClosed(form, now())
    const left = placesLeft(form.id)
    const known = closed || values.size > 0 ? undefined : drawn.find(place, form, left)
    if (known?.ending.address !== address) return show(exchange, { ...paged, address, place, values, closed, left })
    return send(exchange, longPages, known, true) as string
  }

  return { showPage, hasPage: (formId: string): boolean => findPaged(formId) !== undefined }
}

/** The values of each name. */
type Query = ReadonlyMap<string, readonly string[]>

/** Parameters of the address that are read. It may have 32,000, and fills in at most 50 fields. */
const maxParameters = 1000

const queryOf = ({ url }: Request): Query | undefined => {
  const start = url.indexOf('?')
  if (start === -1) return undefined
  const query = new Map<string, string[]>()
  const first = url
    .slice(start + 1)
    .split('&', maxParameters)
    .join('&')
  for (const [name, value] of new URLSearchParams(first)) {
    const values = query.get(name)
    if (values) values.push(value)
    else query.set(name, [value])
  }
  return query
}

type Values = ReadonlyMap<string, readonly string[]>

/** Characters of a value in the address. */
const maxPrefilled = 200

/** The values that the address of the page fills in, of fields that allow it. */
const prefilledIn = (fields: readonly FormField[], query: Query): Values =>
  new Map(
    fields.flatMap(({ prefill, name, type, options = [] }) => {
      const values = prefill && query.get(name)?.slice(0, sendsList(type) ? options.length + 1 : 1)
      return values ? [[name, values.map(shortened)]] : []
    }),
  )

const shortened = (value: string): string =>
  [...value.slice(0, 2 * maxPrefilled)].slice(0, maxPrefilled).join('').replaceAll('\0', '')

/** Stands for the idempotency key where a page is remembered. */
const keyPlace = crypto.randomUUID()
/** Stands for what depends on the address of the page. */
const endingPlace = crypto.randomUUID()

/** A page without its idempotency key and its ending. */
interface Drawn {
  readonly headers: Readonly<Record<string, string>>
  /** The inputs without values, where addresses may fill some of them in. */
  readonly fields: readonly Html[]
  readonly before: string
  readonly after: string
  /** What follows the ending. */
  readonly end: string
  /** The parts of a page that is sent in parts. */
  readonly bytes: readonly [Uint8Array, Uint8Array] | undefined
  /** Bytes that it takes in memory. */
  readonly length: number
  /** Of the address at which it was seen last. */
  ending: Ending
}

interface Ending {
  readonly address: string
  readonly markup: string
}

/** Sends a page with a key of its own: double clicks and reloads send the same one, so that they are stored once. */
const send = (exchange: Exchange, longPages: LongPages, page: Drawn, isShared = false): Response | string | false => {
  const { headers, before, after, bytes, ending } = page
  const key = crypto.randomUUID()
  Object.assign(exchange.headers, headers)
  if (!bytes) return before + key + after + ending.markup
  return longPages.send(exchange, [bytes[0], Buffer.from(key), bytes[1], Buffer.from(ending.markup)], isShared)
}

/** Bytes of pages that are remembered: to draw one takes many times as long as to send it. */
const maxRemembered = 4 * 1024 * 1024

const openDrawnPages = () => {
  const pages = new Map<string, { readonly page: Drawn; readonly of: Form; readonly left: string | undefined }>()
  let remembered = 0
  const forget = (place: string): void => {
    remembered -= pages.get(place)?.page.length ?? 0
    pages.delete(place)
  }

  return {
    find(place: string, form: Form, left: PlacesLeft | undefined): Drawn | undefined {
      const known = pages.get(place)
      return known && known.left === left?.state && isSame(known.of, form) ? known.page : undefined
    },

    keep(place: string, form: Form, page: Drawn, left: PlacesLeft | undefined): Drawn {
      forget(place)
      for (const oldest of pages.keys()) {
        if (remembered + page.length <= maxRemembered) break
        forget(oldest)
      }
      remembered += page.length
      pages.set(place, { page, of: form, left: left?.state })
      return page
    },
  }
}

/** Whether nothing has changed that is on the page. */
const isSame = (one: Form, other: Form): boolean =>
  one === other || (one.settings === other.settings && one.title === other.title && one.returnUrl === other.returnUrl)

/** @param empty the inputs without values, if they were drawn before */
const drawPage = (
  exchange: Exchange,
  paged: Paged & Pick<Asked, 'left'>,
  values: Values = new Map(),
  empty?: readonly Html[],
): Drawn => {
  const { form, settings, page, texts, left } = paged
  const { challenge, honeypot } = settings
  const hasFiles = settings.fields.some(({ type }) => sendsFiles(type))
  const fields = drawFields(settings.fields, { texts, values, empty, left, isPrinted: true })
  const whole = visitorMarkup(texts, {
    title: titleForVisitors(form),
    body: html`<div class="card">
${heading(paged)}
${page.text !== null && paragraphs(page.text)}<form class="visitor" method="post" action="${submitPath(visitedName(form))}" accept-charset="utf-8"${hasFiles && html` enctype="multipart/form-data"`}>
<input type="hidden" name="${idempotencyField}" value="${keyPlace}" data-fresh>
${
  // The response is then in the language of the page.
  exchange.askedLanguage &&
  html`<input type="hidden" name="${languageField}" value="${exchange.askedLanguage}">
`
}<input name="${honeypot}" hidden autocomplete="off">
${fields}${
  challenge &&
  html`<noscript><p class="error">${texts.challenge.noScript}</p></noscript>
`
}${sendButton(texts, page.button)}
</form>
${
  challenge &&
  html`<script src="${challengeScriptPath()}" defer></script>
`
}</div>
${endingPlace}`,
  })
  const [before = '', rest = ''] = whole.split(keyPlace)
  const [after = '', end = ''] = rest.split(endingPlace)
  const isLong = Buffer.byteLength(whole) > maxSmallBytes
  const kept = settings.fields.some(({ prefill }) => prefill) ? fields : []
  return {
    headers: {
      ...visitorHeaders(exchange, texts, true),
      // With `no-store`, the way back led to a page with another key, on which browsers put what was typed before.
      'cache-control': 'private, no-cache',
    },
    fields: kept,
    before: isLong ? '' : flat(before),
    after: isLong ? '' : flat(after),
    end,
    bytes: isLong ? [Buffer.from(before), Buffer.from(after)] : undefined,
    // To count the bytes of an input also joins its pieces, of which there may be 300.
    length: Buffer.byteLength(whole) + kept.reduce((sum, { markup }) => sum + Buffer.byteLength(markup), 0),
    ending: { address: '', markup: '' },
  }
}

/** What is below the form: who runs the server, and where the form is, for those who have it on paper. */
const drawEnding = async (where: Where, end: string): Promise<Ending> => {
  const { texts, address } = where
  // Loaded here, because hardly any start of the server needs it.
  const { qrCode } = await import('../html/qr-code.ts')
  const { markup } = html`${about(where)}<div class="printed" hidden>
<p>${texts.page.online}<br><bdi lang="">${address}</bdi></p>
${qrCode(address, address)}
</div>`
  return { address, markup: flat(markup + end) }
}

/** A sentence with foreign texts makes all of a text UTF-16, which each response would convert. */
const flat = (text: string): string => Buffer.from(text).toString()

const heading = ({ form }: Paged): Html => html`<h1><bdi lang="">${titleForVisitors(form)}</bdi></h1>`

const closedPage = (exchange: Exchange, paged: Paged, closed: Closed, below: Html): string => {
  const { texts, form } = paged
  const { title, sentences } = whatHappened(texts, closedError(form, closed))
  return visitorPage(exchange, texts, {
    title: titleForVisitors(form),
    body: html`<div class="card message">
${heading(paged)}
<p><strong>${title}</strong></p>
${sentences.map((one) => html`<p>${typeof one === 'string' ? sentence(one) : one}</p>\n`)}</div>
${below}`,
  })
}
