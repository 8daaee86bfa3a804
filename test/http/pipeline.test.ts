import { expect, test } from 'bun:test'
import { type TObject, Type } from '@sinclair/typebox'
import type { Caller } from '../../src/accounts/keys/store.ts'
import { createAdmission } from '../../src/api/admission.ts'
import { jsonBody } from '../../src/api/json-body.ts'
import { type Operation, readOperation, slowReadOperation, writeOperation } from '../../src/api/operation.ts'
import { createPipeline } from '../../src/api/pipeline.ts'
import { contractQuery } from '../../src/api/schema-check.ts'
import { Exchange } from '../../src/http/exchange.ts'

const key = `api_${'k'.repeat(32)}`
const caller: Caller = { keyId: 'key', userId: 'user', isReadOnly: false, forms: null, hash: '' }

const described = { role: 'user', operationId: '', tags: [], summary: '', description: '', errors: [] } as const
const answer: TObject = Type.Object({})
const read = readOperation({
  ...described,
  method: 'GET',
  path: '/things/:formId',
  answer,
  query: contractQuery(Type.Object({ page: Type.Optional(Type.String()) }), ({ page }) => page ?? '1'),
  handle: ({ caller: { userId }, params: { formId }, query }) => JSON.stringify([userId, formId, query]),
})
const slowRead = slowReadOperation({
  ...described,
  method: 'GET',
  path: '/things',
  forms: 'several',
  answer,
  isSlow: true,
  handle: async ({ checkAccess }) => {
    checkAccess()
    return '[]'
  },
})
const write = writeOperation({
  ...described,
  method: 'POST',
  path: '/things/:formId/parts',
  answer,
  body: jsonBody(Type.Object({ name: Type.String() })),
  isIdempotent: true,
  hasSecret: true,
  handle: async ({ body: { name }, request }) => ({ name, isRepeat: request !== undefined }),
})

/** Carries out operations as a program would that has no routes, no server and no connection. */
const withoutRoutes = (found: Caller = caller, isRevoked = () => false) => {
  const config = { publicUrl: null, rateLimit: 100 }
  const keys = { findCaller: (sent: string) => (sent === key && !isRevoked() ? found : null), isLive: () => true }
  const options = { keys, isShutOut: () => false, config, report: () => {}, now: Date.now }
  const carryOut = createPipeline({ ...options, admission: createAdmission(options) })
  return (operation: Operation, params?: { formId: string }, body?: object, sentKey = key) => {
    const { method } = operation
    const headers = {
      Authorization: `Bearer ${sentKey}`,
      ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': 'first' }),
    }
    const request = new Request('http://localhost/', { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const exchange = new Exchange(request, null, {})
    return { exchange, result: () => carryOut(operation, { exchange, params, query: {} }) }
  }
}

test('an operation is carried out without a route', async () => {
  const carryOut = withoutRoutes()
  const found = carryOut(read, { formId: 'one' })
  expect(found.result()).toBe('["user","one","1"]')
  expect(found.exchange.headers['x-ratelimit-remaining']).toBe('99')
  expect(await carryOut(slowRead).result()).toBe('[]')
  const written = carryOut(write, { formId: 'one' }, { name: 'a part' })
  expect(await written.result()).toEqual({ name: 'a part' })
  expect(written.exchange.headers).toMatchObject({ 'idempotency-replayed': 'true', 'cache-control': 'no-store' })
})

test('and is refused in every stage as over HTTP', async () => {
  const carryOut = withoutRoutes()
  expect(carryOut(read, { formId: 'one' }, undefined, 'wrong').result).toThrow('Invalid or expired API key')
  expect(carryOut(read, { formId: 'bulk' }).result).toThrow('Not found')
  const refused = async ({ result }: ReturnType<typeof carryOut>) =>
    (await Promise.resolve(result()).catch((error) => error)).code
  expect(await refused(carryOut(write, { formId: 'one' }, { name: 1 }))).toBe('invalid')
  const limited = withoutRoutes({ ...caller, forms: new Set(['two']) })
  expect(limited(read, { formId: 'one' }).result).toThrow('Insufficient access')
  const readOnly = withoutRoutes({ ...caller, isReadOnly: true })
  expect(await refused(readOnly(slowRead))).toBeUndefined()
  expect(readOnly(write, { formId: 'one' }, { name: 'a part' }).result).toThrow('Insufficient access')
})

test('a slow read is refused if its key was revoked while it was made', async () => {
  let isRevoked = false
  const carryOut = withoutRoutes(caller, () => isRevoked)
  const { result } = carryOut({
    ...slowRead,
    handle: async () => {
      isRevoked = true
      return '[]'
    },
  } as Operation)
  await expect(Promise.resolve(result())).rejects.toMatchObject({ code: 'unauthenticated' })
})
