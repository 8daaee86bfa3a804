// The Worker that executes every write: an entry point of its own, also in the executable.

import { joinWrites } from './all-writes.ts'
import { runWriter } from './db/writer/worker.ts'

runWriter(joinWrites)
