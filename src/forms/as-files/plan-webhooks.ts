import { collecting, type Issue, invalid } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import type { Receiver } from '../../outbox/receivers.ts'
import { newSecret } from '../../outbox/webhook-secret.ts'
import type { Db } from '../../storage/open.ts'
import { hookMembers } from '../../storage/tables.ts'
import type { Form } from '../form.ts'
import { formats } from '../webhooks/formats.ts'
import { checkHeaders, parseHeaders } from '../webhooks/webhook-headers.ts'
import { membersOf, newMembers } from '../webhooks/webhook-members.ts'
import { hostAndPort, refuseUnreachable } from '../webhooks/webhook-rules.ts'
import { joinUrl, splitUrl, targetAt, unknownToken } from '../webhooks/webhook-services.ts'
import type { AppliedForm, WebhookFields } from './apply-writes.ts'
import type { DescribedWebhook } from './described.ts'
import { formStates } from './form-state.ts'
import { difference, shownPlace } from './shown-values.ts'

interface Options {
  readonly isReachable: (address: string) => boolean
  readonly now: number
}

interface WebhooksPlan {
  readonly applied: AppliedForm['webhooks']
  readonly differences: readonly string[]
  readonly remarks: readonly string[]
}

/**
 * Finds what differs between the webhooks of a form and what a file says of them.
 *
 * @param form undefined if it is new
 * @throws AppError `invalid` with everything that is wrong
 */
export const planWebhooks = (
  db: Db,
  described: readonly DescribedWebhook[],
  form: Form | undefined,
  options: Options,
): WebhooksPlan => {
  const present = form ? formStates(db).webhooksOf(form) : []
  const left = new Set(present)
  const issues: Issue[] = []
  const plans = described.flatMap((webhook) => {
    const plan = () => {
      const found = findWebhook(present, webhook)
      if (found && !left.delete(found)) throw invalid({ field: 'id', message: 'names the same webhook as another one' })
      return planWebhook(webhook, found, options)
    }
    const toIssue = ({ field, message }: Issue): Issue => ({ field: `webhooks.${webhook.name}.${field}`, message })
    return collecting(issues, plan, toIssue) ?? []
  })
  if (issues.length > 0) throw invalid(...issues)
  const stays = ({ id, name, target }: Receiver): string =>
    `the webhook ${name ?? id} at ${shownPlace(target)} is not in the file, and stays`
  return {
    applied: plans.flatMap(({ applied, differences }) => (differences.length > 0 ? applied : [])),
    differences: plans.flatMap(({ differences }) => differences),
    remarks: [...plans.flatMap(({ remarks }) => remarks), ...[...left].map(stays)],
  }
}

const findWebhook = (present: readonly Receiver[], { id, name }: DescribedWebhook): Receiver | undefined => {
  const named = present.find((webhook) => webhook.id === id)
  const known = present.find((webhook) => webhook.name === name)
  if (named && known && named !== known)
    throw invalid({ field: 'id', message: `names another webhook than ${known.id}, which has this name` })
  if (named && named.name !== null && named.name !== name)
    throw invalid({ field: 'id', message: `names the webhook that files call ${named.name}` })
  return named ?? known
}

const planWebhook = (described: DescribedWebhook, found: Receiver | undefined, options: Options) => {
  const { name, format, enabled, secret } = described
  const fields = fieldsOf(described, found, options)
  const { url: target, urlToken } = fields
  if (!found) {
    const remarks =
      secret === undefined && formats[format].isForPrograms
        ? [`webhooks.${name} gets a secret that is never shown; with secret = "env:NAME", it is one that you have made`]
        : []
    const applied = { name, id: newId(options.now), isNew: true, secret: secret ?? newSecret(), fields }
    const isOff = enabled === false
    const differences = [`webhooks.${name}: new, at ${shownPlace(target)}${isOff ? ', switched off' : ''}`]
    return { applied: { ...applied, enabled: isOff ? false : undefined }, differences, remarks }
  }
  const before = membersOf(found)
  const isNewUrl = joinUrl({ target, urlToken }) !== joinUrl(found)
  const isNewSecret = secret !== undefined && !secureCompare(secret, found.secret ?? '')
  const own = [
    ...(isNewUrl ? [`url: changed, at ${shownPlace(target)}`] : []),
    ...hookMembers
      .filter((name) => fields[name] !== found[name])
      .map((name) => `${name}: ${difference(before[name], described[name])}`),
    ...(isSameHeaders(fields.headers, parseHeaders(found.headers)) ? [] : ['headers: changed']),
  ]
  const isSwitched = enabled !== undefined && enabled !== found.isEnabled
  const all = [
    ...(found.name === null ? [`name: ${difference(null, name)}`] : []),
    ...own,
    ...(isNewSecret ? ['secret: changed; the one before signs as well for 24 hours'] : []),
    ...(isSwitched ? [`enabled: ${difference(found.isEnabled, enabled)}`] : []),
  ]
  const applied = {
    name,
    id: found.id,
    isNew: false,
    fields: own.length > 0 ? fields : undefined,
    secret: isNewSecret ? secret : undefined,
    enabled: isSwitched ? enabled : undefined,
  }
  return { applied, differences: all.map((line) => `webhooks.${name}.${line}`), remarks: [] }
}

/** @throws AppError `invalid` if nothing could arrive there */
const fieldsOf = (
  described: DescribedWebhook,
  found: Receiver | undefined,
  { isReachable }: Options,
): WebhookFields => {
  const { url, format } = targetAt(described.url, described.format)
  if (!found || url !== joinUrl(found)) refuseUnreachable(url, isReachable)
  const { target, urlToken } = splitUrl({ url, format })
  if (urlToken === undefined) throw unknownToken()
  const headers = checkHeaders(described.headers)
  return {
    url: target,
    urlToken,
    host: hostAndPort(url),
    headers,
    ...newMembers(described),
  }
}

type HeaderList = readonly { readonly name: string; readonly value: string | null }[]

/** Compares them in any order. Each has its name once. */
const isSameHeaders = (some: HeaderList, others: HeaderList): boolean =>
  some.length === others.length &&
  some.every((header) => others.some(({ name, value }) => name === header.name && value === header.value))
