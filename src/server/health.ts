import { sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import { AppError, unavailable } from '../base/errors.ts'
import { healthPath, readyPath } from '../config/addresses.ts'
import { type ClusterState, isReady } from '../storage/cluster/state.ts'
import { freeBytes } from '../storage/free-disk.ts'
import type { Reader } from '../storage/reader.ts'
import { forms } from '../storage/tables.ts'
import type { ProbeWrites } from '../storage/writer/probe.ts'
import type { Writer } from '../storage/writer/writer.ts'

/** Bytes that must be free on the disk: enough for a few of the largest submissions. */
const minFreeBytes = 4 * 1024 * 1024

interface Options {
  readonly dataFolder: string
  readonly reader: Reader
  readonly writer: Writer<ProbeWrites>
  readonly isStopping: () => boolean
  readonly cluster: ClusterState | undefined
}

/**
 * `GET /healthz`: 200 if the database answers and the disk can be written. A log of the cluster that does not respond is
 * no fault of this machine, and a restart would only end its reads.
 *
 * `GET /readyz`: 200 if the server should get requests, even with a full disk: reading still works, and no other server
 * could answer. Migrations have been applied before the server listens. A machine of a cluster is not ready while it
 * does not know what the others have written, or while the log takes no writes.
 */
export const health = ({ dataFolder, reader: { db }, writer, isStopping, cluster }: Options) => {
  const probe = db.select({ number: forms.number }).from(forms).where(sql`${forms.number} = 0`).prepare()

  const answers = (): boolean => {
    try {
      probe.get()
      return true
    } catch {
      return false
    }
  }

  const hasRoom = (): boolean => {
    try {
      return freeBytes(dataFolder) >= minFreeBytes
    } catch {
      return false
    }
  }

  return new Elysia({ name: 'health' })
    .get(healthPath.route, async () => {
      if (!writer.isWhole() || !answers() || !hasRoom()) throw unavailable(5)
      if (cluster && cluster.get('failing') > 0) throw unavailable(5)
      // Only another write shows whether the disk has recovered, and there may be no other.
      if (!cluster && writer.isFailing()) await writer.run('probe', undefined)
      return { status: 'ok' }
    })
    .get(readyPath.route, () => {
      if (cluster && !isReady(cluster)) throw notReady()
      if (isStopping() || !writer.isOpen() || !writer.isWhole() || !answers()) throw notReady()
      return { status: 'ready' }
    })
}

const notReady = (): AppError => new AppError('unavailable', 'Not ready', { retryAfterSeconds: 1 })
