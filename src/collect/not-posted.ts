import { atMost } from '../base/short-text.ts'
import { isControlField, languageField } from '../forms/control-fields.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { html } from '../html/html.ts'
import type { Exchange } from '../http/exchange.ts'
import { languageFor, visitorMessage } from '../http/visitor-page.ts'
import { firstLanguage } from '../languages/choose.ts'
import { foreign } from '../languages/foreign.ts'
import { loadTexts } from '../languages/languages.ts'
import type { LongPages } from './long-pages.ts'

/** Of an address: its fields, and the characters that are read and shown. The browser still has all of it, one page back. */
const maxFields = 100
const maxCharacters = 16 * 1024

/**
 * Answers a browser that a form without `method="post"` sent here: what was typed is in the address, and nothing is stored.
 * The page shows it, so that it can be copied.
 *
 * @param form undefined if there is none
 */
export const showNotPosted = async (
  exchange: Exchange,
  form: Form | undefined,
  longPages: LongPages,
): Promise<Response | string> => {
  const { url } = exchange.request
  const fields = fieldsIn(url.slice(url.indexOf('?') + 1))
  const texts = await loadTexts(firstLanguage(fields.getAll(languageField)) ?? languageFor(exchange))
  const { honeypot } = parseSettings(form?.settings ?? null)
  const typed = [...fields]
    .filter(([name, value]) => value !== '' && name !== languageField && !isControlField(name, honeypot))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  const title = texts.titles.notSent
  const why = [texts.reasons.notPosted(foreign('method="post"')), texts.next.copyAndContact]
  const copy = html`<span class="visitor field"><label>${texts.typed} <textarea rows="8" readonly dir="auto" lang="">\n${atMost(typed, maxCharacters)}</textarea></label></span>`
  const page = visitorMessage(exchange, texts, { title, sentences: typed === '' ? why : [...why, copy] })
  return longPages.send(exchange, [Buffer.from(page)]) || visitorMessage(exchange, texts, { title, sentences: why })
}

/** An address of 60 kB may have 30,000 fields, which would take some milliseconds. */
const fieldsIn = (query: string): URLSearchParams =>
  new URLSearchParams(query.slice(0, maxCharacters).split('&', maxFields).join('&'))
