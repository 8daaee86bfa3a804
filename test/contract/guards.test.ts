import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { isAsync } from 'elysia/compose'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { openLastUsed } from '../../src/accounts/keys/last-used.ts'
import { newSetupToken } from '../../src/accounts/users/setup-token.ts'
import { parseConfig } from '../../src/config/config.ts'
import { openEventStreams } from '../../src/http/event-streams.ts'
import { createApp } from '../../src/server/app.ts'
import { openReader } from '../../src/storage/reader.ts'
import type { Writer } from '../../src/storage/writer/writer.ts'
import type { Writes } from '../../src/upkeep/all-writes.ts'
import { folderWithData } from '../empty-data.ts'
import { type Answer, afterThisTest, writeTo } from '../harness.ts'
import { until } from '../until.ts'
import { isUnknown, type Request, requests, routes, start, type World } from './api-routes.ts'
import { errorBody } from './error-body.ts'

// Each test makes several requests for each of some fifty routes: 1.5 s on an idle machine.
setDefaultTimeout(120_000)

/** Those that are about a form or submission which may be someone else's. */
const aboutOne = routes.filter(({ role }) => role !== 'user')

test('the list of routes holds those of the app under /api/v1, and only the document is there besides', async () => {
  const folder = folderWithData()
  // Nothing is asked of the app, so nothing is written.
  const writer = {} as Writer<Writes>
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const config = parseConfig({ FORMBOX_DATA: folder })

  const lastUsed = openLastUsed({ writer, now: Date.now })
  const report = (message: string) => expect.unreachable(message)
  const setupToken = newSetupToken()

  const { app, loadAll } = createApp({
    config,
    reader,
    writer,
    lastUsed,
    onDeleted: () => {},
    onImport: () => {},
    onFields: () => {},
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
    '/api/v1/forms/:formId/answers',
    '/api/v1/forms/:formId/export',
    '/api/v1/forms/:formId/spam/export',
  ])
  expect(reads).toHaveLength(25)
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

const limited = { FORMBOX_RATE_LIMIT: '5' }

test('decisions 1 and 10: success is 200 on every operation, and one request of it counts one', async () => {
  const { ada, send, targetFor } = await start(limited)
  for (const request of requests(routes)) {
    const { key } = await ada.withKey()
    const { status, headers, body } = await send(request, await targetFor(request), key)
    const name = `${request.method} ${request.path}`
    const limits = [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    const expected = isUnknown(request.route) ? 404 : 200
    expect([name, status, ...limits], JSON.stringify(body ?? null).slice(0, 300)).toEqual([name, expected, '5', '4'])
  }
})

const unauthorized = errorBody('UNAUTHORIZED', 'Invalid or expired API key')
const tooMany = /^Too many requests, retry after \d+ seconds$/

const revokedAfterUse = async ({ server, ada }: World): Promise<string> => {
  const { call, key, keyId } = await ada.withKey()
  expect((await call('GET', '/forms')).status).toBe(200)
  writeTo(server.folder, (db) => keyWrites(db).revokeKey({ id: keyId }))
  return key
}

/** On a machine so slow that a minute is over, the key is used up again. */
const usedUp = async ({ ada }: World): Promise<string> => {
  await until(async () => (await ada.call('GET', '/forms')).status === 429, 'the limit is used up')
  return ada.key
}

/** What to be refused for, the settings, how to come by the key for each request, and the answer. */
const guards: [
  what: string,
  settings: Record<string, string>,
  keyOf: (world: World) => string | null | Promise<string>,
  status: number,
  body: object,
][] = [
  ['no key', {}, () => null, 401, errorBody('UNAUTHORIZED', 'Authorization not provided')],
  ['wrong key', {}, () => `api_${'0'.repeat(40)}`, 401, unauthorized],
  ['expired key', {}, async ({ ada }) => (await ada.withKey({ expiresAt: Date.now() - 1 })).key, 401, unauthorized],
  ['revoked key, from the next request on', {}, revokedAfterUse, 401, unauthorized],
  [
    'over the limit',
    limited,
    usedUp,
    429,
    {
      code: 'TOO_MANY_REQUESTS',
      message: expect.stringMatching(tooMany),
      issues: [],
      error: { code: 'TOO_MANY_REQUESTS', message: expect.stringMatching(tooMany) },
    },
  ],
]

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Whether to send a malformed body: once it is the body of the operation, if one is sent, and then a malformed one. */
const bodiesOf = (request: Request): boolean[] => (isReading(request) ? [false] : [false, true])

describe.each(guards)('%s', (_what, settings, keyOf, status, body) => {
  test(`is ${status} on every route, with its own and with a malformed body, and changes nothing`, async () => {
    const world = await start(settings)
    const target = await world.addTarget()
    const before = await world.contents(target)

    for (const request of requests(routes)) {
      const key = await keyOf(world)
      for (const malformed of bodiesOf(request)) {
        const answer: Omit<Answer, 'body'> & { body: unknown } = await world.send(request, target, key, malformed)
        const name = `${request.method} ${request.path}`
        expect([name, answer.status]).toEqual([name, status])
        if (request.method !== 'HEAD') expect([name, answer.body]).toEqual([name, body])
        expect(answer.headers.get('x-request-id')).toMatch(/\S/)
        expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
        expect(answer.headers.get('x-ratelimit-remaining')).toBe(status === 429 ? '0' : null)
        if (status === 429) expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61)
      }
    }
    expect(await world.contents(target)).toEqual(before)
  })
})

describe('read-only key', () => {
  test('is 403 on every route that does more than read, with its own and with a malformed body, and changes nothing', async () => {
    const { ada, send, addTarget, contents } = await start()
    const reader = await ada.withKey({ isReadOnly: true })
    const target = await addTarget()
    const before = await contents(target)
    for (const request of requests(routes))
      for (const malformed of bodiesOf(request)) {
        const isRead = request.isRead || isReading(request)
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
