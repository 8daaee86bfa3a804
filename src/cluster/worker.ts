import type { ClusterConfig } from '../config/cluster-settings.ts'
import { migrations } from '../db/migrations.ts'
import type { Agreeing, Agreement } from '../db/writer/worker.ts'
import { createLogExecutor } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { startFollower } from './follower.ts'
import { takePart } from './membership.ts'
import { openLog } from './open-log.ts'
import { openClusterState } from './state.ts'

/** What the main thread tells the writer's Worker of the cluster. */
export interface ClusterStart extends ClusterConfig {
  readonly folder: string
  /** Whether the server makes backups by itself. */
  readonly hasBackups: boolean
  /** Of the `ClusterState`. */
  readonly memory: SharedArrayBuffer
}

/** Opens a function that tells how far the newest backup in a data folder has executed the log. */
type OpenBackedUp = (folder: string) => () => number

/** Less than the requests have that are under way when the server stops. */
const hurryMilliseconds = 2000

/** Makes the writer's thread follow the log. Its own file may lose what it executed last: it is in the log. */
export const followLog =
  (openBackedUp: OpenBackedUp) =>
  ({ db, joinCommands, start, tell, metrics }: Agreeing): Agreement => {
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
      onHalt: ({ message, isOutdated }) => tell({ halted: message, isOutdated }),
      onTrouble: (trouble) => tell({ trouble }),
    })
    const membership = takePart({
      log,
      executor,
      node,
      instance,
      version,
      url,
      backedUp: hasBackups ? openBackedUp(folder) : () => null,
      onHalt: follower.halt,
      onTrouble: (trouble) => tell({ trouble }),
    })
    return {
      submit: follower.submit,
      hurry: () => follower.hurry(hurryMilliseconds),
      async close() {
        // What the membership waits for ends with the log.
        await Promise.all([membership.close(), follower.close()])
      },
    }
  }
