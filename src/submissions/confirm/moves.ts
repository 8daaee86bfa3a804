import type { confirmations } from '../../storage/tables.ts'

/**
 * What a submission is whose address has to be confirmed.
 *
 * - `held`: it is in the list `unconfirmed`, and waits.
 * - `ended`: it is still there, but it waited for the days of its form: a job deletes it within the hour.
 * - `confirmed`: someone has opened the link. It is in the inbox; or in the spam, because a value of it comes once and another
 *   one has it.
 * - `accepted`: someone has let it in by hand.
 * - `gone`: deleted, or never there.
 */
export type ConfirmState = 'held' | 'ended' | 'confirmed' | 'accepted' | 'gone'

export type ConfirmMove = keyof typeof moves

/**
 * What becomes of a submission: each move, from which states, and to which. Any other leaves it as it is. One command decides,
 * by the rows: so of two at once, on whatever machine, the second finds what the first has left. “Accept” and “delete” are
 * those of the spam.
 */
export const moves = {
  /** The link, in the browser that sent the form, or its button. */
  confirm: { held: 'confirmed' },
  /** “This was not me”. */
  withdraw: { held: 'gone' },
  /** “Not spam”. */
  accept: { held: 'accepted', ended: 'accepted' },
  /** Its days are over. */
  end: { ended: 'gone' },
  delete: { held: 'gone', ended: 'gone', confirmed: 'gone', accepted: 'gone' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<ConfirmState, ConfirmState>>>>>

type Found = Pick<typeof confirmations.$inferSelect, 'confirmedAt' | 'acceptedAt' | 'endsAt'>

/** The state of a submission with this row. @param now Unix milliseconds */
export const stateOf = (found: Found | undefined, now: number): ConfirmState => {
  if (!found) return 'gone'
  if (found.confirmedAt !== null) return 'confirmed'
  if (found.acceptedAt !== null) return 'accepted'
  return now < found.endsAt ? 'held' : 'ended'
}

/** Where a move leads from a state; undefined if it leads nowhere. */
export const leadsTo = (move: ConfirmMove, state: ConfirmState): ConfirmState | undefined =>
  (moves[move] as Readonly<Partial<Record<ConfirmState, ConfirmState>>>)[state]
