import { inTurns } from '../base/in-turns.ts'
import { visible } from '../base/visible.ts'
import { isAllOpen } from '../submissions/handling.ts'
import type { InboxSubmission } from '../submissions/inbox/inbox.ts'
import { firstFields } from '../submissions/lines.ts'
import type { Term } from '../submissions/search/terms.ts'
import type { HandlingState } from '../submissions/states.ts'
import { type Chip, knownChips, type ListRow } from './list-rows.ts'
import type { PageOptions } from './page-options.ts'
import { toListRow } from './submissions-rows.ts'

interface Shown {
  readonly userId: string
  readonly submissions: readonly InboxSubmission[]
  readonly terms: readonly Term[]
  readonly isTicked: boolean
  /** The query of the page of a submission. */
  readonly query: string
  /** Whether each row says of which form it is. */
  readonly isOfForms: boolean
}

/** What a page says about a submission beside what was sent. */
interface Known {
  readonly isUnread: boolean
  readonly state: HandlingState
  readonly chips: readonly Chip[]
}

const none: ReadonlySet<string> = new Set()

/** A submission in a form that others share may have the identifier of one in another form. */
export const toRowId = (formId: string, id: string): string => `${id}-${formId}`

export const fromRowId = (row: string): { readonly id: string; readonly formId: string } | undefined => {
  const [, id, formId] = /^([0-9a-z]{28})-([0-9a-z]{28})$/.exec(row) ?? []
  return id !== undefined && formId !== undefined ? { id, formId } : undefined
}

/** The rows of an inbox. What is known of each is read at once; then they are made in turns. */
export const inboxRows = ({ unreadReads, handlingReads, access, deliveries }: PageOptions) => {
  const knownOf = (userId: string, submissions: readonly InboxSubmission[]): ReadonlyMap<InboxSubmission, Known> => {
    const known = new Map<InboxSubmission, Known>()
    const byForm = Map.groupBy(submissions, ({ form }) => form.number)
    const all = [...byForm.values()].map(([one]) => (one as InboxSubmission).form)
    const failing = deliveries.findFailing(all.filter((form) => access.mayDo(userId, form, 'deliver')))
    for (const ofForm of byForm.values()) {
      const { form } = ofForm[0] as InboxSubmission
      const ids = ofForm.map(({ submission }) => submission.id)
      const unread = unreadReads.unreadAmong(form, userId, ids)
      const states = isAllOpen(form) ? undefined : handlingReads.statesAmong(form, ids)
      const isFailing = failing.has(form.number) && access.mayDo(userId, form, 'deliver')
      const failed = isFailing ? deliveries.failedAmong(form, ids) : none
      for (const one of ofForm) {
        const { id } = one.submission
        const chips = knownChips({ noteCount: one.noteCount, isUndelivered: failed.has(id) })
        known.set(one, { isUnread: unread.has(id), state: states?.get(id) ?? 'open', chips })
      }
    }
    return known
  }

  return (shown: Shown): Promise<readonly (ListRow & Known)[]> => {
    const known = knownOf(shown.userId, shown.submissions)
    return inTurns(shown.submissions, (one) => {
      const { form, submission, readPiece } = one
      const found = { formId: form.id, submissions: [submission], readPiece }
      const more = known.get(one) as Known
      const row = { id: submission.id, ...more, ...firstFields(found) }
      const line = toListRow(row, {
        formId: form.id,
        form,
        query: shown.query,
        now: 0,
        isTicked: shown.isTicked,
        terms: shown.terms,
      })
      return {
        ...line,
        ...more,
        chips: line.chips,
        id: toRowId(form.id, submission.id),
        of: shown.isOfForms ? visible(form.title) : undefined,
      }
    })
  }
}
