import { backupFolder, backupTime, namesIn } from '../backups/names.ts'
import type { Config } from '../config/config.ts'
import { AppError, unavailable } from '../errors.ts'
import type { ListName } from '../forms/lists.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { Match } from './scan.ts'

/** What was erased, for the record: nothing of its contents. */
export interface Receipt {
  /** Unix milliseconds. */
  readonly erasedAt: number
  readonly submissions: readonly Pick<Match, 'formId' | 'submissionId' | 'list'>[]
  readonly backups: Backups
}

/** The automatic backups that still hold what was erased. */
export interface Backups {
  /** Whether there are any. */
  readonly kept: 'none' | 'some' | 'all'
  /** When the last of them is removed, as Unix milliseconds, if the server goes on making backups; null unless `kept` is `some`. */
  readonly endAt: number | null
  readonly isOffSite: boolean
}

interface Options {
  readonly config: Pick<Config, 'dataFolder' | 'backupEveryMilliseconds' | 'backupKeep' | 'backupS3'>
  readonly submissions: Pick<SubmissionStore, 'deleteSubmissions'>
  readonly now: () => number
}

/** Submissions that one write deletes: some milliseconds, in which others wait. */
const maxIds = 100

/**
 * Deletes submissions for good, wherever they are by now. Passes over those that somebody else has deleted. If the server
 * ends in the middle, the rest of them is still there, and is found again.
 *
 * @throws AppError `unavailable` that says how many were deleted
 */
export const eraseMatches = async (
  { config, submissions, now }: Options,
  userId: string,
  matches: readonly Match[],
): Promise<Receipt> => {
  const erased: Match[] = []
  const lists = Map.groupBy(matches, ({ formId, list }) => `${formId} ${list}`)
  try {
    for (const ofList of lists.values())
      for (let start = 0; start < ofList.length; start += maxIds)
        erased.push(...(await eraseSlice(submissions, userId, ofList.slice(start, start + maxIds))))
  } catch (error) {
    if (erased.length === 0 || !(error instanceof AppError) || error.code !== 'unavailable') throw error
    throw unavailable(error.retryAfterSeconds ?? 1, `${erased.length} of ${matches.length} submissions were erased`)
  }
  const erasedAt = now()
  return {
    erasedAt,
    submissions: erased.map(({ formId, submissionId, list }) => ({ formId, submissionId, list })),
    backups: backupsWith(config, erasedAt),
  }
}

/** Of one list of one form. */
const eraseSlice = async (
  submissions: Options['submissions'],
  userId: string,
  slice: readonly Match[],
): Promise<Match[]> => {
  const [{ formId, list }] = slice as [Match]
  const remove = (from: ListName, ids: readonly string[]) =>
    unlessMissing(submissions.deleteSubmissions(userId, formId, from, ids, true))
  const ids = slice.map(({ submissionId }) => submissionId)
  if (await remove(list, ids)) return [...slice]
  // One of them was deleted meanwhile, or moved to the other list.
  const erased: Match[] = []
  for (const match of slice)
    if (
      (await remove(list, [match.submissionId])) ||
      (await remove(list === 'inbox' ? 'spam' : 'inbox', [match.submissionId]))
    )
      erased.push(match)
  return erased
}

const unlessMissing = async (deletion: Promise<void>): Promise<boolean> => {
  try {
    await deletion
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false
    throw error
  }
}

/**
 * The newest backup that may hold it was begun just now. It is removed when so many newer ones are there.
 */
const backupsWith = (
  { dataFolder, backupEveryMilliseconds: every, backupKeep: keep, backupS3 }: Options['config'],
  now: number,
): Backups => {
  const isOffSite = backupS3 !== null
  const isAnyThere = namesIn(backupFolder(dataFolder)).some((name) => backupTime(name) !== undefined)
  if (every === null && !isAnyThere && !isOffSite) return { kept: 'none', endAt: null, isOffSite }
  // Without new ones, none is removed.
  if (every === null || keep === 0) return { kept: 'all', endAt: null, isOffSite }
  return { kept: 'some', endAt: now + keep * every, isOffSite }
}
