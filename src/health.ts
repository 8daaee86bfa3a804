import { statfsSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import type { ProbeWrites } from './db/probe.ts'
import type { Reader } from './db/reader.ts'
import { forms } from './db/tables.ts'
import type { Writer } from './db/writer.ts'
import { unavailable } from './errors.ts'

/** Bytes that have to be free on the disk: a few of the largest submissions. */
const minFreeBytes = 4 * 1024 * 1024

interface Options {
  readonly dataFolder: string
  readonly reader: Reader
  readonly writer: Writer<ProbeWrites>
}

/** `GET /healthz`: 200 while the process lives, the database answers and the disk takes writes. */
export const health = ({ dataFolder, reader: { db }, writer }: Options) => {
  const probe = db.select({ number: forms.number }).from(forms).where(sql`${forms.number} = 0`).prepare()
  return new Elysia({ name: 'health' }).get(
    '/healthz',
    async () => {
      try {
        probe.get()
        const { bavail, bsize } = statfsSync(dataFolder)
        if (bavail * bsize < minFreeBytes) throw unavailable(5)
      } catch {
        throw unavailable(5)
      }
      // Only a new try shows whether there is room again, and nobody else may be trying.
      if (writer.isFailing()) await writer.run('probe', undefined)
      return { status: 'ok' }
    },
    { detail: { hide: true } },
  )
}
