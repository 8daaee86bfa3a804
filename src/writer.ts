// The Worker that executes every write: an entry point of its own, also in the executable.
import { runWriter } from './db/run-writer.ts'
import { joinWrites } from './writes.ts'

runWriter(joinWrites)
