import { handling } from '../storage/tables.ts'

/** What is to be done about a submission of the inbox, in the order of lists. */
export const handlingStates = handling.state.enumValues
export type HandlingState = (typeof handlingStates)[number]

export const stateWords: Readonly<Record<HandlingState, string>> = { open: 'Open', done: 'Done' }

/** What a list shows. By itself, it shows what is open. */
export const listedStates = [...handlingStates, 'all'] as const
export type ListedState = (typeof listedStates)[number]

/** What is unread is so to one user. */
export const submissionStates = [...handlingStates, 'unread'] as const
export type SubmissionState = (typeof submissionStates)[number]
