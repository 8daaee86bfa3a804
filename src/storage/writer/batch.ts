import type { Database } from 'bun:sqlite'
import { AppError, describeError, type ErrorCode, type Issue, type Reason, unavailable } from '../../base/errors.ts'
import type { Connection } from '../open.ts'
import type { WriteMetrics } from './histograms.ts'

/** A write. It runs in a transaction; if it throws an AppError, it has changed nothing. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own type of input, which `Writer` checks
type Command = ((input: any) => unknown) | BulkCommand<any, unknown>

export type Commands = Record<string, Command>

/**
 * A command that is executed for many inputs at once, with one result for each. What they share, such as the counters of
 * one form, is then written once per batch. It must not matter how the inputs are divided: if `runAll` throws, nothing of
 * it is kept, and each half of the inputs is executed, and so on, so that one that fails does not harm the others. When
 * each was executed alone instead, one refused submission among 120 made them take five times as long.
 */
interface BulkCommand<I, R> {
  readonly runAll: (inputs: readonly I[]) => R[]
}

export const bulkCommand = <I, R>(runAll: BulkCommand<I, R>['runAll']): BulkCommand<I, R> => ({ runAll })

export type InputOf<C extends Command> =
  C extends BulkCommand<infer I, unknown> ? I : C extends (input: infer I) => unknown ? I : never

export type ResultOf<C extends Command> =
  C extends BulkCommand<never, infer R> ? R : C extends (input: never) => infer R ? R : never

/** The commands of one batch, in order, as the main thread sends them. */
export type Batch = readonly (readonly [name: string, input: unknown])[]

/** The response of the Worker to each command. */
export type Outcome = { readonly result: unknown } | { readonly refused: Refusal } | { readonly failed: string }

interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined
  readonly reason?: Reason | undefined
}

/**
 * Executes the commands in one transaction, so that they share one fsync, and each in a savepoint, so that one that is
 * refused does not affect the others. When this returns, everything that succeeded is on the disk.
 *
 * @param onFault called with the error of the machine for which a whole batch was refused
 */
export const createBatchExecutor = (
  db: Connection,
  commands: Commands,
  metrics?: WriteMetrics,
  onFault: (error: unknown) => void = () => {},
): ((batch: Batch) => Outcome[]) => {
  const { begin, commit, rollback } = transactions(db.$client)
  const execute = createExecutor(db, commands)

  return (batch) => {
    try {
      begin()
      const outcomes = execute(batch)
      const startedAt = performance.now()
      commit()
      metrics?.commitSeconds.observe((performance.now() - startedAt) / 1000)
      metrics?.batchSizes.observe(batch.length)
      return outcomes
    } catch (error) {
      rollback()
      if (isOutOfService(error)) onFault(error)
      return batch.map(() => toOutcome(error))
    }
  }
}

/**
 * Executes commands within a transaction that is open.
 *
 * @param isFault whether an error is the machine's and not the command's: then nothing of the batch may be kept
 * @throws such an error
 */
export const createExecutor = (
  db: Connection,
  commands: Commands,
  isFault: (error: unknown) => boolean = isOutOfService,
): ((batch: Batch) => Outcome[]) => {
  const inSavepoint = savepoints(db.$client, isFault)

  const execute = ([name, input]: Batch[number]): Outcome =>
    inSavepoint<Outcome>(() => ({ result: runCommand(commands, name, input) }), toOutcome)

  /** Executes commands of the same name. */
  const executeRow = (row: Batch): Outcome[] => {
    const command = commands[row[0]?.[0] ?? '']
    if (typeof command !== 'object') return row.map(execute)
    let failures = 0
    const executePart = (part: Batch): Outcome[] => {
      if (part.length === 1 || failures === maxFailures) return part.map(execute)
      const halve = (): Outcome[] => {
        failures++
        const middle = part.length >> 1
        return [...executePart(part.slice(0, middle)), ...executePart(part.slice(middle))]
      }
      return inSavepoint(() => command.runAll(part.map(([, input]) => input)).map((result) => ({ result })), halve)
    }
    return executePart(row)
  }

  return (batch) => rowsOfSameCommand(batch).flatMap(executeRow)
}

/** Enough to find one in a whole batch. Where more are refused, each is soon executed alone, which costs less then. */
const maxFailures = 10

export const transactions = (client: Database) => {
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    /** Some errors have ended the transaction already. */
    rollback(): void {
      if (client.inTransaction) client.run('ROLLBACK')
    },
  }
}

const savepoints = (client: Database, isFault: (error: unknown) => boolean) => {
  const savepoint = client.prepare('SAVEPOINT command')
  const release = client.prepare('RELEASE command')
  const rollbackTo = client.prepare('ROLLBACK TO command')

  return <T>(work: () => T, onError: (error: unknown) => T): T => {
    savepoint.run()
    try {
      const result = work()
      release.run()
      return result
    } catch (error) {
      // A full or failing disk ends the whole transaction: nothing of this batch is kept.
      if (!client.inTransaction || isFault(error)) throw error
      rollbackTo.run()
      release.run()
      return onError(error)
    }
  }
}

/** Executes one command alone. Its caller holds the transaction. */
export const runCommand = (commands: Commands, name: string, input: unknown): unknown => {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Error(`there is no command ${name}`)
  return typeof command === 'function' ? command(input) : command.runAll([input])[0]
}

const rowsOfSameCommand = (batch: Batch): Batch[] => {
  const rows: Batch[number][][] = []
  for (const command of batch) {
    const last = rows.at(-1)
    if (last?.[0]?.[0] === command[0]) last.push(command)
    else rows.push([command])
  }
  return rows
}

/** Undoes what `toOutcome` did. */
export const toError = (outcome: { refused: Refusal } | { failed: string }): Error =>
  'refused' in outcome
    ? new AppError(outcome.refused.code, outcome.refused.message, {
        issues: outcome.refused.issues,
        reason: outcome.refused.reason,
        ...(outcome.refused.retryAfterSeconds && { retryAfterSeconds: outcome.refused.retryAfterSeconds }),
      })
    : new Error(outcome.failed)

/** An error that is sent to another thread loses its class. */
const toOutcome = (error: unknown): Outcome => {
  if (isOutOfService(error)) return refusedOutcome(unavailable(5))
  return error instanceof AppError ? refusedOutcome(error) : { failed: describeError(error) }
}

export const refusedOutcome = ({
  code,
  message,
  issues,
  retryAfterSeconds,
  reason,
}: AppError): { refused: Refusal } => ({
  refused: { code, message, issues, retryAfterSeconds, reason },
})

/** The disk is full or cannot be written, or another process has locked the file for too long: a later try may succeed. */
const isOutOfService = (error: unknown): boolean =>
  /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN)/.test(sqliteCodeOf(error) ?? '')

/** The code of an error of SQLite, such as `SQLITE_IOERR_WRITE`, also behind one of Drizzle. */
export const sqliteCodeOf = (error: unknown): string | undefined =>
  codeOf(error) ?? codeOf((error as Error | undefined)?.cause)

const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
