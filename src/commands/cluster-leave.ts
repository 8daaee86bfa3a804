import { leaveCluster, readPosition } from '../cluster/position.ts'
import { openDataFolder } from '../db/data-folder.ts'
import { connect, dataFile } from '../db/open.ts'
import { OperatorError } from '../operator-errors.ts'
import type { Command } from './command.ts'
import { findData } from './data-folder.ts'
import { configFor, dataFlag } from './setting-flags.ts'

export const clusterLeave: Command = {
  words: ['cluster', 'leave'],
  summary: 'take the data of this machine out of its cluster, for good',
  flags: [dataFlag],
  run: (flags) => {
    const { dataFolder } = configFor(flags)
    findData(dataFolder, `open the data file ${dataFile(dataFolder)}`)
    const lock = openDataFolder(dataFolder)
    try {
      const db = connect(dataFolder)
      try {
        const { seq } = readPosition(db)
        if (seq === 0) throw new OperatorError('the data is not in a cluster')
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
