import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { hashKey } from '../../../../src/accounts/keys/key-rules.ts'
import { addUser, formbox, oneLine, serve, signUp } from '../../../commands/formbox.ts'
import { startServer, temporaryFolder } from '../../../harness.ts'
import { rowsOf } from '../../../storage/sound.ts'

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

/** A folder with a user and a caller of `key` commands on it. */
const openKeys = (email = 'ada@example.com') => {
  const folder = temporaryFolder()
  addUser(join(folder, 'formbox-data'), email)
  const create = (...flags: string[]) => formbox(['key', 'create', '--user', email, ...flags], { folder })
  const rows = () => rowsOf(join(folder, 'formbox-data'), 'SELECT * FROM keys ORDER BY id')
  return { folder, create, rows }
}

describe('formbox key create', () => {
  test('prints the key and nothing else, and stores its hash alone', async () => {
    const { folder, create, rows } = openKeys()
    const { exitCode, stdout, stderr } = await create('--name', 'Backup script')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^api_[0-9A-Za-z]{32,}\n$/)
    const key = stdout.trim()
    expect(rows()).toMatchObject([
      { name: 'Backup script', hash: hashKey(key), start: key.slice(0, 8), is_read_only: 0, expires_at: null },
    ])
    const list = await formbox(['key', 'list'], { folder })
    const file = await Bun.file(join(folder, 'formbox-data', 'formbox.db')).text()
    for (const shown of [list.stdout, file]) expect(shown).not.toContain(key.slice(8))
  })

  test('prints another key every time', async () => {
    const { create, rows } = openKeys()
    const made = await Promise.all(['a', 'a', 'a', 'a'].map((name) => create('--name', name)))
    expect(new Set(made.map(({ stdout }) => stdout)).size).toBe(4)
    expect(rows()).toHaveLength(4)
  })

  test.each<[string, string, number]>([
    ['the end of a day', '2100-02-28', Date.UTC(2100, 2, 1)],
    ['the end of a leap day', '2104-02-29', Date.UTC(2104, 2, 1)],
    ['the last day of all', '9999-12-31', Date.UTC(10_000, 0, 1)],
    ['a moment', '2100-02-28T12:00:00Z', Date.UTC(2100, 1, 28, 12)],
    ['a moment elsewhere', '2100-02-28T12:00:00.5+02:00', Date.UTC(2100, 1, 28, 10, 0, 0, 500)],
  ])('--expires takes %s: %s', async (_, date, expiresAt) => {
    const { folder, create, rows } = openKeys()
    expect((await create('--name', 'CI', '--expires', date)).exitCode).toBe(0)
    expect(rows()).toMatchObject([{ expires_at: expiresAt }])
    expect((await formbox(['key', 'list'], { folder })).stdout).toContain(new Date(expiresAt).toISOString())
  })

  test('--expires takes today, which has not ended yet, in UTC', async () => {
    const { create, rows } = openKeys()
    const today = inDays(0).slice(0, 10)
    expect((await create('--name', 'CI', '--expires', today)).exitCode).toBe(0)
    expect(rows()).toMatchObject([{ expires_at: Date.parse(today) + 86_400_000 }])
  })

  const yesterday = inDays(-1)
  test.each([
    ['yesterday', yesterday.slice(0, 10)],
    ['a moment that is over', yesterday],
    ['a day that there is not', '2100-02-29'],
    ['a date-time without an offset', '2100-02-28T12:00:00'],
    ['a word', 'tomorrow'],
    ['a number of days', '30'],
    ['nothing', ''],
  ])('--expires refuses %s (%s) in one line, and makes no key', async (_, date) => {
    const { create, rows } = openKeys()
    const { exitCode, stdout, stderr } = await create('--name', 'CI', '--expires', date)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain('expires')
    expect(rows()).toEqual([])
  })

  test.each([
    ['an empty name', ''],
    ['white space', '   '],
    ['101 characters', 'x'.repeat(101)],
    ['a line break', 'a\nb'],
    ['an escape sequence', 'a\u001b[31mb'],
  ])('--name refuses %s', async (_, name) => {
    const { create, rows } = openKeys()
    const { exitCode, stdout, stderr } = await create('--name', name)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(rows()).toEqual([])
  })

  test('refuses a user that there is not', async () => {
    const { folder, rows } = openKeys()
    const { exitCode, stdout, stderr } = await formbox(['key', 'create', '--user', 'bob@example.com', '--name', 'CI'], {
      folder,
    })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^formbox: there is no user bob@example.com\b[^\n]*\n$/)
    expect(rows()).toEqual([])
  })
})

