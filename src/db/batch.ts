import { AppError, describeError, type ErrorCode, type Issue, unavailable } from '../errors.ts'
import type { Db } from './open.ts'

/** Writes by name. Each runs inside a transaction, may throw an AppError, and then has changed nothing. */
// biome-ignore lint/suspicious/noExplicitAny: each command has an input of its own, which `Writer` types
export type Commands = Record<string, (input: any) => unknown>

/** What the main thread sends: the commands of one batch, in order. */
export type Batch = readonly (readonly [name: string, input: unknown])[]

/** What it gets back for each of them. */
export type Outcome = { readonly result: unknown } | { readonly refused: Refusal } | { readonly failed: string }

interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined
}

/**
 * Executes the commands in one transaction, so that all of them share one fsync, each in a savepoint, so that one
 * that is refused leaves the others alone. When this returns, what succeeded is on the disk.
 */
export const createBatchExecutor = (db: Db, commands: Commands): ((batch: Batch) => Outcome[]) => {
  const { $client: client } = db
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const savepoint = client.prepare('SAVEPOINT command')
  const release = client.prepare('RELEASE command')
  const rollbackTo = client.prepare('ROLLBACK TO command')

  const execute = (name: string, input: unknown): Outcome => {
    savepoint.run()
    try {
      const result = commands[name]?.(input)
      release.run()
      return { result }
    } catch (error) {
      // A full disk or a failing one ends the whole transaction: nothing of this batch will stand.
      if (!client.inTransaction || isOutOfService(error)) throw error
      rollbackTo.run()
      release.run()
      return toOutcome(error)
    }
  }

  return (batch) => {
    try {
      begin.run()
      const outcomes = batch.map(([name, input]) => execute(name, input))
      commit.run()
      return outcomes
    } catch (error) {
      if (client.inTransaction) client.run('ROLLBACK')
      return batch.map(() => toOutcome(error))
    }
  }
}

/** Undoes what `toOutcome` did. */
export const toError = (outcome: { refused: Refusal } | { failed: string }): Error =>
  'refused' in outcome
    ? new AppError(outcome.refused.code, outcome.refused.message, {
        issues: outcome.refused.issues,
        ...(outcome.refused.retryAfterSeconds && { retryAfterSeconds: outcome.refused.retryAfterSeconds }),
      })
    : new Error(outcome.failed)

/** Errors do not survive the way between threads with their class. */
const toOutcome = (error: unknown): Outcome => {
  if (isOutOfService(error)) return toOutcome(unavailable(5))
  if (!(error instanceof AppError)) return { failed: describeError(error) }
  const { code, message, issues, retryAfterSeconds } = error
  return { refused: { code, message, issues, retryAfterSeconds } }
}

/** The disk is full or does not write, or another process holds the file for too long: it may be well again later. */
const isOutOfService = (error: unknown): boolean => {
  const code = sqliteCode(error) ?? sqliteCode((error as Error | undefined)?.cause)
  return code !== undefined && /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN)/.test(code)
}

const sqliteCode = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
