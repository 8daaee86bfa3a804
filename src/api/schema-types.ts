import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { areFieldNames, maxNameBytes } from '../forms/field-names.ts'
import { addressOf, type NotifyEntry, type SentEntry } from '../forms/notify-entries.ts'
import { isReply, type ReplySettings, replyInWords, replySubjectRule, replyTextRule } from '../forms/settings.ts'
import { isObject } from '../json.ts'
import { toMailAddress } from '../mail-address.ts'
import { type Condition, conditionInWords, conditionRule, isCondition } from '../outbox/condition.ts'
import { hidden, valuePattern } from '../webhooks/webhook-headers.ts'
import { textPattern, visiblePattern } from './text-types.ts'

// Types that TypeBox lacks, or checks differently from JSON Schema or HTTP, here and in text-types.ts. In the OpenAPI
// document they look like ordinary types.
//
// - `error` is the message that the client reads after the field's name.
// - `preset` is the default. It is called `default` only in the document, because Elysia would look for it in each request.
// - `documented` may be in any schema, and its contents appear only in the document. Outside of it, TypeBox would check
//   them too, with another message.

interface ChoiceOptions<T extends string> {
  readonly choices: readonly T[]
  readonly preset?: T
  readonly example: T
  readonly description: string
}

/** One of a few words. */
export const Choice = <const T extends string>({ choices, ...options }: ChoiceOptions<T>) => {
  const error = `must be one of ${choices.join(', ')}`
  return Type.Unsafe<T>({ type: 'string', enum: [...choices], ...options, [Kind]: 'Choice', error })
}
TypeRegistry.Set<{ enum: readonly string[] }>('Choice', (schema, value) => schema.enum.includes(value as string))

interface IntegerOptions {
  readonly minimum: number
  readonly maximum: number
  readonly preset: number | null
  readonly description: string
  readonly example: number | null
}

/** A whole number, or null. */
export const NullableInteger = (options: IntegerOptions) => {
  const error = `must be a whole number from ${options.minimum} to ${options.maximum}, or null`
  const schema = { type: 'integer', nullable: true, ...options, [Kind]: 'NullableInteger', error }
  return Type.Unsafe<number | null>(schema)
}
TypeRegistry.Set<IntegerOptions>(
  'NullableInteger',
  ({ minimum, maximum }, value) =>
    value === null || (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum),
)

interface NamesOptions {
  readonly maxItems: number
  readonly preset: readonly string[] | null
  readonly description: string
  readonly example: readonly string[]
}

/** Different names of fields, each as it may be in a form's `keys`, or null. */
export const FieldNames = ({ description, ...options }: NamesOptions) =>
  Type.Unsafe<string[] | null>({
    type: 'array',
    nullable: true,
    ...options,
    description: `${description} Each name is at most ${maxNameBytes} bytes as JSON. NUL and unpaired surrogates are refused.`,
    documented: {
      uniqueItems: true,
      // The quotation marks take two bytes.
      items: { type: 'string', maxLength: maxNameBytes - 2, pattern: textPattern },
    },
    [Kind]: 'FieldNames',
    error: `must be an array of at most ${options.maxItems} different names of at most ${maxNameBytes} bytes as JSON, or null`,
  })
TypeRegistry.Set<NamesOptions>(
  'FieldNames',
  ({ maxItems }, value) => value === null || (isTexts(value) && value.length <= maxItems && areFieldNames(value)),
)

/** The condition under which a receiver is told of a submission, or null. */
export const NullableCondition = Type.Unsafe<Condition | null>({
  type: 'object',
  nullable: true,
  description:
    'Only submissions that have this text as a value of this field are sent, whatever the case and the accents. That is ' +
    'decided when a submission is made, or taken out of the spam. Null sends all.',
  example: { field: 'topic', equals: 'Sales' },
  documented: {
    required: ['field', 'equals'],
    properties: Object.fromEntries(
      ['field', 'equals'].map((name) => [name, { type: 'string', ...conditionRule, pattern: visiblePattern }]),
    ),
  },
  [Kind]: 'NullableCondition',
  error: `must be ${conditionInWords}, or null`,
})
TypeRegistry.Set('NullableCondition', (_, value) => value === null || isCondition(value))

