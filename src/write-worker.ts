// The Worker that executes all writes. It is an entry point, also in the executable.

import { joinWrites } from './all-writes.ts'
import { runWriter } from './db/writer/worker.ts'

/** On a machine of its own, nothing of this is loaded. */
const loadAgreement = async () => {
  const { followLog } = await import('./cluster/worker.ts')
  const { backedUpReader } = await import('./backups/backed-up.ts')
  return followLog(backedUpReader)
}

runWriter(joinWrites, loadAgreement)
