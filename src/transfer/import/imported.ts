import { dayMilliseconds } from '../../base/durations.ts'
import { invalid } from '../../base/errors.ts'
import { createdAt, creationTime, isOwnId } from '../../base/id.ts'
import { timeAt } from '../../base/time-zone.ts'
import type { Field } from '../../submissions/fields.ts'
import type { SentNote } from './notes.ts'
import { type DateOrder, readDate } from './read-date.ts'

/** A submission of a file. */
export interface Imported {
  /** Only if it is an identifier of Formbox. */
  readonly id: string | undefined
  /** Unix time in milliseconds; undefined if the file has no date for it. */
  readonly time: number | undefined
  readonly fields: readonly Field[]
  /** Its date as it is written. */
  readonly date?: string | undefined
  /** Whether its time and what the service says of it are still among the fields. */
  readonly isFlat?: boolean
  /** Whether the service has marked it as spam. */
  readonly isSpam?: boolean
  /** Names of columns that are no fields, but what the service says of the submission. */
  readonly ofService?: readonly string[]
  /** Names of members that are lost: they are no fields, and nothing here is made of them. */
  readonly left?: readonly string[]
  /** Whether Formbox exported it, so that its data is as it was stored. */
  readonly isOwn?: boolean
  /** What people wrote about it, oldest first. */
  readonly notes?: readonly SentNote[]
  /** In an archive: the name of its folder with files, and their identifiers in the order of their numbers. */
  readonly archived?: { readonly submission: string; readonly files: readonly string[] }
}

/** The next submission of a file. */
export interface Entry {
  /** Such as `line 3`. */
  readonly location: string
  /** Characters that it keeps in memory, if these may be many more than its fields have. */
  readonly length?: number
  /** The names of all columns that may be fields, in order, if the file lists them. */
  readonly columns?: readonly string[]
  /** @throws AppError `invalid` that says what is wrong */
  parse(): Imported
}

/** @param id used if it is an identifier of Formbox whose time is the date @param date empty if there is none */
export const toImported = (id: string, date: string, fields: readonly Field[]): Imported => ({
  ...identified(id, date === '' ? undefined : timeOf(date, null, 'UTC'), fields),
  date,
})

/** @param id used if it is an identifier of Formbox whose time this is, or which has come if there is no other time */
export const identified = (id: string, time: number | undefined, fields: readonly Field[]): Imported => {
  const own = isOwnId(id) && !isToCome(creationTime(id)) ? id : undefined
  if (time === undefined) return { id: own, time: own === undefined ? undefined : creationTime(own), fields }
  return { id: own && creationTime(own) === time ? own : undefined, time, fields }
}

/**
 * The time that a date says.
 *
 * @param order of numbers such as `3/4`; null if it must not matter
 * @param zone of a date that names none
 * @throws AppError `invalid` if it is none that a submission can have
 */
export const timeOf = (text: string, order: DateOrder | null, zone: string): number => {
  const read = readDate(text)
  const clock = order === null && read?.dmy !== read?.mdy ? undefined : read?.[order ?? 'mdy']
  if (!read || clock === undefined)
    throw invalid({ message: `the date must be like ${createdAt(exampleId)}, is ${JSON.stringify(text.slice(0, 50))}` })
  const time = Math.floor(read.offset === undefined ? timeAt(zone, clock) : clock - read.offset)
  if (time < 0) throw invalid({ message: `the date must not be before 1970, is ${text}` })
  if (isToCome(time)) throw invalid({ message: `the date must not be in the future, is ${text}` })
  return time
}

/** The clock of another machine may be ahead of ours. What is far in the future would stay the newest forever. */
const isToCome = (time: number): boolean => time > Date.now() + dayMilliseconds

const exampleId = '01kahp6a8d00q2s4tznwe8cm3k9f'
