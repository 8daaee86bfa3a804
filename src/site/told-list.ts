import {
  deleteWebhookPath,
  deliveriesPath,
  newReceiverPath,
  receiverPath,
  removeAddressPath,
  retryDeliveriesPath,
  rotateWebhookPath,
  switchWebhookPath,
  testAddressPath,
  testWebhookPath,
} from '../config/addresses.ts'
import type { Silence } from '../forms/silence-reads.ts'
import { formats } from '../forms/webhooks/formats.ts'
import type { TestResult } from '../forms/webhooks/store.ts'
import { copyable } from '../html/copyable.ts'
import { counted, days, time, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { Condition } from '../outbox/condition.ts'
import { digestPeriods } from '../outbox/digest-times.ts'
import { receiverKinds } from '../outbox/kinds.ts'
import type { Delivery, ListedReceiver } from '../submissions/deliveries/store.ts'
import { answerOf, cameBack, lastFailure, shownHost } from './delivery-item.ts'
import { serviceOf, tiles } from './told-kinds.ts'

interface Shown {
  readonly formId: string
  readonly email: string
  readonly canMail: boolean
  readonly receivers: readonly ListedReceiver[]
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  /** How the form is watched for silence, and of how many days. */
  readonly silence: (Silence & { readonly days: number }) | undefined
  /** The last deliveries of each receiver, newest first. */
  readonly deliveries: ReadonlyMap<string, readonly Delivery[]>
}

/** Where the messages of a form go, and where else they could. */
export const toldList = (shown: Shown): Html => {
  const { formId, email, canMail, receivers, silence } = shown
  return html`<section aria-labelledby="where">
<h2 id="where">Where should messages go?</h2>
${
  receivers.length === 0 &&
  html`<form class="notice warn" method="post" action="${newReceiverPath(formId)}"><span>Nobody is told of new messages. They wait in your inbox.</span>${
    canMail &&
    html` <input type="hidden" name="kind" value="email"><input type="hidden" name="address" value="${email}"><button class="primary">Email me each message</button>`
  }</form>
`
}${tiles(formId, canMail)}
</section>
${
  receivers.length > 0 &&
  html`<section aria-labelledby="now">
<div class="between"><h2 id="now">They go to</h2><a href="${deliveriesPath(formId)}">All deliveries</a></div>
<form method="post"><ul class="things card">
${receivers.map((receiver) => row(receiver, shown))}</ul></form>
${silence && silenceLine(silence)}</section>
`
}`
}

/** Whether a form is too quiet. */
const silenceLine = ({ days: quiet, cameAt, tellAt }: NonNullable<Shown['silence']>): Html =>
  html`<p class="muted" id="quiet">If nothing comes for ${days(quiet)}, the addresses get an email: ${
    tellAt === null
      ? html`they got it, and nothing has come since ${time(cameAt)}`
      : html`on ${time(tellAt)} at the earliest`
  }. <a href="#silence">Change</a></p>
`

/** A program is called what its owner calls it. */
const serviceBefore = (format: ListedReceiver['format'], target: string, description: string | null): string =>
  description && formats[format ?? 'standard'].isForPrograms ? '' : `${serviceOf(format ?? 'standard', target)} `

/** What a receiver is called, with the kind of service before the name. */
export const receiverName = ({ kind, target, description, format }: ListedReceiver): Html =>
  kind === 'email'
    ? html`Email to <bdi>${target}</bdi>`
    : html`${serviceBefore(format, target, description)}<bdi>${description || shownHost(target)}</bdi>`

/** The same in plain text. */
const receiverWords = ({ kind, target, description, format }: ListedReceiver): string =>
  kind === 'email' ? target : serviceBefore(format, target, description) + (description || shownHost(target))

const row = (receiver: ListedReceiver, { formId, canMail, deliveries, fieldNames }: Shown): Html => {
  const { id, kind, format, target, isEnabled, disabledReason, failingSince, pendingCount, failedCount } = receiver
  const lately = deliveries.get(id) ?? []
  const failure = lately.map(lastFailure).find(Boolean)
  const accepted = lately.find(({ state }) => state === 'delivered')?.lastAttempts.at(-1)
  const isFailing = (isEnabled && failingSince !== null) || (!isEnabled && disabledReason !== null)
  const state = isFailing ? 'is-bad' : !isEnabled ? 'is-off' : failedCount > 0 ? 'is-look' : 'is-ok'
  const testPath = kind === 'email' ? testAddressPath : testWebhookPath
  const canTest = !receiverKinds[kind].isMail || canMail
  const about = html`<span class="visually-hidden"> ${receiverWords(receiver)}</span>`
  return html`<li class="${state}">
<div class="what"><p><strong>${receiverName(receiver)}</strong>${
    isEnabled
      ? isFailing && html` <span class="chip is-bad">Failing</span>`
      : html` <span class="chip${isFailing && ' is-bad'}">Off</span>`
  }</p>
${
  kind === 'webhook' &&
  html`<p class="muted"><code>${target}</code></p>
`
}<p class="muted">${whenOf(receiver, fieldNames)}${!isEnabled && disabledReason !== null && html` Formbox switched it off. ${disabledReason}`}${
    isEnabled && failingSince !== null
      ? html` ${failure && html`${cameBack(failure)}${failure.answer !== '' && html` <q>${failure.answer.slice(0, 200)}</q>`}. `}Nothing has arrived since ${time(failingSince)}.`
      : html` ${accepted ? html`Last accepted ${time(accepted.at)}.` : receiver.deliveredCount > 0 ? html`${withCommas(receiver.deliveredCount)} accepted.` : 'Nothing sent yet.'}`
  }${
    isEnabled &&
    pendingCount > 0 &&
    html` ${counted(pendingCount, 'message')} ${pendingCount === 1 ? 'waits' : 'wait'}${nextTry(lately)}. <a href="${deliveriesPath(formId)}#to-${id}">See what waits</a>`
  }${isEnabled && !isFailing && failedCount > 0 && html` ${counted(failedCount, 'message')} failed. <a href="${deliveriesPath(formId)}#to-${id}">See why</a>`}</p></div>
<div class="does">${
    isFailing && isEnabled
      ? html`<button formaction="${retryDeliveriesPath(formId)}" name="receiver" value="${id}">Try all ${withCommas(triedAgain(receiver))}<span class="visually-hidden"> to ${receiverWords(receiver)}</span></button>`
      : isEnabled
        ? canTest &&
          html`<button formaction="${testPath(formId, id)}">Send a test<span class="visually-hidden"> to ${receiverWords(receiver)}</span></button>`
        : html`<button formaction="${switchWebhookPath(formId, id)}" name="enabled" value="on">Switch on${about}</button>`
  }<details class="menu more quiet" name="menus"><summary><span aria-hidden="true">⋯</span><span class="visually-hidden">More for ${receiverWords(receiver)}</span></summary><ul class="items panel">
<li><a href="${receiverPath(formId, id)}">Change${about}</a></li>
<li><a href="${deliveriesPath(formId)}#to-${id}">Deliveries${about}</a></li>
${(isFailing || !isEnabled) && canTest && html`<li><button formaction="${testPath(formId, id)}">Send a test${about}</button></li>`}${
  kind === 'webhook' &&
  html`${isEnabled && html`<li><button formaction="${switchWebhookPath(formId, id)}" name="enabled" value="off">Switch off${about}</button></li>`}${format === 'standard' && html`<li><a href="${rotateWebhookPath(formId, id)}">New secret${about}</a></li>`}`
}<li class="apart">${
    kind === 'webhook'
      ? html`<a class="danger" href="${deleteWebhookPath(formId, id)}">Remove${about}</a>`
      : html`<button class="danger" formaction="${removeAddressPath(formId, id)}">Remove${about}</button>`
  }</li></ul></details></div></li>
`
}

/** How many a button for one receiver, or for all, tries again. */
export const triedAgain = ({ isEnabled, failedCount, pendingCount, failingSince }: ListedReceiver): number =>
  isEnabled ? failedCount + (failingSince === null ? 0 : pendingCount) : 0

const nextTry = (lately: readonly Delivery[]): Html | false => {
  const waits = lately.filter(({ state, dueAt }) => state === 'pending' && dueAt > 0).map(({ dueAt }) => dueAt)
  return waits.length > 0 && html`; the next try is at ${time(Math.min(...waits))}`
}

/** How often, and of what. */
const whenOf = ({ digest, only }: ListedReceiver, fieldNames: readonly string[]): Html => {
  const often = digest === null ? 'Each message' : digestPeriods[digest].listed
  if (only === null) return html`${often}.`
  const { field, equals }: Condition = JSON.parse(only)
  return html`${often}, if <bdi>${field}</bdi> is “<bdi>${equals}</bdi>”.${fieldNames.length > 0 && !fieldNames.includes(field) && ' No message has had this field yet: check its name.'}`
}

/** A secret that is shown once: only programs check signatures. */
export const newSecret = (
  name: Html,
  secret: string,
): Html => html`<section class="card" id="new-secret" tabindex="-1" aria-labelledby="new-secret-heading" data-secret>
<h2 id="new-secret-heading">Secret of ${name}</h2>
<p><strong>Copy it now.</strong> It is shown only this once. The program checks with it that a message is from here.</p>
${copyable('secret', secret, 'Copy secret')}
</section>
`

/** What came back from a test of a receiver. */
export interface Tested {
  readonly receiver: ListedReceiver | undefined
  readonly result: TestResult
}

/** The results of tests, in the words of the receivers. A redirect to `#test-result` puts the focus on it. */
export const testResults = (tested: readonly Tested[], isOff: boolean): Html => {
  const isGood = tested.every(({ result }) => result.error === null)
  return html`<div class="notice ${isGood ? 'done' : 'failed'}" id="test-result" tabindex="-1" role="${isGood ? 'status' : 'alert'}">
${tested.map(
  ({ receiver, result: { status, error, answer, milliseconds } }) =>
    html`<p>${receiver ? receiverName(receiver) : 'It'}: the test ${error === null ? (receiver?.kind === 'email' ? 'was ' : 'arrived: ') : 'failed: '}${cameBack({ status, error })} (${withCommas(milliseconds)} ms).${isOff && ' It is kept, and switched off until a test arrives.'}</p>
${answerOf(answer)}
`,
)}</div>
`
}
