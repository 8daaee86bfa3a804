import { submitPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import type { RecentOrigin } from '../forms/settings/origins.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { ShownForm } from './settings-section.ts'

/** How many submissions were refused, and where they came from. */
export const refusedText = (refused: readonly RecentOrigin[]): Html => html`Refused lately: ${whereFrom(refused)}.`

/** How many messages were lost, where they came from, and what their pages lack. */
export const lostText = (name: string, lost: readonly RecentOrigin[]): Html =>
  html`Lost lately: ${whereFrom(lost)}. The form there must have <code>method="post"</code>, and an address that ends with <code>${submitPath(name)}</code>.`

const whereFrom = (origins: readonly RecentOrigin[]): readonly Html[] =>
  origins.map(
    ({ origin, count: number }, i) =>
      html`${i > 0 && ', '}${counted(number, 'submission')} from ${
        origin === null ? 'pages that do not send their address' : html`<bdi>${origin}</bdi>`
      }`,
  )

/** How often `_next` had no effect, and where it should have led. */
export const ignoredText = (ignored: readonly RecentOrigin[]): Html =>
  html`<code>_next</code> had no effect lately: in ${ignored.map(
    ({ origin, count: number }, i) =>
      html`${i > 0 && ', in '}${counted(number, 'submission')} ${
        origin === null ? 'without a complete URL' : html`to <bdi>${origin}</bdi>`
      }`,
  )}. It works on the site of the return address, and on pages that may send.`

/** The button that allows a site that was refused. */
const name = 'allow'

/** Above the sites that may send: which were refused, each with a button, and which messages were lost. */
export const refusedNotice = ({ form, refused, lost }: ShownForm): Html | false =>
  (refused.length > 0 || lost.length > 0) &&
  html`${refused.map(
    (one) =>
      html`<p class="notice warn"><span>${refusedText([one])}</span>${one.origin !== null && html` <button name="${name}" value="${one.origin}">Allow it</button>`}</p>
`,
  )}${lost.length > 0 && html`<p class="notice warn"><span>${lostText(visitedName(form), lost)}</span></p>\n`}`

/** What was sent, with the site that its button allows. */
export const withAllowed = (sent: URLSearchParams, form: Form): URLSearchParams => {
  const origin = sent.get(name)
  if (origin === null) return sent
  const typed = sent.get('allowedOrigins') ?? parseSettings(form.settings).allowedOrigins.join('\n')
  const spread = new URLSearchParams(sent)
  spread.delete(name)
  spread.set('allowedOrigins', `${typed.trimEnd()}\n${origin}`.trim())
  return spread
}
