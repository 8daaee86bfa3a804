import { describe, expect, test } from 'bun:test'
import { newKey } from '../../src/accounts/keys/key-rules.ts'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { openLastUsed } from '../../src/accounts/keys/last-used.ts'
import { newSetupToken } from '../../src/accounts/users/setup-token.ts'
import { newId } from '../../src/base/id.ts'
import { parseConfig } from '../../src/config/config.ts'
import { openEventStreams } from '../../src/http/event-streams.ts'
import { createApp } from '../../src/server/app.ts'
import { connect } from '../../src/storage/open.ts'
import { openReader, type Reader } from '../../src/storage/reader.ts'
import { expectDocumented } from '../documented.ts'
import { afterThisTest, forThisFile } from '../harness.ts'
import { openData } from './data.ts'
import { holdUp, openWriter } from './open-writer.ts'
import { expectSound, rowsOf } from './sound.ts'
import { expectUnavailable } from './unavailable.ts'

/** The service on a writer's thread that a test can hold up. */
const openService = async (limits: { maxQueued?: number } = {}, toRead = (reader: Reader) => reader) => {
  const { folder, writer } = await openWriter(limits)
  const { db, userId, submit, run, createForm } = openData(folder)
  const { value: key, hash, start } = newKey()
  const common = { name: 'Test', isReadOnly: false, expiresAt: null }
  keyWrites(db).createKey({ id: newId(Date.now()), userId, hash, start, ...common })
  const reader = toRead(openReader(folder))
  const config = parseConfig({ FORMBOX_RATE_LIMIT: '0', FORMBOX_SUBMIT_LIMIT: '0' })
  const reported: string[] = []
  const now = Date.now
  const report = (message: string) => reported.push(message)
  const lastUsed = openLastUsed({ writer, now })
  const { app } = createApp({
    config,
    reader,
    writer,
    lastUsed,
    onDeleted: () => {},
    onImport: () => {},
    onFields: () => {},
    onDue: () => {},
    setupToken: newSetupToken(),
    streams: openEventStreams({ version: reader.version, report }),
    now,
    report,
    requestLog: undefined,
  })
  app.listen({ hostname: '127.0.0.1', port: 0 })
  afterThisTest(async () => {
    await app.server?.stop(true)
    reader.close()
  })
  const call = async (method: string, path: string, body?: object | string, headers: Record<string, string> = {}) => {
    const origin = app.server?.url.origin as string
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    // Not where the document itself cannot be loaded.
    if (response.status === 503) await expectDocumented(origin, path, method, response.clone())
    return response
  }
  const contents = () =>
    ['users', 'forms', 'submissions', 'tallies', 'secrets'].map((table) => rowsOf(folder, `SELECT * FROM ${table}`))
  /** Forms that no other test has, one of them with a submission. */
  const addForms = () => {
    const [formId, challengedId] = [createForm(userId), createForm(userId, 'Challenged')]
    run('updateFormSettings', { userId, id: challengedId, now: Date.now(), changes: { challenge: true } })
    const [submissionId] = submit(formId, [Date.now()])
    return { formId, challengedId, path: `/api/v1/forms/${formId}`, submissionId }
  }
  return { folder, writer, call, contents, reported, addForms, ...addForms() }
}

type Service = Awaited<ReturnType<typeof openService>>

/** Every operation that writes; those that take away what others need come last. */
const writes: [string, (service: Service) => [method: string, path: string, body?: object]][] = [
  ['createForm', () => ['POST', '/api/v1/forms', { title: 'New' }]],
  ['createForms', () => ['POST', '/api/v1/forms/bulk', { forms: [{ title: 'New' }] }]],
  ['updateForm', ({ path }) => ['PATCH', path, { title: 'Changed' }]],
  ['updateForms', ({ formId }) => ['PATCH', '/api/v1/forms/bulk', { forms: [{ id: formId, title: 'Changed' }] }]],
  ['duplicateForm', ({ path }) => ['POST', `${path}/duplicate`]],
  ['the key of challenges', ({ challengedId }) => ['GET', `/s/${challengedId}/challenge`]],
  ['a submission', ({ formId }) => ['POST', `/s/${formId}`, { a: '1' }]],
  ['deleteSubmission', ({ path, submissionId }) => ['DELETE', `${path}/submissions/${submissionId}`]],
  ['deleteSubmissions', ({ path, submissionId }) => ['DELETE', `${path}/submissions/bulk`, { ids: [submissionId] }]],
  ['deleteForm', ({ path }) => ['DELETE', path]],
  ['deleteForms', ({ formId }) => ['DELETE', '/api/v1/forms/bulk', { ids: [formId] }]],
]

