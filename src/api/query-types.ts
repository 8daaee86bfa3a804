import { Kind, Type, TypeRegistry } from '@sinclair/typebox'

// Types of values in a query, which are text. See schema-types.ts about `preset`, `documented` and `error`.

interface IntegerOptions {
  readonly minimum: number
  readonly maximum?: number
  readonly preset: number
  readonly description?: string
}

/** A whole number in plain digits. `Number()` would also accept `1e1`, `0x10`, ` 5` and `05`. */
export const QueryInteger = (options: IntegerOptions) => {
  const { minimum, maximum } = options
  const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`
  const error = `must be a whole number, ${range}`
  const schema = { type: 'integer', ...options, [Kind]: 'QueryInteger', error }
  return Type.Optional(Type.Unsafe<string>(schema))
}
TypeRegistry.Set<IntegerOptions>(
  'QueryInteger',
  ({ minimum, maximum = Number.POSITIVE_INFINITY }, value) =>
    typeof value === 'string' &&
    /^(0|[1-9][0-9]{0,99})$/.test(value) &&
    Number(value) >= minimum &&
    Number(value) <= maximum,
)

interface WordsOptions {
  readonly words: readonly string[]
  readonly description: string
  readonly example: string
}

/** One or several of a few words, with commas between them; all if absent. */
export const QueryWords = ({ words, ...options }: WordsOptions) => {
  const one = `(${words.join('|')})`
  const error = `must be one or several of ${words.join(', ')}, with commas between them`
  const documented = { pattern: `^${one}(,${one})*$` }
  return Type.Optional(Type.Unsafe<string>({ type: 'string', ...options, documented, [Kind]: 'QueryWords', error }))
}
TypeRegistry.Set<{ documented: { pattern: string } }>('QueryWords', ({ documented }, value) =>
  new RegExp(documented.pattern).test(value as string),
)

/** `true` or `false`; false if absent. */
export const QueryBoolean = (options: { readonly description: string }) => {
  const schema = { type: 'boolean', preset: false, ...options, [Kind]: 'QueryBoolean', error: 'must be true or false' }
  return Type.Optional(Type.Unsafe<'true' | 'false'>(schema))
}
TypeRegistry.Set('QueryBoolean', (_, value) => value === 'true' || value === 'false')
