import { afterEach, describe, expect, test } from 'bun:test'
import { request } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import { version } from '../../package.json'
import { parseNetworks } from '../../src/config/networks.ts'
import { openPoster, type Posted } from '../../src/sending/webhooks/post.ts'
import { drip, flood, type Receiver, receiver } from './receiver.ts'

const open: Receiver[] = []
const start = async (...given: Parameters<typeof receiver>): Promise<Receiver> => {
  const started = await receiver(...given)
  open.push(started)
  return started
}
afterEach(async () => {
  for (const started of open.splice(0)) await started.stop()
})

const networks = (list: string) => parseNetworks('networks', list)
const now = Date.UTC(2026, 10, 22)
const toLoopback = openPoster({ allowed: networks('127.0.0.0/8'), now: () => now })
/** For receivers that have to be given up. */
const hurried = openPoster({ allowed: networks('127.0.0.0/8'), maxMilliseconds: 300 })
/** For one that answers at once, and has to be given up afterwards. */
const lessHurried = openPoster({ allowed: networks('127.0.0.0/8'), maxMilliseconds: 2000 })
const toPublic = openPoster({ allowed: networks('') })

const post = { headers: { 'content-type': 'text/plain' }, body: Buffer.from('hellö') }
const noAnswer = 'There was no response within 0.3 seconds'
const refused = 'The address is not public. FORMBOX_WEBHOOK_ALLOW can allow it'
const answering = (text: string) => (socket: Socket) => socket.end(text)

