import { type Html, html } from './html.ts'

// Made when a page first shows a time: it takes 7 ms and 1 MB, which would make every start slower.
let format: Intl.DateTimeFormat | undefined

/** A time in UTC. A script then shows it in the reader's time zone. */
export const time = (at: number): Html => {
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${new Date(at).toISOString()}">${format.format(at)} UTC</time>`
}

/** A day in UTC, such as `14 Nov`. */
export const shortDay = (at: number): string => new Date(at).toUTCString().slice(5, 11).replace(/^0/, '')
