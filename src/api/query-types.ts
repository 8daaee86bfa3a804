import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'

// Types of the texts in a query. In the OpenAPI document they look like ordinary types.
//
// - `error` is the message that the client reads after the field's name.
// - `preset` is the default, see kind-schema.ts.

interface QueryIntegerOptions {
  readonly minimum: number
  readonly maximum?: number
  readonly preset: number
  readonly description?: string
}

/** A whole number in plain digits. `Number()` would also accept `1e1`, `0x10`, ` 5` and `05`. */
export const QueryInteger = (options: QueryIntegerOptions) => {
  const { minimum, maximum } = options
  const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`
  const error = `must be a whole number, ${range}`
  const schema = { type: 'integer', ...options, [Kind]: 'QueryInteger', error }
  return Type.Optional(Type.Unsafe<string>(schema))
}
TypeRegistry.Set<QueryIntegerOptions>(
  'QueryInteger',
  ({ minimum, maximum = Number.POSITIVE_INFINITY }, value) =>
    typeof value === 'string' &&
    /^(0|[1-9][0-9]{0,99})$/.test(value) &&
    Number(value) >= minimum &&
    Number(value) <= maximum,
)

interface WordsOptions {
  /** With an `enum`. */
  readonly items: TSchema
  readonly description: string
  readonly example: readonly string[]
}

/** One or several of a few words, with commas between them; all if absent. In the document, it is an array. */
export const QueryWords = (options: WordsOptions) => {
  const error = `must be one or several of ${options.items.enum.join(', ')}, with commas between them`
  return Type.Optional(Type.Unsafe<string>({ type: 'array', ...options, [Kind]: 'QueryWords', error }))
}
TypeRegistry.Set<WordsOptions>('QueryWords', ({ items }, value) =>
  String(value)
    .split(',')
    .every((word) => items.enum.includes(word)),
)

interface QueryBooleanOptions {
  readonly description: string
  readonly example?: boolean
}

/** `true` or `false`; false if absent, unless it has an example instead. */
export const QueryBoolean = (options: QueryBooleanOptions) => {
  const preset = options.example === undefined && { preset: false }
  const schema = { type: 'boolean', ...preset, ...options, [Kind]: 'QueryBoolean', error: 'must be true or false' }
  return Type.Optional(Type.Unsafe<'true' | 'false'>(schema))
}
TypeRegistry.Set('QueryBoolean', (_, value) => value === 'true' || value === 'false')
