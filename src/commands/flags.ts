import { parseArgs } from 'node:util'
import { UsageError } from '../errors.ts'
import type { Command, Flags } from './command.ts'
import { usage } from './help.ts'

/** @throws UsageError for a flag that the command does not know, a value too many or too few. */
export const parseFlags = (command: Command, words: readonly string[]): { flags: Flags; operand: string } => {
  const options = Object.fromEntries(
    command.flags.map(({ name, value }) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  )
  const { values, positionals } = parse(words, options)
  const missing = command.flags.find(({ name, isRequired }) => isRequired && values[name] === undefined)
  if (missing) throw new UsageError(`${usage(command)} needs --${missing.name} ${missing.value}`)
  const expected = command.operand ? 1 : 0
  if (positionals.length > expected)
    throw new UsageError(`${usage(command)} does not take ${JSON.stringify(positionals[expected])}`)
  if (positionals.length < expected) throw new UsageError(`${command.words.join(' ')} needs ${command.operand}`)
  const [operand = ''] = positionals
  const { choices } = command
  if (choices && !choices.includes(operand))
    throw new UsageError(`${command.operand} must be one of ${choices.join(', ')}, is ${JSON.stringify(operand)}`)
  return { flags: values as Flags, operand }
}

const parse = (args: readonly string[], options: Record<string, { type: 'string' | 'boolean' }>) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    // The first sentence names the flag; the rest is advice for programmers.
    const [first = ''] = (error as Error).message.split(/\. |\n/, 1)
    throw new UsageError(`${first.charAt(0).toLowerCase()}${first.slice(1)}; see --help`)
  }
}
