import { NoAnswerError } from './no-answer.ts'

/** What a receiver would have answered. */
export interface MadeUpAnswer {
  readonly status: number
  readonly answer: string
}

type ToAnswer = (host: string) => MadeUpAnswer

// A state of the process, because no setting and no path may forget it: `formbox demo` promises that nothing leaves the machine.
let toAnswer: ToAnswer | null = null

/**
 * From now on, this process sends no request to a URL that someone chose, and no mail.
 *
 * @param answer made up for a webhook with this host in place of its own answer
 */
export const goOffline = (answer: ToAnswer): void => {
  toAnswer = answer
}

/** Called before anything is sent to a host. @returns null if it is to be sent */
export const answerOffline = (host: string): MadeUpAnswer | null => toAnswer?.(host) ?? null

/** Called before a name is looked up or a connection opened. @throws NoAnswerError */
export const refuseOffline = (): void => {
  if (toAnswer) throw new NoAnswerError('This is a demo, which sends nothing')
}
