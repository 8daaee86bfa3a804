import { invalid } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { afterEveryId, isId } from '../../base/id.ts'
import { foldValue } from '../../base/search-fold.ts'
import type { TextRule } from '../../base/text-rules.ts'
import type { Config } from '../../config/config.ts'
import type { Action, FormAccess } from '../../forms/access.ts'
import type { Form } from '../../forms/form.ts'
import type { Reader } from '../../storage/reader.ts'
import { fileReads } from '../../submissions/files/file-reads.ts'
import { listNames, listOf } from '../../submissions/lists.ts'
import { runSlice } from '../../submissions/search/scan.ts'
import type { Searcher } from '../../submissions/search/search.ts'
import {
  maxUnansweredMilliseconds,
  type SearchTurn,
  type SearchTurns,
  searchTime,
} from '../../submissions/search/turns.ts'
import type { SubmissionStore } from '../../submissions/store.ts'
import { maxArchivedFiles } from '../export/archive.ts'
import type { ExportedFile, ExportStore } from '../export/store.ts'
import { personArchive } from './archive.ts'
import { type Erasure, eraseMatches } from './erase.ts'
import { type Match, type Position, personScan, startPosition } from './scan.ts'

interface Options {
  readonly config: Pick<Config, 'dataFolder' | 'backupEveryMilliseconds' | 'backupKeep' | 'offSiteUrl' | 'cluster'>
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly access: FormAccess
  readonly submissions: Pick<SubmissionStore, 'deleteSubmissions'>
  readonly exports: Pick<ExportStore, 'exportFrom' | 'note'>
  readonly turns: Pick<SearchTurns, 'begin'>
  readonly now: () => number
  /** How long one search reads before it hands back where it ended. */
  readonly maxReadingMilliseconds?: number
}

/** The value by which a person is looked for. */
export const valueRule: TextRule = { minLength: 1, maxLength: 1000 }

/** Submissions that one response of a search names. */
const maxMatches = 500

/** A value that more submissions have than this is no name and no address of one person. */
export const maxOfPerson = 10_000

/** Matches whose files are counted in one slice. */
const matchesOfSlice = 100

