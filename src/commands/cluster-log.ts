import { type ClusterLog, LogUnavailable } from '../cluster/log.ts'
import { invalid } from '../errors.ts'
import { OperatorError } from '../operator-errors.ts'
import type { Flags } from './command.ts'
import { configFor } from './setting-flags.ts'

/**
 * Opens the log of the cluster for one command.
 *
 * @throws AppError `invalid` without FORMBOX_CLUSTER, OperatorError if the engine does not answer
 */
export const withLog = async <T>(flags: Flags, work: (log: ClusterLog) => Promise<T>): Promise<T> => {
  const { cluster } = configFor(flags)
  if (!cluster) throw invalid({ field: 'FORMBOX_CLUSTER', message: 'must be set: it names the cluster' })
  const { openLog } = await import('../cluster/open-log.ts')
  const log = openLog(cluster.engine)
  try {
    await log.prepare()
    return await work(log)
  } catch (error) {
    if (error instanceof LogUnavailable) throw new OperatorError(error.message)
    throw error
  } finally {
    await log.close()
  }
}
