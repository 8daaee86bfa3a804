import { deleteSubmissionsPath, handlingPath, markSpamPath, spamPath } from '../config/addresses.ts'
import { type Html, html } from '../html/html.ts'
import type { InboxAction } from '../submissions/inbox/actions.ts'
import { type HeldList, held } from '../submissions/lists.ts'

/** Something that can be done with submissions. Only what has a warning always asks; all else, if the session had ended. */
export interface Action {
  /** The question on pages of a form. */
  readonly asks?: string
  /** On the page with the question. */
  readonly button: string
  readonly warning?: string
  /** After their number, when it is done. */
  readonly done: string
  readonly undo?: InboxAction
  /** Where pages of a form send it, and the attributes of the button that does. */
  readonly to?: (formId: string) => string
  readonly sent?: Html
}

const handling = (to: string) => ({ to: handlingPath, sent: html` name="handling" value="${to}"` })
const accepting = { to: spamPath, sent: html` name="action" value="accept"` }

/** In the inbox. */
export const actions = {
  done: { asks: 'Mark … as done?', button: 'Mark as done', done: 'done.', undo: 'open', ...handling('done') },
  open: { asks: 'Open … again?', button: 'Open again', done: 'opened again.', undo: 'done', ...handling('open') },
  spam: { asks: 'Mark … as spam?', button: 'Mark as spam', done: 'marked as spam.', undo: 'accept', to: markSpamPath },
  accept: { asks: 'Not spam?', button: 'Not spam', done: 'put back.', ...accepting },
  read: { button: 'Mark as read', done: 'marked as read.' },
  unread: { button: 'Mark as unread', done: 'marked as unread.' },
  delete: {
    ...{ asks: 'Delete …?', button: 'Delete', warning: 'This can’t be undone.', done: 'deleted.' },
    to: deleteSubmissionsPath,
  },
} satisfies Readonly<Record<InboxAction, Action>>

export const letIn = (list: HeldList) =>
  ({ ...actions.accept, asks: `Let in … ${held[list].without}?`, button: 'Let in' }) satisfies Action

/** Submissions by their number, or all that match a filter. */
export type Count = number | 'all'

export const inWords = (count: Count): string =>
  count === 'all' ? 'all that match' : count === 1 ? 'this submission' : `${count} submissions`

export const notDoneYet = 'Your session had ended, so this has not been done yet.'
