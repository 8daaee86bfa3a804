import { dayMilliseconds, minuteMilliseconds } from '../base/durations.ts'
import { toIsoTime } from '../base/moment.ts'
import { amount } from '../base/short-text.ts'
import { type Html, html } from './html.ts'

/** A number with commas: `12,048`. */
export const withCommas = (number: number): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** With commas, and with as many digits as say something: `1,234.5`. */
export const roundly = (number: number): string => {
  if (number < 0) return `-${roundly(-number)}`
  const text = String(Number(number < 1 ? number.toPrecision(3) : number.toFixed(2)))
  const [whole = '', part] = text.split('.')
  return text.includes('e') ? text : withCommas(Number(whole)) + (part === undefined ? '' : `.${part}`)
}

/** `1 link`, `2,000 links`. */
export const counted = (number: number, noun: string): string =>
  `${withCommas(number)} ${noun}${number === 1 ? '' : 's'}`

/** `1 day`, `30 days`. */
export const days = (number: number): string => amount(number, 'day')

// Created when a page first shows a time: that takes 7 ms and 1 MB, which would make every start slower.
let format: Intl.DateTimeFormat | undefined

/** A time in UTC. A script then shows it in the reader's time zone. */
export const time = (at: number): Html => {
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${new Date(at).toISOString()}">${format.format(at)} UTC</time>`
}

/** A day in UTC, such as `14 Nov`. */
export const shortDay = (at: number): string => new Date(at).toUTCString().slice(5, 11).replace(/^0/, '')

/** A date that was sent, such as `2026-11-21`, as `21 Nov 2026`; any other text as it is. */
export const dayInWords = (text: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? `${shortDay(Date.parse(text))} ${text.slice(0, 4)}`
    : text

/** A time of day in UTC, such as `14:20`. */
export const clock = (at: number): string => toIsoTime(at).slice(11, 16)

let dayFormat: Intl.DateTimeFormat | undefined

/** A day in UTC, such as `Saturday 21 November 2026`. */
export const longDay = (at: number): string => {
  dayFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
  return dayFormat.format(at).replace(',', '')
}

/** A day in UTC, such as `2026-11-21`. */
export const isoDay = (at: number): string => toIsoTime(at).slice(0, 10)

/** The day of the week, the date, and the hour and minute in UTC. */
export const dayTime = (at: number): Html =>
  html`<time datetime="${toIsoTime(at)}" data-format="day">${longDay(at)}, ${clock(at)} UTC</time>`

/**
 * The age of something, such as `3 minutes ago`, for this many hours. A script keeps it true.
 *
 * @param otherwise shown after that; without it, nothing is
 */
export const ago = (at: number, now: number, hours: number, otherwise?: Html): Html | false => {
  const minutes = Math.floor((now - at) / minuteMilliseconds)
  if (minutes < 0 || minutes >= 60 * hours) return otherwise ?? false
  const text = minutes === 0 ? 'just now' : minutes < 60 ? inUnits(minutes, 'minute') : inUnits(minutes / 60, 'hour')
  const iso = toIsoTime(at)
  return html`<time datetime="${iso}" data-within="${hours}"${otherwise && html` data-then="date"`} title="${iso.slice(0, 16).replace('T', ' ')} UTC">${text}</time>`
}

const inUnits = (number: number, unit: string): string => `${amount(Math.floor(number), unit)} ago`

/** Days since the beginning of Unix time, in UTC. */
export const dayNumber = (at: number): number => Math.floor(at / dayMilliseconds)

/** `Today`, `Yesterday`, or the date as in a row. */
export const dayHeading = (at: number, now: number): string => {
  const ago = dayNumber(now) - dayNumber(at)
  return ago === 0 ? 'Today' : ago === 1 ? 'Yesterday' : shortDate(at, now)
}

/** `today 9:40`, `yesterday`, `Wed 25 Nov`, `14 Mar 2025`, in UTC. */
export const rowTime = (at: number, now: number): string => {
  const ago = dayNumber(now) - dayNumber(at)
  return ago === 0 ? `today ${shortClock(at)}` : ago === 1 ? 'yesterday' : shortDate(at, now)
}

/** `9:40`, in UTC. */
export const shortClock = (at: number): string => toIsoTime(at).slice(11, 16).replace(/^0/, '')

const shortDate = (at: number, now: number): string => {
  const [weekday = '', day = '', month, year] = new Date(at).toUTCString().split(' ')
  const date = `${day.replace(/^0/, '')} ${month}`
  return Number(year) === new Date(now).getUTCFullYear() ? `${weekday.slice(0, 3)} ${date}` : `${date} ${year}`
}
