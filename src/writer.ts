// The Worker that executes every write: an entry point of its own, also in the executable.
import { sessionWrites } from './accounts/session-writes.ts'
import { accountWrites } from './accounts/writes.ts'
import { probeWrites } from './db/probe.ts'
import { runWriter } from './db/run-writer.ts'
import { formWrites } from './forms/writes.ts'
import { keyWrites } from './keys/writes.ts'
import { submissionWrites } from './submissions/writes.ts'

runWriter((db) => ({
  ...formWrites(db),
  ...submissionWrites(db),
  ...accountWrites(db),
  ...sessionWrites(db),
  ...keyWrites(db),
  ...probeWrites(db),
}))
