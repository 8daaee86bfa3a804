// What everyone may ask for without a key, asked for on many connections by clients that never read the answer: however
// many they are, the server holds one copy for all, and of what is made for each one no more than a piece.
import { expect, test } from 'bun:test'
import { afterThisTest, temporaryFolder, writeKey } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import {
  caller,
  isLong,
  type Process,
  peakBytes,
  residentBytes,
  startProcess,
  tell,
  timeout,
} from '../../../torture/process.ts'
import { countStalled, openStalledReader } from '../../../torture/stalled-reader.ts'
import { slowly, until } from '../../../until.ts'

const readers = isLong ? 1500 : 500
/** What 1,500 of them may take, and as much of that as there are fewer. */
const maxBytes = (100_000_000 * readers) / 1500
/** What is longer waits in the server: the system holds 28 kB of it. */
const systemBytes = 64 * 1024

interface Asked {
  /** Of the path, the beginning: the rest is a hash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, string>>
  readonly status?: number
}

const page = { accept: 'text/html' }
const gzip = { 'accept-encoding': 'gzip' }

const rows: Record<string, Asked> = {
  'the library of the reference': { path: '/docs/swagger-ui-*.js' },
  'the same, compressed': { path: '/docs/swagger-ui-*.js', headers: gzip },
  'the style of the library': { path: '/docs/swagger-ui-*.css' },
  'the same style, compressed': { path: '/docs/swagger-ui-*.css', headers: gzip },
  'the script of the reference': { path: '/docs/reference-*.js' },
  'the page of the reference': { path: '/docs' },
  'the style of all pages': { path: '/assets/desk-*.css' },
  'the OpenAPI document': { path: '/api/v1/openapi.json' },
  'the OpenAPI document, compressed': { path: '/api/v1/openapi.json', headers: gzip },
  'the page to sign in': { path: '/sign-in', headers: page },
  'a page that is not there': { path: '/nowhere', headers: page, status: 404 },
  'an operation that is not there': { path: '/api/v1/nowhere', status: 401 },
  'the metrics': { path: '/metrics', settings: { FORMBOX_METRICS_ALLOW: '127.0.0.1' } },
}

test.each(Object.entries(rows))(
  'who asks for %s and does not read it takes no copy',
  async (_, { path, headers = {}, settings = {}, status = 200 }) => {
    const server = await startProcess({ settings })
    const port = Number(new URL(server.url).port)
    const wholePath = await pathLike(server, path)
    const read = async () => {
      const init = { headers: { 'accept-encoding': 'identity', ...headers }, decompress: false }
      const response = await fetch(server.url + wholePath, init)
      const body = await response.bytes()
      expect([response.status, body.length > 0]).toEqual([status, true])
      return body
    }
    const whole = await read()
    // What was compiled and collected before does not count.
    for (let i = 0; i < 200; i++) await read()
    const before = residentBytes(server)

    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    await openReaders(port, () => `GET ${wholePath} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`)

    // No one else is harmed.
    const meanwhile = await read()
    if (wholePath !== '/metrics') expect(meanwhile).toEqual(whole)
    if (whole.length > systemBytes) expect(countStalled(port).waiting).toBeGreaterThanOrEqual(readers)
    const taken = peakBytes(server) - before
    tell(
      `${readers} stalled readers of ${wholePath}: ${(taken / 1e6).toFixed(0)} MB more than ${(before / 1e6).toFixed(0)}`,
    )
    expect(taken).toBeLessThan(maxBytes)
    expect(server.errors()).toBe('')
  },
  timeout,
)

/** @param requestOf what the reader with this number sends */
const openReaders = async (port: number, requestOf: (reader: number) => string): Promise<void> => {
  for (let reader = 0; reader < readers; reader++) {
    afterThisTest(openStalledReader(port, Buffer.from(requestOf(reader))))
    // The system refuses who comes while too many wait to be let in.
    if (reader % 50 === 49)
      await until(() => countStalled(port).answered === reader + 1, `${reader + 1} readers are answered`, slowly)
  }
}

/** The path that a page of the server refers to, where `*` stands for a hash. */
const pathLike = async (server: Process, path: string): Promise<string> => {
  if (!path.includes('*')) return path
  const pattern = new RegExp(`"(${path.replaceAll('.', '\\.').replace('*', '[0-9a-f]{12}')})"`)
  for (const from of ['/docs', '/sign-in']) {
    const found = pattern.exec(await (await fetch(server.url + from)).text())?.[1]
    if (found) return found
  }
  throw new Error(`no page refers to ${path}`)
}

test(
  'who sends mistakes to a form, and does not read the form that comes back, takes little more than a short page',
  async () => {
    const folder = temporaryFolder()
    const { userId, formId } = openData(folder)
    const options = Array.from({ length: 100 }, (_, i) => `Option ${i}`)
    const fields = Array.from({ length: 25 }, (_, i) => ({ name: `f${i}`, type: 'choices', options, required: true }))
    const server = await startProcess({ folder, settings: { FORMBOX_SUBMIT_LIMIT: '0' } })
    const { status } = await caller(server.url, writeKey(folder, userId).key)('PATCH', `/forms/${formId}/settings`, {
      fields,
    })
    expect(status).toBe(200)
    const body = `text=${'x'.repeat(60_000)}`
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const send = async () => (await fetch(`${server.url}/s/${formId}`, { method: 'POST', body, headers })).text()
    const whole = await send()
    expect(whole.length).toBeGreaterThan(250_000)
    for (let i = 0; i < 50; i++) await send()
    const before = residentBytes(server)
    const port = Number(new URL(server.url).port)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const request = `POST /s/${formId} HTTP/1.1\r\nHost: x\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`
    await openReaders(port, () => request)
    // There is room for some of the long pages. Everyone else is told what is wrong, and nothing more.
    expect(await send()).toContain('Your message was not sent')
    const taken = peakBytes(server) - before
    tell(
      `${readers} stalled readers of forms that came back: ${(taken / 1e6).toFixed(0)} MB more than ${(before / 1e6).toFixed(0)}`,
    )
    expect(taken).toBeLessThan(100_000_000)
    expect(server.errors()).toBe('')
  },
  timeout,
)

test(
  'who asks for the page of a form, each from a host of its own, and does not read it, takes no copy',
  async () => {
    const folder = temporaryFolder()
    const { userId, formId } = openData(folder)
    const options = Array.from({ length: 100 }, (_, i) => `${i}`)
    const fields = Array.from({ length: 50 }, (_, i) => ({ name: `f${i}`, type: 'choices', options }))
    const server = await startProcess({ folder })
    const { status } = await caller(server.url, writeKey(folder, userId).key)('PATCH', `/forms/${formId}/settings`, {
      fields,
      page: {},
    })
    expect(status).toBe(200)
    const port = Number(new URL(server.url).port)
    for (let i = 0; i < 300; i++) {
      const page = await (await fetch(`${server.url}/f/${formId}`, { headers: { host: `${i}.example` } })).text()
      expect(page.length).toBeGreaterThan(250_000)
    }
    const before = residentBytes(server)
    await openReaders(port, (reader) => `GET /f/${formId} HTTP/1.1\r\nHost: ${reader}.example\r\n\r\n`)
    const taken = peakBytes(server) - before
    tell(`${readers} stalled readers of a form: ${(taken / 1e6).toFixed(0)} MB more than ${(before / 1e6).toFixed(0)}`)
    expect(taken).toBeLessThan(100_000_000)
    expect(server.errors()).toBe('')
  },
  timeout,
)
