import { creationTime } from '../base/id.ts'
import { visible } from '../base/visible.ts'
import { dismissDeliveryPath, retryDeliveryPath, submissionPath } from '../config/addresses.ts'
import { days, time, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { Attempt } from '../outbox/finish.ts'
import { type DeliveryKind, deliveryKinds, isMailKind } from '../outbox/kinds.ts'
import type { SkipReason } from '../outbox/replies.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'

interface Shown {
  readonly formId: string
  readonly delivery: Delivery
  /** Hidden inputs that bring a retry back to this page. */
  readonly back: Html | readonly Html[]
}

/**
 * One delivery of a submission of the inbox, in a line that opens to its attempts. What failed is open, with a button to try
 * again: but for an email to confirm an address, for which nothing waits any more.
 */
export const deliveryFold = ({ formId, delivery, back }: Shown): Html => {
  const { state, lastAttempts, isReceiverEnabled } = delivery
  const isFailed = state === 'failed' || (state === 'pending' && lastFailure(delivery) !== undefined)
  return html`<li><details class="fold${isFailed && ' is-failed'}"${isFailed && html` open`}><summary>${foldTitle(delivery)}</summary>
<ol>
${lastAttempts.map((one) => attempt(one))}${state === 'pending' && html`<li><small>${delivery.dueAt === 0 ? 'It is being sent.' : html`Next try: ${time(delivery.dueAt)}`}</small></li>`}</ol>
${isReceiverEnabled && delivery.kind !== 'confirm' && mayRetry(delivery) && html`<div class="actions">${retryForm(formId, delivery, back)}</div>`}</details></li>
`
}

/** `Emailed to ada@example.com, 28 Nov 2026, 09:12`, `Not yet sent to Slack`, `Waiting to be …`. */
const foldTitle = (delivery: Delivery): Html => {
  const { state, kind, lastAttempts, reason, target } = delivery
  const { sent } = words[kind]
  const receiver = html`<bdi>${isMailKind(kind) ? target : hookName(delivery)}</bdi>`
  if (state === 'delivered') {
    const last = lastAttempts.at(-1)
    return html`<span>${sent} ${receiver}${last && html`, ${time(last.at)}`}</span>`
  }
  if (state === 'skipped') return html`<span>Not ${sent.toLowerCase()} ${receiver}: ${skipped[reason ?? 'spam']}</span>`
  if (state === 'failed') return html`<span>Not ${sent.toLowerCase()} ${receiver}</span>`
  if (lastFailure(delivery)) return html`<span>Not yet ${sent.toLowerCase()} ${receiver}</span>`
  return html`<span>Waiting to be ${sent.toLowerCase()} ${receiver}</span>`
}

const unwanted: ReadonlySet<SkipReason> = new Set(['notify', 'stopped', 'withdrawn', 'confirmed'])

/** A visitor gets no mail that is unwanted. */
const mayRetry = ({ kind, state, reason }: Delivery): boolean =>
  deliveryKinds[kind].onlyOnce === null || (state !== 'delivered' && !(reason !== null && unwanted.has(reason)))

const retryForm = (
  formId: string,
  delivery: Delivery,
  back: Shown['back'],
): Html => html`<form method="post" action="${retryDeliveryPath(formId, delivery.id)}">
${back}<button>${retryLabels[delivery.state]}<span class="visually-hidden">: ${words[delivery.kind].button(delivery)}</span></button>
</form>
`

/** The failure of the last attempt, in the receiver's words; undefined if it did not fail. */
export const lastFailure = ({ lastAttempts }: Delivery): Attempt | undefined => {
  const last = lastAttempts.at(-1)
  return last && last.error !== null ? last : undefined
}

interface Listed {
  readonly formId: string
  readonly delivery: Delivery
  /** The title of its submission; undefined if it is not in the list. */
  readonly title: string | undefined
}

/** One delivery in a list of those to one receiver: who sent it, when, what became of it, and what can be done. */
export const deliveryRow = ({ formId, delivery, title }: Listed): Html => {
  const { id, state, submission, lastAttempts } = delivery
  const name = title === undefined ? 'Submission' : html`<bdi>${visible(title)}</bdi>`
  const { about = () => name, ownTarget } = words[delivery.kind]
  const isOpening = lastAttempts.length > 0
  return html`<li class="${rowClasses[state]}">
<div class="what"><p><strong>${submission !== null && title !== undefined ? html`<a href="${submissionPath(formId, submission)}">${about(delivery)}</a>` : about(delivery)}</strong>${ownTarget && html` <span>to ${delivery.target}</span>`} <span class="muted">${time(creationTime(submission ?? id))}</span></p>
${
  isOpening
    ? html`<details class="fold"><summary><span>${outcome(delivery)}</span></summary><ol>
${lastAttempts.map((one) => attempt(one, ` (${withCommas(one.milliseconds)} ms)`))}</ol>
</details>`
    : html`<p class="muted">${outcome(delivery)}</p>`
}</div>
${rowButtons(formId, delivery, title)}</li>
`
}

const rowClasses = { pending: 'is-wait', failed: 'is-bad', delivered: 'is-ok', skipped: 'is-off' } as const

const rowButtons = (formId: string, delivery: Delivery, title: string | undefined): Html | false => {
  const { id, state, isReceiverEnabled } = delivery
  const canRetry = isReceiverEnabled && mayRetry(delivery)
  const about = html`<span class="visually-hidden">: ${title !== undefined && html`<bdi>${visible(title)}</bdi>, `}${words[delivery.kind].button(delivery)}</span>`
  return (
    (canRetry || state === 'failed') &&
    html`<div class="does">${canRetry && html`<button formaction="${retryDeliveryPath(formId, id)}">${retryLabels[state]}${about}</button>`}${state === 'failed' && html`<details class="menu more quiet" name="menus"><summary><span aria-hidden="true">⋯</span><span class="visually-hidden">More${about}</span></summary><ul class="items panel"><li><button formaction="${dismissDeliveryPath(formId, id)}">Dismiss${about}</button></li></ul></details>`}</div>
`
  )
}

/** The notice after a retry. */
export const retriedText = 'It is being sent now. Reload the page to see the result.'

const retryLabels = {
  pending: 'Try now',
  failed: 'Try again',
  delivered: 'Send again',
  skipped: 'Send anyway',
} as const

interface Words {
  /** What is said of one that was sent, before its receiver. */
  readonly sent: string
  /** The delivery and its receiver in plain text, for a button. */
  readonly button: (delivery: Delivery) => string
  /** What it is about, in a list of those to one receiver, if it is not one submission. */
  readonly about?: (delivery: Delivery) => string
  /** Whether each goes to another address. */
  readonly ownTarget?: true
}

const hookName = ({ description, target }: Delivery): string => description ?? shownHost(target)
const toAddress = ({ target }: Delivery): string => `email to ${target}`

const words: Readonly<Record<DeliveryKind, Words>> = {
  webhook: { sent: 'Sent to', button: (delivery) => `webhook ${hookName(delivery)}` },
  email: { sent: 'Emailed to', button: toAddress },
  digest: { sent: 'Emailed with others to', button: toAddress, about: ({ count }) => submissions(count) },
  added: { sent: 'Emailed to', button: toAddress, about: () => 'Notice that it was added' },
  silence: {
    sent: 'Emailed to',
    button: toAddress,
    about: ({ count }) => `Notice of ${days(count ?? 1)} of silence`,
  },
  reply: {
    sent: 'Answered automatically to',
    button: ({ target }) => `automatic reply to ${target}`,
    ownTarget: true,
  },
  confirm: { sent: 'Asked to confirm', button: ({ target }) => `email to confirm ${target}`, ownTarget: true },
}

/** The receiver of deliveries of an owner, by its kind. */
export const receiverOf = (delivery: Delivery): Html =>
  isMailKind(delivery.kind) ? html`Email to ${delivery.target}` : html`Webhook <bdi>${hookName(delivery)}</bdi>`

const submissions = (number: number | null): string =>
  number === 1 ? 'one submission' : `${withCommas(number ?? 0)} submissions`

/** The host and port of a URL. */
export const shownHost = (url: string): string => URL.parse(url)?.host ?? url

const outcome = ({ state, attempts, lastAttempts, reason, dueAt }: Delivery): Html => {
  if (state === 'skipped') return html`Not sent: ${skipped[reason ?? 'spam']}`
  const last = lastAttempts.at(-1)
  const tries = attempts === 1 ? 'one try' : `${withCommas(attempts)} tries`
  if (state === 'delivered')
    return html`Accepted${last?.status ? ` (${last.status})` : ''}${last && html` ${time(last.at)}`}${attempts > 1 && html`, at try ${withCommas(attempts)}`}`
  if (state === 'pending')
    return html`Waits${attempts > 0 && ` after ${tries}`}: ${dueAt === 0 ? 'next try at once' : html`next try ${time(dueAt)}`}`
  return attempts === 0
    ? html`Failed: the receiver was removed before the first try`
    : html`Failed for good after ${tries}`
}

/** Why a visitor gets no email: what follows a colon. */
export const skipped = {
  notify: 'the address gets the notifications of this form',
  stopped: 'its recipient has stopped all emails from this server',
  refused: 'its mail server has refused the address lately',
  form_address: 'this form has replied to the address within 24 hours',
  server_address: 'the address got three replies from this server within 24 hours',
  form_hour: 'this form has sent 30 replies within an hour',
  form_day: 'this form has sent 300 replies within 24 hours',
  user_hour: 'all forms of its owner have sent 60 replies within an hour',
  user_day: 'all forms of its owner have sent 300 replies within 24 hours, or 30 on the first day of the account',
  spam: 'the submission was marked as spam',
  withdrawn: 'its recipient has said that someone else had sent the form',
  confirmed: 'nothing waits for it any more',
  dismissed: 'it failed, and was dismissed',
} satisfies Record<SkipReason, string>

const unpointed = (sentence: string): string => sentence.replace(/\.$/, '')

const attempt = (one: Attempt, took?: string): Html =>
  html`<li><small>${time(one.at)}: ${cameBack(one)}${took}${one.answer !== '' && ': '}${answerOf(one.answer)}</small></li>
`

/** The result of an attempt in words, without a full stop. */
export const cameBack = ({ status, error }: Pick<Attempt, 'status' | 'error'>): string => {
  if (error === null) return `accepted${status === null ? '' : ` with ${status}`}`
  const named = status === null || error.includes(String(status)) ? '' : `${status}, `
  return named + unpointed(error)
}

/** The response of a receiver, as text. */
export const answerOf = (answer: string): Html | false =>
  answer !== '' && html`<code class="answer" tabindex="0">${visible(answer)}</code>`
