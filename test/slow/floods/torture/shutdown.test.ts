import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import { caller, createUser, faultsOf, isLong, listAll, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

/** The short form runs beside other tests, where a process waits for its turn. What hangs does so for half a minute. */
const maxMilliseconds = isLong ? 5000 : 15_000

describe('SIGTERM', () => {
  test(
    'under load keeps every submission that was answered, and ends with 0 within five seconds',
    async () => {
      const durations: number[] = []
      for (let round = 0; round < (isLong ? 20 : 2); round++) {
        const { server, call, formId } = await startWithForm()
        const load = startLoad({ url: server.url, formId, run: String(round) })
        await load.reached(200)
        const startedAt = performance.now()
        server.kill(round % 2 === 0 ? 'SIGTERM' : 'SIGINT')
        expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
        durations.push(performance.now() - startedAt)
        await load.stop()
        expect(server.errors()).toBe('')
        expect([...load.refused.keys()].filter((status) => status !== 503)).toEqual([])
        expect(faultsOf(server.folder)).toEqual([])

        const again = await startProcess({ folder: server.folder })
        const { submissions } = await listAll((method, path) => call(again.url)(method, path), formId)
        const values = new Map(submissions.map(({ id, data }) => [id, data.value]))
        expect(load.answered.filter(({ id, value }) => values.get(id) !== value)).toEqual([])
      }
      expect(Math.max(...durations)).toBeLessThan(maxMilliseconds)
      tell(`slowest end under load ${Math.max(...durations).toFixed(0)} ms of ${durations.length}`)
    },
    timeout,
  )

  test(
    'ends with 0 within five seconds although bodies and idle connections hang',
    async () => {
      const { server, formId } = await startWithForm()
      const { hostname, port } = new URL(server.url)
      const open = (text: string) =>
        Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            open(socket) {
              socket.write(text)
            },
            data() {},
            error() {},
          },
        })
      const half = `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`
      await open('')
      await open('GET /healthz HTT')
      await open(`${half}Content-Length: 10\r\n\r\na=`)
      await open(`${half}Transfer-Encoding: chunked\r\n\r\n2\r\na=\r\n`)
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)

      const startedAt = performance.now()
      server.kill('SIGTERM')
      expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
      expect(performance.now() - startedAt).toBeLessThan(maxMilliseconds)
      expect(server.errors()).toBe('')
    },
    timeout,
  )

  test(
    'with a delay says that the server is not ready, and serves until the delay is over',
    async () => {
      const { server, formId } = await startWithForm({ FORMBOX_STOP_DELAY: '6' })
      const statusOf = async (path: string, init: RequestInit = {}) =>
        (await fetch(`${server.url}${path}`, { ...init, keepalive: false })).status
      expect(await statusOf('/readyz')).toBe(200)

      const startedAt = performance.now()
      server.kill('SIGTERM')
      await until(async () => (await statusOf('/readyz')) === 503, 'the server is no longer ready', slowly)
      const submission = { method: 'POST', body: new URLSearchParams({ a: 'late' }) }
      expect([await statusOf(`/s/${formId}`, submission), await statusOf('/healthz')]).toEqual([200, 200])

      expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
      expect(performance.now() - startedAt).toBeWithin(6000, 6000 + maxMilliseconds)
      expect(server.errors()).toBe('')
      expect(faultsOf(server.folder)).toEqual([])
    },
    timeout,
  )

  test(
    'given a second time ends at once while it waits for the delay',
    async () => {
      const { server } = await startWithForm({ FORMBOX_STOP_DELAY: '300' })
      server.kill('SIGTERM')
      await until(
        async () => (await fetch(`${server.url}/readyz`, { keepalive: false })).status === 503,
        'the server is no longer ready',
        slowly,
      )
      const startedAt = performance.now()
      server.kill('SIGTERM')
      const { exitCode, signal } = await server.ended()
      expect(performance.now() - startedAt).toBeLessThan(maxMilliseconds)
      expect(exitCode === 0 && signal === null).toBe(false)
    },
    timeout,
  )
})

const startWithForm = async (settings: Record<string, string> = {}) => {
  const folder = temporaryFolder()
  const key = createUser(folder)
  const server = await startProcess({ folder, settings })
  const call = (url: string) => caller(url, key)
  const formId: string = (await call(server.url)('POST', '/forms', { title: 'Contact' })).body.id
  return { server, call, formId }
}
