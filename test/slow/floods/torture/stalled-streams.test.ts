// As many pages as a server tells of new submissions, none of which reads what it is told.
import { expect, test } from 'bun:test'
import { addKey, afterThisTest, newEmail } from '../../../harness.ts'
import { peakBytes, residentBytes, startProcess, tell, timeout } from '../../../torture/process.ts'
import { countStalled, openStalledReader } from '../../../torture/stalled-reader.ts'
import { slowly, until } from '../../../until.ts'
import { signedIn } from '../../../visitor.ts'

const maxOfUser = 20
const maxInAll = 500

test(
  `${maxInAll} pages that read nothing hold little, the next one is refused, and the server stops all the same`,
  async () => {
    const process = await startProcess()
    const server = {
      ...process,
      fetch: (path: string, init?: RequestInit) => fetch(process.url + path, { redirect: 'manual', ...init }),
    }
    const port = Number(new URL(server.url).port)
    const signUp = async () => {
      const ada = await signedIn(server, newEmail())
      const id = await addKey(server, ada.userId, ada.email).createForm()
      return { cookie: ada.cookie() as string, id, path: `/forms/${id}/events` }
    }
    const another = await signUp()
    const users: (typeof another)[] = []
    while (users.length < maxInAll / maxOfUser) users.push(await signUp())
    const before = residentBytes(server)

    for (const [position, { path, cookie }] of users.entries()) {
      // A request may be this large, and nothing of it is kept.
      const head = `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nCookie: ${cookie}\r\nX-Long: ${'x'.repeat(15_000)}\r\n\r\n`
      for (let i = 0; i < maxOfUser; i++) afterThisTest(openStalledReader(port, Buffer.from(head)))
      // The system refuses who comes while too many wait to be let in.
      await until(
        () => countStalled(port).answered === (position + 1) * maxOfUser,
        'the streams of the user are answered',
        slowly,
      )
    }
    expect((await server.fetch(another.path, { headers: { cookie: another.cookie } })).status).toBe(503)

    // Takes the place of the oldest one of that user.
    const [{ path, cookie }] = users as [(typeof users)[0]]
    const { body } = await server.fetch(path, { headers: { cookie } })
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    for (let round = 0; round < 5; round++) {
      const all = users.map((user) =>
        server.fetch(`/s/${user.id}`, { method: 'POST', body: new URLSearchParams({ a: 'x' }) }),
      )
      await Promise.all(all)
      // Someone who reads is told, and so all others have been.
      const { value } = await reader.read()
      expect(Buffer.from(value ?? []).toString()).toMatch(/^data: /)
    }
    const taken = peakBytes(server) - before
    tell(`${maxInAll} stalled streams: ${(taken / 1e6).toFixed(0)} MB more than ${(before / 1e6).toFixed(0)}`)
    expect(taken).toBeLessThan(40_000_000)

    const startedAt = performance.now()
    server.kill('SIGTERM')
    expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
    // They could stay open for half an hour.
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    expect(server.errors()).toBe('')
  },
  timeout,
)
