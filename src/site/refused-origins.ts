import type { RefusedOrigin } from '../forms/origins.ts'
import { count } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { formPath } from './form-frame.ts'

/** Tells the owner that pages tried to send to the form and were refused. */
export const refusedLine = (formId: string, refused: readonly RefusedOrigin[]): Html | false =>
  refused.length > 0 &&
  html`<p class="notice failed">${refusedText(refused)} <a href="${formPath(formId)}/settings#collecting">See which pages may send</a></p>`

/** How many submissions were refused, and where they came from. */
export const refusedText = (refused: readonly RefusedOrigin[]): Html =>
  html`Refused lately: ${refused.map(
    ({ origin, count: number }, i) =>
      html`${i > 0 && ', '}${count(number)} ${number === 1 ? 'submission' : 'submissions'} from ${
        origin === null ? 'pages that keep their address secret' : html`<bdi>${origin}</bdi>`
      }`,
  )}.`
