import { readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** What that process writes before it has the name of the target. The process has to run where this one does. */
export const partialFile = (target: string, processId: number): string => `${target}.partial-${place()}-${processId}`

/** What `partialFile` is of, such as `backup.db`; undefined for any other name. */
export const targetOfPartial = (name: string): string | undefined => pattern.exec(name)?.[1]
const pattern = /^(.+)\.partial-([0-9a-f]{8})-(\d+)(?:-journal|-wal|-shm)?$/

export const removePartial = (partial: string): void => {
  // SQLite has a journal while it copies, and a log and its index where the copy is of a file that has them.
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
}

/**
 * Removes what processes left behind that were killed while they copied to the same name.
 *
 * @param isAlone whether the caller has a lock without which nobody writes that target
 */
export const removeAbandoned = (target: string, isAlone = false): void => {
  for (const name of readdirSync(dirname(target))) {
    const [, start, where, processId] = pattern.exec(name) ?? []
    if (start !== basename(target)) continue
    const path = join(dirname(target), name)
    if (isAlone || (where === place() ? !isOther(Number(processId)) : isOld(path))) rmSync(path, { force: true })
  }
}

/** Copying writes all the time, and checking what was written takes a second a GB. */
const oldMilliseconds = 24 * 3_600_000

/** Of a process in another place, which cannot be asked. */
const isOld = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > oldMilliseconds
}

/** Whether it is a process that lives, and not this one. */
const isOther = (processId: number): boolean => {
  if (processId === process.pid) return false
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

/**
 * Within which the number of a process means one process: two containers with the same volume have a process 7 each.
 * They differ in their name, and on one machine in the namespace of their processes.
 */
const place = (): string =>
  (knownPlace ??= new Bun.CryptoHasher('sha256')
    .update(`${hostname()} ${processNamespace()}`)
    .digest('hex')
    .slice(0, 8))
let knownPlace: string | undefined

const processNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Linux alone has them.
    return ''
  }
}
