import { describeError } from '../../base/errors.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import { describeNodes, type NodeState } from './describe.ts'

/** What was seen is shown for this long: machines report every two seconds. */
const keptMilliseconds = 2000

/** Asks the log for the machines of the cluster, once for all who look at the same time. Resolves to why it does not answer. */
export const lookAtMachines = ({ engine }: ClusterConfig): (() => Promise<readonly NodeState[] | string>) => {
  let seen: Promise<readonly NodeState[] | string> | undefined
  let seenAt = Number.NEGATIVE_INFINITY

  const look = async (): Promise<readonly NodeState[] | string> => {
    // A standalone machine loads nothing of this.
    const { openLog } = await import('./open-log.ts')
    const log = openLog(engine, { callMilliseconds: 3000 })
    try {
      const nodes = await log.nodes()
      return describeNodes(nodes, await log.ends())
    } catch (error) {
      return describeError(error)
    } finally {
      await log.close()
    }
  }

  return () => {
    if (!seen || performance.now() - seenAt > keptMilliseconds) {
      seenAt = performance.now()
      seen = look()
    }
    return seen
  }
}
