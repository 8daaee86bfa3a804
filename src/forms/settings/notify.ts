import { toMailAddress } from '../../base/mail-address.ts'
import { textInWords } from '../../base/text-rules.ts'
import { type Condition, conditionInWords, conditionRule, isCondition } from '../../outbox/condition.ts'
import { type DigestPeriod, digestPeriodNames } from '../../outbox/digest-times.ts'
import { accepted, type Kind, refused, type Typed } from './kind.ts'
import { quoted, visiblePattern } from './kinds.ts'
import { addressOf, type NotifyEntry, type SentEntry, toAddressed, toStoredEntry } from './notify-entries.ts'
import { maxAddresses } from './settings.ts'

/** The condition under which a receiver is told of a submission, or null. */
export const condition: Pick<Kind<Condition | null>, 'problems' | 'schema'> = {
  problems: (value) =>
    value === null || isCondition(value) ? [] : [{ at: '', message: `must be ${conditionInWords}, or null`, value }],
  schema: {
    name: 'Condition',
    type: 'object',
    nullable: true,
    description:
      'Sends only submissions in which this field has this value; case and accents are ignored. This is ' +
      'decided when a submission is made, or taken out of the spam. Null sends all.',
    example: { field: 'topic', equals: 'Sales' },
    documented: {
      required: ['field', 'equals'],
      properties: Object.fromEntries(
        ['field', 'equals'].map((name) => [name, { type: 'string', ...conditionRule, pattern: visiblePattern }]),
      ),
    },
  },
}

/** Not `format: email` in the document, which many tools take to exclude `a@exämple.de`. */
const addressSchema = { type: 'string', pattern: '^[^\\s@]+@[^\\s@]+$', example: 'ada@example.com' }

/** An address and how it gets its mails, for the document. */
const notifyAddressSchema = {
  name: 'NotifyAddress',
  type: 'object',
  required: ['address'],
  properties: {
    address: addressSchema,
    only: condition.schema,
    digest: {
      type: 'string',
      nullable: true,
      enum: [...digestPeriodNames, null],
      description: '`day` for one email a day, `week` for one on Mondays; null for an email about each submission',
      example: 'day',
    },
  },
}

/** An entry, or an address alone. */
const notifyEntrySchema = { name: 'NotifyEntry', anyOf: [addressSchema, notifyAddressSchema] }

/** An address as it was typed, with how it gets its mails. */
export interface TypedEntry {
  readonly address: string
  /** `day`, `week`, or empty. */
  readonly digest: string
  /** The condition; both empty for none. */
  readonly field: string
  readonly equals: string
}

/** The text form: an entry a line, as JSON. Addresses that get their mails in the same way stand together. */
export const entriesAsText = (typed: readonly TypedEntry[]): string =>
  [...groupsOf(typed).values()]
    .flat()
    .map((entry) => JSON.stringify(entry))
    .join('\n')

const entriesInText = (text: string): TypedEntry[] =>
  text === '' ? [] : text.split('\n').map((line): TypedEntry => JSON.parse(line))

const groupsOf = (typed: readonly TypedEntry[]): Map<string, TypedEntry[]> =>
  Map.groupBy(typed, ({ address, ...ways }) => JSON.stringify(ways))

/** Different e-mail addresses, each alone or with how it gets its mails. Other members of theirs are ignored. */
export const notifyEntries: Kind<readonly NotifyEntry[], readonly SentEntry[]> = {
  problems: (value) =>
    Array.isArray(value) && value.length <= maxAddresses && areEntries(value)
      ? []
      : [{ at: '', message: `must be ${entriesInWords}`, value }],
  toStored: (sent) => sent.map(toStoredEntry),
  input: 'own',
  isOptional: true,
  toText: (entries) => entriesAsText(entries.map(toTyped)),
  fromText: (text) => fromTyped(entriesInText(text)),
  schema: { type: 'array', maxItems: maxAddresses, documented: { uniqueItems: true, items: notifyEntrySchema } },
}

const entriesInWords =
  `an array of at most ${maxAddresses} different email addresses such as ada@example.com, each as text or ` +
  'as {"address":"ada@example.com","only":{"field":"topic","equals":"Sales"},"digest":"day"}'

const areEntries = (values: readonly unknown[]): values is SentEntry[] =>
  values.every(isEntry) && areMailAddresses(values.map(addressOf))

const isEntry = (value: unknown): value is SentEntry => {
  if (typeof value === 'string') return true
  const {
    address,
    only = null,
    digest = null,
  } = (value ?? {}) as Partial<Record<'address' | 'only' | 'digest', unknown>>
  return (
    typeof address === 'string' && (only === null || isCondition(only)) && (digest === null || isDigestName(digest))
  )
}

const isDigestName = (value: unknown): value is DigestPeriod => digestPeriodNames.some((name) => name === value)

/** No two are the same in another case or spelling. */
const areMailAddresses = (texts: readonly string[]): boolean => {
  const addresses = texts.map((text) => toMailAddress(text)?.toLowerCase())
  return !addresses.includes(undefined) && new Set(addresses).size === texts.length
}

const toTyped = (entry: NotifyEntry): TypedEntry => {
  const { address, only, digest } = toAddressed(entry)
  return { address, digest: digest ?? '', field: only?.field ?? '', equals: only?.equals ?? '' }
}

/** Joins the entries that were typed: the same address may be typed twice. */
const fromTyped = (typed: readonly TypedEntry[]): Typed<readonly NotifyEntry[]> => {
  const wrong = typed.find(({ address }) => toMailAddress(address) === null)
  if (wrong) return refused('must be email addresses such as ada@example.com', quoted(wrong.address))
  const byAddress = new Map<string, NotifyEntry>()
  for (const { address, digest, field, equals } of typed) {
    const only = field === '' && equals === '' ? null : { field, equals }
    if (only && !isCondition(only))
      return refused(`must have both a field and its value, each of ${textInWords(conditionRule)}, or neither`)
    const key = (toMailAddress(address) ?? address).toLowerCase()
    const entry = toStoredEntry({ address, only, digest: isDigestName(digest) ? digest : null })
    const before = byAddress.get(key)
    if (before && !Bun.deepEquals({ ...toAddressed(before), address }, { ...toAddressed(entry), address }))
      return refused('must have each address once', `${address} twice`)
    byAddress.set(key, entry)
  }
  if (byAddress.size <= maxAddresses) return accepted([...byAddress.values()])
  return refused(`must be at most ${maxAddresses} addresses`, byAddress.size)
}
