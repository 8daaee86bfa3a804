import { visible } from '../base/visible.ts'
import { inboxActionsPath } from '../config/addresses.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { InboxAction } from '../submissions/inbox/actions.ts'
import { type Action, actions } from './action-words.ts'
import { type Asked, hiddenInputs } from './inbox-query.ts'
import { fromRowId } from './inbox-rows.ts'

/** What was just done, and a button that undoes it. @param titleOf the title of a form that the user may read */
export const inboxNotice = (
  query: Readonly<Record<string, unknown>>,
  asked: Asked,
  titleOf: (formId: string) => string | undefined,
): Html | false => {
  if (typeof query.done !== 'string' || !Object.hasOwn(actions, query.done)) return false
  const { done, undo }: Action = actions[query.done as InboxAction]
  const [count, left] = [numberIn(query.count), numberIn(query.left)]
  const title = typeof query.of === 'string' ? titleOf(query.of) : undefined
  const leftText =
    left > 0 &&
    title !== undefined &&
    html` ${withCommas(left)} ${left === 1 ? 'was' : 'were'} left: you are a Reader of <bdi>${visible(title)}</bdi>.`
  if (count === 0)
    return html`<div class="notice failed" id="notice" tabindex="-1" role="alert"><p>Nothing was changed${leftText ? html`.${leftText}` : ': what you selected has been moved or deleted in the meantime.'}</p></div>
`
  const more = query.more === 'true' && ' There are more: select them again.'
  const rows = typeof query.undo === 'string' ? query.undo.split(',').filter((row) => fromRowId(row)) : []
  return html`<div class="notice done" id="notice" tabindex="-1" role="status"><p>${withCommas(count)} ${done}${leftText}${more}</p>${
    undo !== undefined &&
    rows.length > 0 &&
    html`<form method="post" action="${inboxActionsPath()}">${hiddenInputs(asked)}${rows.map((row) => html`<input type="hidden" name="ids" value="${row}">`)}<button class="as-link" name="action" value="${undo}">Undo</button></form>`
  }</div>
`
}

const numberIn = (text: unknown): number => (typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : 0)
