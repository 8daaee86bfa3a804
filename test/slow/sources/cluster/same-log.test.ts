import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { idAt, newId } from '../../../../src/base/id.ts'
import { fingerprintOf } from '../../../../src/storage/cluster/fingerprint.ts'
import { openMachine, refusal, type Way } from '../../../cluster/machine.ts'
import { randomRows } from '../../../cluster/random-rows.ts'
import { recordLog } from '../../../cluster/record-log.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { dataFile } from '../../../storage/sound.ts'
import { isLong, tell, timeout } from '../../../torture/process.ts'

const ways: Record<string, Way> = {
  'row by row': {},
  'catching up, many rows in one transaction': { maxRows: 200 },
  'ending and starting again': { maxRows: 10, restarts: 0.03 },
  'going on with a copy of its file': { maxRows: 20, copies: 0.1 },
  'with a disk that is full now and then': { maxRows: 5, failures: 0.3 },
  'with rows in another order, where none is said': { isReversed: true },
  'with all of that': { maxRows: 30, restarts: 0.05, copies: 0.05, failures: 0.2, isReversed: true },
}

test(
  'a log makes the same file of every machine, however it executes it, and the same as that of the server that wrote it',
  async () => {
    for (let round = 0; round < (isLong ? 5 : 1); round++) {
      const { seed, rows, folder } = await recordLog(isLong ? 10 : 2)
      const more = randomRows(folder, rows, isLong ? 2000 : 150)
      const server = openClient(dataFile(folder))
      const imported = await exportedElsewhere(server)
      let first: { replies: readonly string[]; client: Database } | undefined
      for (const [name, way] of Object.entries(ways)) {
        const machine = openMachine(seed, way)
        const replies = machine.execute(rows)
        expectEqual(server, machine.client(), `${name}: the server’s rows`)
        await machine.import(imported.formId, imported.path, imported.importId)
        replies.push(...machine.execute(more))
        expect(replies.filter((reply) => reply.includes(refusal))).toEqual([])
        first ??= { replies, client: machine.client() }
        expectEqual(first.client, machine.client(), `${name}: further rows`)
        expect(differing(first.replies, replies), `${name}: replies`).toEqual([])
      }
      const named = new Set([...rows, ...more].flatMap((row) => JSON.parse(row).map(([name]: [string]) => name)))
      const { commands } = openMachine(seed, {})
      expect(
        commands().filter((name) => !named.has(name)),
        'commands that random-rows.ts does not make',
      ).toEqual([])
      tell(`${rows.length} rows of a server, ${more.length} further ones, ${Object.keys(ways).length} machines`)
    }
  },
  2 * timeout,
)

const openClient = (path: string): Database => {
  const client = new Database(path, { readonly: true })
  afterThisTest(() => client.close())
  return client
}

/** A file with submissions that some form of the server does not have, among them long ones, in no order. */
const exportedElsewhere = async (server: Database) => {
  const form = server.query<{ id: string }, []>(
    'SELECT id FROM forms WHERE deleted_at IS NULL AND user_id IS NOT NULL ORDER BY submission_count DESC LIMIT 1',
  )
  const lines = Array.from({ length: 300 }, (_, i) => {
    const time = Date.UTC(2026, 0, 1) + ((i * 7919) % 300) * 3_600_000
    const data = { number: i, text: 'x'.repeat(i % 50 === 0 ? 70_000 : 10) }
    return JSON.stringify({ id: idAt(time, 0), createdAt: new Date(time).toISOString(), data })
  })
  const path = join(temporaryFolder(), 'exported.ndjson')
  await Bun.write(path, lines.join('\n'))
  return { formId: form.get()?.id ?? '', path, importId: newId(Date.now()) }
}

/** Fails with the first rows of each table that differs. */
const expectEqual = (one: Database, other: Database, what: string): void => {
  const [prints, others] = [fingerprintOf(one), fingerprintOf(other)]
  const tables = Object.keys(prints.tables).filter((table) => prints.tables[table] !== others.tables[table])
  for (const table of tables) {
    const [rows, otherRows] = [one, other].map((client) =>
      client
        .query(`SELECT * FROM ${table}`)
        .values()
        .map((row) => JSON.stringify(row).slice(0, 500))
        .sort(),
    ) as [string[], string[]]
    const [known, otherKnown] = [new Set(rows), new Set(otherRows)]
    const lacking = rows.filter((row) => !otherKnown.has(row)).slice(0, 3)
    expect(otherRows.filter((row) => !known.has(row)).slice(0, 3), `${what}: ${table}`).toEqual(lacking)
  }
  expect(others, what).toEqual(prints)
}

/** The first places where they differ. */
const differing = (replies: readonly string[], others: readonly string[]): unknown[] =>
  replies
    .flatMap((reply, row) =>
      reply === others[row] ? [] : [{ row, reply: reply.slice(0, 300), other: others[row]?.slice(0, 300) }],
    )
    .slice(0, 3)
