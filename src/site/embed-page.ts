import { formTabPath, qrPath } from '../config/addresses.ts'
import { isLoopback } from '../config/networks.ts'
import { isEnough, type Role } from '../forms/access.ts'
import { elementOf } from '../forms/fields/field-attributes.ts'
import type { FormField } from '../forms/fields/form-field.ts'
import type { Form } from '../forms/form.ts'
import { fishingInForm } from '../forms/settings/page-secrets.ts'
import { type FormSettings, type PageSettings, parseSettings, titleForVisitors } from '../forms/settings/settings.ts'
import { copyable, copyButton } from '../html/copyable.ts'
import { type Html, html } from '../html/html.ts'
import { qrCode } from '../html/qr-code.ts'

interface Options {
  readonly form: Pick<Form, 'id' | 'title' | 'settings'>
  /** The address of the page, whether or not there is one. */
  readonly address: string
  readonly role: Role | undefined
  /** Whether the operator lets forms have pages. */
  readonly formPages: boolean
}

/** The page of a form on “Embed”: its link, its QR code, and a snippet for a frame. */
export const pageSection = async ({ form, address, role, formPages }: Options): Promise<Html | false> => {
  const settings = parseSettings(form.settings)
  const { page } = settings
  if (!formPages || (page === null && !isEnough(role, 'configure'))) return false
  if (page === null)
    return html`<p class="no-site">No website? <a href="${formTabPath(form.id)}">Give the form a page of its own</a>, for a link or a QR code.</p>
`
  const asked = fishingInForm(form.settings)
  if (asked)
    return html`<section class="own-page">
<h2 id="page">Its page</h2>
<p class="notice failed">No one sees it, because it asks for “<bdi>${asked.words}</bdi>”: a page of Formbox asks for no passwords, PINs, codes or numbers of cards, or seed phrases.</p>
</section>
`
  return html`<section class="own-page">
<h2 id="page">Its page</h2>
${copyable('page-address', address, 'Copy link')}
<p><a href="${address}" target="_blank" rel="noopener">See the page</a></p>
${
  isLoopback(new URL(address).hostname) &&
  html`<p class="notice">The link and the QR code work only on this computer until the person who runs the server sets <code>FORMBOX_URL</code>.</p>
`
}${await qrCode(address, 'QR code of the link to the page')}
<p><a href="${qrPath(form.id)}" download>Download the QR code (SVG)</a></p>
<h3>In a frame on your site</h3>
<div class="code-box">${copyButton('code-frame', 'Copy HTML')}<pre id="code-frame" tabindex="0" role="region" aria-label="Frame to copy"><code>${frameSnippet(address, titleForVisitors(form), settings, page)}</code></pre></div>
<p class="hint">${
    page.frame
      ? 'It works on the pages that may send, which are in the settings. If the form is longer, it scrolls.'
      : isEnough(role, 'configure')
        ? html`First <a href="${formTabPath(form.id)}">let your pages frame it</a>.`
        : 'It works once the settings let your pages frame it.'
  }</p>
</section>
`
}

/** The QR code of an address as a file: 600 pixels wide where nothing else says so. */
export const qrFile = async (address: string): Promise<string> => {
  const { markup } = await qrCode(address, address)
  return markup.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" ')
}

const frameSnippet = (
  address: string,
  title: string,
  { fields }: Pick<FormSettings, 'fields'>,
  { text }: Pick<PageSettings, 'text'>,
): string => `<iframe src="${address}" title="${Bun.escapeHTML(title)}" loading="lazy"
  style="width: 100%; max-width: 40rem; height: ${frameHeight(fields, text)}px; border: 0"></iframe>`

/** Pixels that a page is high, at the width of a phone. */
const frameHeight = (fields: readonly FormField[], text: string | null): number => {
  const sum = (heights: readonly number[]): number => heights.reduce((all, one) => all + one, 0)
  const paragraphs = text === null ? [] : text.split('\n').map((line) => 16 + linesOf(line) * 24)
  const whole = 330 + sum(paragraphs) + sum(fields.map(fieldHeight))
  return Math.ceil(whole / 10) * 10
}

const fieldHeight = (field: FormField): number => {
  const { type, name, label = name, help, options = [], other } = field
  if (type === 'hidden') return 0
  const notes = (linesOf(label) - 1) * 22 + (help === undefined ? 0 : linesOf(help) * 22 + 6)
  if (type === 'checkbox') return 56 + notes
  if (elementOf(field) === 'group') return 56 + notes + options.length * 40 + (other ? 96 : 0)
  if (type === 'lines') return 186 + notes
  return 96 + notes + (other ? 56 : 0)
}

/** Lines of a text on a phone. */
const linesOf = (text: string): number => Math.max(1, Math.ceil([...text].length / 40))
