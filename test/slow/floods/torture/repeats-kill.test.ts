// A client that got no answer because the server was killed sends its request again.
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { temporaryFolder } from '../../../harness.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { caller, createUser, faultsOf, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const json = { 'content-type': 'application/json' }

const countOf = (folder: string, table: string): number =>
  rowsOf<{ count: number }>(folder, `SELECT count(*) AS count FROM ${table}`)[0]?.count ?? 0

interface Sent {
  readonly path: string
  readonly body: string
  readonly headers: Record<string, string>
}

/** Sends a request and reads nothing of the answer. */
const sendOnly = (url: string, { path, body, headers }: Sent): void => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on('error', () => {})
  const lines = Object.entries({ ...headers, host: 'x', 'content-length': body.length }).map((pair) => pair.join(': '))
  socket.write([`POST ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))
}

const send = async (url: string, { path, body, headers }: Sent) => {
  const response = await fetch(url + path, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: string }
  return { status: response.status, id, isReplay: response.headers.get('idempotency-replayed') === 'true' }
}

describe('SIGKILL', () => {
  test.each([
    ['submission', 'submissions', (formId: string) => ({ path: `/s/${formId}`, body: '{"a":1}' })],
    ['form', 'forms', () => ({ path: '/api/v1/forms', body: '{"title":"New"}' })],
    [
      'webhook',
      'receivers',
      (formId: string) => ({ path: `/api/v1/forms/${formId}/webhooks`, body: '{"url":"https://hooks.example/"}' }),
    ],
  ])(
    'between the commit of a %s and its answer leaves the answer for the next request',
    async (_what, table, toSent) => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      const first = await startProcess({ folder })
      const formId = (await caller(first.url, key)('POST', '/forms', { title: 'Contact' })).body.id
      const headers = { ...json, authorization: `Bearer ${key}`, 'idempotency-key': 'key' }
      const sent = { ...toSent(formId), headers }
      const before = countOf(folder, table)
      sendOnly(first.url, sent)
      await until(() => countOf(folder, table) > before, 'another row is stored', slowly)
      first.kill('SIGKILL')
      await first.ended()
      const second = await startProcess({ folder })
      const [row] = rowsOf<{ id: string }>(folder, `SELECT id FROM ${table} ORDER BY id DESC LIMIT 1`)
      expect(await send(second.url, sent)).toEqual({ status: 200, id: row?.id as string, isReplay: true })
      expect(countOf(folder, table)).toBe(before + 1)
      expect(faultsOf(folder)).toEqual([])
    },
    timeout,
  )

  test(
    'under load stores what every client repeats until it is answered, once each',
    async () => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      let server = await startProcess({ folder })
      const formId = (await caller(server.url, key)('POST', '/forms', { title: 'Contact' })).body.id
      const answered = new Map<string, string>()
      let repeatedUnanswered = 0
      let isStopped = false
      let count = 0

      /** Repeats each of its submissions until it is answered, also by the next server. */
      const client = async (): Promise<void> => {
        while (!isStopped) {
          const name = `n${count++}`
          const body = JSON.stringify({ name })
          for (;;) {
            const answer = await send(server.url, {
              path: `/s/${formId}`,
              body,
              headers: { ...json, 'idempotency-key': name },
            }).catch(() => undefined)
            if (answer?.status === 200) {
              answered.set(name, answer.id)
              if (answer.isReplay) repeatedUnanswered++
              break
            }
            await Bun.sleep(5)
          }
        }
      }
      const clients = Array.from({ length: 24 }, client)
      const rounds = isLong ? 30 : 2
      for (let round = 0; round < rounds; round++) {
        const before = answered.size
        await until(() => answered.size > before + 50, 'fifty more are answered', slowly)
        await Bun.sleep(Math.random() * 100)
        server.kill('SIGKILL')
        await server.ended()
        server = await startProcess({ folder })
      }
      isStopped = true
      await Promise.all(clients)
      const stored = rowsOf<{ id: string; data: string }>(folder, 'SELECT id, data FROM submissions')
      expect(new Map(stored.map(({ id, data }) => [JSON.parse(data).name, id]))).toEqual(answered)
      expect(stored).toHaveLength(answered.size)
      expect(faultsOf(folder)).toEqual([])
      tell(
        `${rounds} kills, ${answered.size} submissions, ${repeatedUnanswered} of which were stored without an answer`,
      )
      if (isLong) expect(repeatedUnanswered).toBeGreaterThan(0)
    },
    timeout,
  )
})
