import type { Form } from '../forms/form.ts'
import { visitedName } from '../forms/form-address.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { lostText } from './recent-origins.ts'
import type { ShownForm } from './settings-section.ts'

/** The button that allows a site that was refused. */
const name = 'allow'

/** Above the sites that may send: which were refused, each with a button, and which messages were lost. */
export const refusedNotice = ({ form, refused, lost }: ShownForm): Html | false =>
  (refused.length > 0 || lost.length > 0) &&
  html`${refused.map(
    ({ origin, count }) =>
      html`<p class="notice warn"><span>Refused lately: ${counted(count, 'submission')} from ${origin === null ? 'pages that do not send their address' : html`<bdi>${origin}</bdi>`}.</span>${origin !== null && html` <button name="${name}" value="${origin}">Allow it</button>`}</p>
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
