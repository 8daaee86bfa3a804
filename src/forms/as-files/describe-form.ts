import { version } from '../../../package.json'
import { isObject } from '../../base/json.ts'
import type { Receiver } from '../../outbox/receivers.ts'
import type { Db } from '../../storage/open.ts'
import { hookMembers } from '../../storage/tables.ts'
import type { FormTo } from '../access.ts'
import { defaultSettings, type FormSettings, parseSettings } from '../settings/settings.ts'
import { formats } from '../webhooks/formats.ts'
import { hidden, parseHeaders } from '../webhooks/webhook-headers.ts'
import { membersOf, presets } from '../webhooks/webhook-members.ts'
import { formatFor } from '../webhooks/webhook-services.ts'
import { environmentPrefix } from './described.ts'
import { formStates } from './form-state.ts'
import { shownPlace } from './shown-values.ts'
import { tomlItem, tomlLine, tomlTable } from './write-toml.ts'

/** The file that describes a form, for `formbox apply`: without any secret. */
export const describeForm = (db: Db, form: FormTo<'configure'>): string => {
  const { findByName, webhooksOf } = formStates(db)
  const isTaken = (one: string): boolean => findByName(form.userId ?? '', one) !== undefined
  const name = form.name ?? firstFree(nameFrom(form.title) || 'form', '-', isTaken)
  const webhooks = webhooksOf(form)
  const names = webhookNames(webhooks)
  const environment = environmentNames()
  const settings = nullsLeftOut(changedFrom(defaultSettings, parseSettings(form.settings))) as object
  const isTable = ([setting, value]: readonly [string, unknown]): boolean => isObject(value) || setting === 'fields'
  const tables = Object.entries(settings).filter(isTable)
  const { description, returnUrl } = form
  return [
    `# Described by Formbox ${version}, for formbox apply. What is not named here has its default.`,
    '# Live spreadsheets, members and submissions are not part of a file.',
    '',
    ...tomlTable(['forms', name], {
      title: form.title,
      ...(description !== null && { description }),
      ...(returnUrl !== null && { returnUrl }),
      ...Object.fromEntries(Object.entries(settings).filter((one) => !isTable(one))),
    }),
    '# Which form this is on its server. Another server makes a new one.',
    tomlLine('id', form.id),
    ...tables.flatMap(([setting, value]) => {
      const path = ['forms', name, setting]
      const tablesOf = (list: readonly object[]) => list.flatMap((one) => ['', ...tomlItem(path, { ...one })])
      return Array.isArray(value) ? tablesOf(value) : ['', ...tomlTable(path, value)]
    }),
    ...webhooks.flatMap((webhook, position) => {
      const own = names[position] as string
      return ['', ...describeWebhook(['forms', name, 'webhooks', own], webhook, (what) => environment(name, own, what))]
    }),
    '',
  ].join('\n')
}

const changedFrom = (preset: FormSettings, settings: FormSettings): Partial<FormSettings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => !Bun.deepEquals(value, preset[name as keyof FormSettings])),
  )

/** TOML has no null: what is left out has none. */
const nullsLeftOut = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(nullsLeftOut)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(members.map(([name, one]) => [name, nullsLeftOut(one)]))
}

const describeWebhook = (
  path: readonly string[],
  webhook: Receiver,
  placeholder: (what: string) => string,
): string[] => {
  const { id, target, isEnabled, headers: stored } = webhook
  const own = membersOf(webhook)
  const headers = parseHeaders(stored).map(({ name }) => [name, placeholder(name)] as const)
  const { isForPrograms } = formats[own.format]
  const isSecret = !isForPrograms || target.includes(hidden)
  // Of a service, the format is written although its host would say it: the URL is not in the file.
  const usual = { ...presets, format: formatFor(target) === presets.format ? presets.format : undefined }
  return [
    ...tomlTable(path, {
      ...(!isSecret && { url: target }),
      ...Object.fromEntries(hookMembers.filter((name) => own[name] !== usual[name]).map((name) => [name, own[name]])),
      ...(!isEnabled && { enabled: false }),
    }),
    ...(!isSecret
      ? []
      : [`# The whole URL, which is a secret: at ${shownPlace(target)}`, tomlLine('url', placeholder('url'))]),
    ...(headers.length > 0
      ? ['# Secrets are read from environment variables.', tomlLine('headers', Object.fromEntries(headers))]
      : []),
    ...(isForPrograms
      ? [
          '# What the receiver checks signatures with (whsec_…). Without this line, its server keeps it, and another one makes one.',
          tomlLine('secret', placeholder('secret')),
        ]
      : []),
    tomlLine('id', id),
  ]
}

/** Names of environment variables, no two the same. */
const environmentNames = () => {
  const taken = new Set<string>()
  return (...parts: readonly string[]): string => {
    const name = `WEBHOOK_${parts.join('_')}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
    const free = firstFree(name, '_', (one) => taken.has(one))
    taken.add(free)
    return environmentPrefix + free
  }
}

/** A name for a form or webhook that has none; empty if no letter or digit of the text can stand in one. */
const nameFrom = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '')

const webhookNames = (webhooks: readonly Receiver[]): string[] => {
  const taken = new Set(webhooks.flatMap(({ name }) => name ?? []))
  return webhooks.map(({ name, target, description }) => {
    if (name !== null) return name
    const wanted = nameFrom(description ?? '') || nameFrom(new URL(target).hostname) || 'webhook'
    const free = firstFree(wanted, '-', (one) => taken.has(one))
    taken.add(free)
    return free
  })
}

const firstFree = (name: string, separator: string, isTaken: (name: string) => boolean): string => {
  let free = name
  for (let number = 2; isTaken(free); number++) free = `${name}${separator}${number}`
  return free
}
