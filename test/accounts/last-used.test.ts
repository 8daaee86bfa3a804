import { describe, expect, test } from 'bun:test'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { openLastUsed } from '../../src/accounts/keys/last-used.ts'
import { keys } from '../../src/storage/tables.ts'
import { type Server, startServer, temporaryFolder, writeKey, writeTo, writeUser } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { signedIn } from '../visitor.ts'

const stored = (folder: string): (number | null)[] => {
  let found: (number | null)[] = []
  writeTo(folder, (db) => {
    found = db
      .select({ at: keys.lastUsedAt })
      .from(keys)
      .all()
      .map(({ at }) => at)
  })
  return found
}

/** Ada, with a key that she made on her page. */
const withKey = async (server: Server) => {
  const ada = await signedIn(server)
  const { location } = await ada.post('/settings/keys', { name: 'Website' })
  return { ada, key: /api_\w{40}/.exec((await ada.get(location ?? '')).html)?.[0] }
}

describe('when a key was last used', () => {
  test.skipIf(isCompiled)('shows at once, is not written by the request, and is there after a restart', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z')
    const server = await startServer({ now: () => now })
    const ada = await server.signUp('eve@example.com')
    await ada.call('GET', '/forms')
    now += 125_000
    await ada.call('GET', '/forms/unknown')
    expect(stored(server.folder)).toEqual([null])
    await server.stop()
    expect(stored(server.folder)).toEqual([Date.parse('2026-11-21T10:02:05Z')])
  })

  test.skipIf(isCompiled)('is on the page to the minute, fresher than what is stored', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z')
    const server = await startServer({ now: () => now })
    const { ada, key } = await withKey(server)
    const used = async () => /all forms\. (.*?)<\/p>/.exec((await ada.get('/settings/keys')).html)?.[1]
    expect(await used()).toContain('Not used yet.')
    for (const minutes of [1, 61]) {
      now = Date.parse('2026-11-21T10:00:00Z') + minutes * 60_000
      await server.fetch('/api/v1/forms', { headers: { authorization: `Bearer ${key}` } })
      expect(await used()).toContain(`datetime="${new Date(now).toISOString()}"`)
    }
  })

  test.skipIf(isCompiled)('does not move when the key is refused', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z')
    const server = await startServer({ now: () => now })
    const ada = await server.signUp('ada@example.com', { expiresAt: now + 1000 })
    await ada.call('GET', '/forms')
    now += 1000
    expect((await ada.call('GET', '/forms')).status).toBe(401)
    await server.stop()
    expect(stored(server.folder)).toEqual([now - 1000])
  })

  test('does not go back when machines of a cluster write it late, unless a clock was wrong', () => {
    const folder = temporaryFolder()
    const { keyId: id } = writeKey(folder, writeUser(folder, 'ada@example.com'))
    const at = Date.parse('2026-11-21T10:00:00Z')
    const note = (usedAt: number) => writeTo(folder, (db) => keyWrites(db).noteKeysUsed({ keys: [[id, usedAt]] }))
    for (const [usedAt, expected] of [
      [at, at],
      [at - 60_000, at],
      [at + 1, at + 1],
      [at + 400 * 86_400_000, at + 400 * 86_400_000],
      [at + 2, at + 2],
    ] as const) {
      note(usedAt)
      expect(stored(folder)).toEqual([expected])
    }
  })

  test.skipIf(isCompiled)('shows what another machine of a cluster wrote, if that is later', async () => {
    const now = Date.parse('2026-11-21T10:00:00Z')
    const server = await startServer({ now: () => now })
    const { ada, key } = await withKey(server)
    await server.fetch('/api/v1/forms', { headers: { authorization: `Bearer ${key}` } })
    const later = now + 3_600_000
    writeTo(server.folder, (db) => db.update(keys).set({ lastUsedAt: later }).run())
    expect((await ada.get('/settings/keys')).html).toContain(`datetime="${new Date(later).toISOString()}"`)
  })

  test('is one write for all keys, and is kept when the write fails', async () => {
    const written: unknown[] = []
    let isFull = true
    const writer = {
      run: async (_name: string, input: unknown) => {
        if (isFull) throw new Error('the disk is full')
        written.push(input)
      },
      close: async () => {},
    }
    let now = 1
    const lastUsed = openLastUsed({ writer: writer as never, now: () => now })
    lastUsed.note('a')
    lastUsed.note('b')
    expect(await lastUsed.flush().catch((error) => error.message)).toBe('the disk is full')
    expect(lastUsed.latest('a', null)).toBe(1)
    now = 2
    lastUsed.note('b')
    isFull = false
    await lastUsed.flush()
    expect(written).toEqual([
      {
        keys: [
          ['a', 1],
          ['b', 2],
        ],
      },
    ])
    expect(lastUsed.latest('a', null)).toBeNull()
    await lastUsed.flush()
    expect(written).toHaveLength(1)
  })
})
