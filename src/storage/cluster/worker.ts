import type { ClusterConfig } from '../../config/cluster.ts'
import { migrations } from '../migrations.ts'
import type { Cluster, ClusterOptions } from '../writer/worker.ts'
import { createLogExecutor } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { startFollower } from './follower.ts'
import { startMembership } from './membership.ts'
import { openLog } from './open-log.ts'
import { openClusterState } from './state.ts'

/** The part of the first message to the writer's Worker that is about the cluster. */
export interface ClusterStart extends ClusterConfig {
  readonly folder: string
  /** Whether the server makes backups by itself. */
  readonly hasBackups: boolean
  /** Memory of the `ClusterState`. */
  readonly memory: SharedArrayBuffer
}

/** Opens a function that reads how far the newest backup in a data folder has executed the log. */
type OpenBackedUp = (folder: string) => () => number

/** Less than the requests under way have when the server stops. */
const lastWaitMilliseconds = 2000

/** Makes the writer's thread follow the log. Its own file may lose what it executed last: it is in the log. */
export const clusterJoiner =
  (openBackedUp: OpenBackedUp) =>
  ({ db, joinCommands, start, notify, metrics }: ClusterOptions): Cluster => {
    const { engine, node, url, memory, folder, hasBackups } = start as ClusterStart
    db.$client.run('PRAGMA synchronous = NORMAL')
    const version = migrations.length
    const instance = crypto.randomUUID()
    const fingerprint = () => fingerprintOf(db.$client).all
    const log = openLog(engine)
    const executor = createLogExecutor({ db, joinCommands, version, fingerprint, metrics })
    const follower = startFollower({
      log,
      executor,
      state: openClusterState(memory),
      instance,
      version,
      fingerprint,
      onHalt: ({ message, isOutdated }) => notify({ halted: message, isOutdated }),
      onFault: (line) => notify({ fault: line }),
    })
    const membership = startMembership({
      log,
      executor,
      node,
      instance,
      version,
      url,
      backedUp: hasBackups ? openBackedUp(folder) : () => null,
      onHalt: follower.halt,
      onFault: (line) => notify({ fault: line }),
    })
    return {
      submit: follower.submit,
      limitWaits: () => follower.limitWaits(lastWaitMilliseconds),
      async close() {
        // What the membership waits for ends with the log.
        await Promise.all([membership.close(), follower.close()])
      },
    }
  }
