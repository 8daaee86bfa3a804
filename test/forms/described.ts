// Forms with everything that a form can have, for tests that describe them in a file.
import fc from 'fast-check'
import type { FieldType, FormField } from '../../src/forms/fields/form-field.ts'
import { settingOf } from '../../src/forms/settings/declared.ts'
import type { JsonSchema } from '../../src/forms/settings/kind.ts'
import { type FormSettings, type SettingName, settingNames } from '../../src/forms/settings/settings.ts'
import type { WebhookFormat } from '../../src/forms/webhooks/formats.ts'
import { languages } from '../../src/languages/languages.ts'
import type { Condition } from '../../src/outbox/condition.ts'
import { anyCharacter } from '../any-character.ts'

/** Texts with everything that a format of files could trip over. */
const hardText = (maxLength: number) =>
  fc
    .string({
      minLength: 1,
      maxLength,
      unit: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.constantFrom('"', '"""', "'", '\\', '\n', '\r', '\t', '#', '=', ' ', '{', ']', '`', '$'),
        },
        {
          weight: 2,
          arbitrary: fc.constantFrom('\u0001', '\u007f', '\u0085', '\u2028', '\u202e', '\ufeff', '•', 'é', '😀'),
        },
        anyCharacter,
      ),
    })
    .map((text) =>
      `x${text.replaceAll('\0', '')}`
        .toWellFormed()
        .slice(0, maxLength)
        .replace(/[\ud800-\udbff]$/, ''),
    )

const line = (maxLength: number) => hardText(maxLength).map((text) => text.replaceAll(/[\n\r]/g, ' '))
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 })
const condition = fc.record({ field: hardText(20), equals: hardText(20) })
const addresses = ['ada@example.com', 'Bob+x@example.com', "o'neil@example.com", 'c_d@xn--exmple-cua.de']

const entries = fc.subarray(addresses).chain((chosen) =>
  fc.tuple(
    ...chosen.map((address) =>
      fc.oneof(
        fc.constant(address),
        fc.record({ address: fc.constant(address), only: condition, digest: fc.constantFrom(null, 'day' as const) }),
        fc.record({
          address: fc.constant(address),
          only: fc.constant(null),
          digest: fc.constantFrom('day' as const, 'week' as const),
        }),
      ),
    ),
  ),
)

const fieldOf = <T extends Partial<FormField>>(
  type: FieldType,
  members: { readonly [Name in keyof T]: fc.Arbitrary<T[Name]> },
) =>
  fc
    .record(
      { name: hardText(50).map((name) => `a${name}`), label: hardText(50), help: hardText(50), ...members },
      { requiredKeys: ['name'] },
    )
    .map((field): FormField => ({ ...field, type }) as FormField)
const yes = fc.constant(true as const)
const options = fc.uniqueArray(line(30), { minLength: 1, maxLength: 5, selector: (option) => option.trim() })

/** Without what has its default, as it is stored. */
const anyField: fc.Arbitrary<FormField> = fc.oneof(
  fieldOf('text', {
    required: yes,
    minLength: fc.integer({ min: 1, max: 9 }),
    maxLength: fc.integer({ min: 9, max: 100_000 }),
  }),
  fieldOf('number', { min: fc.constantFrom(-3, 0.5), max: fc.constantFrom(7, 1e9), prefill: yes }),
  fieldOf('date', { min: fc.constant('2026-02-28'), max: fc.constant('2028-02-29') }),
  fieldOf('choice', { other: yes, showPlaces: yes }).chain((field) =>
    fc.tuple(options, fc.boolean()).map(([all, isLimited]) => {
      const places = Object.fromEntries(all.map((option, n) => [option, n]))
      return { ...field, options: all, ...(isLimited && { places }) }
    }),
  ),
  fieldOf('file', { fileTypes: fc.constant(['.pdf', 'image/*']), maxFiles: fc.integer({ min: 2, max: 20 }) }),
  fc
    .record({ name: fc.constant('hidden'), value: hardText(20) })
    .map((field) => ({ ...field, type: 'hidden' as const })),
)

let addressesGiven = 0

