// The Worker that executes all writes. It is an entry point, also in the executable.

import { runWriter } from '../storage/writer/worker.ts'
import { joinWrites } from './all-writes.ts'

/** A standalone machine loads nothing of this. */
const loadCluster = async () => {
  const { clusterJoiner } = await import('../storage/cluster/worker.ts')
  const { backedUpReader } = await import('./backups/backup-file.ts')
  return clusterJoiner(backedUpReader)
}

runWriter(joinWrites, loadCluster)
