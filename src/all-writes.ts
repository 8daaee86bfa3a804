import type { Connection } from './db/open.ts'
import { probeWrites } from './db/writer/probe.ts'
import { formWrites } from './forms/form-writes.ts'
import { keyWrites } from './keys/key-writes.ts'
import { sessionWrites } from './sessions/session-writes.ts'
import { submissionWrites } from './submissions/submission-writes.ts'
import { userWrites } from './users/user-writes.ts'

export type Writes = ReturnType<typeof joinWrites>

/** All writes of the service by their names. */
export const joinWrites = (db: Connection) => ({
  ...formWrites(db),
  ...submissionWrites(db),
  ...userWrites(db),
  ...sessionWrites(db),
  ...keyWrites(db),
  ...probeWrites(db),
})
