import { sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import type { Reader } from './db/reader.ts'
import { forms } from './db/tables.ts'
import { unavailable } from './errors.ts'

/** `GET /healthz`: 200 while the process lives and the database answers. */
export const health = ({ db }: Reader) => {
  const probe = db.select({ number: forms.number }).from(forms).where(sql`${forms.number} = 0`).prepare()
  return new Elysia({ name: 'health' }).get(
    '/healthz',
    () => {
      try {
        probe.get()
      } catch {
        throw unavailable(5)
      }
      return { status: 'ok' }
    },
    { detail: { hide: true } },
  )
}
