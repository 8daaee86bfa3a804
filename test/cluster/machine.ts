// A machine that executes a log on a data file of its own, as a node of a cluster does, with what can happen to it.
import { expect } from 'bun:test'
import { cpSync } from 'node:fs'
import { creationTime } from '../../src/base/id.ts'
import { timeFlags } from '../../src/commands/import.ts'
import { type Form, formReader } from '../../src/forms/form.ts'
import { connect } from '../../src/storage/open.ts'
import { createExecutor, type Outcome, sqliteCodeOf } from '../../src/storage/writer/batch.ts'
import { toReply } from '../../src/storage/writer/messages.ts'
import { importFile } from '../../src/transfer/import/import-file.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { dataFile } from '../storage/sound.ts'

/** How a machine executes the log. Shares are of its transactions. */
export interface Way {
  /** Rows of the log in one transaction: up to so many, at random. */
  readonly maxRows?: number
  /** How often it ends and starts again. */
  readonly restarts?: number
  /** How often it goes on with a copy of its file, whose rows lie elsewhere. */
  readonly copies?: number
  /** How often a transaction is rolled back and repeated: the disk was full in the middle of it, or at its end. */
  readonly failures?: number
  /** SQLite finds rows in the opposite order, where a statement does not say which. */
  readonly isReversed?: boolean
}

export const openMachine = (seed: string, way: Way) => {
  const { maxRows = 1, restarts = 0, copies = 0, failures = 0, isReversed = false } = way
  let folder = temporaryFolder()
  cpSync(seed, dataFile(folder))
  let open = openFile(folder, isReversed)
  afterThisTest(() => open.db.$client.close())

  const restart = (): void => {
    open.db.$client.close()
    open = openFile(folder, isReversed)
  }
  const moveToCopy = (): void => {
    const copy = temporaryFolder()
    open.db.$client.query('VACUUM INTO ?').run(dataFile(copy))
    folder = copy
    restart()
  }

  /** Executes some rows in one transaction. Returns the replies to them. */
  const transact = (rows: readonly string[]): string[] => {
    if (happens(failures)) {
      if (happens(0.5)) open.withFullDisk(rows)
      else open.rolledBack(rows)
    }
    return open.transact(rows)
  }

  return {
    /** Returns the replies to all rows. */
    execute(rows: readonly string[]): string[] {
      const replies: string[] = []
      while (replies.length < rows.length) {
        const count = 1 + Math.floor(Math.random() * maxRows)
        replies.push(...transact(rows.slice(replies.length, replies.length + count)))
        if (happens(copies)) moveToCopy()
        if (happens(restarts)) restart()
      }
      return replies
    },
    client: () => open.db.$client,
    /** What `formbox import` does. */
    async import(formId: string, path: string, importId: string): Promise<void> {
      const form = formReader(open.db)(formId) as Form
      const options = {
        format: 'ndjson',
        isRaw: false,
        time: { timeZone: 'UTC', isOff: true, words: timeFlags },
        isDryRun: false,
        importId,
        now: () => creationTime(importId),
        onProgress: () => {},
      } as const
      await importFile({ db: open.db, folder, form, write: null }, path, options)
    },
    commands: (): string[] => Object.keys(joinWrites(open.db)),
  }
}

const happens = (share: number): boolean => Math.random() < share

const openFile = (folder: string, isReversed: boolean) => {
  const db = connect(folder)
  const { $client: client } = db
  client.run('PRAGMA synchronous = OFF')
  client.run(`PRAGMA reverse_unordered_selects = ${isReversed}`)
  const execute = createExecutor(db, joinWrites(db))
  const executeAll = (rows: readonly string[]): Outcome[][] =>
    rows.map((row) => withoutSurroundings(() => execute(JSON.parse(row))))

  return {
    db,
    transact(rows: readonly string[]): string[] {
      client.run('BEGIN IMMEDIATE')
      const outcomes = executeAll(rows)
      client.run('COMMIT')
      return outcomes.map(toReply)
    },
    rolledBack(rows: readonly string[]): void {
      client.run('BEGIN IMMEDIATE')
      executeAll(rows)
      client.run('ROLLBACK')
    },
    /** The first row that needs another page ends the transaction, in the middle of a command. */
    withFullDisk(rows: readonly string[]): void {
      const { page_count: pages } = client.query('PRAGMA page_count').get() as { page_count: number }
      client.run('BEGIN IMMEDIATE')
      client.run(`PRAGMA max_page_count = ${pages}`)
      try {
        executeAll(rows)
      } catch (error) {
        expect(sqliteCodeOf(error)).toBe('SQLITE_FULL')
      }
      client.run('PRAGMA max_page_count = 4294967294')
      if (client.inTransaction) client.run('ROLLBACK')
    },
  }
}

/** How a command fails that does. */
export const refusal = 'a command must read no clock and draw no random values'

const surroundings = [
  [Date, 'now'],
  [Math, 'random'],
  [crypto, 'getRandomValues'],
  [crypto, 'randomUUID'],
] as const

/** Runs a function that may read no clock and draw no random values. */
const withoutSurroundings = <T>(work: () => T): T => {
  const before = surroundings.map(([holder, name]) => [holder, name, holder[name as never]] as const)
  const refuse = () => {
    throw new Error(refusal)
  }
  for (const [holder, name] of surroundings) Object.assign(holder, { [name]: refuse })
  try {
    return work()
  } finally {
    for (const [holder, name, value] of before) Object.assign(holder, { [name]: value })
  }
}
