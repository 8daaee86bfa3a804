import { type TSchema, Type } from '@sinclair/typebox'
import { collecting, type Issue, invalid } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import {
  type DescribedForm,
  type DescribedWebhook,
  environmentPrefix,
  isName,
  maxForms,
  nameInWords,
} from '../forms/as-files/described.ts'
import { pathOf, withoutNull } from '../forms/as-files/shown-values.ts'
import type { SentSettings } from '../forms/settings/settings.ts'
import { hidden } from '../forms/webhooks/webhook-headers.ts'
import { presets } from '../forms/webhooks/webhook-members.ts'
import { formatFor } from '../forms/webhooks/webhook-services.ts'
import { isSecret, secretInWords } from '../outbox/webhook-secret.ts'
import { FormInputSchema } from './form-json.ts'
import { SettingsChangesSchema } from './form-settings.ts'
import { Text } from './kind-schema.ts'
import { schemaCheck } from './schema-check.ts'
import { WebhookChangesSchema, WebhookInputSchema } from './webhooks.ts'

// A file says of a form what the API says of it, and is checked in the same way. Only names that nothing has are an error
// here: a file is written by hand.

const id = Type.Optional(Text({ minLength: 1, maxLength: 64 }))

const WebhookSchema = Type.Object({
  ...WebhookInputSchema.properties,
  enabled: WebhookChangesSchema.properties.enabled,
  id,
  secret: Type.Optional(Text({ maxLength: 1000 })),
})

const FormSchema = Type.Object({
  ...FormInputSchema.properties,
  ...SettingsChangesSchema.properties,
  id,
  webhooks: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { error: 'must be tables such as [forms.contact.webhooks.crm]' }),
  ),
})

const checkForm = schemaCheck(FormSchema, 'body')
const checkWebhook = schemaCheck(WebhookSchema, 'body')

type Table = Readonly<Record<string, unknown>>
type Environment = Readonly<Record<string, string | undefined>>

/**
 * The forms that a file describes.
 *
 * @param file as TOML is read: with times as `Date`
 * @param environment where the secrets are
 * @throws AppError `invalid` with everything that is wrong
 */
export const describedForms = (file: Table, environment: Environment): DescribedForm[] => {
  const issues: Issue[] = unknownNames(Type.Object({ forms: Type.Unknown() }), file, [])
  const forms = tablesOf(file.forms ?? {}, ['forms'], issues)
  if (forms.length === 0 && issues.length === 0)
    issues.push({ message: 'describes no form; one begins with a line such as [forms.contact]' })
  if (forms.length > maxForms)
    throw invalid({ field: 'forms', message: `must be at most ${maxForms}; got ${forms.length}` })
  const described = forms.map(([name, table]) => toForm(name, table, environment, issues))
  if (issues.length > 0) throw invalid(...issues)
  return described
}

/** The tables in a table, by their names. */
const tablesOf = (value: unknown, path: readonly string[], issues: Issue[]): (readonly [string, Table])[] => {
  if (!isObject(value)) {
    issues.push({ field: pathOf(...path), message: 'must be a table' })
    return []
  }
  return Object.entries(value).flatMap(([name, table]) => {
    const field = pathOf(...path, name)
    if (!isName(name)) issues.push({ field, message: `must have a name of ${nameInWords}` })
    else if (!isObject(table)) issues.push({ field, message: `must be a table: [${field}]` })
    else return [[name, table] as const]
    return []
  })
}

const toForm = (name: string, table: Table, environment: Environment, issues: Issue[]): DescribedForm => {
  const path = ['forms', name]
  const value: Table = withTimes(FormSchema, table)
  check(FormSchema, checkForm, value, path, issues)
  const webhooks = isObject(value.webhooks) ? tablesOf(value.webhooks, [...path, 'webhooks'], issues) : []
  const { id, title, description = null, returnUrl = null, webhooks: _, ...settings } = value
  return {
    name,
    id: id as string | undefined,
    title: title as string,
    description: description as string | null,
    returnUrl: returnUrl as string | null,
    settings: settings as SentSettings,
    webhooks: webhooks.map(([own, webhook]) =>
      toWebhook(own, webhook, [...path, 'webhooks', own], environment, issues),
    ),
  }
}

const toWebhook = (
  name: string,
  table: Table,
  path: readonly string[],
  environment: Environment,
  issues: Issue[],
): DescribedWebhook => {
  const { secrets, value } = withSecrets(table, path, environment)
  const wrong = [...secrets]
  check(WebhookSchema, checkWebhook, value, path, wrong)
  // A secret that is not there cannot be valid either.
  const first = wrong.filter(({ field }, position) => wrong.findIndex((other) => other.field === field) === position)
  issues.push(...first)
  const format = formatFor(String(value.url))
  const webhook = { ...presets, format, headers: {}, ...value, name }
  return webhook as unknown as DescribedWebhook
}

