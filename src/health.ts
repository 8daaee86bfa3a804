import { statfsSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import type { Reader } from './db/reader.ts'
import { forms } from './db/tables.ts'
import type { ProbeWrites } from './db/writer/probe.ts'
import type { Writer } from './db/writer/writer.ts'
import { AppError, unavailable } from './errors.ts'

/** Bytes that have to be free on the disk: a few of the largest submissions. */
const minFreeBytes = 4 * 1024 * 1024

interface Options {
  readonly dataFolder: string
  readonly reader: Reader
  readonly writer: Writer<ProbeWrites>
  readonly isStopping: () => boolean
}

/**
 * `GET /healthz`: 200 while the process lives, the database answers and the disk takes writes.
 * `GET /readyz`: 200 while requests should be sent here. A disk that is full is no reason not to: reading goes on, and
 * there is no other server to ask. What is migrated has been before anybody listens.
 */
export const health = ({ dataFolder, reader: { db }, writer, isStopping }: Options) => {
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
      const { bavail, bsize } = statfsSync(dataFolder)
      return bavail * bsize >= minFreeBytes
    } catch {
      return false
    }
  }

  return new Elysia({ name: 'health', detail: { hide: true } })
    .get('/healthz', async () => {
      if (!answers() || !hasRoom()) throw unavailable(5)
      // Only a new try shows whether there is room again, and nobody else may be trying.
      if (writer.isFailing()) await writer.run('probe', undefined)
      return { status: 'ok' }
    })
    .get('/readyz', () => {
      if (isStopping() || !writer.isOpen() || !answers()) throw notReady()
      return { status: 'ready' }
    })
}

const notReady = (): AppError => new AppError('unavailable', 'Not ready', { retryAfterSeconds: 1 })
