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

/** Such as `14:20`, in UTC. */
export const clock = (at: number): string => new Date(at).toISOString().slice(11, 16)

let dayFormat: Intl.DateTimeFormat | undefined

/** A day in UTC, such as `Saturday 21 November 2026`. */
export const longDay = (at: number): string => {
  dayFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
  return dayFormat.format(at).replace(',', '')
}

/** The hour and minute in UTC, and for an hour also how long ago that was. The whole time is a tooltip. */
export const ago = (at: number, now: number): Html => {
  const minutes = Math.floor((now - at) / 60_000)
  const recent =
    minutes < 0 || minutes >= 60
      ? ''
      : minutes === 0
        ? 'just now'
        : minutes === 1
          ? '1 minute ago'
          : `${minutes} minutes ago`
  const iso = new Date(at).toISOString()
  return html`${recent !== '' && html`<span class="muted small">${recent}</span> `}<time datetime="${iso}" data-format="time" title="${iso.slice(0, 19).replace('T', ' ')} UTC">${clock(at)}</time>`
}
