import { type Html, html } from '../html/html.ts'
import { replyDraft } from '../submissions/replies/draft.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'

/**
 * A link that writes to the visitor's address in the mail program of the reader: with what it is about in the subject, and its
 * text quoted. False if there is no address. The parameters before the last are those of `replyDraft`.
 */
export const replyLink = (
  fields: readonly SubmittedField[],
  settings: string | null,
  title: string,
  isAsked: boolean,
): Html | false => {
  const draft = replyDraft(fields, settings, title)
  if (!draft) return false
  const { to, subject, body } = draft
  const query = [`subject=${encodeURIComponent(subject)}`, ...(body === '' ? [] : [`body=${encodeURIComponent(body)}`])]
  return html`<a class="button primary reply" data-key="r"${isAsked && html` data-then="answered"`} href="${mailTo(to)}?${query.join('&')}">Reply</a>`
}

/** Encoded, so that no mail program finds more than one address in it (RFC 6068). */
export const mailTo = (address: string): string => `mailto:${encodeURIComponent(address).replace('%40', '@')}`
