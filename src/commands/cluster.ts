import { invalid } from '../base/errors.ts'
import { OperatorError } from '../base/operator-errors.ts'
import type { Config } from '../config/config.ts'
import { describeNodes, type NodeState } from '../storage/cluster/describe.ts'
import { type ClusterLog, LogUnavailable } from '../storage/cluster/log.ts'
import { leaveCluster, readPosition } from '../storage/cluster/position.ts'
import { openDataFolder } from '../storage/data-folder.ts'
import { turnMilliseconds } from '../storage/folder-lock.ts'
import { connect, dataFile } from '../storage/open.ts'
import type { Command, Flag, Flags } from './command.ts'
import { findData } from './data-folder.ts'
import { configFor, dataFlag } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

const managedFlag: Flag = {
  name: 'managed',
  help: 'ignore warnings about the engine: its provider hides the standby',
}

const clusterStatus: Command = {
  words: ['cluster', 'status'],
  summary: 'list the machines of the cluster; the exit code is 0 if all is well',
  flags: [jsonFlag, managedFlag],
  run: (flags) =>
    withLog(flags, async (log) => {
      const [nodes, ends, warnings] = [await log.nodes(), await log.ends(), await log.warnings()]
      const states = describeNodes(nodes, ends)
      if (flags.json === true) printJson(states)
      else {
        printTable(['MACHINE', 'ROW', 'BEHIND', 'REPORTED', 'STATE'], states.map(toRow))
        process.stdout.write(ends ? `The log has rows ${ends.first} to ${ends.last}.\n` : 'The log is empty.\n')
      }
      for (const warning of warnings) process.stderr.write(`formbox: ${warning}\n`)
      const isSafe = warnings.length === 0 || flags.managed === true
      return isSafe && states.every(({ problem }) => problem === null) ? 0 : 1
    }),
}

const toRow = ({ name, applied, behind, secondsAgo, problem }: NodeState): string[] => [
  name,
  String(applied),
  String(behind),
  `${Math.floor(secondsAgo)} s ago`,
  problem ?? 'ok',
]

/**
 * Opens the log of the cluster for one command.
 *
 * @throws AppError `invalid` without FORMBOX_CLUSTER, OperatorError if the engine does not respond
 */
const withLog = async <T>(flags: Flags, work: (log: ClusterLog) => Promise<T>): Promise<T> => {
  const { cluster } = configFor(flags)
  if (!cluster)
    throw invalid({ field: 'FORMBOX_CLUSTER', message: 'must be set: run this with the settings of the server' })
  const { openLog } = await import('../storage/cluster/open-log.ts')
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

const clusterForget: Command = {
  words: ['cluster', 'forget'],
  operands: ['MACHINE'],
  summary: 'remove from the list a machine that will not return',
  flags: [],
  run: (flags, [operand = '']) =>
    withLog(flags, async (log) => {
      const nodes = await log.nodes()
      if (!nodes.some(({ name }) => name === operand))
        throw new OperatorError(`there is no machine ${operand} in the cluster; see formbox cluster status`)
      await log.forget(operand)
      return 0
    }),
}

const clusterLeave: Command = {
  words: ['cluster', 'leave'],
  summary: 'take the data of this machine out of its cluster permanently',
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
        process.stdout.write(`This machine has everything up to row ${seq} of the log, and has left the cluster\n`)
        return 0
      } finally {
        db.$client.close()
      }
    } finally {
      lock.release()
    }
  },
}

export const clusterCommands: readonly Command[] = [clusterStatus, clusterForget, clusterLeave]

/** Executes the rest of the log. Returns why that was not possible: a log that is lost must keep no machine in the cluster. */
const catchUp = async ({ cluster, dataFolder: folder }: Config): Promise<string | null> => {
  if (!cluster) return 'FORMBOX_CLUSTER is not set'
  const { followAlone } = await import('../storage/cluster/follow-alone.ts')
  const { joinWrites } = await import('../upkeep/all-writes.ts')
  try {
    const { close } = await followAlone({ cluster, folder, joinCommands: joinWrites })
    await close()
    return null
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}
