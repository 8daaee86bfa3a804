// Bodies that are sent in tiny chunks. What Bun itself needs to take them apart is measured beside, with a server that does nothing else.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { expectBelow } from '../../../expect-below.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { answerTo, message } from '../../../raw-http.ts'
import { caller, createUser, isLong, peakBytes, startProcess, tell, timeout } from '../../../torture/process.ts'

const mebibyte = 1024 * 1024

/** A body of about so many bytes that the path takes. */
interface Sent {
  readonly path: string
  readonly type: string
  readonly body: string
  readonly status: number
  readonly headers?: readonly string[]
}

const multipart = 'multipart/form-data; boundary=b'
const part = (name: string, content: string, filename = ''): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${filename && `; filename="${filename}"`}\r\n\r\n${content}\r\n`

const urlencoded = (path: string, bytes: number, status = 200): Sent => ({
  path,
  type: 'application/x-www-form-urlencoded',
  body: `message=${'x'.repeat(bytes)}`,
  status,
})
const json = (path: string, bytes: number): Sent => ({
  path,
  type: 'application/json',
  body: JSON.stringify({ title: 'Contact', message: 'x'.repeat(bytes) }),
  status: 200,
})
const text = (path: string, bytes: number): Sent => ({
  path,
  type: multipart,
  body: `${part('message', 'x'.repeat(bytes))}--b--\r\n`,
  status: 200,
})
const files = (path: string, bytes: number): Sent => ({
  path,
  type: multipart,
  body: `${[1, 2, 3].map((i) => part(`cv${i}`, 'x'.repeat(bytes / 3), 'cv.bin')).join('')}--b--\r\n`,
  status: 200,
})

const lastChunk = '0\r\n\r\n'

/** The bytes of a request whose body is cut into chunks of this size. All characters of the body are ASCII. */
const cut = ({ path, type, body, headers = [] }: Sent, chunkBytes: number): Uint8Array => {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: close', `Content-Type: ${type}`, ...headers]
  const size = `${chunkBytes.toString(16)}\r\n`
  const last = body.length % chunkBytes
  const chunks = [
    body.slice(0, body.length - last).replaceAll(new RegExp(`[^]{${chunkBytes}}`, 'g'), `${size}$&\r\n`),
    last > 0 ? `${last.toString(16)}\r\n${body.slice(-last)}\r\n` : '',
    lastChunk,
  ]
  return message([...head, 'Transfer-Encoding: chunked'], chunks.join(''))
}

interface Server {
  readonly url: string
  readonly pid: number
}

/** Sends the same bytes several times at once. Returns the longest time for which another request waited, and by how much the peak of the memory grew. */
const send = async (server: Server, bytes: Uint8Array, { status = 200, copies = 1 } = {}) => {
  const before = peakBytes(server)
  const sending = Promise.all(Array.from({ length: copies }, () => answerTo(server.url, bytes)))
  let isOver = false
  void sending.finally(() => {
    isOver = true
  })
  let waited = 0
  while (!isOver) {
    const startedAt = performance.now()
    await (await fetch(`${server.url}/healthz`)).text()
    waited = Math.max(waited, performance.now() - startedAt)
  }
  expect((await sending).map((answer) => answer?.status)).toEqual(Array(copies).fill(status))
  return { waited, grown: peakBytes(server) - before }
}

const startBare = async (): Promise<Server> => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '../../../torture/bare-server.ts')], {
    stdout: 'pipe',
  })
  afterThisTest(() => child.kill('SIGKILL'))
  const { value } = await child.stdout.getReader().read()
  return { url: new TextDecoder().decode(value).trim(), pid: child.pid }
}

const start = async () => {
  const folder = temporaryFolder()
  const key = createUser(folder)
  const server = await startProcess({ folder, settings: { FORMBOX_TRUST_PROXY: '127.0.0.1' } })
  const call = caller(server.url, key)
  const form = async (): Promise<string> => (await call('POST', '/forms', { title: 'Contact' })).body.id
  return { server, bare: await startBare(), formId: await form(), key, call }
}

const rounds = 4

/** By so much the heap of a process may grow at any time, when garbage is collected late. */
const heapBytes = 16 * mebibyte

interface Bound {
  readonly sent: Sent
  readonly chunkBytes: number
  readonly copies?: number
  /** What one body may take beside what Bun takes. */
  readonly maxBytes: number
  readonly maxMilliseconds: number
}

/**
 * Sends a body whole, which is what a server needs to read and store it, and then cut. A busy machine makes others wait, so one round of
 * several has to keep the bound.
 */
const expectLittle = async (
  { server, bare }: { readonly server: Server; readonly bare: Server },
  { sent, chunkBytes, copies = 1, maxBytes, maxMilliseconds }: Bound,
) => {
  const { status } = sent
  const from = (address: string, chunkBytes: number): Uint8Array =>
    cut({ ...sent, headers: [...(sent.headers ?? []), `X-Forwarded-For: ${address}`] }, chunkBytes)
  const [whole, bytes] = [from('192.0.2.1', 65_536), from('192.0.2.2', chunkBytes)]
  for (let i = 0; i < 3; i++) {
    await send(server, whole, { status, copies })
    await send(bare, whole, { copies })
  }
  let grown = 0
  let ofBun = 0
  const waits: { readonly waited: number; readonly most: number }[] = []
  while (waits.length < rounds && !waits.some(({ waited, most }) => waited <= most)) {
    const own = await send(server, bytes, { status, copies })
    const beside = await send(bare, bytes, { copies })
    grown += own.grown
    ofBun += beside.grown
    waits.push({ waited: own.waited, most: 3 * beside.waited + copies * maxMilliseconds })
  }
  const inWords = waits.map(({ waited, most }) => `${waited.toFixed(0)} of ${most.toFixed(0)} ms`).join(', ')
  tell(
    `${chunkBytes} bytes a chunk, ${copies} at once: ${inWords}, ${Math.round(grown / 1e6)} MB, Bun ${Math.round(ofBun / 1e6)} MB`,
  )
  expect(
    waits.some(({ waited, most }) => waited <= most),
    inWords,
  ).toBe(true)
  expect(grown).toBeLessThan(copies * maxBytes + ofBun + heapBytes)
}

/** A body of 1 MiB takes at most three times its size, and others wait for 20 ms. */
const small = { maxBytes: 3 * mebibyte, maxMilliseconds: 20 }
const bytes = 1_000_000

test.each([
  ['urlencoded text', urlencoded],
  ['JSON', json],
  ['multipart text', text],
  ['a file', files],
] as const)(
  'a submission of %s costs little more when it is sent in tiny chunks',
  async (_what, of) => {
    const { server, bare, formId, call } = await start()
    for (const chunkBytes of [1, 100])
      await expectLittle({ server, bare }, { sent: of(`/s/${formId}`, bytes), chunkBytes, ...small })
    expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBeGreaterThan(5)
  },
  timeout,
)

test.each([
  ['urlencoded text', urlencoded],
  ['JSON', json],
  ['multipart text', text],
] as const)(
  'eight submissions of %s at once from one address do, too',
  async (_what, of) => {
    const { server, bare, formId } = await start()
    await expectLittle({ server, bare }, { sent: of(`/s/${formId}`, bytes), chunkBytes: 1, copies: 8, ...small })
  },
  timeout,
)

test(
  'bodies in tiny chunks take at most three times their size while they are held',
  async () => {
    const count = 32
    // Servers of its own for each round: what is measured is by how much their peak has grown.
    const measure = async (): Promise<number> => {
      const { server, bare, formId } = await start()
      const sent = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) =>
        cut({ ...urlencoded(`/s/${formId}`, bytes), headers: [`X-Forwarded-For: ${address}`] }, 1),
      )
      /** All of them but their last chunks, which are sent one after the other when the rest is there. */
      const hold = async (to: Server): Promise<number> => {
        const before = peakBytes(to)
        const bodies = Array.from({ length: count }, (_, i) => {
          const whole = sent[i % sent.length] as Uint8Array
          const [written, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
          const rest = () => {
            written.resolve()
            return ending.promise
          }
          const answer = answerTo(to.url, whole.subarray(0, -lastChunk.length), { rest })
          return { answer, written: written.promise, end: () => ending.resolve(lastChunk) }
        })
        await Promise.all(bodies.map(({ written }) => written))
        for (const { answer, end } of bodies) {
          end()
          expect((await answer)?.status).toBe(200)
        }
        return peakBytes(to) - before
      }
      for (const one of [server, bare]) await send(one, cut(urlencoded(`/s/${formId}`, bytes), 65_536), { copies: 2 })
      const [grown, ofBun] = [await hold(server), await hold(bare)]
      tell(`${count} bodies held: ${Math.round(grown / 1e6)} MB, Bun ${Math.round(ofBun / 1e6)} MB`)
      return grown - ofBun
    }
    await expectBelow(3 * count * bytes + heapBytes, measure)
  },
  timeout,
)

test(
  'the body of an operation and of a page costs little more, too',
  async () => {
    const { server, bare, key } = await start()
    const headers = [`Authorization: Bearer ${key}`]
    await expectLittle(
      { server, bare },
      { sent: { ...json('/api/v1/forms', bytes), headers }, chunkBytes: 1, ...small },
    )
    const bulk = `{"forms":[{"title":"A"}]${' '.repeat(4 * bytes)}}`
    const operation = { ...json('/api/v1/forms/bulk', 0), body: bulk, headers }
    await expectLittle(
      { server, bare },
      { sent: operation, chunkBytes: 1, maxBytes: 3 * bulk.length, maxMilliseconds: 80 },
    )
    const page = (length: number, status: number) => ({
      ...urlencoded('/sign-in', length, status),
      headers: ['Origin: http://x'],
    })
    await expectLittle({ server, bare }, { sent: page(60_000, 401), chunkBytes: 1, ...small })
    // Refused at the first byte too many.
    await expectLittle({ server, bare }, { sent: page(bytes, 413), chunkBytes: 1, ...small })
  },
  timeout,
)

test.each([isLong ? 1 : 6, 1000])(
  'an upload of 24 MB in chunks of %i bytes takes 8 MB of memory, like any other',
  async (chunkBytes) => {
    const { server, bare, formId } = await start()
    const sent = files(`/s/${formId}`, 24_000_000)
    await expectLittle({ server, bare }, { sent, chunkBytes, maxBytes: 8_000_000, maxMilliseconds: 100 })
  },
  timeout,
)
