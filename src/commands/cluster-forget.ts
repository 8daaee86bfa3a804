import { OperatorError } from '../operator-errors.ts'
import { withLog } from './cluster-log.ts'
import type { Command } from './command.ts'

export const clusterForget: Command = {
  words: ['cluster', 'forget'],
  operands: ['MACHINE'],
  summary: 'take a machine that is gone for good off the list',
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
