import { Kind, Type, TypeRegistry } from '@sinclair/typebox'
import { takenNames } from '../forms/control-fields.ts'
import { momentInWords, toMoment } from '../forms/opening.ts'
import { originInWords, originRule, toAllowedOrigin } from '../forms/origins.ts'
import {
  fileTypeInWords,
  fileTypeRule,
  honeypotInWords,
  honeypotRule,
  isHoneypot,
  toFileType,
} from '../forms/settings.ts'
import { httpUrlInWords, isHttpUrl, isText, type TextRule, textInWords } from '../text-rules.ts'
import { timeZoneInWords, toTimeZone } from '../time-zone.ts'
import { isWebhookUrl, webhookUrlInWords, webhookUrlRule } from '../webhooks/webhook-fields.ts'

// Types of texts in a body. See schema-types.ts about `preset`, `documented` and `error`.

interface TextOptions extends TextRule {
  readonly nullable?: true
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

/** An absolute `http:` or `https:` URL, or null. */
export const NullableHttpUrl = (options: TextOptions) => text<string | null>('HttpUrl', { ...options, nullable: true })

const text = <T extends string | null>(kind: 'Text' | 'HttpUrl', options: TextOptions) => {
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

const isTextOrNull =
  (isValid: (rule: TextRule, text: string) => boolean) =>
  (options: TextOptions, value: unknown): boolean =>
    typeof value === 'string' ? isValid(options, value) : value === null && options.nullable === true
TypeRegistry.Set<TextOptions>('Text', isTextOrNull(isText))
TypeRegistry.Set<TextOptions>('HttpUrl', isTextOrNull(isHttpUrl))

/** A date and time with an offset, or null. */
export const NullableMoment = (options: Pick<TextOptions, 'preset' | 'description' | 'example'>) =>
  Type.Unsafe<string | null>({
    type: 'string',
    format: 'date-time',
    nullable: true,
    ...options,
    [Kind]: 'Moment',
    error: `must be ${momentInWords}, or null`,
  })
TypeRegistry.Set('Moment', (_, value) => value === null || (typeof value === 'string' && toMoment(value) !== null))

/** An origin whose pages may send to a form. */
export const AllowedOrigin = () =>
  Type.Unsafe<string>({
    type: 'string',
    ...originRule,
    documented: { pattern: `^[Hh][Tt][Tt][Pp][Ss]?://${authority}/?$` },
    [Kind]: 'AllowedOrigin',
    error: `must be ${originInWords}`,
  })
TypeRegistry.Set('AllowedOrigin', (_, value) => typeof value === 'string' && toAllowedOrigin(value) !== null)

/** A kind of files that a form takes. */
export const FileType = () =>
  Type.Unsafe<string>({
    type: 'string',
    ...fileTypeRule,
    documented: {
      pattern:
        '^(\\.[A-Za-z0-9][A-Za-z0-9._+-]*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/(\\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*))$',
    },
    [Kind]: 'FileType',
    error: `must be ${fileTypeInWords}`,
  })
TypeRegistry.Set('FileType', (_, value) => typeof value === 'string' && toFileType(value) !== null)

interface ZoneOptions {
  readonly preset: string
  readonly description: string
  readonly example: string
}

/** The name of a time zone. */
export const TimeZone = (options: ZoneOptions) =>
  Type.Unsafe<string>({
    type: 'string',
    ...options,
    documented: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' },
    [Kind]: 'TimeZone',
    error: `must be ${timeZoneInWords}`,
  })
TypeRegistry.Set('TimeZone', (_, value) => typeof value === 'string' && toTimeZone(value) !== null)

interface HoneypotOptions {
  readonly preset: string
  readonly description: string
  readonly example: string
}

/** The name of a form's trap field. */
export const HoneypotName = (options: HoneypotOptions) =>
  Type.Unsafe<string>({
    type: 'string',
    ...honeypotRule,
    ...options,
    documented: { pattern: visiblePattern, not: { enum: [...takenNames] } },
    [Kind]: 'HoneypotName',
    error: `must be ${honeypotInWords}`,
  })
TypeRegistry.Set('HoneypotName', (_, value) => typeof value === 'string' && isHoneypot(value))

/** The URL of a webhook. */
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
TypeRegistry.Set('WebhookUrl', (_, value) => typeof value === 'string' && isWebhookUrl(value))

// For the document: what `isText` and `isHttpUrl` accept, as far as a regular expression can say it that means the same
// in JavaScript, Python, Java, .NET, PCRE and RE2. All of them know `\x00`, but not all know `\u0000`.
export const textPattern = '^[^\\x00]*$'
export const visiblePattern = '^\\s*[^\\s\\x00][^\\x00]*$'
const httpUrlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\x00-\\x1f\\x7f-\\x9f]+$'
const authority = '[^\\s\\x00-\\x1f\\x7f-\\x9f@/?#\\\\]+'
const webhookUrlPattern = `^[Hh][Tt][Tt][Pp][Ss]?://${authority}([/?#\\\\][^\\s\\x00-\\x1f\\x7f-\\x9f]*)?$`
