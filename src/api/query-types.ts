import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import type { Problem } from '../forms/settings/kind.ts'
import { schemaOf } from './kind-schema.ts'

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

/**
 * A whole number in plain digits, which JavaScript can hold. `Number()` would also accept `1e1`, `0x10`, ` 5` and `05`, and
 * would round a number that is too high: the response would be about another one.
 */
export const QueryInteger = ({ minimum, maximum, ...words }: QueryIntegerOptions) => {
  const most = maximum ?? Number.MAX_SAFE_INTEGER
  const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`
  const messageFor = (value: unknown): string | undefined => {
    const isNumber = typeof value === 'string' && /^(0|[1-9][0-9]{0,99})$/.test(value) && Number(value) >= minimum
    if (!isNumber || (maximum !== undefined && Number(value) > maximum)) return `must be a whole number, ${range}`
    return Number(value) > most ? `must be at most ${most}` : undefined
  }
  const problems = (value: unknown): readonly Problem[] => {
    const message = messageFor(value)
    return message === undefined ? [] : [{ at: '', message, value }]
  }
  const schema = { type: 'integer', minimum, maximum: most }
  return Type.Optional(schemaOf<string>({ problems, schema }, words))
}

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

/**
 * `true` or `false` in any case, as Python's `str` writes them, or `1` or `0`, as PHP does; false if absent, unless it has an
 * example instead.
 */
export const QueryBoolean = (options: QueryBooleanOptions) => {
  const preset = options.example === undefined && { preset: false }
  const schema = { type: 'boolean', ...preset, ...options, [Kind]: 'QueryBoolean', error: 'must be true or false' }
  return Type.Optional(Type.Unsafe<string>(schema))
}
TypeRegistry.Set('QueryBoolean', (_, value) => typeof value === 'string' && /^(true|false|[10])$/i.test(value))

/** A valid `QueryBoolean` in one way of writing. */
export const toFlag = (text: string | undefined): 'true' | 'false' | undefined => {
  if (text === undefined) return undefined
  return text === '1' || text.toLowerCase() === 'true' ? 'true' : 'false'
}
