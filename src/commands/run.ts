import { version } from '../../package.json'
import { AppError, describeError, issueLine } from '../base/errors.ts'
import { OperatorError } from '../base/operator-errors.ts'
import type { Command } from './command.ts'
import { parseFlags } from './flags.ts'
import { endWhenUnwritable } from './output.ts'
import { serve } from './serve.ts'

/**
 * Runs one command line. Returns the exit code: 0 for success, 2 for a bad command line or setting, 1 for other errors.
 */
export const runCommand = async (words: readonly string[]): Promise<number> => {
  endWhenUnwritable()
  try {
    if (words[0] === '--version') return print(version)
    if (words[0] === 'help') return await runCommand([...words.slice(1), '--help'])
    const ofServe = wordsOfServe(words)
    if (ofServe) return await run(serve, ofServe)
    const { commands, findCommand, findGroup } = await import('./commands.ts')
    const { helpForGroup, overview } = await import('./help.ts')
    if (isHelp(words[0])) return print(overview(commands))
    const group = findGroup(words[0])
    if (group.length > 0 && isHelp(words[1])) return print(helpForGroup(group))
    const { command, rest } = findCommand(words)
    return await run(command, rest, commands)
  } catch (error) {
    process.stderr.write(`formbox: ${reason(error)}\n`)
    return isInput(error) ? 2 : 1
  }
}

/**
 * The words after `serve`, which is the command if there is none; undefined if there is another. It needs none of the
 * others, and a start would load them for 4 ms.
 */
const wordsOfServe = ([first, ...others]: readonly string[]): readonly string[] | undefined => {
  if (first === undefined || first === serve.words[0]) return others
  return first.startsWith('-') && !isHelp(first) ? [first, ...others] : undefined
}

/** @param all see `Command` */
const run = async (command: Command, words: readonly string[], all: readonly Command[] = []): Promise<number> => {
  if (words.some(isHelp)) {
    const { helpFor } = await import('./help.ts')
    return print(helpFor(command))
  }
  const { flags, operands } = parseFlags(command, words)
  return await command.run(flags, operands, all)
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