/** Finds and erases what a person has sent, in all forms of a user. */
export const openPeopleStore = (options: Options) => {
  const {
    config,
    reader,
    findForm,
    access,
    submissions,
    exports,
    turns,
    now,
    maxReadingMilliseconds = searchTime.maxReadingMilliseconds,
  } = options
  const scan = personScan(reader.db, findForm, access)
  const { list: listFiles } = fileReads(reader.db)

  /** Reads in slices, until it has found so many, or for so long. Returns what it found and where it ended. */
  const search = async (
    turn: SearchTurn,
    searcher: Searcher,
    { action, value, from, most, maxReadingMilliseconds: maxReading, maxMilliseconds = Infinity }: Search,
  ) => {
    const { signal, checkAccess } = searcher
    const { steps, state } = scan(action, searcher, value, from, most)
    const startedAt = performance.now()
    let read = 0
    for (let took = runSlice(steps); took !== undefined; took = runSlice(steps)) {
      read += took
      if (read >= maxReading || performance.now() - startedAt >= maxMilliseconds) break
      await turn.pause()
      if (signal.aborted) break
      checkAccess()
    }
    // A form may have been deleted, or taken from the user, since it was looked through.
    const mayStill = ({ formId }: Match): boolean => {
      const form = findForm(formId)
      return form !== undefined && access.mayDo(searcher.userId, form, action)
    }
    return { matches: [...state.matches.values()].filter(mayStill), position: state.position }
  }

  /** @throws AppError `invalid` if they are too many, or cannot be looked through in one request */
  const findAll = async (
    action: Action,
    turn: SearchTurn,
    searcher: Searcher,
    value: string,
  ): Promise<readonly Match[]> => {
    const most = maxOfPerson + 1
    const rest = { from: startPosition, most, maxReadingMilliseconds: maxUnansweredMilliseconds }
    const { matches, position } = await search(turn, searcher, { action, value, ...rest })
    if (position === null) return matches
    const message =
      matches.length === most
        ? `is in more than ${maxOfPerson} submissions, so it is not the name or address of one person`
        : 'cannot be looked for in one request, because there are too many submissions'
    throw invalid({ field: 'value', message, path: '/value' })
  }

  /** @throws AppError `invalid` if an archive cannot hold so many */
  const refuseManyFiles = async (turn: SearchTurn, matches: readonly Match[]): Promise<void> => {
    let files = 0
    for (const [position, { formId, list, submissionId }] of matches.entries()) {
      const form = findForm(formId)
      if (form) files += listFiles(listOf(form, list), submissionId).length
      if (position % matchesOfSlice === matchesOfSlice - 1) await turn.pause()
    }
    if (files <= maxArchivedFiles) return
    const message = `is in submissions with ${files} files, and an archive holds at most ${maxArchivedFiles}`
    throw invalid({ field: 'value', message, path: '/value' })
  }

  const inTurn = async <T>({ userId }: Searcher, work: (turn: SearchTurn) => Promise<T>): Promise<T> => {
    const turn = turns.begin(userId)
    try {
      return await work(turn)
    } finally {
      turn.end()
    }
  }

  return {
    /**
     * The submissions with a text that is this value, in all lists of all forms of the user: some of them, and
     * where to go on.
     *
     * @param cursor the `next` of an earlier response, or null
     * @throws AppError `invalid` if the cursor is of another value, `rate_limited` while too many searches are under way
     */
    async findPerson(searcher: Searcher, value: string, cursor: string | null) {
      const from = cursor === null ? startPosition : parseCursor(cursor, value)
      const { matches, position } = await inTurn(searcher, (turn) =>
        search(turn, searcher, {
          action: 'read',
          value,
          from,
          most: maxMatches,
          ...searchTime,
          maxReadingMilliseconds,
        }),
      )
      return { matches, next: position && toCursor(position, value) }
    },

    /**
     * All of them.
     *
     * @throws AppError `invalid` if they are more than 10,000
     */
    findWholePerson: (action: Action, searcher: Searcher, value: string): Promise<readonly Match[]> =>
      inTurn(searcher, (turn) => findAll(action, turn, searcher, value)),

    /** How many of them the user may erase: not those in forms that others share to be read. */
    countErasable: (userId: string, matches: readonly Match[]): number => {
      const mayErase = (id: string): boolean => {
        const form = findForm(id)
        return form !== undefined && access.mayDo(userId, form, 'edit')
      }
      const formIds = new Set([...new Set(matches.map(({ formId }) => formId))].filter(mayErase))
      return matches.filter(({ formId }) => formIds.has(formId)).length
    },

    /**
     * All of them as a ZIP archive (see `personArchive`).
     *
     * @throws AppError `invalid` if they are more than 10,000, or have too many files, `rate_limited` while too many searches
     *   or exports are under way
     */
    exportPerson: (searcher: Searcher, value: string): Promise<ExportedFile> =>
      inTurn(searcher, async (turn) => {
        const matches = await findAll('read', turn, searcher, value)
        await refuseManyFiles(turn, matches)
        const { userId } = searcher
        const shared = new Set(matches.map(({ formId }) => formId).filter((id) => findForm(id)?.userId !== userId))
        const file = exports.exportFrom(userId, (db) => ({
          format: 'zip',
          title: 'What was sent',
          mayRead: () => [...shared].every((id) => !access.isShutOut(userId, id)),
          parts: personArchive(db, { value, matches, now: now() }),
        }))
        exports.note({ userId, formIds: [...new Set(matches.map(({ formId }) => formId))], format: 'zip' })
        return file
      }),

    /**
     * Deletes all of them for good. What comes in while it looks through the forms stays.
     *
     * @param count how many the caller expects
     * @throws AppError `invalid` if they are another number, `unavailable` if it could not delete any of them
     */
    erasePerson: (searcher: Searcher, value: string, count: number): Promise<Erasure> =>
      inTurn(searcher, async (turn) => {
        const found = await findAll('edit', turn, searcher, value)
        if (found.length !== count) {
          const message = `must be the number of submissions that a search finds now, which is ${found.length}`
          throw invalid({ field: 'count', message, path: '/count' })
        }
        searcher.checkAccess()
        return eraseMatches({ config, submissions, now }, searcher.userId, found)
      }),
  }
}

interface Search {
  /** For which a form is looked through. */
  readonly action: Action
  readonly value: string
  readonly from: Position
  readonly most: number
  readonly maxReadingMilliseconds: number
  /** Also of waiting for others. */
  readonly maxMilliseconds?: number
}

const toCursor = ({ formId, list, before }: Position, value: string): string =>
  [formId, list, before, markOf(value)].join('.')

/** @throws AppError `invalid` */
const parseCursor = (cursor: string, value: string): Position => {
  const [formId, name, before = '', mark] = cursor.split('.')
  const isPlace = isId(before) || before === '' || before === afterEveryId
  const list = listNames.find((one) => one === name)
  if (isId(formId) && list && isPlace && mark === markOf(value)) return { formId, list, before }
  throw invalid({ field: 'cursor', message: 'must be the `next` of a search for the same value', path: '/cursor' })
}

/** Tells the cursors of one value from those of others. */
const markOf = (value: string): string => sha256(foldValue(value), 'base64url').slice(0, 10)
