import { afterEveryId } from '../../base/id.ts'
import { type FormField, isSeen } from '../../forms/fields/form-field.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import type { Db } from '../../storage/open.ts'
import { bounds, type DateRange } from '../date-range.ts'
import { submissionsWithFiles } from '../files/file-reads.ts'
import { inboxOf, type List } from '../lists.ts'
import type { Filter } from '../search/filter.ts'
import { isOfContent, quickCheck, submissionMatch } from '../search/match.ts'
import { type Finder, type PickIds, submissionScan } from '../search/scan.ts'
import { type FieldAnswers, fieldTally, hasNumbers, textsOf } from './field-answers.ts'
import type { CarriedNumbers } from './numbers.ts'

export interface AnswersQuery {
  readonly filter: Filter
  readonly range: DateRange
}

/** Where a count goes on. */
export interface CountedSoFar {
  /** The newest submission when it began: by those before it, a form without fields has its names. */
  readonly begunAt: string
  /** The submission after which it goes on, towards older ones. */
  readonly endedAt: string
  /** Of fields with numbers, in their order. */
  readonly numbers: readonly (CarriedNumbers | undefined)[]
}

const maxGuessed = 1000
/** Different values up to which a field that no one has described is one of choices. */
const maxValues = 20
const maxShort = 60
const maxFields = 100

/** The fields whose answers are added up, if any are described. */
export const describedFields = ({ settings }: Pick<Form, 'settings'>): readonly FormField[] =>
  parseSettings(settings).fields.filter(({ type }) => isSeen(type))

/** Adds up what people answered, in small steps. Between two of them, anything may be written. */
export const answerCounter = (db: Db) => {
  const scan = submissionScan(db)
  const filesOf = submissionsWithFiles(db)

  /** The fields of a form that has not described any: names with few different short values among the newest. */
  function* guess(list: List, begunAt: string): Generator<void, FormField[]> {
    const values = new Map<string, Set<string> | null>()
    let seen = 0
    yield* scan({ list, from: '', before: begunAt + afterEveryId }, nothing, ({ data }) => {
      for (const [name, value] of Object.entries(data === '' ? {} : (JSON.parse(data) as object))) {
        const known = values.get(name)
        if (known === null || (known === undefined && values.size >= maxGuessed)) continue
        const texts = textsOf(value)
        const all = new Set([...(known ?? []), ...texts])
        const isShort = texts.every((text) => text.length <= maxShort && !text.startsWith('{'))
        values.set(name, isShort && all.size <= maxValues ? all : null)
      }
      return ++seen === maxGuessed
    })
    return [...values]
      .flatMap(([name, options]) =>
        options?.size ? { name, type: 'choice' as const, options: [...options].sort() } : [],
      )
      .slice(0, maxFields)
  }

  return (form: Form, { filter, range }: AnswersQuery, pick?: PickIds, after?: CountedSoFar) => {
    const list = inboxOf(form.number)
    const begunAt = after?.begunAt ?? form.latestId
    const ends = bounds(range)
    const before = after && after.endedAt < ends.before ? after.endedAt : ends.before
    const state = {
      total: 0,
      searched: 0,
      newest: null as string | null,
      oldest: null as string | null,
      position: before as string | null,
    }
    const tallies = new Map<string, ReturnType<typeof fieldTally>>()

    function* steps(): Generator<void, void> {
      const isDescribed = parseSettings(form.settings).fields.length > 0
      const fields = isDescribed ? describedFields(form) : yield* guess(list, begunAt)
      let place = 0
      for (const field of fields)
        tallies.set(field.name, fieldTally(field, hasNumbers(field.type) ? after?.numbers[place++] : undefined))
      const scanned = {
        list,
        from: ends.from,
        before,
        ...(pick && { pick }),
        ...(filter.hasFiles !== null && { filesOf }),
      }
      yield* scan(scanned, textFinder(filter), ({ id }, json) => {
        state.position = id
        state.searched++
        if (json === undefined) return false
        state.total++
        state.newest ??= id
        state.oldest = id
        const data = JSON.parse(json) as Record<string, unknown>
        for (const name in data) tallies.get(name)?.add(data[name])
        return false
      })
      state.position = null
    }

    return {
      steps: steps(),

      /** What the steps have found so far. `next` is null when all was counted. */
      soFar() {
        const { position, ...counted } = state
        const ended = [...tallies.values()].map((tally) => tally.end(state.total, position === null))
        const numbers = ended.flatMap(({ answers, carried }) => (answers.number ? [carried] : []))
        const fields: readonly FieldAnswers[] = ended.map(({ answers }) => answers)
        const next: CountedSoFar | null = position === null ? null : { begunAt, endedAt: position, numbers }
        return { ...counted, fields, next }
      },
    }
  }
}

const nothing: Finder<true> = {
  mayMatch: () => false,
  begin: () => ({ feed() {}, isDecided: () => true, result: () => undefined }),
}

/** Finds the whole text of submissions that have what is wanted. */
const textFinder = (filter: Filter): Finder<string> => ({
  mayMatch: quickCheck(filter),
  begin(hasStoredFiles) {
    const match = isOfContent(filter) ? submissionMatch(filter, hasStoredFiles) : undefined
    let text = ''
    return {
      feed(json) {
        text += json
        match?.feed(json)
      },
      isDecided: () => false,
      result: () => (match === undefined || match.isMatch() ? text : undefined),
    }
  },
})
