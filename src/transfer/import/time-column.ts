import { AppError, invalid } from '../../base/errors.ts'
import { shownLine } from '../../base/short-text.ts'
import type { Field } from '../../submissions/fields.ts'
import { textIn } from '../../submissions/sent-fields.ts'
import { type Entry, type Imported, timeOf } from './imported.ts'
import type { Plan, Time } from './plan.ts'
import { putBack } from './read-ahead.ts'
import { type DateFormat, type DateOrder, isNoTime, readDate } from './read-date.ts'
import { fromFlat } from './service-fields.ts'
import { folded, rankOfTime } from './time-names.ts'

export interface TimeOptions {
  /** The column that tells the time; absent if it is to be found. */
  readonly column?: string | undefined
  /** Of times that name none. */
  readonly timeZone: string
  readonly order?: DateOrder | undefined
  /** Whether no column tells the time. */
  readonly isOff: boolean
  /** How the door calls these, for its errors. */
  readonly words: Words
}

/** What to do in order to say something about times: such as `--date COLUMN`. */
export interface Words {
  readonly column: string
  readonly order: string
  readonly isOff: string
}

/** What is known of a column that may tell the time. */
interface Candidate {
  readonly name: string
  readonly rank: number
  /** Whether it is the one that was named. */
  readonly isNamed: boolean
  count: number
  format: DateFormat
  /** The first value that is no date. */
  bad: string | undefined
  readonly canBe: Record<DateOrder, boolean>
  /** Whether a value means another day in the other order. */
  differs: boolean
}

/** Says that the whole file is to be read again: what its first rows showed does not hold for all. */
export class OtherTime extends Error {
  constructor(readonly time: Time | null) {
    super('the file is to be read again')
  }
}

const maxSampled = 100
const maxSampledCharacters = 1024 * 1024
/** The names in JSON may be others in each line. */
const maxCandidates = 100
const maxRemembered = 10_000

/** The submissions of a file, and how each is read with its time. */
export interface Timed {
  readonly entries: AsyncIterable<Entry>
  /** @throws AppError `invalid` that says what is wrong with the submission */
  parse(entry: Entry): Imported
  /**
   * To be called after the last one: compares the time with what all rows say.
   *
   * @throws OtherTime if the file must be read again
   * @throws AppError `invalid` if the dates can be read both ways, or if there is no such column
   */
  end(): void
}

/**
 * Decides by the first rows which column tells the time, and in which order its days are written. That holds for all.
 *
 * @param settled what an earlier reading of the whole file said; undefined if this is the first
 */
export const findTimes = async (
  entries: AsyncIterable<Entry>,
  { options, plan, settled }: { options: TimeOptions; plan: Plan; settled: Time | null | undefined },
): Promise<Timed> => {
  const candidates = findCandidates(options)
  const iterator = entries[Symbol.asyncIterator]()
  const first: Entry[] = []
  let sampled = 0
  while (settled === undefined && first.length < maxSampled && sampled < maxSampledCharacters) {
    const next = await iterator.next()
    if (next.done) break
    first.push(next.value)
    sampled += Math.max(look(next.value, candidates), next.value.length ?? 0)
  }
  const time = settled === undefined ? candidates.decide() : settled
  plan.time = time
  return {
    entries: putBack(first, iterator),

    parse(entry) {
      const imported = entry.parse()
      if (!imported.isFlat) return imported
      candidates.see(imported.fields, entry)
      const date = time ? textAt(imported, time) : ''
      const at = time && timeIn(date, time, { options, isFirst: settled === undefined })
      return { ...fromFlat(imported.fields, time, at), date }
    },

    end() {
      plan.whyNoTime = candidates.why()
      if (settled !== undefined) return
      candidates.refuseUnclear()
      const found = candidates.decide()
      if (found?.column !== time?.column || found?.order !== time?.order) throw new OtherTime(found)
      plan.time = found
    },
  }
}

/** Returns how many characters the submission has. What is wrong with it is said later. */
const look = (entry: Entry, { see }: ReturnType<typeof findCandidates>): number => {
  try {
    const { fields, isFlat } = entry.parse()
    if (isFlat) see(fields, entry)
    return fields.reduce((sum, { json }) => sum + json.length, 0)
  } catch (error) {
    if (error instanceof AppError) return 0
    throw error
  }
}

const textOf = (json: string): string => textIn(json) ?? (json === 'null' ? '' : json)

