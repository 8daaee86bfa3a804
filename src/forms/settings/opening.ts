import { AppError } from '../../base/errors.ts'
import { because } from '../../languages/texts.ts'
import { forms } from '../../storage/tables.ts'
import type { Form } from '../form.ts'
import { type FormSettings, parseSettings } from './settings.ts'

/** Why a form takes no submissions: its owner closed it, its time has not come or is over, or it has enough. */
export type Closed =
  | { readonly reason: 'closed' }
  | { readonly reason: 'full' }
  | { readonly reason: 'early' | 'over'; readonly moment: number }

/** What owners read of each reason, before the moment of one that is early; and whether a form closes by itself. */
export const closedReasons = {
  closed: { state: 'Closed', isByItself: false },
  full: { state: 'Full', isByItself: true },
  early: { state: 'Opens', isByItself: false },
  over: { state: 'Closed', isByItself: true },
} as const satisfies Record<Closed['reason'], { readonly state: string; readonly isByItself: boolean }>

/** The columns by which a form is closed. */
export const closingColumns = { settings: forms.settings, submissionCount: forms.submissionCount }

/** What it takes to ask whether a form is closed. */
export type Closing = Pick<Form, keyof typeof closingColumns>

/** The settings by which a form is closed, as they are of one that is always open. */
const alwaysOpen = { open: true, opensAt: null, closesAt: null, maxSubmissions: null } as const
const names = Object.keys(alwaysOpen) as (keyof typeof alwaysOpen)[]

/** Whether a form with these settings may ever refuse a submission because of them. */
export const mayClose = (settings: FormSettings): boolean => names.some((name) => settings[name] !== alwaysOpen[name])

/** Whether a change of settings changes when the form takes submissions. */
export const changesOpening = (before: FormSettings, after: FormSettings): boolean =>
  names.some((name) => before[name] !== after[name])

/**
 * Why a form takes no submissions; undefined if it does. Commands ask this, too: it may know the form's row and the time, but no
 * time zone.
 *
 * @param at Unix time in milliseconds
 * @param more how many are to be added that count. Spam does not.
 */
export const whyClosed = ({ settings, submissionCount }: Closing, at: number, more = 1): Closed | undefined => {
  const { open, opensAt, closesAt, maxSubmissions } = parseSettings(settings)
  if (!open) return { reason: 'closed' }
  if (opensAt !== null && at < Date.parse(opensAt)) return { reason: 'early', moment: Date.parse(opensAt) }
  if (closesAt !== null && at >= Date.parse(closesAt)) return { reason: 'over', moment: Date.parse(closesAt) }
  if (maxSubmissions !== null && submissionCount + more > maxSubmissions) return { reason: 'full' }
  return undefined
}

/** The error for a visitor of a form that takes no submissions. */
export const closedError = ({ settings }: Pick<Form, 'settings'>, closed: Closed): AppError => {
  const { closedText } = parseSettings(settings)
  return new AppError('closed', inWords(closed), {
    issues: closedText === null ? [] : [{ message: closedText }],
    reason: 'moment' in closed ? because(closed.reason, closed.moment) : because(closed.reason),
  })
}

const inWords = (closed: Closed): string => {
  if (closed.reason === 'closed' || closed.reason === 'full') return `This form is ${closed.reason}`
  // Not `Intl`, because commands run this too, and its words may differ from machine to machine.
  const [, day, month, year, clock] = new Date(closed.moment).toUTCString().split(' ')
  const moment = `${Number(day)} ${month} ${year}, ${clock?.slice(0, 5)} UTC`
  return `This form ${closed.reason === 'early' ? 'opens' : 'closed'} on ${moment}`
}

/**
 * See `whyClosed`.
 *
 * @throws AppError `closed`
 */
export const refuseIfClosed = (form: Closing, at: number, more?: number): void => {
  const closed = whyClosed(form, at, more)
  if (closed) throw closedError(form, closed)
}
