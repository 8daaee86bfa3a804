import { lt } from 'drizzle-orm'
import type { Connection } from '../open.ts'
import { keptOutcomes, param, params } from '../tables.ts'
import { type Commands, createExecutor, type Outcome, sqliteCodeOf, transactions } from '../writer/batch.ts'
import type { WriteMetrics } from '../writer/histograms.ts'
import { toReply } from '../writer/messages.ts'
import { parseBatch } from './batch-text.ts'
import { Halt, type LogRow } from './log.ts'
import { type Position, positionWriter, readPosition } from './position.ts'

interface Options {
  readonly db: Connection
  /** Called again after a fault of the disk, so that nothing that a command remembers outlives what was rolled back. */
  readonly joinCommands: (db: Connection) => Commands
  /** Number of migrations in the schema of the file. */
  readonly version: number
  /** Fingerprint of the data in the file. */
  readonly fingerprint: () => string
  readonly metrics?: WriteMetrics | undefined
}

type Parsed = NonNullable<ReturnType<typeof parseBatch>>

export type LogExecutor = ReturnType<typeof createLogExecutor>

/** Longest time of a transaction while a machine catches up. Then other work gets its turn. */
const maxMilliseconds = 50
/** Rows after which a kept outcome is deleted: the process that needs it waits for seconds only. */
const keptRows = 10_000

/** Executes rows of the log on the file, each exactly once and strictly in order. */
export const createLogExecutor = ({ db, joinCommands, version, fingerprint, metrics }: Options) => {
  const { begin, commit, rollback } = transactions(db.$client)
  const writePosition = positionWriter(db)
  const keep = keptWriter(db)
  let known: ReturnType<typeof know> | undefined

  /** Reads what is remembered of the file. After a fault that may be wrong, and the file may not even be readable. */
  const know = () => {
    // It may be open still.
    rollback()
    const commands = joinCommands(db)
    return { commands, execute: createExecutor(db, commands, isFaultOfMachine), position: readPosition(db) }
  }
  const current = () => {
    known ??= know()
    return known
  }

  const executeRow = ({ seq, id }: LogRow, parsed: Parsed): Outcome[] => {
    const { execute } = current()
    if ('begin' in parsed) {
      if (seq === 1) expectSame(parsed.begin, fingerprint())
      return []
    }
    if (!('keep' in parsed)) return execute(parsed)
    const outcomes = execute(parsed.commands)
    keep({ id, seq, outcomes: toReply(outcomes.map(withoutDefect)) })
    return outcomes
  }

  /** A Halt if this version cannot execute the row. To refuse what other machines execute would make the files differ. */
  const parse = (row: LogRow): Parsed | Halt => {
    if (row.version > version) return outdated(`schema ${row.version}, here ${version}`)
    const parsed = parseBatch(row.batch)
    if (parsed === undefined || (row.seq === 1 && !('begin' in parsed))) return foreign(row.seq)
    const { commands } = current()
    const batch = 'keep' in parsed ? parsed.commands : 'begin' in parsed ? [] : parsed
    const unknown = batch.find(([name]) => !Object.hasOwn(commands, name))
    return unknown ? outdated(`with the command ${unknown[0]}`) : parsed
  }

  return {
    position: (): Position => current().position,
    /**
     * Executes the first ones of these rows, which must follow the position, in one transaction.
     *
     * @param own identifier of the row whose outcomes are wanted
     * @returns how many it took; the others wait for the next call
     * @throws Halt if a row cannot be executed at all; any other error is the machine's: then none of them was
     *   executed, and a later try may succeed
     */
    execute(rows: readonly LogRow[], own?: string): { taken: number; outcomes: Outcome[] | undefined } {
      const endAt = performance.now() + maxMilliseconds
      let outcomes: Outcome[] | undefined
      let taken = 0
      let writes = 0
      if (rows[0]?.seq !== current().position.seq + 1) throw new Error('the rows do not follow what was executed')
      begin()
      try {
        for (const row of rows) {
          const parsed = parse(row)
          // What comes before it is executed first.
          if (parsed instanceof Halt && taken > 0) break
          if (parsed instanceof Halt) throw parsed
          const result = executeRow(row, parsed)
          if (row.id === own) outcomes = result
          writes += result.length
          taken++
          if (performance.now() > endAt) break
        }
        const last = rows[taken - 1] as LogRow
        writePosition(last)
        const startedAt = performance.now()
        commit()
        metrics?.commitSeconds.observe((performance.now() - startedAt) / 1000)
        metrics?.batchSizes.observe(writes)
        current().position = { seq: last.seq, id: last.id }
        return { taken, outcomes }
      } catch (error) {
        known = undefined
        rollback()
        throw error
      }
    },
  }
}

const keptWriter = (db: Connection) => {
  const write = db
    .insert(keptOutcomes)
    .values(params('id', 'seq', 'outcomes'))
    .prepare()
  const removeOld = db
    .delete(keptOutcomes)
    .where(lt(keptOutcomes.seq, param('before')))
    .prepare()
  return (kept: { id: string; seq: number; outcomes: string }): void => {
    removeOld.run({ before: kept.seq - keptRows })
    write.run(kept)
  }
}

/** The text of a defect may differ between two builds, and the files of two machines must not. */
const withoutDefect = (outcome: Outcome): Outcome =>
  'failed' in outcome ? { failed: 'Formbox could not do it, because of an error of its own' } : outcome

const expectSame = (agreed: string, own: string): void => {
  if (agreed === own) return
  throw new Halt(
    'the data on this machine is not what the cluster began with; stop Formbox here, and run formbox restore with a ' +
      'backup of another machine of the cluster',
  )
}

const foreign = (seq: number): Halt =>
  new Halt(
    `row ${seq} of the log of the cluster was not written by Formbox; no machine may go on: see "When the log was lost" ` +
      'in docs/cluster.md',
  )

const outdated = (reason: string): Halt =>
  new Halt(
    `another machine of the cluster runs a newer Formbox (${reason}); upgrade Formbox on this machine, which serves reads ` +
      'until then',
    true,
  )

/**
 * Every other error is an outcome of the command, the same on all machines. These say that this machine could not do
 * what the others did.
 */
const isFaultOfMachine = (error: unknown): boolean =>
  (error instanceof RangeError && /out of memory/i.test(error.message)) ||
  /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|LOCKED|PROTOCOL|INTERRUPT|INTERNAL|PERM|AUTH)/.test(
    sqliteCodeOf(error) ?? '',
  )
