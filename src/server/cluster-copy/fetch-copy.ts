import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { minuteMilliseconds } from '../../base/durations.ts'
import { cannot } from '../../base/operator-errors.ts'
import { clusterCopyPath } from '../../config/addresses.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import { parseBatch } from '../../storage/cluster/batch-text.ts'
import { fingerprintOf } from '../../storage/cluster/fingerprint.ts'
import { type ClusterLog, LogUnavailable, type NodeSeen } from '../../storage/cluster/log.ts'
import { openLog } from '../../storage/cluster/open-log.ts'
import { readPosition } from '../../storage/cluster/position.ts'
import { openDataFolder } from '../../storage/data-folder.ts'
import { turnMilliseconds } from '../../storage/folder-lock.ts'
import { type Connection, connect } from '../../storage/open.ts'
import { partialFile, removeAbandoned, removePartial } from '../../storage/partial-file.ts'
import { forms, users } from '../../storage/tables.ts'
import { backupFile, restoreDataFile } from '../../upkeep/backups/restore.ts'

interface Options {
  readonly cluster: ClusterConfig
  readonly folder: string
  readonly now: () => number
  /** Called with one line for each step, and with the reason if a machine gave no copy. */
  readonly onStep: (line: string) => void
}

/** A machine that has not reported for this long does not run. */
const silentSeconds = 15
/** Number of looks for a machine that has executed more, one each second. */
const maxTries = 5
/** Time for the other machine to make the copy, and between two pieces of it. */
const limitMilliseconds = { first: 30 * minuteMilliseconds, next: minuteMilliseconds }

/**
 * Replaces the data of a machine that needs rows that the log no longer has, or of a new one, with a copy of another
 * machine's. Does nothing if the log still has all that this machine needs, or cannot be reached.
 */
export const copyFromNeighbour = async ({ cluster, folder, now, onStep }: Options): Promise<void> => {
  const lock = openDataFolder(folder, undefined, turnMilliseconds)
  const log = openLog(cluster.engine)
  try {
    await log.prepare()
    const applied = await withFile(folder, (db) => neededFrom(db, log))
    if (applied === null) return
    const neighbours = await findAhead(log, cluster.node, applied)
    const token = await log.token()
    for (const neighbour of neighbours) if (await tryCopy(neighbour, { token, folder, now, onStep })) return
  } catch (error) {
    if (!(error instanceof LogUnavailable)) throw error
  } finally {
    await log.close()
    lock.release()
  }
}

/** The row up to which the file has executed the log, if it cannot go on from there; otherwise null. */
const neededFrom = async (db: Connection, log: ClusterLog): Promise<number | null> => {
  const { seq } = readPosition(db)
  const ends = await log.ends()
  if (!ends) return null
  if (seq > 0) return ends.first > seq && ends.last > seq ? seq : null
  if (!isEmpty(db)) return null
  if (ends.first > 1) return 0
  const [first] = (await log.readFrom(0)).rows
  const batch = first && parseBatch(first.batch)
  return batch && 'begin' in batch && batch.begin !== fingerprintOf(db.$client).all ? 0 : null
}

/** The machines that run and have executed more. One that has just started reports its position after two seconds. */
const findAhead = async (log: ClusterLog, own: string, applied: number): Promise<NodeSeen[]> => {
  for (let tries = 1; ; tries++) {
    const running = (await log.nodes()).filter(
      ({ name, url, secondsAgo }) => name !== own && url !== null && secondsAgo < silentSeconds,
    )
    const ahead = running.filter(({ applied: has }) => has > applied)
    if (ahead.length > 0 || running.length === 0 || tries === maxTries) return ahead
    await Bun.sleep(1000)
  }
}

/** Whether there is no data that a user has stored: that is never replaced without a command. */
const isEmpty = (db: Connection): boolean => !db.select().from(users).get() && !db.select().from(forms).get()

const withFile = async <T>(folder: string, work: (db: Connection) => Promise<T>): Promise<T> => {
  const db = connect(folder)
  try {
    return await work(db)
  } finally {
    db.$client.close()
  }
}

interface CopyOptions extends Pick<Options, 'folder' | 'now' | 'onStep'> {
  readonly token: string
}

const tryCopy = async ({ name, url }: NodeSeen, { token, folder, now, onStep }: CopyOptions): Promise<boolean> => {
  const target = join(folder, 'formbox.cluster')
  const path = partialFile(target, process.pid)
  removeAbandoned(target, true)
  try {
    onStep(`copying the data of ${name}, because the log of the cluster no longer has what this machine needs`)
    await download(`${url}${clusterCopyPath.route}`, token, path)
    const replaced = await restoreDataFile(backupFile(path, folder), folder, now(), true)
    onStep(`the data of ${name} is here${replaced === null ? '' : `; what was here before is kept in ${replaced}`}`)
    return true
  } catch (error) {
    onStep(cannot(`copy the data of ${name}`, error).message)
    return false
  } finally {
    removePartial(path)
  }
}

const download = async (url: string, token: string, path: string): Promise<void> => {
  const file = openSync(path, 'wx', 0o600)
  const stopping = new AbortController()
  let timer = setTimeout(() => stopping.abort(), limitMilliseconds.first)
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: stopping.signal,
    })
    if (response.status !== 200 || !response.body) throw new Error(`it responded with ${response.status}`)
    for await (const chunk of response.body) {
      clearTimeout(timer)
      timer = setTimeout(() => stopping.abort(), limitMilliseconds.next)
      writeSync(file, chunk)
    }
  } finally {
    clearTimeout(timer)
    closeSync(file)
  }
}
