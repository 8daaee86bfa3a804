import { describeError } from '../errors.ts'
import { OperatorError } from '../operator-errors.ts'
import { LogUnavailable } from './log.ts'

/** What fails. Writes may fail while reading works: they wait for a standby, and reads do not. */
export type Task = 'reading' | 'appending'

/** Kinds of faults for which an operator does different things. Those of the set-up last until one does. */
type Kind = 'engine' | 'set-up' | 'machine'

/** Told without a kind when a fault is over. */
export type OnTrouble = (line: string, kind?: Kind) => void

/** Tells of a fault once, when it begins, and when it is over. */
export const createTrouble = (tell: OnTrouble) => {
  const failing = new Set<Task>()
  const told = new Set<Kind>()
  return {
    is(task: Task, error: unknown): void {
      failing.add(task)
      const [kind, reason] = inWords(error)
      if (!told.has(kind)) tell(`the log of the cluster: ${reason}; writes are refused until it works again`, kind)
      told.add(kind)
    },
    over(task: Task): void {
      if (!failing.delete(task) || failing.size > 0) return
      told.clear()
      tell('the log of the cluster works again')
    },
  }
}

const inWords = (error: unknown): readonly [kind: Kind, reason: string] => {
  if (error instanceof LogUnavailable) return ['engine', error.message]
  if (error instanceof OperatorError) return ['set-up', error.message]
  return ['machine', `this machine cannot execute it: ${describeError(error)}`]
}
