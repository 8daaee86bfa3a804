import { dayMilliseconds } from '../../base/durations.ts'
import { invalid } from '../../base/errors.ts'
import { createdAt, creationTime, isOwnId } from '../../base/id.ts'
import { parseMoment } from '../../base/moment.ts'
import type { Field } from '../../submissions/fields.ts'

/** A submission of a file. */
export interface Imported {
  /** Only if it is an identifier of Formbox. */
  readonly id: string | undefined
  /** Unix time in milliseconds; undefined if the file has no date for it. */
  readonly time: number | undefined
  readonly fields: readonly Field[]
  /** Whether the service has marked it as spam. */
  readonly isSpam?: boolean
  /** Names of columns that are no fields, but what the service says of the submission. */
  readonly ofService?: readonly string[]
  /** Names of members that are lost: they are no fields, and nothing here is made of them. */
  readonly left?: readonly string[]
  /** Whether Formbox exported it, so that its data is as it was stored. */
  readonly isOwn?: boolean
  /** In an archive: the name of its folder with files, and their identifiers in the order of their numbers. */
  readonly archived?: { readonly submission: string; readonly files: readonly string[] }
}

/** The next submission of a file. */
export interface Entry {
  /** Such as `line 3`. */
  readonly location: string
  /** The names of all columns that may be fields, in order, if the file lists them. */
  readonly columns?: readonly string[]
  /** @throws AppError `invalid` that says what is wrong */
  parse(): Imported
}

/** @param id used if it is an identifier of Formbox whose time is the date @param date empty if there is none */
export const toImported = (id: string, date: string, fields: readonly Field[]): Imported => {
  const own = isOwnId(id) ? id : undefined
  if (date === '') return { id: own, time: own === undefined ? undefined : creationTime(own), fields }
  const time = parseDate(date)
  return { id: own && creationTime(own) === time ? own : undefined, time, fields }
}

/** Whether it is a date that a submission can have. */
export const isDate = (text: string): boolean => {
  try {
    parseDate(text)
    return true
  } catch {
    return false
  }
}

/**
 * A date and time as the services write it: ISO 8601, with a space or a T in the middle, up to nanoseconds. Without an
 * offset it is in UTC (Formspree).
 */
const parseDate = (text: string): number => {
  const [, date = '', time, offset] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? []
  const zone = (offset ?? 'Z').replace(/utc/i, 'Z').replace(/(\d\d)(\d\d)$/, '$1:$2')
  const first = parseMoment(time === undefined ? date : `${date}T${time}${zone}`)?.first
  if (first === undefined)
    throw invalid({ message: `the date must be like ${createdAt(exampleId)}, is ${JSON.stringify(text.slice(0, 50))}` })
  if (first < 0) throw invalid({ message: `the date must not be before 1970, is ${text}` })
  // The clock of another machine may be ahead of ours. A date far in the future would stay the newest forever.
  if (first > Date.now() + dayMilliseconds) throw invalid({ message: `the date must not be in the future, is ${text}` })
  return Math.floor(first)
}

const exampleId = '01kahp6a8d00q2s4tznwe8cm3k9f'
