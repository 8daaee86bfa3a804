import { describe, expect, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  addUser,
  filesIn,
  formbox,
  oneLine,
  ownAddress,
  type Serving,
  serve,
  signUp,
} from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { isRefused, until } from '../../../until.ts'

const createForm = async (server: Serving): Promise<string> => {
  const headers = { authorization: `Bearer ${await signUp(server.folder)}`, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/v1/forms`, { method: 'POST', headers, body: '{"title":"F"}' })
  return ((await response.json()) as { id: string }).id
}

/** A connection whose bytes a test writes one by one. */
const openSocket = async (server: Serving) => {
  const { hostname, port } = new URL(server.url)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connectTcp({ host: hostname, port: Number(port) }, () => resolve(opened)).on('error', reject)
  })
  let received = ''
  socket.on('data', (data) => (received += data))
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  return { write: (text: string) => socket.write(text), closed }
}

/** Sends the beginning of a submission, and returns when the server has it. */
const beginUpload = async (server: Serving, formId: string) => {
  const upload = await openSocket(server)
  upload.write(
    `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"slow":`,
  )
  // Answered after the server has read what was written before.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  return upload
}

const longLabel = 'x'.repeat(64)

describe('formbox serve', () => {
  test.each<[string, string[]]>([
    ['without a word', []],
    ['by its name', ['serve']],
  ])(
    '%s prints its address, and how to begin while there is no account, and answers when it does',
    async (_, words) => {
      const server = await serve(words)
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      expect(filesIn(server.folder)).toContain('formbox-data/formbox.db')
      server.kill('SIGTERM')
      const { exitCode, stdout, stderr } = await server.end()
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      const [first, where, second, ...rest] = stdout.split('\n')
      expect(first).toBe(`Formbox listens on ${server.url}`)
      expect(where).toBe(`There is no account yet in ${join(realpathSync(server.folder), 'formbox-data')}.`)
      expect(second).toMatch(/^Create the first account within 30 minutes: http:\S+\/setup\?token=\S{40,}$/)
      expect(second).toContain(`${server.url}/setup`)
      const { port } = new URL(server.url)
      expect(rest).toEqual([`On another computer, first run there: ssh -L ${port}:127.0.0.1:${port} USER@HOST`, ''])
    },
  )

  test.each(['0.0.0.0', '::'])('on %s prints a link that a browser opens', async (host) => {
    const server = await serve(['--host', host])
    server.kill('SIGTERM')
    const { stdout } = await server.end()
    const { port } = new URL(server.url)
    expect(stdout).toStartWith(`Formbox listens on http://${host.includes(':') ? `[${host}]` : host}:${port}\n`)
    expect(stdout).toContain(`: http://localhost:${port}/setup?token=`)
  })

  test('prints one line with its address when there is an account', async () => {
    const folder = temporaryFolder()
    addUser(join(folder, 'formbox-data'), 'ada@example.com')
    const server = await serve([], { folder })
    server.kill('SIGTERM')
    expect(await server.end()).toEqual({ exitCode: 0, stdout: `Formbox listens on ${server.url}\n`, stderr: '' })
  })

  test('prints its first lines as JSON where the log is JSON', async () => {
    const server = await serve([], { environment: { FORMBOX_LOG: 'json' } })
    server.kill('SIGTERM')
    const lines = (await server.end()).stdout.trimEnd().split('\n')
    const time = expect.stringMatching(/^20\d\d-\S+Z$/)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time, level: 'info', message: 'Formbox listens', url: server.url },
      {
        time,
        level: 'info',
        message: 'Create the first account within 30 minutes',
        url: expect.stringMatching(/^http:\S+\/setup\?token=\S{40,}$/),
      },
    ])
  })

  // Linux alone has all of 127.0.0.0/8.
  test.skipIf(process.platform !== 'linux')('listens on the address that it was told, and on no other', async () => {
    const server = await serve(['--host', '127.0.0.2'])
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const other = server.url.replace('127.0.0.2', '127.0.0.1')
    expect(await fetch(`${other}/healthz`).catch(() => undefined)).toBeUndefined()
  })

  test.each([
    ['text', ''],
    ['json', ''],
    ['text', '/formbox'],
    ['json', '/formbox'],
  ])('prints the public address beside its own where one is set: %s, below “%s”', async (format, path) => {
    const publicUrl = `https://forms.example.com${path}`
    const environment = { FORMBOX_URL: `${publicUrl}/`, FORMBOX_LOG: format }
    const server = await serve([], { environment })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGINT')
    const [listens = '', ...others] = (await server.end()).stdout.split('\n')
    const [first = '', ...rest] = format === 'text' ? others.slice(1) : others
    const setupUrl = expect.stringMatching(new RegExp(`^${publicUrl}/setup\\?token=[\\w-]{20,}`))
    if (format === 'text') {
      expect(listens).toBe(`Formbox listens on ${server.url} (public address ${publicUrl})`)
      expect(first.split(': ')[1]).toEqual(setupUrl)
      expect(rest).toEqual([''])
    } else {
      expect(JSON.parse(listens)).toMatchObject({ url: server.url, publicUrl })
      expect(JSON.parse(first).url).toEqual(setupUrl)
    }
  })

  test('ends with one clear line and 1 when the port is in use, and leaves the other server alone', async () => {
    const server = await serve([])
    const { host, port } = new URL(server.url)
    const second = await formbox(['serve', '--port', port])
    expect([second.exitCode, second.stdout]).toEqual([1, ''])
    expect(second.stderr).toMatch(oneLine)
    expect(second.stderr).toContain(host)
    expect(second.stderr).toContain('in use')
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  test.each([
    [
      'an address of another machine',
      ['--host', '192.0.2.1', '--port', '0'],
      '192.0.2.1:0: this machine does not have',
    ],
    // No host has such a name (RFC 1035 section 2.3.4), so that no resolver has to be there to say so.
    ['a name of no host', ['--host', longLabel, '--port', '0'], `${longLabel}:0: there is no host with this name`],
    ['an address of a link without its name', ['--host', 'fe80::1', '--port', '0'], '[fe80::1]:0: a server'],
  ])('ends with one clear line and 1 when it cannot listen on %s', async (_, words, mention) => {
    const { exitCode, stdout, stderr } = await formbox(['serve', ...words])
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(mention)
  })

  test('says in its own words that a name has no address, whatever the resolver of the machine says', async () => {
    const { exitCode, stderr } = await formbox(['serve', '--host', 'formbox.invalid', '--port', '0'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^formbox: cannot listen on formbox\.invalid:0: (?:there is no host with this name|the name cannot be resolved at the moment \(\w+\))\n$/,
    )
  })

  test('listens on a host by its name, and prints that', async () => {
    const server = await serve(['--host', 'localhost'])
    expect(server.url).toMatch(/^http:\/\/localhost:\d+$/)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const second = await formbox(['serve', '--host', 'localhost', '--port', new URL(server.url).port])
    expect(second.stderr).toMatch(
      /^formbox: cannot listen on localhost:\d+: the port is in use; use --port or FORMBOX_PORT to name another one\n$/,
    )
  })
})

describe('the end of a server', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('by %s comes after the upload that is under way', async (signal) => {
    const server = await serve(['--data', 'data'])
    const id = await createForm(server)
    const upload = await beginUpload(server, id)

    server.kill(signal)
    await until(() => isRefused(server.url), 'the server refuses connections')
    upload.write('true}')

    expect(await upload.closed).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    expect(rowsOf(join(server.folder, 'data'), 'SELECT data FROM submissions')).toEqual([{ data: '{"slow":true}' }])
  })

  test('does not wait for connections on which nothing happens', async () => {
    const server = await serve([])
    await openSocket(server)
    const half = await openSocket(server)
    half.write('GET /healthz HTT')
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).exitCode).toBe(0)
    expect(await half.closed).toBe('')
  })

  test.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)('comes at once with the second signal: %s, then %s', async (first, second) => {
    // Longer than this test may take.
    const server = await serve(['--data', 'data'], { environment: { FORMBOX_STOP_DELAY: '300' } })
    const id = await createForm(server)
    await beginUpload(server, id)
    server.kill(first)
    await until(async () => (await fetch(`${server.url}/readyz`)).status === 503, 'the server is no longer ready')
    server.kill(second)
    expect((await server.end()).exitCode).not.toBe(0)
    expect(rowsOf(join(server.folder, 'data'), 'SELECT data FROM submissions')).toEqual([])
  })

  test('can come right after the line that says where it listens', async () => {
    for (let i = 0; i < 5; i++) {
      const server = await serve([])
      server.kill('SIGTERM')
      expect((await server.end()).exitCode).toBe(0)
    }
    // Five starts, one after the other.
  })

  test('lets two servers follow each other on one port', async () => {
    const host = ownAddress()
    const first = await serve(['--host', host])
    const { port } = new URL(first.url)
    await fetch(`${first.url}/healthz`)
    first.kill('SIGTERM')
    await first.end()
    const folder = temporaryFolder()
    const second = await serve(['--host', host, '--port', port], { folder })
    expect(second.url).toBe(first.url)
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200)
  })
})
