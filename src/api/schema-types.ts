import { Kind, Type, TypeRegistry } from '@sinclair/typebox'
import { originInWords, originRule, toAllowedOrigin } from '../forms/allowed-origins.ts'
import { takenNames } from '../forms/control-fields.ts'
import { areFieldNames, maxNameBytes } from '../forms/field-names.ts'
import { areMailAddresses, honeypotInWords, honeypotRule, isHoneypot } from '../forms/settings.ts'
import { httpUrlInWords, isHttpUrl, isText, type TextRule, textInWords } from '../text-rules.ts'
import { isWebhookUrl, webhookUrlInWords, webhookUrlRule } from '../webhooks/webhook-url.ts'

// Types that TypeBox lacks, or checks differently from JSON Schema or HTTP. In the OpenAPI document they look like ordinary
// types. `error` is the message that the client reads after the field's name. `documented` may be in any schema, and its
// contents appear only in the document. Outside of it, TypeBox would check them too, with another message.

interface TextOptions extends TextRule {
  readonly nullable?: true
  /** The default. It is called `default` only in the document, because Elysia would look for it in each request. */
  readonly preset?: string | null
  readonly description?: string
  readonly example?: string | null
}

/**
 * Text without NUL and lone surrogates. Its length is counted in Unicode characters, as in JSON Schema; TypeBox counts
 * UTF-16 units. If it must not be empty, it must not be only white space either.
 */
export const Text = (options: TextOptions & { nullable?: never }) => text<string>('Text', options)

export const NullableText = (options: TextOptions) => text<string | null>('Text', { ...options, nullable: true })

/** An origin whose pages may send to a form. */
export const AllowedOrigin = () =>
  Type.Unsafe<string>({
    type: 'string',
    ...originRule,
    documented: { pattern: `^[Hh][Tt][Tt][Pp][Ss]?://${authority}/?$` },
    [Kind]: 'AllowedOrigin',
    error: `must be ${originInWords}`,
  })

/** The name of a form's trap field. */
export const HoneypotName = (options: {
  readonly preset: string
  readonly description: string
  readonly example: string
}) =>
  Type.Unsafe<string>({
    type: 'string',
    ...honeypotRule,
    ...options,
    documented: { pattern: visiblePattern, not: { enum: [...takenNames] } },
    [Kind]: 'HoneypotName',
    error: `must be ${honeypotInWords}`,
  })

/** Where a webhook may be. */
export const WebhookUrl = (options: { readonly description: string; readonly example: string }) =>
  Type.Unsafe<string>({
    type: 'string',
    format: 'uri',
    ...webhookUrlRule,
    ...options,
    documented: { pattern: webhookUrlPattern },
    [Kind]: 'WebhookUrl',
    error: `must be ${webhookUrlInWords}`,
  })

/** An absolute `http:` or `https:` URL, or null. */
export const NullableHttpUrl = (options: TextOptions) => text<string | null>('HttpUrl', { ...options, nullable: true })

const text = <T extends string | null>(kind: string, options: TextOptions) => {
  const { minLength = 0, nullable } = options
  const what = kind === 'HttpUrl' ? httpUrlInWords(options) : textInWords(options)
  const pattern = kind === 'HttpUrl' ? httpUrlPattern : minLength > 0 ? visiblePattern : textPattern
  return Type.Unsafe<T>({
    type: 'string',
    ...(kind === 'HttpUrl' && { format: 'uri' }),
    ...options,
    documented: { pattern },
    [Kind]: kind,
    error: `must be ${what}${nullable ? ', or null' : ''}`,
  })
}

// For the document: what `isText` and `isHttpUrl` accept, as far as a regular expression can say it that means the same
// in JavaScript, Python, Java, .NET, PCRE and RE2. All of them know `\x00`, but not all know `\u0000`.
const textPattern = '^[^\\x00]*$'
const visiblePattern = '^\\s*[^\\s\\x00][^\\x00]*$'
const httpUrlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\x00-\\x1f\\x7f-\\x9f]+$'
const authority = '[^\\s\\x00-\\x1f\\x7f-\\x9f@/?#\\\\]+'
const webhookUrlPattern = `^[Hh][Tt][Tt][Pp][Ss]?://${authority}([/?#\\\\][^\\s\\x00-\\x1f\\x7f-\\x9f]*)?$`

interface IntegerOptions {
  readonly minimum: number
  readonly maximum?: number
  /** The default, as above. */
  readonly preset: number
  readonly description?: string
}

