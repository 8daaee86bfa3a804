import { afterEveryId } from '../id.ts'
import type { Form } from './ownership.ts'

// What is new since the owner last looked at a form's submissions. The form stores one identifier, and what is not less
// than it is new. It is compared and never looked up, so the submission that was seen last may be deleted.
//
// When the clock was set back, a submission gets an identifier that is less than those already seen. Storing it moves
// the boundary back to it. Then some that were seen are shown as new again, but none is missed.

/** Whether this submission of the form is new. */
export const isNew = (form: Pick<Form, 'unseenFrom'>, submissionId: string): boolean => submissionId >= form.unseenFrom

/** The boundary when everything up to this submission has been seen. */
export const boundaryAfter = (submissionId: string): string => submissionId + afterEveryId
