import { sessionWrites } from './accounts/session-writes.ts'
import { accountWrites } from './accounts/writes.ts'
import type { Db } from './db/open.ts'
import { probeWrites } from './db/probe.ts'
import { formWrites } from './forms/writes.ts'
import { keyWrites } from './keys/writes.ts'
import { submissionWrites } from './submissions/writes.ts'

export type Writes = ReturnType<typeof joinWrites>

/** Every write of the service by its name. */
export const joinWrites = (db: Db) => ({
  ...formWrites(db),
  ...submissionWrites(db),
  ...accountWrites(db),
  ...sessionWrites(db),
  ...keyWrites(db),
  ...probeWrites(db),
})
