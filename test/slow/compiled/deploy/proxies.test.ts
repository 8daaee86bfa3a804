import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:tls'
import { signUp } from '../../../commands/formbox.ts'
import { bytesOfFile } from '../../../contract/collected.ts'
import { type Kind, startBehind } from '../../../deploy/proxy.ts'
import { addKey, forThisFile, newEmail } from '../../../harness.ts'
import { isCompiled } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { sendSlowly } from '../../../slow-sender.ts'
import { createUser, signedIn, visit } from '../../../visitor.ts'

const maxBytes = 1024 * 1024
const maxBulkBytes = 16 * 1024 * 1024

type Behind = Awaited<ReturnType<typeof startBehind>>

const callerOf = async (server: Behind) => {
  const authorization = `Bearer ${await signUp(server.workingFolder, newEmail())}`
  return async (method: string, path: string, body?: string) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await server.fetch(`/api/v1${path}`, { method, headers, ...(body && { body }) })
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it holds
    return { status: response.status, body: (await response.json()) as any }
  }
}

const shared = new Map<Kind, Promise<Behind>>()

/** Formbox behind a proxy, which the tests of this file share. */
const sharedBehind = (kind: Kind): Promise<Behind> => {
  const server = shared.get(kind) ?? forThisFile(() => startBehind(kind))
  shared.set(kind, server)
  return server
}

const prepare = async (kind: Kind, starting = sharedBehind(kind)) => {
  const server = await starting
  const call = await callerOf(server)
  const { body } = await call('POST', '/forms', '{"title":"Contact"}')
  return { server, call, formId: body.id as string }
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }

/** The status of a submission that a visitor sends from this address of the loopback network. */
const submitFrom = async (address: string, url: string, headers: readonly string[] = []): Promise<number> => {
  const extra = headers.flatMap((header) => ['--header', header])
  const child = Bun.spawn(
    ['curl', '-sS', '--insecure', '--interface', address, ...extra, '-o', '/dev/null', '-w', '%{http_code}'].concat(
      '--data',
      'a=1',
      url,
    ),
    { stdout: 'pipe', stderr: 'inherit' },
  )
  return Number(await new Response(child.stdout).text())
}

const kinds = ['nginx', 'caddy', 'traefik'] as const

/** What the tests behind it need and is not here. */
const missingFor = (kind: Kind): string[] => {
  const tools = kind === 'nginx' ? ['nginx', 'openssl', 'curl'] : [kind, 'curl']
  const missing = tools.filter((tool) => Bun.which(tool) === null)
  return process.platform === 'linux' ? missing : [...missing, 'Linux, which has all of 127.0.0.0/8']
}

