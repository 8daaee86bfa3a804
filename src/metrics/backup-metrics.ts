import type { OnBackup } from '../jobs/keep-backups.ts'

type Backup = Parameters<OnBackup>[0]

export interface BackupMetrics {
  readonly count: OnBackup
  /** Attempts since the start. */
  attempts(): Iterable<readonly [labels: Pick<Backup, 'place' | 'result'>, count: number]>
  /** When the newest backup in each place was made, as Unix time in seconds. */
  newest(): Iterable<readonly [labels: Pick<Backup, 'place'>, seconds: number]>
}

export const createBackupMetrics = (): BackupMetrics => {
  const attempts = new Map<string, [Pick<Backup, 'place' | 'result'>, number]>()
  const newest = new Map<string, [Pick<Backup, 'place'>, number]>()
  return {
    count({ place, result, newestAt }) {
      if (result) {
        const [, count] = attempts.get(place + result) ?? []
        attempts.set(place + result, [{ place, result }, (count ?? 0) + 1])
      }
      if (newestAt !== undefined) newest.set(place, [{ place }, newestAt / 1000])
    },
    attempts: () => attempts.values(),
    newest: () => newest.values(),
  }
}