/** A whole number in a query, in plain digits. `Number()` would also accept `1e1`, `0x10`, ` 5` and `05`. */
export const QueryInteger = (options: IntegerOptions) => {
  const { minimum, maximum } = options
  const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`
  const error = `must be a whole number, ${range}`
  const schema = { type: 'integer', ...options, [Kind]: 'QueryInteger', error }
  return Type.Optional(Type.Unsafe<string>(schema))
}

const isQueryInteger = ({ minimum, maximum = Number.POSITIVE_INFINITY }: IntegerOptions, value: unknown): boolean =>
  typeof value === 'string' &&
  /^(0|[1-9][0-9]{0,99})$/.test(value) &&
  Number(value) >= minimum &&
  Number(value) <= maximum

/** A whole number in a body, or null. */
export const NullableInteger = (options: {
  readonly minimum: number
  readonly maximum: number
  readonly preset: number | null
  readonly description: string
  readonly example: number | null
}) => {
  const error = `must be a whole number from ${options.minimum} to ${options.maximum}, or null`
  const schema = { type: 'integer', nullable: true, ...options, [Kind]: 'NullableInteger', error }
  return Type.Unsafe<number | null>(schema)
}

const isIntegerOrNull = ({ minimum, maximum }: { minimum: number; maximum: number }, value: unknown): boolean =>
  value === null || (Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum)

interface ChoiceOptions<T extends string> {
  readonly choices: readonly T[]
  /** The default, as above. */
  readonly preset?: T
  readonly example: T
  readonly description: string
}

interface WordsOptions {
  readonly words: readonly string[]
  readonly description: string
  readonly example: string
}

/** One of a few words. */
export const Choice = <const T extends string>({ choices, ...options }: ChoiceOptions<T>) => {
  const error = `must be one of ${choices.join(', ')}`
  return Type.Unsafe<T>({ type: 'string', enum: [...choices], ...options, [Kind]: 'Choice', error })
}

/** One or several of a few words in a query, with commas between them; all if absent. */
export const QueryWords = ({ words, ...options }: WordsOptions) => {
  const one = `(${words.join('|')})`
  const error = `must be one or several of ${words.join(', ')}, with commas between them`
  const documented = { pattern: `^${one}(,${one})*$` }
  return Type.Optional(Type.Unsafe<string>({ type: 'string', ...options, documented, [Kind]: 'QueryWords', error }))
}

/** `true` or `false` in a query; false if absent. */
export const QueryBoolean = (options: { readonly description: string }) => {
  const schema = { type: 'boolean', preset: false, ...options, [Kind]: 'QueryBoolean', error: 'must be true or false' }
  return Type.Optional(Type.Unsafe<'true' | 'false'>(schema))
}

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

const areNamesOrNull = ({ maxItems }: NamesOptions, value: unknown): boolean =>
  value === null || (isTexts(value) && value.length <= maxItems && areFieldNames(value))

interface AddressesOptions {
  readonly maxItems: number
  readonly preset: readonly string[]
  readonly description: string
  readonly example: readonly string[]
}

/** Different e-mail addresses. Not `format: email` in the document, which many tools take to exclude `a@exämple.de`. */
export const MailAddresses = (options: AddressesOptions) =>
  Type.Unsafe<string[]>({
    type: 'array',
    ...options,
    documented: { uniqueItems: true, items: { type: 'string', pattern: '^[^\\s@]+@[^\\s@]+$' } },
    [Kind]: 'MailAddresses',
    error: `must be an array of at most ${options.maxItems} different e-mail addresses such as ada@example.com`,
  })

const areAddresses = ({ maxItems }: AddressesOptions, value: unknown): boolean =>
  isTexts(value) && value.length <= maxItems && areMailAddresses(value)

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isTextOrNull =
  (isValid: (rule: TextRule, text: string) => boolean) =>
  (options: TextOptions, value: unknown): boolean =>
    typeof value === 'string' ? isValid(options, value) : value === null && options.nullable === true

TypeRegistry.Set<TextOptions>('Text', isTextOrNull(isText))
TypeRegistry.Set<TextOptions>('HttpUrl', isTextOrNull(isHttpUrl))
TypeRegistry.Set<IntegerOptions>('QueryInteger', isQueryInteger)
TypeRegistry.Set<{ minimum: number; maximum: number }>('NullableInteger', isIntegerOrNull)
TypeRegistry.Set('AllowedOrigin', (_, value) => typeof value === 'string' && toAllowedOrigin(value) !== null)
TypeRegistry.Set('HoneypotName', (_, value) => typeof value === 'string' && isHoneypot(value))
TypeRegistry.Set('WebhookUrl', (_, value) => typeof value === 'string' && isWebhookUrl(value))
TypeRegistry.Set<{ enum: readonly string[] }>('Choice', (schema, value) => schema.enum.includes(value as string))
TypeRegistry.Set<{ documented: { pattern: string } }>('QueryWords', ({ documented }, value) =>
  new RegExp(documented.pattern).test(value as string),
)
TypeRegistry.Set('QueryBoolean', (_, value) => value === 'true' || value === 'false')
TypeRegistry.Set<NamesOptions>('FieldNames', areNamesOrNull)
TypeRegistry.Set<AddressesOptions>('MailAddresses', areAddresses)