describe('formbox key list', () => {
  test.each([[[]], [['--json']]])('of an unknown user says so, with %p', async (flags) => {
    const { folder, create } = openKeys()
    await create('--name', 'CI')
    const { exitCode, stdout, stderr } = await formbox(['key', 'list', '--user', 'bob@example.com', ...flags], {
      folder,
    })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toBe('formbox: there is no user bob@example.com; see formbox user list\n')
  })

  test('lists the keys of every user or of one, with what they may do and until when', async () => {
    const { folder, create, rows } = openKeys()
    addUser(join(folder, 'formbox-data'), 'bob@example.com')
    await create('--name', '100 characters 👋'.padEnd(100, 'x'), '--read-only')
    await formbox(['key', 'create', '--user', 'Bob@Example.com', '--name', 'Bob', '--expires', '2100-01-01'], {
      folder,
    })
    const [adas, bobs] = rows()
    const cells = async (...flags: string[]) =>
      (await formbox(['key', 'list', ...flags], { folder })).stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/))

    const all = await cells()
    expect(all[0]).toEqual(['ID', 'USER', 'NAME', 'KEY', 'PERMISSION', 'FORMS', 'CREATED', 'LAST USED', 'EXPIRES'])
    expect(all[1]).toMatchObject([
      adas?.id,
      'ada@example.com',
      adas?.name,
      `${adas?.start}…`,
      'read-only',
      'all',
      expect.any(String),
      'never',
      'never',
    ])
    expect(all[2]).toMatchObject([
      bobs?.id,
      'bob@example.com',
      'Bob',
      `${bobs?.start}…`,
      'full',
      'all',
      expect.any(String),
      'never',
      '2100-01-02T00:00:00.000Z',
    ])
    expect(all).toHaveLength(3)
    expect((await cells('--user', 'BOB@example.com')).slice(1).map(([id]) => id)).toEqual([bobs?.id as string])

    const { stdout } = await formbox(['key', 'list', '--json'], { folder })
    const common = { createdAt: expect.stringMatching(/^20\S+Z$/), lastUsedAt: null }
    const { id, name, start } = adas ?? {}
    expect(JSON.parse(stdout)).toEqual([
      { ...common, id, user: 'ada@example.com', name, start, permission: 'read-only', forms: null, expiresAt: null },
      {
        ...common,
        id: bobs?.id,
        user: 'bob@example.com',
        name: 'Bob',
        start: bobs?.start,
        permission: 'full',
        forms: null,
        expiresAt: '2100-01-02T00:00:00.000Z',
      },
    ])
  })
})

describe('formbox key revoke', () => {
  test('removes that key and no other', async () => {
    const { folder, create, rows } = openKeys()
    await create('--name', 'a')
    await create('--name', 'b')
    const [first, second] = rows()
    expect(await formbox(['key', 'revoke', String(first?.id)], { folder })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
    expect(rows()).toEqual([second!])
    for (const id of [String(first?.id), 'nonsense', '', '%', String(second?.start)]) {
      const { exitCode, stdout, stderr } = await formbox(['key', 'revoke', id], { folder })
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(oneLine)
    }
    expect(rows()).toEqual([second!])
  })
})

describe('while a server runs on the same folder', () => {
  test('a new key works at once, and a revoked one no longer from the next request on', async () => {
    const server = await serve(['--data', 'data'])
    const data = ['--data', join(server.folder, 'data')]
    const call = async (key: string, method = 'GET') => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(`${server.url}/api/v1/forms`, {
        method,
        headers,
        ...(method === 'POST' && { body: '{"title":"F"}' }),
      })
      return [response.status, ((await response.json()) as { message?: string }).message]
    }
    const key = await signUp(server.folder)
    const other = await signUp(server.folder, 'bob@example.com', ['--read-only', '--expires', '2100-01-01'])
    expect(await call(key)).toEqual([200, undefined])
    expect(await call(key, 'POST')).toEqual([200, undefined])
    expect(await call(other)).toEqual([200, undefined])
    expect(await call(other, 'POST')).toEqual([403, 'Insufficient access'])
    expect((await formbox(['user', 'list', ...data])).stdout).toMatch(/ada@example\.com +1 /)
    const ids = rowsOf<{ id: string }>(join(server.folder, 'data'), 'SELECT id FROM keys ORDER BY id')

    // The server is busy with the very key, so that it has it in mind when it is revoked.
    let isBusy = true
    const busy = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isBusy) await call(key)
      }),
    )
    expect((await formbox(['key', 'revoke', String(ids[0]?.id), ...data])).exitCode).toBe(0)
    const afterwards = await Promise.all(Array.from({ length: 20 }, (_, n) => call(key, n % 2 ? 'GET' : 'POST')))
    isBusy = false
    await busy

    expect(afterwards).toEqual(Array(20).fill([401, 'Invalid or expired API key']))
    expect(await call(other)).toEqual([200, undefined])
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    expect(rowsOf(join(server.folder, 'data'), 'SELECT title FROM forms')).toEqual([{ title: 'F' }])
  })
})

describe('formbox key create --form', () => {
  test('limits a key to these forms, which the user may read', async () => {
    const server = await startServer()
    const { folder } = server
    const [ada, bob] = [await server.signUp(), await server.signUp()]
    const [first, second, others] = [await ada.createForm(), await ada.createForm(), await bob.createForm()]
    const create = (...ids: string[]) => {
      const forms = ids.flatMap((id) => ['--form', id])
      return formbox(['key', 'create', '--user', ada.email, '--name', 'x', ...forms, '--data', folder])
    }
    const { exitCode, stdout } = await create(first, second)
    expect(exitCode).toBe(0)
    const statusOf = async (id: string) =>
      (await server.fetch(`/api/v1/forms/${id}`, { headers: { authorization: `Bearer ${stdout.trim()}` } })).status
    expect([await statusOf(first), await statusOf(second), await statusOf(others)]).toEqual([200, 200, 403])
    expect(await statusOf(await ada.createForm())).toBe(403)
    expect(await create(others)).toMatchObject({
      exitCode: 1,
      stderr: `formbox: ${ada.email} may not read the form ${others}\n`,
    })
    expect((await create('nowhere')).exitCode).toBe(1)
    expect((await create(...Array<string>(101).fill(first))).stderr).toContain('must be at most 100 forms; got 101')
    const listed = JSON.parse((await formbox(['key', 'list', '--json', '--user', ada.email, '--data', folder])).stdout)
    expect(listed.map(({ forms }: { forms: string[] | null }) => forms)).toEqual([null, [first, second]])
  })
})