/** Values that the API takes, of settings for which a schema does not say them all. */
const own: { readonly [Name in SettingName]?: fc.Arbitrary<FormSettings[Name]> } = {
  opensAt: maybe(fc.constant('2026-12-01T08:00:00.000Z')),
  closesAt: maybe(fc.constantFrom('2100-12-31T23:59:59.000Z', '9999-12-31T23:59:59.000Z')),
  allowedOrigins: fc.subarray(['https://example.com', 'https://*.example.com', 'http://[::1]:8080']),
  fileTypes: fc.subarray(['image/*', '.docx', 'application/pdf', '.tar.gz']),
  maxFileBytes: maybe(fc.integer({ min: 1, max: 1024 * 1024 })),
  columns: maybe(fc.uniqueArray(hardText(20), { maxLength: 8 })),
  notify: entries,
  timeZone: fc.constantFrom('UTC', 'Asia/Kathmandu'),
  reply: maybe(fc.record({ field: hardText(20), subject: line(100), text: hardText(300), copy: fc.constant(false) })),
  honeypot: line(20),
  submitLimit: maybe(fc.integer({ min: 1, max: 60 })),
  fields: fc.uniqueArray(anyField, { maxLength: 10, selector: ({ name }) => name }),
  otherFields: fc.constantFrom('keep', 'refuse'),
  language: maybe(fc.constantFrom(...languages)),
  // Tried in tests of their own: they depend on other settings.
  page: fc.constant(null),
  confirm: fc.constant(null),
  sender: fc.constant(null),
  group: maybe(hardText(60).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ' ').trim() || 'y')),
  // No two forms have the same.
  address: maybe(fc.constant('form').map((word) => `${word}-${++addressesGiven}`)),
}

/** Values that match a schema: a boolean, a whole number, a text, or a list of different texts. */
const matching = ({ type, nullable, ...schema }: JsonSchema): fc.Arbitrary<unknown> => {
  if (nullable) return maybe(matching({ type, ...schema }))
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: Number(schema.minimum), max: Number(schema.maximum) })
  if (type === 'string')
    return hardText(Math.min(Number(schema.maxLength), 100)).map((text) =>
      text.padEnd(Number(schema.minLength ?? 0), 'y'),
    )
  if (type === 'array') return fc.uniqueArray(matching(schema.items as JsonSchema), { maxLength: 30 })
  throw new Error(`give the values of a setting whose schema is of the type ${type}`)
}

const settings = Object.fromEntries(
  settingNames.map((name) => [name, own[name] ?? matching(settingOf(name).kind.schema)]),
) as { readonly [Name in SettingName]: fc.Arbitrary<FormSettings[Name]> }

const headers = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom('Authorization', 'X-A', 'X.A', '__proto__', 'constructor'),
    fc.constantFrom('Bearer topsecret', 'env:topsecret'),
  ),
  { selector: ([name]) => name, maxLength: 5 },
)

const webhook = fc.record({
  target: fc.constantFrom(
    { format: 'standard' as const, url: 'https://hooks.example.com/a?b=c#"d"' },
    { format: 'slack' as const, url: 'https://hooks.slack.example/services/topsecret' },
    { format: 'telegram' as const, url: 'https://api.telegram.org/bot12:topsecret/sendMessage?chat_id=1' },
    { format: 'ntfy' as const, url: 'https://ntfy.example.com/topic?auth=topsecret' },
    { format: 'gotify' as const, url: 'https://gotify.example.com/message?token=topsecret' },
    { format: 'teams' as const, url: 'https://teams.example.com/workflow?a=b&sig=topsecret' },
  ),
  description: maybe(hardText(50)),
  only: maybe(condition),
  headers: headers.map((all) => Object.fromEntries(all)),
  enabled: fc.boolean(),
})

export interface AnyForm {
  readonly title: string
  readonly description: string | null
  readonly returnUrl: string | null
  readonly settings: Partial<FormSettings>
  readonly webhooks: readonly {
    readonly target: { readonly format: WebhookFormat; readonly url: string }
    readonly description: string | null
    readonly only: Condition | null
    readonly headers: Readonly<Record<string, string>>
    readonly enabled: boolean
  }[]
}

export const anyForm: fc.Arbitrary<AnyForm> = fc.record({
  title: hardText(50),
  description: maybe(hardText(100)),
  returnUrl: maybe(fc.constantFrom('https://example.com/thanks?a="b"', 'http://exämple.com/\\x')),
  settings: fc.record(settings),
  webhooks: fc.array(webhook, { maxLength: 4 }),
})
