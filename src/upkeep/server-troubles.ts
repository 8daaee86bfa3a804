import type { Config } from '../config/config.ts'
import type { Disk, KeptBackups } from './backups/look-at-disk.ts'
import { isOneForAll } from './server-needs.ts'
import type { SinceStart } from './since-start.ts'

/** What a server knows of itself. */
export interface Known {
  readonly config: Config
  readonly now: number
  readonly sinceStart: SinceStart
  readonly disk: Disk
  readonly backups: KeptBackups
}

/** What is wrong with a server, whoever asks: each of these is red on its page. What a request shows beside is not in it. */
export const findTroubles = ({ config, now, sinceStart, disk, backups }: Known) => ({
  mail: sinceStart.failureOf('mail')?.isLasting === true,
  proxy: isOneForAll(config, sinceStart.senders()),
  backups:
    sinceStart.failureOf('local') ??
    sinceStart.failureOf('s3') ??
    (isLate(config.backupEveryMilliseconds, backups, now) ? ('late' as const) : null),
  space: disk.freeBytes < config.minFreeBytes,
})

const isLate = (every: number | null, { newest }: KeptBackups, now: number): boolean =>
  every !== null && newest !== null && now - newest.at > 2 * every
