import { type Html, html } from '../html/html.ts'
import { sentence } from '../html/sentence.ts'
import { foreign } from '../languages/foreign.ts'
import type { Texts } from '../languages/texts.ts'

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