const textAt = ({ fields }: Imported, { column }: Time): string =>
  textOf(fields.find(({ name }) => name === column)?.json ?? 'null')

const timeIn = (
  text: string,
  time: Time,
  { options, isFirst }: { options: TimeOptions; isFirst: boolean },
): number | undefined => {
  const { order, timeZone } = time
  if (isNoTime(text)) return undefined
  const read = readDate(text)
  // The column or the order turns out to be another one, and all is read again.
  if (isFirst && (options.column === undefined || (read && read[order ?? 'mdy'] === undefined))) {
    try {
      return timeOf(text, order, timeZone)
    } catch {
      return undefined
    }
  }
  return timeOf(text, order, timeZone)
}

const findCandidates = (options: TimeOptions) => {
  const { column: wanted, order, timeZone } = options
  const all = new Map<string, Candidate>()
  /** Names that were looked at; null for one that is no candidate. */
  const known = new Map<string, Candidate | null>()
  let first: string | undefined

  // All rows of a table have the same header, which may have 16,384 names.
  let header: readonly string[] | undefined
  let isInHeader = false
  const wantedFolded = folded(wanted ?? '')

  const isWanted = (name: string, columns: readonly string[] | undefined): boolean => {
    if (name === wanted) return true
    if (columns === undefined) return false
    if (columns !== header) {
      header = columns
      isInHeader = columns.includes(wanted ?? '')
    }
    return !isInHeader && folded(name) === wantedFolded
  }

  const find = (name: string, columns: readonly string[] | undefined): Candidate | null => {
    const before = known.get(name)
    if (before !== undefined) return before
    const isNamed = wanted !== undefined && isWanted(name, columns)
    const rank = wanted === undefined ? rankOfTime(name, columns) : isNamed ? 0 : undefined
    if (rank === undefined || options.isOff || all.size === maxCandidates) {
      if (known.size < maxRemembered) known.set(name, null)
      return null
    }
    const candidate: Candidate = {
      name,
      rank,
      isNamed,
      count: 0,
      format: 'iso',
      bad: undefined,
      canBe: { dmy: order !== 'mdy', mdy: order !== 'dmy' },
      differs: false,
    }
    all.set(name, candidate)
    known.set(name, candidate)
    return candidate
  }

  const note = (candidate: Candidate, text: string, location: string): void => {
    if (candidate.bad !== undefined || isNoTime(text)) return
    const read = readDate(text)
    if (read) {
      candidate.canBe.dmy &&= read.dmy !== undefined
      candidate.canBe.mdy &&= read.mdy !== undefined
      candidate.differs ||= read.dmy !== read.mdy
      if (candidate.count++ === 0 || read.format === 'numbers') candidate.format = read.format
    }
    const { dmy, mdy } = candidate.canBe
    if (!read || !(dmy || mdy) || !isPossible(text, dmy ? 'dmy' : 'mdy', timeZone))
      candidate.bad = `“${shownLine(candidate.name, 50)}” of ${location} is ${JSON.stringify(text.slice(0, 50))}`
  }

  const best = (): Candidate | undefined =>
    [...all.values()]
      .filter(({ count, bad, isNamed }) => isNamed || (count > 0 && bad === undefined))
      .sort((a, b) => a.rank - b.rank)[0]

  return {
    see(fields: readonly Field[], { columns, location }: Entry): void {
      for (const { name, json } of fields) {
        const candidate = find(name, columns)
        if (!candidate) continue
        note(candidate, textOf(json), location)
        first ??= candidate.bad
      }
    },
    decide(): Time | null {
      const found = best()
      if (!found) return null
      const { name: column, format, canBe, differs } = found
      return { column, format, order: differs ? (canBe.mdy ? 'mdy' : 'dmy') : null, timeZone }
    },
    refuseUnclear(): void {
      const found = best()
      if (wanted !== undefined && !found) throw invalid({ message: `has no column “${shownLine(wanted, 50)}”` })
      if (!found?.differs || !found.canBe.dmy || !found.canBe.mdy) return
      throw invalid({
        message:
          `the dates in “${shownLine(found.name, 50)}” can be read with the day first or with the month first; ` +
          `say which with ${options.words.order}`,
      })
    },
    /** Why no column tells the time. */
    why: (): string =>
      first === undefined ? 'no column has a name that is known for it' : `${first}, which is no date`,
  }
}

const isPossible = (text: string, order: DateOrder, timeZone: string): boolean => {
  try {
    timeOf(text, order, timeZone)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
