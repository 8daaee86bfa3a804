import { parseArgs } from 'node:util'
import { invalid } from '../errors.ts'
import type { Command, Flags } from './command.ts'

/** @throws AppError `invalid` for an unknown flag, or an argument that is missing or not expected */
export const parseFlags = (
  command: Command,
  words: readonly string[],
): { flags: Flags; operands: readonly string[] } => {
  const options = Object.fromEntries(
    command.flags.map(({ name, value }) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  )
  const name = command.words.join(' ')
  const { values, positionals } = parse(name, words, options)
  const missing = command.flags.find(({ name, isRequired }) => isRequired && values[name] === undefined)
  if (missing) throw invalid({ field: name, message: `--${missing.name} ${missing.value} is required` })
  const { operands = [], choices } = command
  if (positionals.length > operands.length)
    throw invalid({ field: name, message: `unexpected argument ${JSON.stringify(positionals[operands.length])}` })
  if (positionals.length < operands.length)
    throw invalid({ field: name, message: `${operands[positionals.length]} is required` })
  const [operand = ''] = positionals
  if (choices && !choices.includes(operand))
    throw invalid({
      field: operands[0],
      message: `must be one of ${choices.join(', ')}; got ${JSON.stringify(operand)}`,
    })
  return { flags: values as Flags, operands: positionals }
}

const parse = (command: string, args: readonly string[], options: Record<string, { type: 'string' | 'boolean' }>) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    // The message quotes the flag first, and then gives advice for programmers.
    const [, flag = ''] = /'(-[^' ]*)/.exec((error as Error).message) ?? []
    const name = flag.slice('--'.length)
    if (Object.hasOwn(options, name))
      throw invalid({
        field: flag,
        message: options[name]?.type === 'string' ? 'needs a value' : 'does not take a value',
      })
    throw invalid({ message: `unknown flag ${JSON.stringify(flag)}; see formbox ${command} --help` })
  }
}
