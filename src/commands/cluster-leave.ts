import { joinWrites } from '../all-writes.ts'
import { leaveCluster, readPosition } from '../cluster/position.ts'
import type { Config } from '../config/config.ts'
import { openDataFolder } from '../db/data-folder.ts'
import { turnMilliseconds } from '../db/folder-lock.ts'
import { connect, dataFile } from '../db/open.ts'
import { OperatorError } from '../operator-errors.ts'
import type { Command } from './command.ts'
import { findData } from './data-folder.ts'
import { configFor, dataFlag } from './setting-flags.ts'

export const clusterLeave: Command = {
  words: ['cluster', 'leave'],
  summary: 'take the data of this machine out of its cluster, for good',
  flags: [dataFlag],
  run: async (flags) => {
    const config = configFor(flags)
    const { dataFolder } = config
    findData(dataFolder, `open the data file ${dataFile(dataFolder)}`)
    const lock = openDataFolder(dataFolder, undefined, turnMilliseconds)
    try {
      const db = connect(dataFolder)
      try {
        if (readPosition(db).seq === 0) throw new OperatorError('the data is not in a cluster')
        const problem = await catchUp(config)
        const { seq } = readPosition(db)
        if (problem !== null) process.stderr.write(`formbox: the log was not read on from row ${seq}: ${problem}\n`)
        leaveCluster(db)
        process.stdout.write(`The data is as after row ${seq} of the log, and its own from now on\n`)
        return 0
      } finally {
        db.$client.close()
      }
    } finally {
      lock.release()
    }
  },
}

/** Executes what the log has. Returns why that was not possible: a log that is lost must keep nobody in the cluster. */
const catchUp = async ({ cluster, dataFolder: folder }: Config): Promise<string | null> => {
  if (!cluster) return 'FORMBOX_CLUSTER is not set'
  const { followAlone } = await import('../cluster/follow-alone.ts')
  try {
    const { close } = await followAlone({ cluster, folder, joinCommands: joinWrites })
    await close()
    return null
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}