interface EntriesOptions {
  readonly maxItems: number
  readonly preset: readonly NotifyEntry[]
  readonly description: string
  readonly example: readonly NotifyEntry[]
}

/** Not `format: email` in the document, which many tools take to exclude `a@exämple.de`. */
const documentedAddress = { type: 'string', pattern: '^[^\\s@]+@[^\\s@]+$', example: 'ada@example.com' }

/** An address and how it gets its mails, for the document. */
export const notifyAddress = {
  type: 'object',
  required: ['address'],
  properties: {
    address: documentedAddress,
    only: NullableCondition,
    digest: {
      type: 'string',
      nullable: true,
      enum: ['day', null],
      description: '`day` for one mail a day; null for a mail about each submission',
      example: 'day',
    },
  },
}

/** The same, or an address alone. */
export const notifyEntry = { anyOf: [documentedAddress, notifyAddress] }

/** Different e-mail addresses, each alone or with how it gets its mails. */
export const NotifyEntries = (options: EntriesOptions) =>
  Type.Unsafe<SentEntry[]>({
    type: 'array',
    ...options,
    documented: { uniqueItems: true, items: notifyEntry },
    [Kind]: 'NotifyEntries',
    error:
      `must be an array of at most ${options.maxItems} different e-mail addresses such as ada@example.com, each as text or ` +
      'as {"address":"ada@example.com","only":{"field":"topic","equals":"Sales"},"digest":"day"}',
  })
TypeRegistry.Set<EntriesOptions>(
  'NotifyEntries',
  ({ maxItems }, value) => Array.isArray(value) && value.length <= maxItems && areEntries(value),
)

/** Whether these are entries with different addresses to which mail can be sent. Other members of theirs are ignored. */
const areEntries = (values: readonly unknown[]): values is SentEntry[] =>
  values.every(isEntry) && areMailAddresses(values.map(addressOf))

const isEntry = (value: unknown): value is SentEntry => {
  if (typeof value === 'string') return true
  const {
    address,
    only = null,
    digest = null,
  } = (value ?? {}) as Partial<Record<'address' | 'only' | 'digest', unknown>>
  return typeof address === 'string' && (only === null || isCondition(only)) && (digest === null || digest === 'day')
}

/** No two are the same in another case or spelling. */
const areMailAddresses = (texts: readonly string[]): boolean => {
  const addresses = texts.map((text) => toMailAddress(text)?.toLowerCase())
  return !addresses.includes(undefined) && new Set(addresses).size === texts.length
}

interface HeadersOptions {
  readonly maxProperties: number
  readonly description: string
  readonly example: Readonly<Record<string, string>>
}

/** Names of HTTP headers and their values. What each of them may be is checked by `checkHeaders`. */
export const HeaderValues = (options: HeadersOptions) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    ...options,
    documented: { additionalProperties: { type: 'string', pattern: `${valuePattern}|^${hidden}$` } },
    [Kind]: 'HeaderValues',
    error: 'must be an object of the values of headers by their names',
  })
TypeRegistry.Set('HeaderValues', (_, value) => isObject(value) && isTexts(Object.values(value)))

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

interface ReplyOptions {
  readonly description: string
  readonly example: ReplySettings | null
}

/** The mail that answers a visitor, or null. */
export const Reply = (options: ReplyOptions) =>
  Type.Unsafe<ReplySettings | null>({
    type: 'object',
    nullable: true,
    ...options,
    documented: {
      required: ['field', 'subject', 'text'],
      properties: {
        field: { type: 'string', minLength: 1, maxLength: maxNameBytes - 2, pattern: textPattern },
        subject: { type: 'string', ...replySubjectRule, pattern: visiblePattern },
        text: { type: 'string', ...replyTextRule, pattern: visiblePattern },
        copy: { type: 'boolean', description: 'False if it is absent' },
      },
    },
    [Kind]: 'Reply',
    error: `must be null, or ${replyInWords}`,
  })
TypeRegistry.Set('Reply', (_, value) => value === null || isReply(value))

// Values in a query are text.

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
