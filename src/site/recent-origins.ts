import { submitPath } from '../config/addresses.ts'
import type { RecentOrigin } from '../forms/settings/origins.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

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
