import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { deliveries } from '../../src/storage/tables.ts'
import { serve } from '../commands/formbox.ts'
import { afterThisTest, type Server, sharedServer, startServer, temporaryFolder } from '../harness.ts'
import { listedMetrics } from '../listed-metrics.ts'
import { type Family, parseMetrics, sampleOf } from '../prometheus.ts'
import { answerTo, message } from '../raw-http.ts'
import { noteSkipped } from '../skips.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

const token = '0123456789abcdef-secret'
const withToken = { authorization: `Bearer ${token}` }
const forEverybody = { FORMBOX_METRICS_ALLOW: '127.0.0.0/8', FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' }

const forwarded = (address: string) => ({ 'x-forwarded-for': address })

const scrape = async (server: Server): Promise<Map<string, Family>> =>
  parseMetrics(await (await server.fetch('/metrics')).text())

/** Counts what is added to samples from now on, because tests share a server. */
const counting = async (server: Server) => {
  const before = await scrape(server)
  return async () => {
    const families = await scrape(server)
    const added = (name: string, labels: Record<string, string> = {}) =>
      (sampleOf(families, name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0)
    const requests = (method: string, route: string, status: number) =>
      added('formbox_http_requests_total', { method, route, status: String(status) })
    return { families, added, requests }
  }
}

describe('GET /metrics without a setting', () => {
  test('is 404, like what has never been there', async () => {
    const server = await sharedServer()
    const answer = await server.fetch('/metrics', { headers: withToken })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND', message: 'Not found' })
  })
})

describe('GET /metrics', () => {
  test.each([
    ['the token', withToken, 200],
    ['the token, the scheme in another case', { authorization: `bearer  ${token} ` }, 200],
    ['nothing', {}, 401],
    ['another token', { authorization: 'Bearer 0123456789abcdef-secreT' }, 401],
    ['the start of the token', { authorization: `Bearer ${token.slice(0, -1)}` }, 401],
    ['more than the token', { authorization: `Bearer ${token}x` }, 401],
    ['an empty token', { authorization: 'Bearer ' }, 401],
    ['the token under another scheme', { authorization: `Basic ${token}` }, 401],
  ])('with a token configured and %s is %j %i', async (_, headers, status) => {
    const server = await sharedServer({ FORMBOX_METRICS_TOKEN: token })
    const answer = await server.fetch('/metrics', { headers })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    const text = await answer.text()
    expect(text).not.toContain('secret')
    expect(text.includes('formbox_build_info')).toBe(status === 200)
  })

  test('does not open to a key of the API, nor the API to the token', async () => {
    const server = await sharedServer({ FORMBOX_METRICS_TOKEN: token })
    const ada = await server.signUp()
    const withKey = await server.fetch('/metrics', { headers: { authorization: `Bearer ${ada.key}` } })
    expect(withKey.status).toBe(401)
    expect((await server.fetch('/api/v1/forms', { headers: withToken })).status).toBe(401)
  })

  const elsewhere = { FORMBOX_METRICS_ALLOW: '192.0.2.0/24, ::1' }
  const both = { FORMBOX_METRICS_TOKEN: token, FORMBOX_TRUST_PROXY: '127.0.0.1' }
  test.each<[string, Record<string, string>, Record<string, string>, number]>([
    ['an allowed address', {}, {}, 200],
    ['another address', elsewhere, {}, 403],
    [
      'an allowed one behind a proxy that is declared',
      { FORMBOX_TRUST_PROXY: '127.0.0.1' },
      forwarded('127.0.0.9'),
      200,
    ],
    ['another one behind a proxy that is declared', { FORMBOX_TRUST_PROXY: '127.0.0.1' }, forwarded('192.0.2.1'), 403],
    ['somebody behind a proxy that is not declared', {}, forwarded('192.0.2.1'), 403],
    ['somebody who claims an allowed address', elsewhere, forwarded('192.0.2.1'), 403],
    ['another address, with the token', both, { ...forwarded('192.0.2.1'), ...withToken }, 200],
    ['an allowed address, without the token', both, forwarded('127.0.0.9'), 200],
    ['another address, without the token', both, forwarded('192.0.2.1'), 401],
  ])('from %s under %j with %j is %i', async (_, settings, headers, status) => {
    const server = await sharedServer({ ...forEverybody, ...settings })
    expect((await server.fetch('/metrics', { headers })).status).toBe(status)
  })

  test('is text of version 0.0.4 that no cache keeps, and a HEAD without a body', async () => {
    const server = await sharedServer(forEverybody)
    const answer = await server.fetch('/metrics')
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect([...parseMetrics(await answer.text())].map(([name, { type }]) => [name, type])).toEqual([
      ['formbox_http_requests_total', 'counter'],
      ['formbox_http_request_duration_seconds', 'histogram'],
      ['formbox_submissions_total', 'counter'],
      ['formbox_delivery_attempts_total', 'counter'],
      ['formbox_delivery_attempt_duration_seconds', 'histogram'],
      ['formbox_deliveries_due', 'gauge'],
      ['formbox_deliveries_oldest_due_seconds', 'gauge'],
      ['formbox_writer_queue_depth', 'gauge'],
      ['formbox_writer_failing', 'gauge'],
      ['formbox_writer_batch_size', 'histogram'],
      ['formbox_writer_commit_duration_seconds', 'histogram'],
      ['formbox_backups_total', 'counter'],
      ['formbox_backup_newest_timestamp_seconds', 'gauge'],
      ['formbox_database_size_bytes', 'gauge'],
      ['formbox_build_info', 'gauge'],
      ['process_cpu_seconds_total', 'counter'],
      ['process_resident_memory_bytes', 'gauge'],
      ['process_start_time_seconds', 'gauge'],
    ])
    const head = await server.fetch('/metrics', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('has the metrics that the documentation lists', async () => {
    const server = await sharedServer(forEverybody)
    const listed = await listedMetrics()
    expect(listed.filter((name) => !name.startsWith('formbox_cluster_'))).toEqual([...(await scrape(server)).keys()])
  })

  test('names each kind of delivery in the documentation', async () => {
    const page = await Bun.file(join(import.meta.dir, '../../docs/operating.md')).text()
    const row = /^`formbox_delivery_attempts_total`[^`]*`kind` \([^)]*\)/m.exec(page)?.[0] ?? ''
    expect(deliveries.kind.enumValues.filter((kind) => !row.includes(`\`${kind}\``))).toEqual([])
  })

  test('measures a request that is refused for its Host from its own begin', async () => {
    const server = await sharedServer(forEverybody)
    const count = await counting(server)
    await Bun.sleep(500)
    const before = performance.now()
    await answerTo(server.url, message(['GET / HTTP/1.1', 'Host: a b', 'Connection: close']))
    const { added } = await count()
    const labels = { method: 'GET', route: 'none' }
    expect(added('formbox_http_request_duration_seconds_count', labels)).toBe(1)
    const seconds = added('formbox_http_request_duration_seconds_sum', labels)
    expect(seconds).toBeWithin(0, (performance.now() - before) / 1000)
  })

  test('counts requests by route and status, and how long they took', async () => {
    const { server, ada, formId: form } = await world({ environment: forEverybody })
    const startedAt = performance.now()
    const count = await counting(server)
    for (const path of ['/forms', '/forms/', `/forms/${form}`, '/forms/nowhere', '/forms?page=0'])
      await ada.call('GET', path)
    await ada.createForm()
    await server.fetch('/api/v1/forms')
    await server.fetch('/readyz')

    const { added, requests } = await count()

    const list = (status: number) => requests('GET', '/api/v1/forms', status)
    expect([list(200), list(400), list(401)]).toEqual([2, 1, 1])
    const one = (status: number) => requests('GET', '/api/v1/forms/:formId', status)
    expect([one(200), one(404)]).toEqual([1, 1])
    expect(requests('POST', '/api/v1/forms', 200)).toBe(1)
    const labels = { method: 'GET', route: '/api/v1/forms' }
    expect(added('formbox_http_request_duration_seconds_count', labels)).toBe(4)
    const took = added('formbox_http_request_duration_seconds_sum', labels)
    expect(took).toBeGreaterThan(0)
    expect(took).toBeLessThan((performance.now() - startedAt) / 1000)
  })

  test('gets no more series from unknown paths and methods', async () => {
    const server = await sharedServer(forEverybody)
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PROPFIND', 'PURGE']
    const ask = async (round: number) => {
      for (const method of methods)
        for (const path of ['/', '/x/', '/s/', '/docs/', '/api/v1/', '/api/v1/forms/', '/settings/keys/'])
          await server.fetch(`${path}random-${round}"\\`, { method }).then((answer) => answer.text())
    }
    const seriesOf = (families: Map<string, Family>) =>
      families
        .get('formbox_http_requests_total')
        ?.samples.map(({ labels }) => Object.values(labels).join(' '))
        .sort()
    // The request for metrics is a series itself.
    await scrape(server)
    await ask(0)
    const before = seriesOf(await scrape(server))
    for (let round = 1; round < 3; round++) await ask(round)
    const after = seriesOf(await scrape(server))

    expect(after?.filter((series) => !before?.includes(series))).toEqual([])
    expect(after?.join('\n')).not.toContain('random')
  })

  test('counts submissions that were stored, not those that were refused, sent again or from robots', async () => {
    const { server, formId: form } = await world({ environment: forEverybody })
    const count = await counting(server)
    const submit = async (fields: Record<string, string>, target = form) =>
      (await server.fetch(`/s/${target}`, { method: 'POST', body: new URLSearchParams(fields) })).status
    expect(await Promise.all([submit({ a: '1' }), submit({ a: '2' }), submit({ a: '3' })])).toEqual([200, 200, 200])
    const clicks = await Promise.all([1, 2, 3].map(() => submit({ a: '4', _idempotency: 'click' })))
    expect(clicks).toEqual([200, 200, 200])
    expect(await submit({ a: '1', _gotcha: 'robot' })).toBe(200)
    expect([await submit({}), await submit({ a: '1' }, 'nowhere')]).toEqual([400, 404])

    const { families, added, requests } = await count()

    expect(added('formbox_submissions_total')).toBe(4)
    expect(requests('POST', '/s/:formId', 200)).toBe(7)
    // At most each write in a transaction of its own.
    const [batches, writes] = ['count', 'sum'].map((of) => added(`formbox_writer_batch_size_${of}`))
    expect(writes).toBeGreaterThanOrEqual(6)
    expect(batches).toBeWithin(2, (writes as number) + 1)
    expect(added('formbox_writer_commit_duration_seconds_count')).toBe(batches as number)
    expect(added('formbox_writer_commit_duration_seconds_sum')).toBeGreaterThan(0)
    expect(sampleOf(families, 'formbox_writer_queue_depth')).toBe(0)
    expect(sampleOf(families, 'formbox_writer_failing')).toBe(0)
  })

  test('counts attempts to deliver, and what is due', async () => {
    const { server, ada, formId: form } = await world({ environment: forEverybody })
    const receiver = Bun.serve({ port: 0, fetch: () => new Response() })
    afterThisTest(() => receiver.stop(true))
    for (const url of [`http://127.0.0.1:${receiver.port}/`, 'http://n8n.localhost:1/'])
      await ada.call('POST', `/forms/${form}/webhooks`, { url })
    const count = await counting(server)
    const attempts = async (result: string) =>
      (await count()).added('formbox_delivery_attempts_total', { kind: 'webhook', result })
    await server.submit(form, { a: 1 })
    await until(
      async () => (await attempts('delivered')) === 1 && (await attempts('later')) === 1,
      'one delivery is made, and one put off',
    )

    const { families, added } = await count()
    const duration = 'formbox_delivery_attempt_duration_seconds'
    expect(added(`${duration}_count`, { kind: 'webhook' })).toBe(2)
    expect(added(`${duration}_sum`, { kind: 'webhook' })).toBeWithin(0, 15)
    expect(sampleOf(families, 'formbox_deliveries_due')).toBe(0)
    expect(sampleOf(families, 'formbox_deliveries_oldest_due_seconds')).toBe(0)
  })

  test('tells the size of the files, the memory and since when it runs', async () => {
    const startedBefore = Date.now() / 1000
    const server = await sharedServer(forEverybody)
    await (await server.signUp()).createForm()

    const sizeOf = (file: string) => statSync(join(server.folder, file)).size
    let families = await scrape(server)
    // Jobs may write in between.
    await until(async () => {
      families = await scrape(server)
      return sampleOf(families, 'formbox_database_size_bytes', { file: 'wal' }) === sizeOf('formbox.db-wal')
    }, 'the size of the WAL is up to date')
    expect(sampleOf(families, 'formbox_database_size_bytes', { file: 'main' })).toBe(sizeOf('formbox.db'))
    expect(sizeOf('formbox.db-wal')).toBeGreaterThan(0)
    expect(sampleOf(families, 'formbox_build_info', { version, bun: Bun.version })).toBe(1)
    expect(sampleOf(families, 'process_resident_memory_bytes')).toBeWithin(20_000_000, 2_000_000_000)
    expect(sampleOf(families, 'process_cpu_seconds_total')).toBeGreaterThan(0)
    // Not later than now: the sources run in this process, which is older than the server.
    expect(sampleOf(families, 'process_start_time_seconds')).toBeWithin(startedBefore - 36_000, Date.now() / 1000 + 1)
  })

  const promtool = Bun.which('promtool')
  if (!promtool) noteSkipped('Skipping what promtool thinks of /metrics: there is none on the PATH.')
  test.skipIf(!promtool)('is what promtool reads, and has nothing to complain of', async () => {
    const server = await sharedServer(forEverybody)
    await server.fetch('/healthz')
    const text = await (await server.fetch('/metrics')).text()
    const tool = Bun.spawn([promtool as string, 'check', 'metrics'], {
      stdin: Buffer.from(text),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const printed = (await new Response(tool.stdout).text()) + (await new Response(tool.stderr).text())
    expect([printed, await tool.exited]).toEqual(['', 0])
  })

  test('has a token that no log shows, from the environment or from a file', async () => {
    const environment = { FORMBOX_LOG: 'json', FORMBOX_METRICS_TOKEN: token }
    const server = await serve([], { environment })
    expect((await fetch(`${server.url}/metrics?token=${token}`, { headers: withToken })).status).toBe(200)
    expect((await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}x` } })).status).toBe(401)
    server.kill('SIGTERM')
    const { exitCode, stdout, stderr } = await server.end()
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.match(/"route":"\/metrics","status":(200|401)/g)).toHaveLength(2)
    expect(stdout).not.toContain('secret')

    const file = join(temporaryFolder(), 'token')
    await Bun.write(file, `${token}\n`)
    const again = await startServer({ settings: { FORMBOX_METRICS_TOKEN_FILE: file } })
    expect((await again.fetch('/metrics', { headers: withToken })).status).toBe(200)
  })
})
