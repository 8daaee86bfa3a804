import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import {
  type Call,
  caller,
  createUser,
  isLong,
  type Process,
  peakBytes,
  startProcess,
  tell,
  timeout,
} from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const megabyte = 1024 * 1024
/** Bodies and queued writes may take 64 MiB each; the rest is the program, its copies of them and what is not yet swept up. */
const maxResidentBytes = 512 * megabyte
const maxResidentBytesOfBulk = 350 * megabyte
const maxResidentBytesOfUsers = 450 * megabyte

describe('overload', () => {
  test(
    'by idle connections leaves well-behaved clients alone',
    () =>
      withstand(async ({ server, hold }) => {
        const count = isLong ? Math.min(10_000, maxOpenFiles() - 500) : 500
        await hold(count, () => '')
        await until(() => openFiles(server) >= count, `${count} files are open`, slowly)
        tell(`${count} idle connections`)
      }),
    timeout,
  )

  test(
    'by clients that send a byte a second leaves well-behaved clients alone',
    () =>
      withstand(async ({ formId, hold }) => {
        const head = `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
        const slow = [
          ...(await hold(isLong ? 1000 : 100, () => 'GET /')),
          ...(await hold(isLong ? 1000 : 100, () => head)),
        ]
        for (let second = 0; second < (isLong ? 20 : 2); second++) {
          for (const socket of slow) socket.write('x')
          await Bun.sleep(1000)
        }
      }),
    timeout,
  )

  test(
    'by bodies that never end holds no more than the limit of each',
    () =>
      withstand(async ({ formId, hold }) => {
        const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
        const endless = [
          ...(await hold(10, () => `${head(`/s/${formId}`)}Transfer-Encoding: chunked\r\n\r\n`)),
          ...(await hold(10, () => `${head('/api/v1/forms')}Transfer-Encoding: chunked\r\n\r\n`)),
          ...(await hold(10, () => `${head('/nowhere')}Transfer-Encoding: chunked\r\n\r\n`)),
        ]
        const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
        const end = performance.now() + (isLong ? 15_000 : 1500)
        while (performance.now() < end) {
          for (const socket of endless) if (!socket.destroyed && socket.writableLength < megabyte) socket.write(chunk)
          await Bun.sleep(5)
        }
      }),
    timeout,
  )

  test(
    'by 100,000 bytes of headers is refused',
    () =>
      withstand(async ({ formId, hold, answers }) => {
        await hold(
          isLong ? 500 : 50,
          () => `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
        )
        await until(() => answers.length >= (isLong ? 500 : 50), 'enough are answered', slowly)
        expect(new Set(answers.map((answer) => answer.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 431']))
      }),
    timeout,
  )

  test(
    'by many bodies of 1 MiB that stop just before their end is bounded: those too many get 503',
    () =>
      withstand(async ({ formId, hold, answers }) => {
        const head = `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`
        const body = `Content-Length: ${megabyte}\r\n\r\nvalue=${'x'.repeat(megabyte - 7)}`
        // Each from an address of its own, so that all of the memory is used, and not the share of one address only.
        let i = 0
        const from = () => `X-Forwarded-For: 192.0.${i >> 8}.${i++ & 255}\r\n`
        await hold(isLong ? 1500 : 200, () => head + from() + body)
        await until(() => answers.length >= (isLong ? 1000 : 100), 'enough are answered', slowly)
        const statuses = new Set(answers.map((answer) => answer.slice(0, 12)))
        expect(statuses).toEqual(new Set(['HTTP/1.1 503']))
        expect(answers[0]).toMatch(/\r\nretry-after: [1-9]/i)
      }),
    timeout,
  )

  test.each([
    ['one user', 1, maxResidentBytesOfBulk],
    ['four users', 4, maxResidentBytesOfUsers],
  ])(
    'by bulk operations of %s is bounded: those too many get 503, and of each there is all or nothing',
    (_who, users, maxBytes) =>
      withstand(async ({ server, key, call, formId }) => {
        const others = Array.from({ length: users - 1 }, (_, i) => createUser(server.folder, `${i}@example.com`))
        const keys = [key, ...others]
        const forms = Array.from({ length: 1000 }, () => ({
          title: 'T',
          description: '\u{1f600}'.repeat(isLong ? 1000 : 500),
        }))
        // Encoded once: the client beside, which has to be served, shares this process.
        const body = new Blob([JSON.stringify({ forms })], { type: 'application/json' })
        const totals = () =>
          Promise.all(
            keys.map(async (of) => (await caller(server.url, of)('GET', '/forms?perPage=1')).body.pagination.total),
          )
        const before = await totals()
        const create = (of: string) => {
          const headers = { authorization: `Bearer ${of}` }
          return fetch(`${server.url}/api/v1/forms/bulk`, { method: 'POST', keepalive: false, headers, body })
        }
        const counts = new Map<number, number>()
        const done = keys.map(() => 0)
        const end = performance.now() + (isLong ? 15_000 : 1500)
        const client = async (_: unknown, i: number) => {
          const user = i % keys.length
          while (performance.now() < end || counts.size < 2) {
            const { status } = await create(keys[user] as string)
            counts.set(status, (counts.get(status) ?? 0) + 1)
            if (status === 200) done[user] = (done[user] as number) + 1
          }
        }
        await Promise.all(Array.from({ length: isLong ? 100 : 30 }, client))
        tell(`bulk operations of ${(body.size / 1e6).toFixed(1)} MB: ${JSON.stringify([...counts])}`)
        expect([...counts.keys()].sort()).toEqual([200, 503])
        expect(await totals()).toEqual(before.map((total, user) => total + 1000 * (done[user] as number)))
        expect((await call('GET', '/forms?perPage=1')).body.forms[0].title).toBe('T')
        expect((await call('GET', `/forms/${formId}`)).status).toBe(200)
        // Nothing is held for those that were answered: a lone one is taken.
        expect((await create(key)).status).toBe(200)
      }, maxBytes),
    timeout,
  )

  test(
    'by ten times the submissions that it takes loses none that was answered',
    () =>
      withstand(async ({ server, call, formId }) => {
        const load = startLoad({ url: server.url, formId, run: 'flood', connections: isLong ? 2000 : 300 })
        await Bun.sleep(isLong ? 20_000 : 1500)
        await load.stop()
        expect([...load.refused.keys()].filter((status) => status !== 503)).toEqual([])
        const form = (await call('GET', `/forms/${formId}`)).body
        // Those of the well-behaved client are there as well.
        expect(form.submissionCount).toBeGreaterThanOrEqual(load.answered.length)
        tell(`${load.answered.length} submissions answered, refused: ${JSON.stringify([...load.refused])}`)
      }),
    timeout,
  )
})

test(
  'more connections than the system allows are not taken, and later ones are',
  async () => {
    const server = await startProcess({
      wrap: (words) => ['bash', '-c', 'ulimit -S -n 100; exec "$@"', 'bash', ...words],
    })
    const sockets: Socket[] = []
    await hold(server, 300, () => 'GET /healthz HTTP/1.1\r\nHost: x\r\n', sockets, [])
    await until(() => openFiles(server) >= 100, 'a hundred files are open', slowly)
    expect(server.isAlive()).toBe(true)
    for (const socket of sockets) socket.destroy()

    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
    expect(server.errors()).toBe('')
  },
  timeout,
)

interface Flood {
  readonly server: Process
  readonly key: string
  readonly call: Call
  readonly formId: string
  /** Opens so many connections, each of which sends this first. */
  readonly hold: (count: number, first: () => string) => Promise<Socket[]>
  /** What came back on them. */
  readonly answers: readonly string[]
}

/** Floods a server while a well-behaved client uses it, then lets go; looks at memory and answers all the time. */
const withstand = async (flood: (flood: Flood) => Promise<void>, maxBytes = maxResidentBytes): Promise<void> => {
  const folder = temporaryFolder()
  const key = createUser(folder)
  const server = await startProcess({ folder, settings: { FORMBOX_TRUST_PROXY: '127.0.0.1, ::1' } })
  const call = caller(server.url, key)
  const formId: string = (await call('POST', '/forms', { title: 'Contact' })).body.id
  const sockets: Socket[] = []
  const answers: string[] = []
  let isOver = false
  const waits: number[] = []
  const behave = async () => {
    for (let i = 0; !isOver; i++) {
      const startedAt = performance.now()
      const submitted = await fetch(`${server.url}/s/${formId}`, {
        method: 'POST',
        body: new URLSearchParams({ i: `${i}` }),
      })
      const read = await call('GET', `/forms/${formId}`)
      expect([submitted.status, read.status]).toEqual([200, 200])
      waits.push(performance.now() - startedAt)
      await Bun.sleep(20)
    }
  }
  const behaving = behave()
  // A failure of the well-behaved client ends the flood, too, and so does a flood that does not get what it waits for.
  await Promise.race([
    Bun.sleep(isLong ? 120_000 : 30_000).then(() =>
      Promise.reject(new Error(`the flood got ${answers.length} answers`)),
    ),
    behaving,
    flood({ server, key, call, formId, hold: (count, first) => hold(server, count, first, sockets, answers), answers }),
  ])
  isOver = true
  await behaving
  for (const socket of sockets) socket.destroy()

  expect(server.isAlive()).toBe(true)
  const letGoAt = performance.now()
  while (openFiles(server) > 60) {
    // Where the system lost the end of a connection, it is closed when nothing came for ten seconds.
    expect(performance.now() - letGoAt).toBeLessThan(30_000)
    await Bun.sleep(20)
  }
  expect((await call('GET', `/forms/${formId}`)).status).toBe(200)
  expect(server.errors()).toBe('')
  const [peak, slowest] = [peakBytes(server), Math.max(...waits)]
  tell(`peak ${(peak / megabyte).toFixed(0)} MiB, slowest pair of calls ${slowest.toFixed(0)} ms of ${waits.length}`)
  expect(peak).toBeLessThan(maxBytes)
  expect(slowest).toBeLessThan(10_000)
}

const hold = async (server: Process, count: number, first: () => string, all: Socket[], answers: string[]) => {
  const { hostname, port } = new URL(server.url)
  const opened: Socket[] = []
  afterThisTest(() => {
    for (const socket of opened) socket.destroy()
  })
  for (let i = 0; i < count; i += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - i) }, () => {
        const socket = connect(Number(port), hostname)
        opened.push(socket)
        all.push(socket)
        socket.on('data', (data) => answers.push(data.toString('latin1')))
        socket.on('error', () => {})
        return new Promise<void>((resolve, reject) => {
          socket.on('connect', () => {
            socket.write(first())
            resolve()
          })
          socket.on('error', reject)
        })
      }),
    )
  return opened
}

/** How many files and connections this process may have open. */
const maxOpenFiles = (): number =>
  Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024)

const openFiles = (server: Process): number => readdirSync(`/proc/${server.pid}/fd`).length
