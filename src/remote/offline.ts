import { NoAnswerError } from './no-answer.ts'

// A state of the process, because no setting and no path may forget it: `formbox demo` promises that nothing leaves the machine.
let isOffline = false

/** From now on, this process sends no request to a URL that someone chose, and no mail. */
export const goOffline = (): void => {
  isOffline = true
}

/** Called before a name is looked up or a connection opened. @throws NoAnswerError */
export const refuseOffline = (): void => {
  if (isOffline) throw new NoAnswerError('This is a demo, which sends nothing')
}
