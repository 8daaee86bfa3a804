// The Worker that executes every write: an entry point of its own, also in the executable.
import { runWriter } from './db/run-writer.ts'
import { formWrites } from './forms/writes.ts'
import { submissionWrites } from './submissions/writes.ts'

runWriter((db) => ({ ...formWrites(db), ...submissionWrites(db) }))
