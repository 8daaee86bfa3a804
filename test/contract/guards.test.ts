import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { isAsync } from 'elysia/compose'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { openLastUsed } from '../../src/accounts/keys/last-used.ts'
import { newSetupToken } from '../../src/accounts/users/setup-token.ts'
import { parseConfig } from '../../src/config/config.ts'
import { openEventStreams } from '../../src/http/event-streams.ts'
import { createApp } from '../../src/server/app.ts'
import { openReader } from '../../src/storage/reader.ts'
import { startWriter } from '../../src/storage/writer/writer.ts'
import type { Writes } from '../../src/upkeep/all-writes.ts'
import { folderWithData } from '../empty-data.ts'
import { type Answer, afterThisTest, type User, writeTo } from '../harness.ts'
import { isUnknown, requests, routes, start, type World } from './api-routes.ts'
import { errorBody } from './error-body.ts'

// Each test makes several requests for each of some fifty routes: 1.5 s on an idle machine.
setDefaultTimeout(120_000)

/** Those that are about a form or submission which may be someone else's. */
const aboutOne = routes.filter(({ role }) => role !== 'user')

test('the list of routes holds those of the app under /api/v1, and only the document is there besides', async () => {
  const folder = folderWithData()
  const worker = new Worker(new URL('../../src/upkeep/write-worker.ts', import.meta.url).href)
  const writer = startWriter<Writes>({ folder, worker, onDeath: (reason) => expect.unreachable(reason) })
  await writer.started
  afterThisTest(() => writer.close())
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const config = parseConfig({ FORMBOX_DATA: folder })

  const lastUsed = openLastUsed({ writer, now: Date.now })
  const report = (message: string) => expect.unreachable(message)
  const setupToken = newSetupToken(Date.now)

  const { app, loadAll } = createApp({
    config,
    reader,
    writer,
    lastUsed,
    onDeleted: () => {},
    onDue: () => {},
    setupToken,
    streams: openEventStreams({ version: reader.version, report }),
    now: Date.now,
    report,
    requestLog: undefined,
  })

  await loadAll()
  const ofApi = app.routes.filter(({ path }) => path.startsWith('/api/'))
  const names = ofApi.map(({ method, path }) => `${method} ${path.slice('/api/v1'.length) || '/'}`)
  expect(names.toSorted()).toEqual([...routes.map(({ route }) => route), 'GET /openapi.json'].toSorted())

  // For Elysia, the text of a handler tells whether to wait for it. That of a read costs 5 % of its time.
  const reads = ofApi.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/v1/forms'))
  const slow = reads.filter(({ handler }) => isAsync(handler))
  expect(slow.map(({ path }) => path)).toEqual([
    '/api/v1/forms/:formId/spam/learned',
    '/api/v1/forms/:formId/submissions/search',
    '/api/v1/forms/:formId/spam/search',
    '/api/v1/forms/:formId/export',
    '/api/v1/forms/:formId/spam/export',
  ])
  expect(reads).toHaveLength(21)
})

test('the document describes the operations, and each that names a form says who may call it', async () => {
  const { server } = await start()
  const { paths } = await (await server.fetch('/api/v1/openapi.json')).json()
  const documented = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const names = routes.map(({ route }) => route).filter((route) => !isUnknown(route))
  const collecting = ['POST /s/:formId', 'GET /s/:formId/challenge']
  expect(documented.toSorted()).toEqual([...names, ...collecting].toSorted())
  const naming = routes.filter(({ route }) => /:|^(PATCH|DELETE) .*bulk/.test(route))
  expect(aboutOne).toEqual(naming)
})

describe('decision 1: success is 200', () => {
  test('on every operation, with a key that may do everything', async () => {
    const { ada, send, targetFor } = await start()
    const seen: Record<string, number> = {}
    for (const request of requests(routes))
      seen[`${request.method} ${request.path}`] = (await send(request, await targetFor(request), ada.key)).status
    const expected = requests(routes).map(({ method, path, route }) => [
      `${method} ${path}`,
      isUnknown(route) ? 404 : 200,
    ])
    expect(seen).toEqual(Object.fromEntries(expected))
  })
})

const unauthorized = errorBody('UNAUTHORIZED', 'Invalid or expired API key')
const tooMany = /^Too many requests, retry after \d+ seconds$/

