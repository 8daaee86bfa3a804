import { invalid } from '../base/errors.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import { entriesAsText, notifyEntries } from '../forms/settings/notify.ts'
import { addressesIn } from '../forms/settings/notify-entries.ts'
import type { Webhook } from '../forms/webhooks/store.ts'
import { checkHeaders, parseHeaderLines } from '../forms/webhooks/webhook-headers.ts'
import { members } from '../forms/webhooks/webhook-members.ts'
import { webhookUrl } from '../forms/webhooks/webhook-rules.ts'
import { recognised } from '../forms/webhooks/webhook-services.ts'
import type { MemberName } from '../forms/webhooks/webhook-writes.ts'
import { parseCondition } from '../outbox/condition.ts'
import { parseInputs } from './parse-inputs.ts'
import type { TypedReceiver } from './told-form.ts'
import { kindOf, type ToldKind, type ToldKindName, toldKinds } from './told-kinds.ts'

/** Entries of `notify` from what was typed. @throws AppError `invalid` */
export const parseAddresses = (typed: TypedReceiver) => {
  const ways = { digest: typed.digest, field: typed.onlyField.trim(), equals: typed.onlyEquals.trim() }
  const text = entriesAsText(addressesIn(typed.address).map((address) => ({ address, ...ways })))
  const entries = parseTyped('notify', notifyEntries.fromText(text))
  if (entries.length === 0)
    throw invalid({ field: 'notify', message: 'must be an email address such as ada@example.com' })
  return entries
}

/** @param refuseUnreachable throws AppError `invalid` for a URL that this server does not send to */
export const parseWebhook = (
  kind: ToldKindName,
  typed: TypedReceiver,
  before: Webhook | undefined,
  refuseUnreachable: (url: string) => void,
) => {
  const { format, join, hasHeaders }: ToldKind = toldKinds[kind]
  const { url, headers } = { ...typed, ...join?.(typed, before?.url) }
  return parseInputs({
    url: () => {
      const parsed = parseTyped('url', webhookUrl.fromText(url))
      refuseUnreachable(parsed)
      refuseOther(kind, parsed)
      return parsed
    },
    format: () => (kind === 'phone' && isGotify(url) ? 'gotify' : format),
    description: () =>
      parseTyped<string | null>('description', members.description.kind.fromText?.(typed.description) as never),
    only: () => parseCondition({ field: typed.onlyField, equals: typed.onlyEquals }),
    headers: () => {
      if (!hasHeaders) return undefined
      const parsed = parseHeaderLines(headers)
      checkHeaders(parsed)
      return parsed
    },
  } satisfies Readonly<Record<MemberName | 'url' | 'headers', () => unknown>>)
}

const isGotify = (url: string): boolean => URL.parse(url.trim())?.pathname.endsWith('/message') === true

/** @throws AppError `invalid` if the service at this URL would take nothing of what this kind gets */
const refuseOther = (kind: ToldKindName, url: string): void => {
  const { format }: ToldKind = toldKinds[kind]
  const service = recognised(url)
  if (service && format && !service.takes.includes(format))
    throw invalid({
      field: 'url',
      message: `this is an address of ${service.name}, which refuses what ${toldKinds[kind].name.toLowerCase() === 'other program' ? 'other programs get' : `${toldKinds[kind].name} gets`}`,
    })
}

/** The kind that the service at a URL takes, if it is another one. */
export const betterFor = (kind: ToldKindName, url: string): ToldKindName | undefined => {
  const [format] = recognised(url.trim())?.takes ?? []
  const better = format && kindOf(format, url.trim())
  return better === kind ? undefined : better
}
