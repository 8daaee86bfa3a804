import { readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { dayMilliseconds } from '../base/durations.ts'
import { sha256 } from '../base/hash.ts'

/** The file that a process writes before it is renamed to the target. The process must run in the scope of this one. */
export const partialFile = (target: string, processId: number): string =>
  `${target}.partial-${processScope()}-${processId}`

/**
 * The target of the partial file in which an import puts its submissions. It is never renamed to it.
 *
 * @param name tells imports of one process apart
 */
export const importTarget = (folder: string, name = 'formbox.import'): string => join(folder, name)

/** The target of a `partialFile`, such as `backup.db`; undefined for any other name. */
export const targetOfPartial = (name: string): string | undefined => pattern.exec(name)?.[1]
const pattern = /^(.+)\.partial-([0-9a-f]{8})-(\d+)(?:-journal|-wal|-shm)?$/

export const removePartial = (partial: string): void => {
  // SQLite keeps a journal while it copies. A copy of a file that has a log and its index has them too.
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
}

/** Whether a file has the name of a partial one that neither this process nor its parent writes. */
export const isPartialOfOthers = (name: string): boolean => {
  const [, , where, processId] = pattern.exec(name) ?? []
  return where !== undefined && (where !== processScope() || ![process.pid, process.ppid].includes(Number(processId)))
}

/** Whether a file of this name was left by a process that was killed, as far as this process can know. */
export const isAbandoned = (name: string): boolean => {
  const [, , where, processId] = pattern.exec(name) ?? []
  return where === processScope() && isDead(Number(processId), true)
}

/**
 * Removes the partial files of processes that were killed while they wrote to the same folder. The next file there often
 * has another name, such as one with its date.
 *
 * @param isAlone whether the caller has the lock without which no process writes that target
 */
export const removeAbandoned = (target: string, isAlone = false): void => {
  for (const name of readdirSync(dirname(target))) {
    const [, start, where, processId] = pattern.exec(name) ?? []
    if (start === undefined) continue
    const path = join(dirname(target), name)
    const isSame = start === basename(target)
    const isLeft = where === processScope() ? isDead(Number(processId), isSame) : isOld(path)
    if ((isSame && isAlone) || isLeft) rmSync(path, { force: true })
  }
}

/** Long enough: copying writes all the time, and the check of the copy afterwards takes a second a GB. */
const oldMilliseconds = dayMilliseconds

/** For a file of a process in another scope: whether that process is alive cannot be found out. */
const isOld = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > oldMilliseconds
}

/** @param isOwnDead the answer for this process: before it writes a target, an earlier one with its number has left it */
const isDead = (processId: number, isOwnDead: boolean): boolean => {
  if (processId === process.pid) return isOwnDead
  try {
    return !process.kill(processId, 0)
  } catch (error) {
    return (error as { code?: unknown }).code !== 'EPERM'
  }
}

/**
 * Identifies the scope in which a process number means one process: two containers with the same volume each have a
 * process 7. They differ in their host names and, on one machine, in their process namespaces.
 */
const processScope = (): string => (knownScope ??= sha256(`${hostname()} ${processNamespace()}`, 'hex').slice(0, 8))
let knownScope: string | undefined

const processNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has namespaces.
    return ''
  }
}