/** What to be refused for, the settings, how to come by the key, and the answer. */
const guards: [
  what: string,
  limit: string,
  key: (world: World) => Promise<string> | null,
  status: number,
  body: object,
][] = [
  ['no key', '0', () => null, 401, errorBody('UNAUTHORIZED', 'Authorization not provided')],
  ['wrong key', '0', async () => `api_${'0'.repeat(40)}`, 401, unauthorized],
  ['expired key', '0', async ({ ada }) => (await ada.withKey({ expiresAt: Date.now() - 1 })).key, 401, unauthorized],
  ['revoked key, from the next request on', '0', (world) => revokedAfterUse(world), 401, unauthorized],
  [
    'over the limit',
    '1',
    async ({ ada }) => (await used(ada)).key,
    429,
    {
      code: 'TOO_MANY_REQUESTS',
      message: expect.stringMatching(tooMany),
      issues: [],
      error: { code: 'TOO_MANY_REQUESTS', message: expect.stringMatching(tooMany) },
    },
  ],
]

/** A key of the user that has been good for one request. */
const used = async (user: User): Promise<User> => {
  const other = await user.withKey()
  expect((await other.call('GET', '/forms')).status).toBe(200)
  return other
}

const revokedAfterUse = async ({ server, ada }: World): Promise<string> => {
  const { key, keyId } = await used(ada)
  writeTo(server.folder, (db) => keyWrites(db).revokeKey({ id: keyId }))
  return key
}

describe.each(guards)('%s', (_what, limit, keyOf, status, body) => {
  test.each([
    ['its own body', false],
    ['a malformed body', true],
  ])(`is ${status} on every route, with %s, and changes nothing`, async (_name, malformed) => {
    const world = await start({ FORMBOX_RATE_LIMIT: limit })
    const target = await world.addTarget()
    const before = await world.contents(target)

    for (const request of requests(routes)) {
      const answer: Omit<Answer, 'body'> & { body: unknown } = await world.send(
        request,
        target,
        await keyOf(world),
        malformed,
      )
      const name = `${request.method} ${request.path}`
      expect([name, answer.status]).toEqual([name, status])
      if (request.method !== 'HEAD') expect([name, answer.body]).toEqual([name, body])
      expect(answer.headers.get('x-request-id')).toMatch(/\S/)
      expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(status === 429 ? '0' : null)
      if (status === 429) expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61)
    }
    expect(await world.contents(target)).toEqual(before)
  })
})

describe('read-only key', () => {
  test.each([
    ['its own body', false],
    ['a malformed body', true],
  ])('is 403 on every route that does more than read, with %s, and changes nothing', async (_name, malformed) => {
    const { ada, send, addTarget, contents } = await start()
    const reader = await ada.withKey({ isReadOnly: true })
    const target = await addTarget()
    const before = await contents(target)
    for (const request of requests(routes)) {
      const isRead = request.isRead || request.method === 'GET' || request.method === 'HEAD'
      const answer = await send(request, target, reader.key, malformed)
      const name = `${request.method} ${request.path}`
      const ifRead = isUnknown(request.route) ? 404 : request.isRead && malformed ? 400 : 200
      expect([name, answer.status]).toEqual([name, isRead ? ifRead : 403])
      if (!isRead) expect(answer.body).toEqual(errorBody('FORBIDDEN', 'Insufficient access'))
    }
    expect(await contents(target)).toEqual(before)
  })
})

describe('other user’s form', () => {
  test('is 403 on every route that names one, and stays as it was', async () => {
    const { server, send, addTarget, contents } = await start()
    const bob = await server.signUp()
    const target = await addTarget()
    const before = await contents(target)
    for (const request of requests(aboutOne)) {
      const answer = await send(request, target, bob.key)
      const name = `${request.method} ${request.path}`
      expect([name, answer.status]).toEqual([name, 403])
      if (request.method !== 'HEAD') expect(answer.body).toEqual(errorBody('FORBIDDEN', 'Insufficient access'))
    }
    expect(await contents(target)).toEqual(before)
    expect((await bob.call('GET', '/forms')).body.pagination.total).toBe(0)
  })
})

describe('decision 10: the rate limit', () => {
  test('counts one for one request of every route', async () => {
    const { ada, send, targetFor } = await start({ FORMBOX_RATE_LIMIT: '5' })
    for (const request of requests(routes)) {
      const { key } = await ada.withKey()
      const { status, headers, body } = await send(request, await targetFor(request), key)
      const name = `${request.method} ${request.path}`
      const limits = [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
      expect([name, ...limits], `${status} ${JSON.stringify(body ?? null).slice(0, 300)}`).toEqual([name, '5', '4'])
    }
  })
})
