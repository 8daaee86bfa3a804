import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import { openReader } from '../../src/storage/reader.ts'
import { param, users } from '../../src/storage/tables.ts'
import { openSearchTurns } from '../../src/submissions/search/turns.ts'
import { afterThisTest, temporaryFolder, writeTo, writeUser } from '../harness.ts'
import { dataFile } from './sound.ts'

/** A reader on a folder with one user, and a statement that finds users by their identifier. */
const openWithUser = () => {
  const folder = temporaryFolder()
  const id = writeUser(folder, 'ada@example.com')
  const reader = openReader(folder)
  afterThisTest(reader.close)
  const byId = reader.db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, param('id')))
    .prepare()
  const change = (email: string) =>
    writeTo(folder, (db) => void db.update(users).set({ email }).where(eq(users.id, id)).run())
  return { folder, reader, id, byId, change, findEmail: (key: string) => byId.get({ id: key })?.email }
}

const nextTurn = (): Promise<void> => new Promise(setImmediate)

test('whoever comes after a search reads what was written while it read', () => {
  const { reader, id, change, findEmail } = openWithUser()
  const turn = openSearchTurns(reader, { queued: () => 0 }).begin('ada')
  expect(findEmail(id)).toBe('ada@example.com')
  change('eve@example.com')
  turn.end()
  expect(findEmail(id)).toBe('eve@example.com')
})

describe('what a reader remembers', () => {
  test('is read again after another process wrote, even if nothing was refreshed before', async () => {
    const { reader, id, change, findEmail } = openWithUser()
    const emailOf = reader.remembering(findEmail)
    expect(emailOf(id)).toBe('ada@example.com')
    await nextTurn()
    change('eve@example.com')
    expect(emailOf(id)).toBe('eve@example.com')
  })

  test('is not read again while nothing is written', async () => {
    const { reader, id, findEmail } = openWithUser()
    let reads = 0
    const emailOf = reader.remembering((key) => {
      reads++
      return findEmail(key)
    })
    for (let turn = 0; turn < 3; turn++) {
      expect(emailOf(id)).toBe('ada@example.com')
      await nextTurn()
    }
    expect(reads).toBe(1)
  })

  test('is never that something does not exist', () => {
    const { reader, findEmail } = openWithUser()
    let reads = 0
    const emailOf = reader.remembering((key) => {
      reads++
      return findEmail(key)
    })
    for (let time = 0; time < 3; time++) expect(emailOf('unknown')).toBeUndefined()
    expect(reads).toBe(3)
  })

  test('is read again after its own process wrote in the same turn', () => {
    const { reader, id, change, findEmail } = openWithUser()
    const emailOf = reader.remembering(findEmail)
    expect(emailOf(id)).toBe('ada@example.com')
    change('eve@example.com')
    reader.release()
    expect(emailOf(id)).toBe('eve@example.com')
  })
})

describe('the reads of one turn', () => {
  test.each(['a prepared statement', 'one that is made when it is needed'])(
    'see one state of the file, and those of the next turn see what was committed: %s',
    async (kind) => {
      const { folder, reader, byId, id } = openWithUser()
      const total = () => reader.db.select().from(users).all().length
      const found = () => (kind === 'a prepared statement' ? byId.all({ id }).length : total())
      expect(found()).toBe(1)
      writeUser(folder, 'bob@example.com')
      expect(total()).toBe(1)
      await nextTurn()
      expect(found()).toBe(kind === 'a prepared statement' ? 1 : 2)
      expect(total()).toBe(2)
    },
  )
})

test('a file that is damaged under it is an error of each read, which does not end the process', async () => {
  const { folder, id, findEmail } = openWithUser()
  expect(findEmail(id)).toBe('ada@example.com')
  await nextTurn()
  writeTo(folder, ({ $client }) => {
    $client.run('CREATE TABLE later (a)')
    $client.run('PRAGMA wal_checkpoint(TRUNCATE)')
  })
  const bytes = readFileSync(dataFile(folder))
  const file = openSync(dataFile(folder), 'r+')
  writeSync(file, bytes.fill(255, 100), 0, bytes.length, 0)
  closeSync(file)
  const faults: unknown[] = []
  const note = (error: unknown) => void faults.push(error)
  process.on('uncaughtException', note)
  afterThisTest(() => void process.off('uncaughtException', note))
  for (let turn = 0; turn < 3; turn++) {
    expect(() => findEmail(id)).toThrow('malformed')
    await nextTurn()
  }
  expect(faults).toEqual([])
})
