import { version } from '../../package.json'
import { AppError, describeError, issueLine } from '../errors.ts'
import { OperatorError } from '../operator-errors.ts'
import { commands, findCommand, findGroup } from './commands.ts'
import { parseFlags } from './flags.ts'
import { helpFor, helpForGroup, overview } from './help.ts'
import { endWhenUnwritable } from './output.ts'

/**
 * Runs one command line. Returns the exit code: 0 for success, 2 for a bad command line or setting, 1 for other errors.
 */
export const runCommand = async (words: readonly string[]): Promise<number> => {
  endWhenUnwritable()
  try {
    if (words[0] === '--version') return print(version)
    if (words[0] === 'help') return await runCommand([...words.slice(1), '--help'])
    if (isHelp(words[0])) return print(overview(commands))
    const group = findGroup(words[0])
    if (group.length > 0 && isHelp(words[1])) return print(helpForGroup(group))
    const { command, rest } = findCommand(words)
    if (rest.some(isHelp)) return print(helpFor(command))
    const { flags, operands } = parseFlags(command, rest)
    return await command.run(flags, operands, commands)
  } catch (error) {
    process.stderr.write(`formbox: ${reason(error)}\n`)
    return isInput(error) ? 2 : 1
  }
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h'

const print = (text: string): number => {
  process.stdout.write(`${text}\n`)
  return 0
}

const isInput = (error: unknown): boolean => error instanceof AppError && error.code === 'invalid'

const reason = (error: unknown): string => {
  if (error instanceof AppError && error.issues.length > 0) return error.issues.map(issueLine).join('; ')
  return error instanceof AppError || error instanceof OperatorError ? error.message : describeError(error)
}
