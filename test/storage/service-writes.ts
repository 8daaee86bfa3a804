// Every write of the service, as src/writer.ts joins them for its thread.
import { sessionWrites } from '../../src/accounts/session-writes.ts'
import { accountWrites } from '../../src/accounts/writes.ts'
import type { Writes } from '../../src/app.ts'
import type { Db } from '../../src/db/open.ts'
import { formWrites } from '../../src/forms/writes.ts'
import { keyWrites } from '../../src/keys/writes.ts'
import { submissionWrites } from '../../src/submissions/writes.ts'

export const serviceWrites = (db: Db): Writes => ({
  ...formWrites(db),
  ...submissionWrites(db),
  ...accountWrites(db),
  ...sessionWrites(db),
  ...keyWrites(db),
})
