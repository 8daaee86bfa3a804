import { parseArgs } from 'node:util'
import { invalid } from '../base/errors.ts'
import { putAddressesBelow } from '../config/addresses.ts'
import { type Config, parseConfig } from '../config/config.ts'
import type { VariableName } from '../config/variables.ts'
import type { Command, Flag, Flags } from './command.ts'

/** @throws AppError `invalid` for an unknown flag, or an argument that is missing or not expected */
export const parseFlags = (
  command: Command,
  words: readonly string[],
): { flags: Flags; operands: readonly string[] } => {
  const options = Object.fromEntries(
    command.flags.map(({ name, value, isRepeatable = false }) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), multiple: isRepeatable },
    ]),
  )
  const name = command.words.join(' ')
  const { values, positionals } = parse(name, words, options)
  const missing = command.flags.find(({ name, isRequired }) => isRequired && values[name] === undefined)
  if (missing) throw invalid({ field: name, message: `--${missing.name} ${missing.value} is required` })
  const { choices, instead = '' } = command
  const operands = values[instead] === undefined ? (command.operands ?? []) : []
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

const parse = (
  command: string,
  args: readonly string[],
  options: Record<string, { type: 'string' | 'boolean'; multiple: boolean }>,
) => {
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

export const hostFlag: Flag = { name: 'host', value: 'HOST', help: 'address to listen on (FORMBOX_HOST)' }
export const portFlag: Flag = { name: 'port', value: 'PORT', help: 'port to listen on (FORMBOX_PORT)' }
export const dataFlag: Flag = { name: 'data', value: 'DIR', help: 'data folder (FORMBOX_DATA)' }

/** @throws AppError `invalid` that names the setting or flag with a bad value */
export const configFor = (flags: Flags): Config => {
  const config = parseConfig(process.env, variableFlags(flags))
  putAddressesBelow(config.basePath)
  return config
}

/** The variables that were given as flags. */
export const variableFlags = (flags: Flags): Partial<Record<VariableName, string | undefined>> => ({
  FORMBOX_HOST: flags.host as string | undefined,
  FORMBOX_PORT: flags.port as string | undefined,
  FORMBOX_DATA: flags.data as string | undefined,
})
