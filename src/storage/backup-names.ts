import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { targetOfPartial } from './partial-file.ts'

// The name of a backup that the server makes contains the time: unlike the time of a file, it does not change when the
// backup is copied or restored. It also distinguishes backups from other files in the folder.

/** The folder of the server's own backups. */
export const backupFolder = (dataFolder: string): string => join(dataFolder, 'backups')

/** The names of all files in the folder; none if there is no folder. */
export const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** `formbox-20261121T080100Z.db` */
export const backupName = (time: number): string => `formbox-${toStamp(time)}.db`

/** `20261121T080100Z` */
export const toStamp = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Unix milliseconds at which the server made the backup; undefined if it is not one of the server's. */
export const backupTime = (name: string): number | undefined => {
  const [, year, month, day, hour, minute, second] = pattern.exec(name) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}
const pattern = /^formbox-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/

/**
 * Unix milliseconds at which the next backup is due: the time of the newest plus the interval. If there is none, it is
 * due now. A backup with a time in the future was made while the clock was wrong. It does not count, or there might be
 * no backup for years.
 */
export const nextBackupAt = (names: readonly string[], now: number, everyMilliseconds: number): number =>
  Math.max(...madeUntil(names, now).map(([, time]) => time + everyMilliseconds), 0) || now

/** The newest backup; undefined if there is none. One with a time in the future does not count. */
export const newestBackup = (names: readonly string[], now: number): string | undefined =>
  newestFirst(names, now)[0]?.[0]

/** The names of the backups to remove, so that the newest `keep` are kept; 0 keeps all. */
export const obsoleteBackups = (names: readonly string[], now: number, keep: number): string[] =>
  keep === 0
    ? []
    : newestFirst(names, now)
        .slice(keep)
        .map(([name]) => name)

const newestFirst = (names: readonly string[], now: number): [name: string, time: number][] =>
  madeUntil(names, now).sort(([, one], [, other]) => other - one)

const madeUntil = (names: readonly string[], now: number): [name: string, time: number][] =>
  names.flatMap((name) => {
    const time = backupTime(name)
    return time !== undefined && time <= now ? [[name, time]] : []
  })

/** Whether it is a part of a backup, left by a server that was killed while it was made. */
export const isPartialBackup = (name: string): boolean => backupTime(targetOfPartial(name) ?? '') !== undefined