test('pages and the API that cannot be loaded are an error of one request, and are loaded with the next', async () => {
  let isBroken = false
  const service = await openService({}, (reader) => ({
    ...reader,
    remembering(read) {
      if (isBroken) throw new Error('no memory is left')
      return reader.remembering(read)
    },
  }))
  isBroken = true
  for (const path of [service.path, '/sign-in']) {
    const response = await service.call('GET', path)
    expect(response.status).toBe(500)
    expect(response.headers.get('x-request-id')).not.toBeNull()
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' })
  }
  expect(service.reported.splice(0)).toEqual(Array(2).fill(expect.stringContaining('no memory is left')))
  expect((await service.call('POST', `/s/${service.formId}`, { a: '1' })).status).toBe(200)
  isBroken = false
  expect((await service.call('GET', service.path)).status).toBe(200)
  expect((await service.call('GET', '/sign-in')).status).toBe(200)
  expect(service.reported).toEqual([])
})

describe('a write that cannot be taken at the moment', () => {
  let opening: ReturnType<typeof openService> | undefined

  test.each(writes)('is 503 and changes nothing while another process holds the file: %s', async (_, request) => {
    opening ??= forThisFile(openService)
    const shared = await opening
    const service = { ...shared, ...shared.addForms() }
    const before = service.contents()
    const other = connect(service.folder)
    afterThisTest(() => other.$client.close())
    other.$client.run('BEGIN IMMEDIATE')

    await expectUnavailable(await service.call(...request(service)), 5)
    expect(service.contents()).toEqual(before)
    expect((await service.call('GET', `${service.path}/submissions`)).status).toBe(200)
    expect((await service.call('GET', '/healthz')).status).toBe(503)
    // Reading goes on, and no one else could write.
    expect((await service.call('GET', '/readyz')).status).toBe(200)
    other.$client.run('ROLLBACK')

    expect((await service.call(...request(service))).status).toBe(200)
    expect(service.contents()).not.toEqual(before)
    expect(service.reported).toEqual([])
  })

  test('is 503 when the queue is full, and a page for a browser', async () => {
    const service = await openService({ maxQueued: 2 })
    const held = await holdUp(service.writer)
    await held.stands()
    const waiting = ['ada@example.com', 'bob@example.com'].map((email) => service.writer.run('addUser', email))

    for (const [, request] of writes) await expectUnavailable(await service.call(...request(service)), 1)
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const page = await service.call('POST', `/s/${service.formId}`, 'a=1', headers)
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1'])
    expect(page.headers.get('content-type')).toStartWith('text/html')
    expect(await page.text()).toContain('The server is too busy at the moment.')
    await held.release()
    await Promise.all(waiting)

    expect((await service.call('POST', `/s/${service.formId}`, { a: '1' })).status).toBe(200)
    expect(rowsOf(service.folder, 'SELECT submission_count FROM forms WHERE submission_count > 0')).toEqual([
      { submission_count: 2 },
    ])
    expectSound(service.folder)
    expect(service.reported).toEqual([])
  })
})

test('a service whose writer is gone is not ready', async () => {
  const service = await openService()
  expect((await service.call('GET', '/readyz')).status).toBe(200)

  await service.writer.run('exit', undefined).catch(() => {})

  const answer = await service.call('GET', '/readyz')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await answer.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: 'Not ready' })
})
