import { targetOfPartial } from '../db/partial-file.ts'

// Backups that the server made carry their time in their name: it survives copying and restoring, as the time of a file
// does not, and tells them from the files that others put beside them.

/** `formbox-20261121T080100Z.db` */
export const backupName = (time: number): string => `formbox-${toStamp(time)}.db`

/** `20261121T080100Z` */
export const toStamp = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Unix time in milliseconds when the server made that backup; undefined for a file that is none of its own. */
export const backupTime = (name: string): number | undefined => {
  const [, year, month, day, hour, minute, second] = pattern.exec(name) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time) ? undefined : time
}
const pattern = /^formbox-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/

/**
 * When the next backup is due, by the names of those that are there: the time of the newest and the interval. Without
 * one it is due now. One that is dated ahead was made while the clock was wrong and does not count, or there might be
 * none for years.
 */
export const nextBackupAt = (names: readonly string[], now: number, everyMilliseconds: number): number =>
  Math.max(...madeUntil(names, now).map(([, time]) => time + everyMilliseconds), 0) || now

/** The names of those to remove when the newest `keep` stay; 0 keeps all. */
export const obsoleteBackups = (names: readonly string[], now: number, keep: number): string[] =>
  keep === 0
    ? []
    : madeUntil(names, now)
        .sort(([, one], [, other]) => other - one)
        .slice(keep)
        .map(([name]) => name)

const madeUntil = (names: readonly string[], now: number): [name: string, time: number][] =>
  names.flatMap((name) => {
    const time = backupTime(name)
    return time !== undefined && time <= now ? [[name, time]] : []
  })

/** Whether the server was killed while it wrote this. */
export const isPartialBackup = (name: string): boolean => backupTime(targetOfPartial(name) ?? '') !== undefined
