import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import { caller, createUser, startProcess, timeout } from '../../../torture/process.ts'

describe('the request log', () => {
  test(
    'has one line of JSON a request with what happened, and none for /healthz and /readyz',
    async () => {
      const { server, key, formId } = await startWithForm({ FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info' })
      const { headers } = await caller(server.url, key)('GET', `/forms/${formId}?secret=1`)
      await fetch(`${server.url}/healthz`)
      await fetch(`${server.url}/readyz`)
      await fetch(`${server.url}/s/${formId}`, {
        method: 'POST',
        headers: { accept: 'text/html' },
        body: new URLSearchParams({ a: 'b' }),
      })
      await fetch(`${server.url}/nowhere`)
      await fetch(`${server.url}/api/v1/forms`)
      const [created, read, submitted, lost, refused, ...more] = await linesOf(server)

      expect(more).toEqual([])
      expect(JSON.parse(read ?? '')).toEqual({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'info',
        requestId: headers.get('x-request-id'),
        method: 'GET',
        route: '/api/v1/forms/:formId',
        status: 200,
        milliseconds: expect.any(Number),
        bytes: expect.any(Number),
        client: '127.0.0.1',
        keyId: expect.stringMatching(/^[0-9a-z]{28}$/),
      })
      expect(JSON.parse(created ?? '')).toMatchObject({
        method: 'POST',
        route: '/api/v1/forms',
        bytes: `{"id":"${formId}"}`.length,
      })
      expect(JSON.parse(submitted ?? '')).toMatchObject({ route: '/s/:formId', status: 200, keyId: null })
      expect(JSON.parse(submitted ?? '').bytes).toBeGreaterThan(100)
      expect(JSON.parse(lost ?? '')).toMatchObject({ level: 'warn', route: 'none', status: 404, keyId: null })
      expect(JSON.parse(refused ?? '')).toMatchObject({ level: 'warn', route: '/api/v1/forms', status: 401 })
      expect(JSON.parse(lost ?? '').bytes).toBeGreaterThan(50)
    },
    timeout,
  )

  test(
    'has the size of every answer to a browser: pages, what they refer to, and the OpenAPI document, compressed or in pieces',
    async () => {
      const { server } = await startWithForm({ FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info' })
      const page = await (await fetch(`${server.url}/sign-in`)).text()
      const files = new Set([...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string))
      expect(files.size).toBe(4)
      const sizes = [Buffer.byteLength(page)]
      const sizeOf = async (path: string, encoding: string): Promise<number> => {
        const answer = await fetch(server.url + path, { headers: { 'accept-encoding': encoding }, decompress: false })
        return (await answer.bytes()).byteLength
      }
      for (const path of [...files, '/docs', '/api/v1/openapi.json']) sizes.push(await sizeOf(path, 'gzip'))
      sizes.push(await sizeOf('/api/v1/openapi.json', 'identity'))
      expect(sizes.at(-1)).toBeGreaterThan(5 * (sizes.at(-2) as number))
      const [, ...lines] = await linesOf(server)
      expect(lines.map((line) => JSON.parse(line).bytes)).toEqual(sizes)
    },
    timeout,
  )

  test(
    'has the size of an answer that is sent in pieces, when all of it was sent',
    async () => {
      const { server, key, formId } = await startWithForm({ FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info' })
      const body = new URLSearchParams({ a: 'a'.repeat(300_000) })
      await fetch(`${server.url}/s/${formId}`, { method: 'POST', body })
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${server.url}/api/v1/forms/${formId}/submissions`, { headers })
      const { byteLength } = await answer.bytes()
      const lines = await linesOf(server)
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
        route: expect.stringContaining('submissions'),
        status: 200,
      })
      expect(JSON.parse(lines.at(-1) ?? '').bytes).toBe(byteLength)
      expect(byteLength).toBeGreaterThan(300_000)
    },
    timeout,
  )

  test(
    'is text when nothing else is asked for',
    async () => {
      const { server } = await startWithForm({ FORMBOX_LOG_LEVEL: '' })
      expect(await linesOf(server)).toEqual([
        expect.stringMatching(
          /^\S+Z info {2}POST \/api\/v1\/forms 200 [\d.]+ms 37B client=127\.0\.0\.1 key=[0-9a-z]{28} request=\S+$/,
        ),
      ])
    },
    timeout,
  )

  test(
    'counts no bytes of an answer that has no body, whatever length it tells',
    async () => {
      const { server } = await startWithForm({ FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: 'info' })
      const etag = (await fetch(`${server.url}/docs`, { method: 'HEAD' })).headers.get('etag') ?? ''
      const again = await fetch(`${server.url}/docs`, { headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const [, ...lines] = await linesOf(server)
      const told = lines.map((line) => JSON.parse(line)).map(({ method, status, bytes }) => [method, status, bytes])
      expect(told).toEqual([
        ['HEAD', 200, 0],
        ['GET', 304, 0],
      ])
    },
    timeout,
  )

  test.each([
    ['info', [200, 404]],
    ['warn', [404]],
    ['error', []],
    ['off', []],
  ])(
    'at level %s tells of %j among 200 and 404',
    async (level, statuses) => {
      const { server } = await startWithForm({ FORMBOX_LOG: 'json', FORMBOX_LOG_LEVEL: level })
      await fetch(`${server.url}/nowhere`)
      expect((await linesOf(server)).map((line) => JSON.parse(line).status)).toEqual(statuses)
    },
    timeout,
  )

  test.each([
    ['FORMBOX_LOG', 'xml', 'FORMBOX_LOG: must be one of text, json; got "xml"'],
    ['FORMBOX_LOG_LEVEL', 'debug', 'FORMBOX_LOG_LEVEL: must be one of info, warn, error, off; got "debug"'],
  ])(
    'refuses %s=%s at the start',
    async (name, value, message) => {
      const failure = await startProcess({ settings: { [name]: value } }).then(
        () => 'it started',
        (error: Error) => error.message,
      )
      expect(failure).toBe(`the server ended with 2: formbox: ${message}\n`)
    },
    timeout,
  )

  test.each([
    ['that nobody reads', 'head -n 1; exec sleep 30 >/dev/null 2>&1'],
    ['whose reader has gone', 'head -n 1'],
  ])(
    '%s holds up no request and not the end',
    async (_what, reader) => {
      const { server, key, formId } = await startWithForm({ FORMBOX_LOG_LEVEL: 'info' }, (words) => [
        ...['bash', '-c', `exec "$@" > >(${reader})`, 'bash', ...words],
      ])
      // More lines than a pipe of 64 KiB takes.
      const load = startLoad({ url: server.url, formId, run: 'log' })
      await load.reached(2000)
      await load.stop()
      expect([...load.refused]).toEqual([])
      const form = (await caller(server.url, key)('GET', `/forms/${formId}`)).body
      expect(form.submissionCount).toBe(load.answered.length)

      const startedAt = performance.now()
      server.kill('SIGTERM')
      expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
      expect(performance.now() - startedAt).toBeLessThan(15_000)
    },
    timeout,
  )
})

const startWithForm = async (settings: Record<string, string>, wrap?: (words: readonly string[]) => string[]) => {
  const folder = temporaryFolder()
  const key = createUser(folder)
  const server = await startProcess({ folder, settings, ...(wrap && { wrap }) })
  const formId: string = (await caller(server.url, key)('POST', '/forms', { title: 'Contact' })).body.id
  return { server, key, formId }
}

/** Ends the server and returns what it logged. */
const linesOf = async (server: Awaited<ReturnType<typeof startProcess>>): Promise<string[]> => {
  server.kill('SIGTERM')
  expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
  expect(server.errors()).toBe('')
  return server
    .output()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('Formbox listens'))
}
