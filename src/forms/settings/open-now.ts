import type { Form } from '../form.ts'
import { type Closed, closedError, whyClosed } from './opening.ts'

type Counted = Pick<Form, 'settings' | 'submissionCount'>

/**
 * Why a form takes no submissions, as visitors and pages are told; undefined if it does. Only the main thread asks this. A
 * reason for which a machine's own tables are needed, such as those of time zones, belongs here, and not into `whyClosed`.
 *
 * @param at Unix time in milliseconds
 */
export const closedNow = (form: Counted, at: number): Closed | undefined => whyClosed(form, at)

/**
 * See `closedNow`.
 *
 * @throws AppError `closed`
 */
export const refuseIfClosedNow = (form: Counted, at: number): void => {
  const closed = closedNow(form, at)
  if (closed) throw closedError(form, closed)
}
