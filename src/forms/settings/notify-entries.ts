import { toStoredAddress } from '../../base/mail-address.ts'
import type { Addressee } from '../../outbox/addresses.ts'
import type { Condition } from '../../outbox/condition.ts'
import type { DigestPeriod } from '../../outbox/digest-times.ts'

/** An address that gets mails about a form's submissions, alone or with the way in which it gets them. */
export type NotifyEntry = string | Addressed

interface Addressed {
  readonly address: string
  /** The submissions that it gets; null for all. */
  readonly only: Condition | null
  /** `day` for one email a day, `week` for one a week; null for an email about each submission. */
  readonly digest: DigestPeriod | null
}

/** An entry as it was sent. */
export type SentEntry =
  | string
  | (Pick<Addressed, 'address'> & { readonly [Name in keyof Addressed]?: Addressed[Name] | undefined })

export const addressOf = (entry: SentEntry): string => (typeof entry === 'string' ? entry : entry.address)

/** Whether an entry is for this address, in whatever case. */
export const isFor = (entry: SentEntry, address: string): boolean =>
  addressOf(entry).toLowerCase() === address.toLowerCase()

/** Entries without those for these addresses. */
export const withoutAddresses = (
  entries: readonly NotifyEntry[],
  addresses: readonly string[],
): readonly NotifyEntry[] => entries.filter((entry) => !addresses.some((address) => isFor(entry, address)))

/** Whether it gets one mail a day or a week. */
export const isDigest = (entry: NotifyEntry): boolean => typeof entry !== 'string' && entry.digest !== null

/** The entry with all that it says, also if it is only an address. */
export const toAddressed = (entry: SentEntry): Addressed =>
  typeof entry === 'string'
    ? { address: entry, only: null, digest: null }
    : { address: entry.address, only: entry.only ?? null, digest: entry.digest ?? null }

/** Converts an entry for the outbox. The condition is as `conditionText` writes it, which no command may load. */
export const toAddressee = (entry: NotifyEntry): Addressee => {
  const { only, ...rest } = toAddressed(entry)
  return { ...rest, only: only && JSON.stringify(only) }
}

/** The entry as it is stored: a text where that says it all. */
export const toStoredEntry = (entry: SentEntry): NotifyEntry => {
  const { address: sent, only, digest } = toAddressed(entry)
  const address = toStoredAddress(sent)
  if (only === null && digest === null) return address
  return { address, only: only && { field: only.field, equals: only.equals }, digest }
}

/** Addresses, also as a mail program copies them: `Bob <bob@example.com>, "Lovelace, Ada" <ada@example.com>`. */
export const addressesIn = (text: string): string[] =>
  [...text.matchAll(/(?:"[^"\r\n]*"|[^\r\n,;])+/g)]
    .map(([part]) => part.replace(/^[^<>]*<([^<>]+)>\s*$/, '$1').trim())
    .filter(Boolean)
