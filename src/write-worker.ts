// The Worker that executes all writes. It is an entry point, also in the executable.

import { joinWrites } from './all-writes.ts'
import { runWriter } from './db/writer/worker.ts'

/** A standalone machine loads nothing of this. */
const loadCluster = async () => {
  const { clusterJoiner } = await import('./cluster/worker.ts')
  const { backedUpReader } = await import('./backups/backed-up.ts')
  return clusterJoiner(backedUpReader)
}

runWriter(joinWrites, loadCluster)