for (const kind of kinds) {
  const missing = missingFor(kind)
  if (missing.length > 0)
    noteSkipped(`The tests behind ${kind} are skipped: there is no ${missing.join(', no ')} here.`)

  describe.skipIf(missing.length > 0)(`behind ${kind}, with its file of deploy/`, () => {
    test('each visitor has a limit and a log line of its own, whatever it writes into X-Forwarded-For', async () => {
      const { server, formId } = await prepare(kind, startBehind(kind, { FORMBOX_SUBMIT_LIMIT: '1' }))
      const url = `${server.url}/s/${formId}`

      expect(await submitFrom('127.0.0.2', url)).toBe(200)
      expect(await submitFrom('127.0.0.2', url)).toBe(429)
      expect(await submitFrom('127.0.0.3', url, ['X-Forwarded-For: 127.0.0.2'])).toBe(200)
      for (const pretended of ['203.0.113.1', '203.0.113.1, 127.0.0.1', ''])
        expect(await submitFrom('127.0.0.2', url, [`X-Forwarded-For: ${pretended}`])).toBe(429)
      expect(await submitFrom('127.0.0.2', url, ['Forwarded: for=203.0.113.1', 'X-Real-IP: 203.0.113.1'])).toBe(429)

      server.formbox.kill('SIGTERM')
      const lines = (await server.formbox.end()).stdout.split('\n').filter((line) => line.includes('/s/:formId'))
      const clients = lines.map((line) => JSON.parse(line).client)
      expect(clients).toEqual(['127.0.0.2', '127.0.0.2', '127.0.0.3', ...Array(4).fill('127.0.0.2')])
    })

    test('one signs in over https, with a cookie that is sent over https only', async () => {
      const server = await sharedBehind(kind)
      await createUser(server)
      const ada = visit(server)

      const page = await ada.signIn()

      expect(page).toMatchObject({ status: 303, location: '/' })
      expect(page.cookie).toMatch(/; Secure(;|$)/)
      expect((await ada.get('/settings/keys')).status).toBe(200)
      expect((await visit(server).post('/sign-in', {}, { origin: server.plainUrl })).status).toBe(403)
    })

    test('plain http leads to https, and a POST stays one', async () => {
      const server = await sharedBehind(kind)
      const response = await fetch(`${server.plainUrl}/s/x?a=1`, { method: 'POST', body: 'a=1', redirect: 'manual' })
      expect(response.status).toBe(308)
      expect(response.headers.get('location')).toMatch(/^https:\/\/localhost(:\d+)?\/s\/x\?a=1$/)
    })

    test('browsers are told to use https for a year, on this host alone, also by what was refused', async () => {
      const server = await sharedBehind(kind)
      for (const path of ['/healthz', '/nowhere'])
        expect((await server.fetch(path)).headers.get('strict-transport-security')).toBe('max-age=31536000')
      const plain = await fetch(`${server.plainUrl}/healthz`, { redirect: 'manual' })
      expect(plain.headers.get('strict-transport-security')).toBeNull()
    })

    test('a submission may have 1 MiB, and Formbox itself refuses a larger one, in a way that the sender can read', async () => {
      const { server, call, formId } = await prepare(kind)
      const submit = (size: number, headers = {}) => {
        const body = `a=${'x'.repeat(size - 2)}`
        return server.fetch(`/s/${formId}`, { method: 'POST', body, headers: { ...urlencoded, ...headers } })
      }

      expect((await submit(maxBytes)).status).toBe(200)

      for (const size of [maxBytes + 1, 5_000_000, 19_000_000]) {
        const refused = await submit(size)
        expect([size, refused.status]).toEqual([size, 413])
        expect(refused.headers.get('access-control-allow-origin')).toBe('*')
        expect(await refused.json()).toMatchObject({ issues: [{ message: 'body: must be at most 1048576 bytes' }] })
      }
      const page = await submit(5_000_000, { accept: 'text/html' })
      expect([page.status, await page.text()]).toEqual([413, expect.stringContaining('takes up to 1 MB of text')])
      const { body } = await call('GET', `/forms/${formId}/submissions`)
      expect(body.submissions.map(({ data }: { data: { a: string } }) => data.a.length)).toEqual([maxBytes - 2])
    })

    test('far larger ones are refused, too', async () => {
      const { server, call, formId } = await prepare(kind)
      const body = new Uint8Array(30_000_000)
      expect((await server.fetch(`/s/${formId}`, { method: 'POST', body, headers: urlencoded })).status).toBe(413)
      expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(0)
    })

    test('a bulk operation may have 16 MiB, and Formbox itself refuses a larger one', async () => {
      const { call } = await prepare(kind)
      const json = '{"forms":[{"title":"One"}]}'
      expect((await call('POST', '/forms/bulk', json.padEnd(maxBulkBytes))).status).toBe(200)
      expect(await call('POST', '/forms/bulk', json.padEnd(maxBulkBytes + 1))).toMatchObject({
        status: 400,
        body: { issues: [{ message: `body: must be at most ${maxBulkBytes} bytes` }] },
      })
    })

    test('a file arrives as it was sent', async () => {
      const { server, call, formId } = await prepare(kind)
      const bytes = randomBytes(1_500_000)
      const body = new FormData()
      for (let i = 0; i < 15; i++) body.append('photo', new File([bytes], `${i}.jpg`, { type: 'image/jpeg' }))

      expect((await server.fetch(`/s/${formId}`, { method: 'POST', body })).status).toBe(200)

      const { submissions } = (await call('GET', `/forms/${formId}/submissions`)).body
      const photos: { filename: string; file: string }[] = submissions[0].data.photo
      expect(photos.map(({ filename }) => filename)).toEqual(Array.from({ length: 15 }, (_, i) => `${i}.jpg`))
      for (const { file } of photos) expect(bytesOfFile(server.folder, file).equals(bytes)).toBe(true)
    })

    test('a visitor who sends slowly keeps no one waiting, and may go on with the same connection', async () => {
      const { server, formId } = await prepare(kind)
      const { socket, answer } = await openTls(server.url)
      const head = `POST /s/${formId} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
      socket.write(`${head}Content-Length: 40014\r\n\r\n{"slow":"${'x'.repeat(20_000)}`)

      for (let i = 0; i < 20; i++)
        expect((await server.fetch(`/s/${formId}`, { method: 'POST', body: 'a=1', headers: urlencoded })).status).toBe(
          200,
        )
      socket.write(`${'x'.repeat(20_000)}"}   `)
      expect(await answer()).toStartWith('HTTP/1.1 200 OK')

      for (let i = 0; i < 100; i++) {
        socket.write(`${head}Content-Length: 7\r\n\r\n{"a":1}`)
        expect(await answer()).toStartWith('HTTP/1.1 200 OK')
      }
    })

    test('a new start of Formbox costs no one a submission afterwards', async () => {
      const { server, formId } = await prepare(kind, startBehind(kind))
      const submit = async () =>
        (await server.fetch(`/s/${formId}`, { method: 'POST', body: 'a=1', headers: urlencoded })).status
      expect(await Promise.all([submit(), submit(), submit()])).toEqual([200, 200, 200])

      server.formbox.kill('SIGTERM')
      await server.formbox.end()
      expect(await submit()).toBe(502)
      await server.startFormbox()

      expect(await Promise.all([submit(), submit(), submit()])).toEqual([200, 200, 200])
    })
  })
}

/** Of the executable, longer than Bun alone would let it last. */
const slowBytes = isCompiled ? 400_000 : 80_000

const present = kinds.filter((kind) => missingFor(kind).length === 0)
test.skipIf(present.length === 0)(
  `a submission of ${slowBytes / 1000} kB at 10 kB/s gets through ${present.join(' and ')}`,
  async () => {
    const body = JSON.stringify({ message: 'x'.repeat(slowBytes) })
    await Promise.all(
      present.map(async (kind) => {
        const { server, call, formId } = await prepare(kind)
        const { socket, answer } = await openTls(server.url)
        const head = `POST /s/${formId} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
        socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
        await sendSlowly(socket, body, 10_000)
        expect([kind, await answer()]).toEqual([kind, expect.stringMatching(/^HTTP\/1.1 200 OK/)])
        const { submissions } = (await call('GET', `/forms/${formId}/submissions`)).body
        expect(submissions[0].data.message).toHaveLength(slowBytes)
      }),
    )
  },
)

test.skipIf(present.length === 0)(
  `a page hears of a submission through ${present.join(' and ')}, also after a minute of silence`,
  async () => {
    await Promise.all(
      present.map(async (kind) => {
        const { server } = await prepare(kind)
        const ada = await signedIn(server, newEmail())
        const api = addKey(server, ada.userId, ada.email)
        const formId = await api.createForm()
        const headers = { cookie: ada.cookie() as string }
        const response = await server.fetch(`/forms/${formId}/events`, { headers })
        const reader = (response.body as ReadableStream<Uint8Array>).getReader()
        const next = async () => Buffer.from((await reader.read()).value ?? []).toString()
        const submit = () => server.fetch(`/s/${formId}`, { method: 'POST', body: 'a=1', headers: urlencoded })
        expect([kind, await next()]).toEqual([kind, expect.stringMatching(/^data: \S+-0\n\n$/)])
        await submit()
        expect([kind, await next()]).toEqual([kind, expect.stringMatching(/^data: \S+-1\n\n$/)])
        for (let beat = 0; beat < silentBeats; beat++) expect([kind, await next()]).toEqual([kind, ':\n\n'])
        const sentAt = performance.now()
        await submit()
        expect([kind, await next()]).toEqual([kind, expect.stringMatching(/^data: \S+-2\n\n$/)])
        // Before the next beat.
        expect(performance.now() - sentAt).toBeLessThan(12_000)
        await reader.cancel()
      }),
    )
  },
)

/** One in 15 seconds. Of the executable, longer than nginx would wait without them. */
const silentBeats = isCompiled ? 5 : 1

/** A connection over TLS on which requests follow each other. `answer` resolves with the next answer's text. */
const openTls = async (url: string) => {
  const { port } = new URL(url)
  const options = { host: 'localhost', servername: 'localhost', port: Number(port), rejectUnauthorized: false }
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] })
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  const chunks = socket[Symbol.asyncIterator]()
  // It is JSON with a Content-Length: its end is the end of the answer.
  const answer = async () => {
    let text = ''
    while (!text.endsWith('}')) text += (await chunks.next()).value
    return text
  }
  return { socket, answer }
}
