import { AppError, expecting } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { backupFolder, backupTime, namesIn } from '../../storage/backup-names.ts'
import { type ListName, reachedLists } from '../../submissions/lists.ts'
import type { SubmissionStore } from '../../submissions/store.ts'
import type { Match } from './scan.ts'

/** The record of an erasure: nothing of the erased contents. */
export interface Receipt {
  /** Unix milliseconds. */
  readonly erasedAt: number
  readonly submissions: readonly Pick<Match, 'formId' | 'submissionId' | 'list'>[]
  readonly backups: Backups
}

/** The erased submissions, and why the rest was not; null if that is all. */
export interface Erasure {
  readonly receipt: Receipt
  readonly refusal: AppError | null
}

/** The automatic backups that still hold what was erased. */
interface Backups {
  /** Whether there are any. */
  readonly kept: 'none' | 'some' | 'all'
  /**
   * When the last of them is removed, as Unix milliseconds, if the server goes on making backups; null unless `kept` is
   * `some`.
   */
  readonly endAt: number | null
  readonly isOffSite: boolean
}

interface Options {
  readonly config: Pick<Config, 'dataFolder' | 'backupEveryMilliseconds' | 'backupKeep' | 'offSiteUrl'>
  readonly submissions: Pick<SubmissionStore, 'deleteSubmissions'>
  readonly now: () => number
}

/** Submissions that one write deletes: some milliseconds, in which others wait. */
const maxIds = 100

/**
 * Deletes submissions for good, wherever they are by now. Passes over those that someone else has deleted. What is refused
 * after some were deleted is told beside the receipt for these. The rest of them is still there, and is found again, as it
 * is if the server ends in the middle.
 *
 * @throws AppError if nothing was deleted
 */
export const eraseMatches = async (
  { config, submissions, now }: Options,
  userId: string,
  matches: readonly Match[],
): Promise<Erasure> => {
  const erased: Match[] = []
  const lists = Map.groupBy(matches, ({ formId, list }) => `${formId} ${list}`)
  let refusal: AppError | null = null
  try {
    for (const ofList of lists.values())
      for (let start = 0; start < ofList.length; start += maxIds)
        await eraseSlice(submissions, userId, ofList.slice(start, start + maxIds), erased)
  } catch (error) {
    if (erased.length === 0) throw error
    refusal = toRefusal(error, `${erased.length} of ${matches.length} submissions were erased`)
  }
  const erasedAt = now()
  return {
    receipt: {
      erasedAt,
      submissions: erased.map(({ formId, submissionId, list }) => ({ formId, submissionId, list })),
      backups: backupsWith(config, erasedAt),
    },
    refusal,
  }
}

const toRefusal = (error: unknown, remark: string): AppError => {
  if (!(error instanceof AppError)) return new AppError('internal', 'Internal server error', { cause: error })
  const { code, message, issues, retryAfterSeconds } = error
  return new AppError(code, `${message}; ${remark}`, {
    issues,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** Erases in one list of one form. Adds each that is deleted to `erased`. */
const eraseSlice = async (
  submissions: Options['submissions'],
  userId: string,
  slice: readonly Match[],
  erased: Match[],
): Promise<void> => {
  const [{ formId, list }] = slice as [Match]
  const remove = (from: ListName, ids: readonly string[]) =>
    unlessMissing(() => submissions.deleteSubmissions(userId, formId, from, ids, true))
  const ids = slice.map(({ submissionId }) => submissionId)
  if (await remove(list, ids)) return void erased.push(...slice)
  // One of them was deleted meanwhile, or moved to another list.
  for (const match of slice)
    for (const from of [list, ...reachedLists.filter((one) => one !== list)])
      if (await remove(from, [match.submissionId])) {
        erased.push(match)
        break
      }
}

const unlessMissing = async (remove: () => Promise<void>): Promise<boolean> =>
  (await expecting(['not_found'], remove)).state === 'done'

/**
 * The newest backup that may hold it was begun just now. It is removed when so many newer ones are there.
 */
const backupsWith = (
  { dataFolder, backupEveryMilliseconds: every, backupKeep: keep, offSiteUrl }: Options['config'],
  now: number,
): Backups => {
  const isOffSite = offSiteUrl !== null
  const isAnyThere = namesIn(backupFolder(dataFolder)).some((name) => backupTime(name) !== undefined)
  if (every === null && !isAnyThere && !isOffSite) return { kept: 'none', endAt: null, isOffSite }
  // Without new ones, none is removed.
  if (every === null || keep === 0) return { kept: 'all', endAt: null, isOffSite }
  return { kept: 'some', endAt: now + keep * every, isOffSite }
}
