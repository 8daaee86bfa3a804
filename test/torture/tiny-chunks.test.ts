import { expect, test } from 'bun:test'
import { temporaryFolder } from '../harness.ts'
import { answerTo, chunk, message } from '../raw-http.ts'
import { caller, createUser, startProcess, timeout } from './process.ts'

const bytes = 900_000

const bodies: readonly (readonly [type: string, body: string])[] = [
  ['application/x-www-form-urlencoded', `message=${'x'.repeat(bytes)}`],
  ['application/json', JSON.stringify({ message: 'x'.repeat(bytes) })],
  [
    'multipart/form-data; boundary=b',
    `--b\r\nContent-Disposition: form-data; name="message"\r\n\r\n${'x'.repeat(bytes)}\r\n--b--\r\n`,
  ],
]

const inTinyChunks = (body: string): string => [...body, ''].map((character) => chunk(character)).join('')

test.each(bodies)(
  'a body of %s in chunks of one byte is stored, and keeps others waiting little longer than its bytes',
  async (type, body) => {
    const folder = temporaryFolder()
    const key = createUser(folder)
    const server = await startProcess({ folder })
    const call = caller(server.url, key)
    const { id } = (await call('POST', '/forms', { title: 'Contact' })).body
    const head = [`POST /s/${id} HTTP/1.1`, 'Host: x', 'Connection: close', `Content-Type: ${type}`]
    const send = (sent: string, length: string) => answerTo(server.url, message([...head, length], sent))

    /** The longest time in which another request was not answered, while this one was. */
    const longestWait = async (sending: Promise<{ readonly status: number } | undefined>): Promise<number> => {
      let isOver = false
      let longest = 0
      void sending.finally(() => {
        isOver = true
      })
      while (!isOver) {
        const start = performance.now()
        await (await fetch(`${server.url}/healthz`)).text()
        longest = Math.max(longest, performance.now() - start)
      }
      expect((await sending)?.status).toBe(200)
      return longest
    }

    const waited = await longestWait(send(inTinyChunks(body), 'Transfer-Encoding: chunked'))

    // It was 1.6 to 6 s. Bun takes apart the 5.4 MB of such a body for 60 ms.
    expect(waited).toBeLessThan(700)
    expect((await call('GET', `/forms/${id}`)).body.submissionCount).toBe(1)
  },
  timeout,
)
