// The Worker that executes all writes. It is an entry point, also in the executable.

import { joinWrites } from './all-writes.ts'
import { runWriter } from './db/writer/worker.ts'

runWriter(joinWrites, async () => (await import('./cluster/worker.ts')).followLog)
