import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { time, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { confirmReads, HeldMail } from '../submissions/confirm/confirm-reads.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import { countOf, type HeldList, held, heldBeside, heldLists, lists } from '../submissions/lists.ts'
import { lastFailure, skipped } from './delivery-item.ts'
import { listPath, wholeList } from './list-query.ts'
import { segmentsNamed } from './list-tools.ts'

// What is held until something has happened, such as until its address is confirmed, on the page of the spam.

/** What became of the emails of a form within 30 days. */
export type ConfirmedLately = ReturnType<ReturnType<typeof confirmReads>['countsOf']>

/** The email to a visitor who has not confirmed, and its delivery: undefined if the reader may not know of it. */
export interface ShownMail extends HeldMail {
  readonly delivery: Delivery | undefined
}

/** Leads to the lists of what is held back, of a form in which something waits, or may. */
export const spamTabs = (form: Form, current: HeldList | 'spam'): Html | false => {
  const settings = parseSettings(form.settings)
  const beside = heldLists.filter((list) => held[list].isAsked(settings) || countOf(form, list) > 0)
  const segments = (['spam', ...beside] as const).map((list) => ({
    ...{ name: lists[list].label, count: countOf(form, list), isCurrent: list === current },
    path: listPath(form.id, list, wholeList),
  }))
  return beside.length > 0 && segmentsNamed('What is held back', segments)
}

/** Where the first messages are looked for: that some came, and do not count yet. */
export const waitingLine = (form: Form): Html[] =>
  heldBeside(form, 'spam').map(
    (
      list,
    ) => html`<p><a href="${listPath(form.id, list, wholeList)}">${withCommas(countOf(form, list))} ${held[list].label.toLowerCase()}</a>: until ${held[list].missed}.</p>
`,
  )

export const confirmedLately = ({ mailed, confirmed, withdrawn }: ConfirmedLately): Html => html`<div class="held">
<p><strong>${withCommas(mailed)} mailed</strong>, ${withCommas(confirmed)} confirmed and ${withCommas(withdrawn)} withdrawn in 30 days</p>
</div>
`

export const nothingWaits = (list: HeldList): Html => html`<div class="empty">
<h2>Nothing waits</h2>
<p>What visitors send appears here until ${held[list].empty}.</p>
</div>
`

/** In two words, for a line. */
export const mailChip = ({ mailedAt, delivery }: ShownMail): string => {
  if (mailedAt !== null) return 'Mailed'
  return delivery?.state === 'pending' && !lastFailure(delivery) ? 'Email waits' : 'No email'
}

/** In a sentence, without a full stop. */
export const mailText = ({ mailedAt, endsAt, isAnswerable, linkSentAt, delivery }: ShownMail): Html => {
  const until = endsAt !== null && html`. It is deleted on ${time(endsAt)}`
  if (mailedAt !== null) return html`Not confirmed. The email was sent on ${time(mailedAt)}${until}`
  const other =
    linkSentAt !== undefined &&
    html`. The link in the email of ${time(linkSentAt)} to the same address confirms this one, too`
  return html`Not confirmed. ${isAnswerable ? whyNoMail(delivery) : noReplyTo}${other}${until}`
}

const noReplyTo =
  'No email was sent: the address is one that no reply is sent to, such as noreply@ or one of a local network'

const whyNoMail = (delivery: Delivery | undefined): string => {
  if (delivery?.state === 'skipped') return `No email was sent: ${skipped[delivery.reason ?? 'spam']}`
  if (delivery?.state === 'failed') return 'The email could not be delivered'
  if (delivery?.state === 'pending')
    return lastFailure(delivery) ? 'The email was not taken yet' : 'The email waits to be sent'
  return 'No email was sent'
}