describe('a post', () => {
  test('is one request on a connection of its own', async () => {
    const { port, requests, left } = await start(answering('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine'))
    const url = `http://localhost:${port}/hook?a=b%20c#part`
    const posted = await toLoopback(url, post)
    const { milliseconds, ...rest } = posted
    expect(rest).toEqual({ status: 200, error: null, answer: 'fine', retryAfterMilliseconds: null })
    expect(milliseconds).toBeGreaterThanOrEqual(0)
    const [head = '', body = ''] = (requests[0] as string).split('\r\n\r\n')
    expect(
      head
        .split('\r\n')
        .map((line) => line.toLowerCase())
        .sort(),
    ).toEqual(
      [
        'POST /hook?a=b%20c HTTP/1.1',
        'accept-encoding: identity',
        'connection: close',
        'content-length: 6',
        'content-type: text/plain',
        `host: localhost:${port}`,
        `user-agent: Formbox/${version}`,
      ]
        .map((line) => line.toLowerCase())
        .sort(),
    )
    expect(Buffer.from(body, 'latin1').toString()).toBe('hellö')
    await left()
  })

  test('opens another connection for the next one', async () => {
    const { port, connections } = await start(answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    for (let i = 0; i < 3; i++) await toLoopback(`http://localhost:${port}`, post)
    expect(connections()).toBe(3)
  })

  test('sends a megabyte, also to a receiver that does not read it', async () => {
    const megabyte = { ...post, body: Buffer.alloc(1024 * 1024, 'a') }
    const reader = await start(answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    expect((await toLoopback(`http://127.0.0.1:${reader.port}`, megabyte)).status).toBe(200)
    expect(reader.requests[0]?.length).toBeGreaterThan(megabyte.body.length)
    const denier = await start(
      (socket) => {
        socket.pause()
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n')
      },
      { isHasty: true },
    )
    expect((await toLoopback(`http://127.0.0.1:${denier.port}`, megabyte)).status).toBe(413)
  })

  test('is broken off by its signal', async () => {
    const { port, left } = await start(() => controller.abort())
    const controller = new AbortController()
    const posted = await toLoopback(`http://127.0.0.1:${port}`, { ...post, signal: controller.signal })
    expect(posted).toMatchObject({ status: null, error: 'The attempt was stopped' })
    await left()
  })
})

describe('the address', () => {
  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://127.0.0.1.',
    'http://１２７.0.0.1',
    'http://①②⑦.0.0.1',
    'http://0.0.0.0',
    'http://0',
    'http://localhost',
    'http://LOCALHOST',
    'http://ⓛocalhost',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[0:0:0:0:0:ffff:127.0.0.1]',
    'http://[::127.0.0.1]',
    'https://127.0.0.1',
  ])('%s is refused, and nothing connects', async (origin) => {
    const four = await start(answering('HTTP/1.1 200 OK\r\n\r\n'), { host: '127.0.0.1' })
    const six = await start(answering('HTTP/1.1 200 OK\r\n\r\n'), { host: '::1' }).catch(() => undefined)
    for (const there of six ? [four, six] : [four]) {
      expect(await toPublic(`${origin}:${there.port}/`, post)).toMatchObject({
        status: null,
        error: refused,
        answer: '',
      })
      expect(there.connections()).toBe(0)
    }
  })

  test.each([
    'http://10.0.0.1',
    'http://172.31.255.255',
    'http://192.168.1.1',
    'http://100.64.0.1',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xA9FEA9FE/',
    'http://198.18.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://[fe80::1]',
    'http://[fd00:ec2::254]',
    'http://[fc00::1]',
    'http://[ff02::1]',
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[64:ff9b:1::1]',
    'http://[2002:7f00:1::]',
    'http://[2001::1]',
    'http://[2001:db8::1]',
    'http://[::ffff:8.8.8.8]',
  ])('%s is refused', async (url) => {
    expect(await toPublic(url, post)).toMatchObject({ status: null, error: refused })
  })

  test.each(['http://formbox-test.internal', 'http://formbox-test.invalid', 'http://localhost.localdomain.invalid.'])(
    '%s leads nowhere',
    async (url) => {
      const { status, error } = await hurried(url, post)
      expect(status).toBeNull()
      // What a machine without a name server says as well.
      const others = ['The name of the host cannot be resolved at the moment', noAnswer, refused]
      expect(['There is no host with this name', ...others]).toContain(error as string)
    },
  )

  test.each([
    'http://[fe80::1%25lo]',
    'http://1.2.3.4.5',
    'nonsense',
    '',
    'file:///etc/passwd',
    'ftp://127.0.0.1',
    'http://user:secret@127.0.0.1',
  ])('%p is no URL of a receiver', async (url) => {
    expect(await toLoopback(url, post)).toMatchObject({ status: null, error: 'The URL is not valid' })
  })

  test.each([
    ['127.0.0.1', 'http://localhost'],
    ['127.0.0.0/8', 'http://127.1'],
    ['127.0.0.1', 'http://2130706433'],
    ['0.0.0.0/0', 'http://127.0.0.1'],
  ])('may be used where %s is allowed: %s', async (allowed, origin) => {
    const { port, requests } = await start(answering('HTTP/1.1 204 No Content\r\n\r\n'))
    const posted = await openPoster({ allowed: networks(allowed) })(`${origin}:${port}`, post)
    expect(posted).toMatchObject({ status: 204, error: null })
    expect(requests).toHaveLength(1)
  })

  test('may not be used where only others are allowed', async () => {
    const { port, connections } = await start(answering('HTTP/1.1 204 No Content\r\n\r\n'))
    const posted = await openPoster({ allowed: networks('127.0.0.2, 10.0.0.0/8, ::1') })(
      `http://localhost:${port}`,
      post,
    )
    expect(posted).toMatchObject({ status: null, error: refused })
    expect(connections()).toBe(0)
  })

  // What the poster relies on: an address that was looked up and checked is the one that is used. The name has no other.
  test.each([
    ['a checked address', '127.0.0.1', 200],
    ['none', undefined, 'refused'],
  ])('of a connection is what the lookup returned: %s', async (_, address, expected) => {
    const { port, connections } = await start(answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const lookups: string[] = []
    const lookup: LookupFunction = (host, _options, callback) => {
      lookups.push(host)
      if (address === undefined) callback(new Error('refused'), [])
      else callback(null, [{ address, family: 4 }])
    }
    const result = await new Promise((resolve) => {
      request({ host: 'changing.invalid', port, lookup, agent: false })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', (error) => resolve(error.message))
        .end()
    })
    expect(result).toBe(expected)
    expect(lookups).toEqual(['changing.invalid'])
    expect(connections()).toBe(address === undefined ? 0 : 1)
  })
})

interface Row {
  readonly does: (socket: Socket) => void
  readonly posted: Partial<Posted>
  /** `toLoopback` if it does not say. */
  readonly by?: typeof toLoopback
}

const given = (status: number, more: string, posted: Partial<Posted> = {}): Row => ({
  does: answering(`HTTP/1.1 ${status} Text\r\ncontent-length: 0\r\n${more}\r\n`),
  posted: { status, ...posted },
})
const ended = 'The connection ended before there was a response'
const noHttp = 'The response was not HTTP'

const receivers: Readonly<Record<string, Row>> = {
  'is content': given(202, '', { error: null }),
  'is gone': given(410, '', { error: 'The receiver responded with 410' }),
  fails: given(500, '', { error: 'The receiver responded with 500', retryAfterMilliseconds: null }),
  'is busy, and says how long': given(429, 'Retry-After: 120\r\n', { retryAfterMilliseconds: 120_000 }),
  'is busy until a date': given(503, 'Retry-After: Sun, 22 Nov 2026 00:01:00 GMT\r\n', {
    retryAfterMilliseconds: 60_000,
  }),
  'wants a year': given(503, 'Retry-After: 31536000\r\n', { retryAfterMilliseconds: 86_400_000 }),
  redirects: given(302, 'Location: http://127.0.0.1:1/\r\n', {
    error: 'The receiver redirects to another URL (302). Formbox does not follow redirects',
  }),
  'redirects and keeps the method': given(308, 'Location: /\r\n', {
    error: 'The receiver redirects to another URL (308). Formbox does not follow redirects',
  }),
  'answers with a strange status': given(999, '', { error: 'The receiver responded with 999' }),
  'announces an answer': {
    does: answering('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    posted: { status: 200, answer: 'ok' },
  },
  'announces answers for ever': {
    does: (socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    posted: { status: null, error: 'The response does not fit a POST request' },
  },
  'says to go on for ever': {
    does: (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
    posted: { status: null, error: 'The response does not fit a POST request' },
  },
  'switches protocols': {
    does: (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    posted: { status: null, error: 'The response does not fit a POST request' },
  },
  'says nothing': { does: () => {}, posted: { status: null, error: noAnswer }, by: hurried },
  'drips its headers': {
    does: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: '),
    posted: { status: null, error: noAnswer },
    by: hurried,
  },
  'drips its answer': {
    does: (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'),
    posted: { status: 200, error: null },
    by: lessHurried,
  },
  'never ends its answer': {
    does: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(10_000)),
    posted: { status: 200, error: null, answer: 'x'.repeat(500) },
  },
  'never ends its chunks': {
    does: (socket) => flood(socket, 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'.repeat(1000)),
    posted: { status: 500, answer: 'x'.repeat(500) },
  },
  'never ends a chunk’s extension': {
    does: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', 'x'.repeat(10_000)),
    posted: { status: 200, answer: '' },
  },
  'never ends its trailers': {
    does: (socket) =>
      flood(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', `x: ${'y'.repeat(1000)}\r\n`),
    posted: { status: 200, answer: '' },
  },
  'never ends its headers': {
    does: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', `x: ${'y'.repeat(1000)}\r\n`),
    posted: { status: null, error: 'The headers of the response are too long' },
  },
  'never ends one header': {
    does: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(10_000)),
    posted: { status: null, error: 'The headers of the response are too long' },
  },
  'sends 20 KB of headers': {
    does: answering(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    posted: { status: null, error: 'The headers of the response are too long' },
  },
  'sends a bomb': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n')
      socket.end(Bun.gzipSync(Buffer.alloc(20_000_000)))
    },
    posted: { status: 200, error: null },
  },
  'breaks off its answer': {
    does: answering('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'),
    posted: { status: 200, error: null, answer: 'abc' },
  },
  'sends broken chunks': {
    does: answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n'),
    posted: { status: 200, error: null },
  },
  'closes the connection': { does: (socket) => socket.end(), posted: { status: null, error: ended } },
  'resets the connection': { does: (socket) => socket.resetAndDestroy(), posted: { status: null, error: ended } },
  'speaks SSH': { does: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), posted: { status: null, error: noHttp } },
  'sends only a page': { does: answering('<html>hello</html>'), posted: { status: null, error: noHttp } },
  'has a status of two digits': {
    does: answering('HTTP/1.1 42 Answer\r\n\r\n'),
    posted: { status: null, error: noHttp },
  },
  'answers with control characters': {
    does: (socket) =>
      socket.end(Buffer.from('HTTP/1.1 400 Bad\r\n\r\n\r\n  a\0b\x1b[31m\x7f\r\nc\td\x85\xff\r\n', 'latin1')),
    posted: { answer: 'a\ufffdb\ufffd[31m\ufffd\nc\td\ufffd\ufffd' },
  },
  'answers with half a character': {
    does: (socket) =>
      socket.end(Buffer.concat([Buffer.from('HTTP/1.1 400 Bad\r\n\r\n'), Buffer.from('😀ü').subarray(0, 5)])),
    posted: { answer: '😀\ufffd' },
  },
  'answers with many characters of four bytes': {
    does: answering(`HTTP/1.1 400 Bad\r\n\r\n${'😀'.repeat(1000)}`),
    posted: { answer: '😀'.repeat(500) },
  },
}

describe('a receiver that', () => {
  test.each(Object.entries(receivers))('%s', async (_, { does, posted, by = toLoopback }) => {
    const { port, requests, connections, left } = await start((socket) => {
      if (requests.length > 1) throw new Error('asked twice')
      does(socket)
    })
    const answer = await by(`http://127.0.0.1:${port}/`, post)
    expect(answer).toMatchObject(posted)
    expect(answer.answer).not.toContain('\0')
    await left()
    expect(connections()).toBe(1)
    expect(requests).toHaveLength(1)
  })

  test('is not there', async () => {
    const { port, stop } = await receiver(() => {})
    await stop()
    expect(await toLoopback(`http://127.0.0.1:${port}`, post)).toMatchObject({
      status: null,
      error: 'The connection was refused',
    })
  })

  test('never completes the handshake of TLS', async () => {
    const { port, left, stop } = await receiver(() => {}, {})
    expect(await hurried(`https://127.0.0.1:${port}`, post)).toMatchObject({ status: null, error: noAnswer })
    await left()
    await stop()
  })

  test('sends without an end reads 64 KiB, and what else was on its way', async () => {
    let sent = 0
    const { port, left } = await start((socket) => {
      socket.on('close', () => {
        sent = socket.bytesWritten
      })
      flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(64 * 1024))
    })
    await toLoopback(`http://127.0.0.1:${port}`, post)
    await left()
    expect(sent).toBeGreaterThan(64 * 1024)
    // What the buffers of two sockets hold.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })
})
