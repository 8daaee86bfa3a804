import { describeNodes, type NodeState } from '../cluster/describe.ts'
import { withLog } from './cluster-log.ts'
import type { Command } from './command.ts'
import { jsonFlag, printJson, printTable } from './print.ts'

export const clusterStatus: Command = {
  words: ['cluster', 'status'],
  summary: 'say which machines are in the cluster; the exit code is 0 if all is well',
  flags: [jsonFlag],
  run: (flags) =>
    withLog(flags, async (log) => {
      const [ends, nodes, warnings] = [await log.ends(), await log.nodes(), await log.warnings()]
      const states = describeNodes(nodes, ends)
      if (flags.json === true) printJson(states)
      else {
        printTable(['MACHINE', 'ROW', 'BEHIND', 'REPORTED', 'STATE'], states.map(toRow))
        process.stdout.write(ends ? `The log has rows ${ends.first} to ${ends.last}.\n` : 'The log is empty.\n')
      }
      for (const warning of warnings) process.stderr.write(`formbox: ${warning}\n`)
      return warnings.length > 0 || states.some(({ problem }) => problem !== null) ? 1 : 0
    }),
}

const toRow = ({ name, applied, behind, secondsAgo, problem }: NodeState): string[] => [
  name,
  String(applied),
  String(behind),
  `${Math.floor(secondsAgo)} s ago`,
  problem ?? 'ok',
]
