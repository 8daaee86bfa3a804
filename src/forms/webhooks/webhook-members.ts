import { type Condition, conditionText } from '../../outbox/condition.ts'
import { hookMembers, receivers } from '../../storage/tables.ts'
import type { Kind } from '../settings/kind.ts'
import { choice, textOrNull } from '../settings/kinds.ts'
import { condition } from '../settings/notify.ts'
import { formats, type WebhookFormat } from './formats.ts'
import type { MemberColumns, MemberName, StoredMembers } from './webhook-writes.ts'

/** What a webhook may have besides its URL, its headers and its secret, by the names that the API gives it. */
export interface WebhookMembers {
  /** How it gets what it is told. */
  readonly format: WebhookFormat
  readonly description: string | null
  /** The submissions that it gets; null for all. */
  readonly only: Condition | null
}

interface Member<T, Stored> {
  readonly kind: Pick<Kind<T>, 'problems' | 'schema'> & Partial<Pick<Kind<T>, 'fromText' | 'toText'>>
  /** What a new webhook has that does not say it. */
  readonly preset: T
  readonly toStored: (value: T) => Stored
  readonly fromStored: (stored: Stored) => T
  /** For the document. */
  readonly words: { readonly name?: string; readonly description?: string; readonly example?: unknown }
}

const asItIs = <T>(value: T): T => value

/**
 * The API, files of forms, copies and comparisons are made from it. The page asks for each in a way of its own: its input is
 * in site/told-form.ts, what was typed is read in told-inputs.ts, and told-list.ts says what a webhook has.
 */
export const members: { readonly [Name in MemberName]: Member<WebhookMembers[Name], StoredMembers[Name]> } = {
  format: {
    kind: choice(receivers.format.enumValues),
    preset: 'standard',
    toStored: asItIs,
    fromStored: (stored) => stored ?? 'standard',
    words: {
      name: 'WebhookFormat',
      description: `Format of the requests. If it is absent, a new webhook gets that of the service at its host, such as Slack, and otherwise \`standard\`. ${Object.entries(
        formats,
      )
        .map(([name, { description }]) => `\`${name}\`: ${description}`)
        .join('; ')}`,
      example: 'standard',
    },
  },
  description: {
    kind: textOrNull({ maxLength: 200 }),
    preset: null,
    toStored: asItIs,
    fromStored: asItIs,
    words: {
      description: 'What the webhook is for. NUL and unpaired surrogates are refused.',
      example: 'Booking calendar',
    },
  },
  only: {
    kind: condition,
    preset: null,
    toStored: (only) => only && conditionText(only),
    fromStored: (stored) => (stored === null ? null : JSON.parse(stored)),
    words: {},
  },
}

/** An absent or undefined member has its preset, or keeps its value. */
export type SentMembers = { readonly [Name in MemberName]?: WebhookMembers[Name] | undefined }

/** What each member has in one of its forms, made from another. */
const each = (toValue: (name: MemberName, member: Member<unknown, unknown>) => unknown) =>
  Object.fromEntries(hookMembers.map((name) => [name, toValue(name, members[name] as Member<unknown, unknown>)]))

/** What a new webhook has that says nothing. */
export const presets = each((_, { preset }) => preset) as unknown as WebhookMembers

/** The columns of a new webhook. */
export const newMembers = (given: SentMembers) =>
  each((name, { preset, toStored }) => toStored(given[name] === undefined ? preset : given[name])) as StoredMembers

/** The columns of the members that change; undefined for the others. */
export const changedMembers = (given: SentMembers) =>
  each((name, { toStored }) => (given[name] === undefined ? undefined : toStored(given[name]))) as MemberColumns

/** The members of a stored webhook. */
export const membersOf = (stored: StoredMembers) =>
  each((name, { fromStored }) => fromStored(stored[name])) as unknown as WebhookMembers
