import { describeNodes, type NodeState } from '../cluster/describe.ts'
import { withLog } from './cluster-log.ts'
import type { Command, Flag } from './command.ts'
import { jsonFlag, printJson, printTable } from './print.ts'

const managedFlag: Flag = {
  name: 'managed',
  help: 'warnings about the engine do not count: its provider keeps the standby, and hides it',
}

export const clusterStatus: Command = {
  words: ['cluster', 'status'],
  summary: 'say which machines are in the cluster; the exit code is 0 if all is well',
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
