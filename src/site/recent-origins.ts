import type { RecentOrigin } from '../forms/settings/origins.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

/** How many submissions were refused, and where they came from. */
export const refusedText = (refused: readonly RecentOrigin[]): Html =>
  html`Refused lately: ${refused.map(
    ({ origin, count: number }, i) =>
      html`${i > 0 && ', '}${counted(number, 'submission')} from ${
        origin === null ? 'pages that do not send their address' : html`<bdi>${origin}</bdi>`
      }`,
  )}.`

/** How often `_next` had no effect, and where it should have led. */
export const ignoredText = (ignored: readonly RecentOrigin[]): Html =>
  html`<code>_next</code> had no effect lately: in ${ignored.map(
    ({ origin, count: number }, i) =>
      html`${i > 0 && ', in '}${counted(number, 'submission')} ${
        origin === null ? 'without a complete URL' : html`to <bdi>${origin}</bdi>`
      }`,
  )}. It works on the site of the return address, and on pages that may send.`
