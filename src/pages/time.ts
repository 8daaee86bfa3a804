import { type Html, html } from './html.ts'

const show = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A moment in UTC; a script shows it in the reader's time zone instead. */
export const time = (at: number): Html =>
  html`<time datetime="${new Date(at).toISOString()}">${show.format(at)} UTC</time>`
