// A revoked key or disabled user is refused from the next request on, even if another process did it.
import { describe, expect, test } from 'bun:test'
import { keyWrites } from '../../../../src/accounts/keys/key-writes.ts'
import { keyReads } from '../../../../src/accounts/keys/store.ts'
import { userReads } from '../../../../src/accounts/users/user-reads.ts'
import { userWrites } from '../../../../src/accounts/users/user-writes.ts'
import type { Db } from '../../../../src/storage/open.ts'
import { writeKey, writeTo } from '../../../harness.ts'
import { createUser, isLong, type Process, run, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'
import { createUser as createAccount, visit } from '../../../visitor.ts'

const rounds = isLong ? 25 : 2
const email = 'ada@example.com'

/** Runs a command that has to succeed, and returns what it printed. */
const command = async (server: Process, words: readonly string[], input = ''): Promise<string> => {
  const { exitCode, errors, output } = await run(server.folder, words, input)
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  return output
}

const startWithUser = async () => {
  const server = await startProcess()
  const userId = await createAccount(server, email)
  const newKey = (options: Parameters<typeof writeKey>[2] = {}) => writeKey(server.folder, userId, options).key
  return { server, newKey }
}

const status = async (server: Process, key: string, method = 'GET', path = '/api/v1/forms'): Promise<number> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = method === 'POST' ? '{"title":"T"}' : null
  return (await fetch(server.url + path, { method, headers, body })).status
}

/** Uses the key without a pause on several connections, so that the server has it at hand whenever it is locked out. */
const use = (server: Process, key: string) => {
  const answers: { sentAt: number; status: number }[] = []
  let isOver = false
  const client = async (number: number) => {
    while (!isOver) {
      const sentAt = performance.now()
      answers.push({ sentAt, status: await status(server, key, number % 4 === 0 ? 'POST' : 'GET') })
    }
  }
  const clients = Promise.all(Array.from({ length: 8 }, (_, number) => client(number)))
  return {
    untilCount: (count: number) => until(() => answers.length >= count, `${count} are answered`, slowly),
    /** Goes on for so many more requests, and returns what those were answered that were sent after that moment. */
    async after(moment: number, count: number) {
      await this.untilCount(answers.length + count)
      isOver = true
      await clients
      return answers.filter(({ sentAt }) => sentAt > moment).map((answer) => answer.status)
    },
  }
}

describe('a key in use', () => {
  test.each<[string, (db: Db) => void]>([
    ['that is revoked', (db) => keyWrites(db).revokeKey({ id: keyReads(db).listKeys()[0]?.id ?? '' })],
    [
      'whose user is disabled',
      (db) => userWrites(db).disableUser({ userId: userReads(db).findUser(email)?.id ?? '', now: Date.now() }),
    ],
    [
      'whose user is deleted',
      (db) => userWrites(db).deleteUser({ userId: userReads(db).findUser(email)?.id ?? '', now: Date.now() }),
    ],
  ])(
    '%s by another process, which this one is, is dead from the next request on',
    async (what, write) => {
      let refused = 0
      for (let round = 0; round < rounds; round++) {
        const server = await startProcess()
        const key = createUser(server.folder, email)
        const using = use(server, key)
        await using.untilCount(50)
        writeTo(server.folder, write)
        const late = await using.after(performance.now(), 50)
        expect(late.length).toBeGreaterThan(20)
        expect(new Set(late)).toEqual(new Set([401]))
        refused += late.length
        server.kill('SIGKILL')
        await server.ended()
      }
      tell(`${rounds} keys ${what}: ${refused} requests sent afterwards, all of them 401`)
    },
    timeout,
  )

  test(
    'that expires is dead from that moment on',
    async () => {
      const { server, newKey } = await startWithUser()
      const expires = Date.now() + 5000
      const key = newKey({ expiresAt: expires })
      const using = use(server, key)
      await using.untilCount(20)
      expect(Date.now()).toBeLessThan(expires)
      while (Date.now() < expires) await Bun.sleep(expires - Date.now())
      const late = await using.after(performance.now(), 50)
      expect(late.length).toBeGreaterThan(20)
      expect(new Set(late)).toEqual(new Set([401]))
    },
    timeout,
  )

  test(
    'is dead at once when `formbox key revoke` ends',
    async () => {
      const { server, newKey } = await startWithUser()
      const key = newKey()
      expect(await status(server, key)).toBe(200)
      const id = (await command(server, ['key', 'list'])).split('\n')[1]?.split(' ', 1)[0] ?? ''
      await command(server, ['key', 'revoke', id])
      expect(await status(server, key)).toBe(401)
    },
    timeout,
  )

  test(
    'of a disabled user works again when the user is enabled, and others of theirs do too',
    async () => {
      const { server, newKey } = await startWithUser()
      const keys = [newKey(), newKey({ isReadOnly: true })]
      const statuses = () => Promise.all(keys.map((key) => status(server, key)))
      expect(await statuses()).toEqual([200, 200])
      await command(server, ['user', 'disable', email])
      expect(await statuses()).toEqual([401, 401])
      await command(server, ['user', 'enable', email])
      expect(await statuses()).toEqual([200, 200])
    },
    timeout,
  )
})

describe('a session', () => {
  test.each<[string, readonly string[], string]>([
    ['whose user is disabled', ['user', 'disable', email], ''],
    [
      'whose user got another password',
      ['user', 'password', email, '--password-stdin'],
      'another one of enough length',
    ],
    ['whose user is deleted', ['user', 'delete', email, '--yes'], ''],
  ])(
    '%s by another process is over from the next request on',
    async (_what, words, input) => {
      const { server } = await startWithUser()
      const visitor = visit({
        url: server.url,
        fetch: (path, init) => fetch(server.url + path, { redirect: 'manual', ...init }),
      })
      expect((await visitor.signIn(email)).status).toBe(303)
      expect((await visitor.get('/settings/keys')).status).toBe(200)
      await command(server, words, input)
      expect((await visitor.get('/settings/keys')).location).toStartWith('/sign-in')
      const refused = await visitor.post('/settings/keys', { name: 'Late', permission: 'full' })
      expect(refused.status).toBe(401)
      expect(await command(server, ['key', 'list'])).not.toContain('Late')
    },
    timeout,
  )
})