const check = (
  schema: TSchema,
  parse: (value: unknown) => unknown,
  value: Table,
  path: readonly string[],
  issues: Issue[],
): void => {
  const unknown = unknownNames(schema, value, path)
  issues.push(...unknown)
  const wrong: Issue[] = []
  collecting(wrong, () => parse(value))
  for (const { path: pointer = '', message } of wrong) {
    const field = pathOf(...path, ...namesIn(pointer))
    // A name that is misspelt is missing, too.
    const isSaid = unknown.some((other) => other.field?.startsWith(`${field}.`))
    if (!isSaid) issues.push({ field, message: withoutNull(message) })
  }
}

/** The names in a JSON pointer. */
const namesIn = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Times as text, as JSON has them. */
const withTimes = (schema: TSchema, table: Table): Table =>
  Object.fromEntries(
    Object.entries(table).map(([name, value]) => {
      const isTime = propertiesOf(schema)?.[name]?.format === 'date-time' && value instanceof Date
      return [name, isTime ? value.toISOString() : value]
    }),
  )

/** Replaces the references to environment variables that a webhook may have by their values. */
const withSecrets = (table: Table, path: readonly string[], environment: Environment) => {
  const secrets: Issue[] = []
  const find = (value: unknown, ...names: readonly string[]): unknown => {
    if (typeof value !== 'string') return value
    const { found, problem } = lookUp(value, environment)
    if (problem !== undefined) secrets.push({ field: pathOf(...path, ...names), message: problem })
    return found
  }
  const { url, headers, secret, ...others } = table
  const values = {
    url: find(url, 'url'),
    headers: isObject(headers)
      ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, find(value, 'headers', name)]))
      : headers,
    secret: find(secret, 'secret'),
  }
  const problem = problemOf(secret, values.secret)
  if (problem !== undefined) secrets.push({ field: pathOf(...path, 'secret'), message: problem })
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  return { secrets, value: { ...others, ...Object.fromEntries(present) } }
}

/** Returns the value of a text: itself, or that of an environment variable. */
const lookUp = (text: string, environment: Environment): { readonly found: string; readonly problem?: string } => {
  if (text.includes(hidden))
    return { found: text, problem: `must be the value itself, or ${environmentPrefix} and the name of a variable` }
  if (!text.startsWith(environmentPrefix)) return { found: text }
  const name = text.slice(environmentPrefix.length)
  if (!/^[A-Za-z_]\w*$/.test(name) || /^FORMBOX_/i.test(name))
    return {
      found: '',
      problem: `must be ${environmentPrefix} and the name of an environment variable that is no setting of Formbox`,
    }
  const found = (Object.hasOwn(environment, name) && environment[name]) || ''
  return found === '' ? { found, problem: `needs the environment variable ${name}, which is not set` } : { found }
}

/** @param found what it stands for */
const problemOf = (secret: unknown, found: unknown): string | undefined => {
  if (typeof secret !== 'string') return undefined
  if (!secret.startsWith(environmentPrefix))
    return `must be ${environmentPrefix} and the name of an environment variable, because a file is no place for it`
  return isSecret(String(found)) ? undefined : `must stand for ${secretInWords}`
}

type Documented = Readonly<Record<string, TSchema>>

/** The schemas of an object's values: those that are checked, or else those of the document. */
const propertiesOf = (schema: TSchema): Documented | undefined => schema.properties ?? schema.documented?.properties

const itemsOf = ({ items, documented }: TSchema): readonly TSchema[] => {
  const schema: TSchema | undefined = items ?? documented?.items
  return schema ? (schema.anyOf ?? [schema]) : []
}

/** Names that no schema knows, in a value and in what is in it. */
const unknownNames = (schema: TSchema, value: unknown, path: readonly (string | number)[]): Issue[] => {
  if (Array.isArray(value)) {
    const ofObjects = itemsOf(schema).find((item) => propertiesOf(item))
    return ofObjects
      ? value.slice(0, maxUnknown).flatMap((item, position) => unknownNames(ofObjects, item, [...path, position]))
      : []
  }
  const properties = propertiesOf(schema)
  if (!properties || !isObject(value)) return []
  const inside = Object.keys(value).filter((name) => Object.hasOwn(properties, name))
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
  return [
    ...unknown.slice(0, maxUnknown).map((name) => {
      const near = nearest(name, Object.keys(properties))
      const advice = near === undefined ? `known are ${Object.keys(properties).join(', ')}` : `did you mean ${near}?`
      return { field: pathOf(...path, name), message: `unknown; ${advice}` }
    }),
    ...inside.flatMap((name) => unknownNames(properties[name] as TSchema, value[name], [...path, name])),
  ]
}

/**
 * Unknown names that are reported for one table or list. A file can have a hundred thousand, and each is compared with
 * all known names.
 */
const maxUnknown = 100
