import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../../harness.ts'
import { caller, createUser, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { exchange } from '../../../torture/raw.ts'

const form = 'FORM'
const key = 'KEY'
const post = (headers: string, body: string, target = `/s/${form}`) =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n${body}`
const get = (target: string, headers = 'Host: x\r\n', version = 'HTTP/1.1') =>
  `GET ${target} ${version}\r\n${headers}\r\n`
const authorized = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
/** What a smuggled request would do: it must never be taken for a request of its own. */
const smuggled = `POST /s/${form} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\nsmuggled=1`

/** Of each: what is sent, which statuses may come, and how many submissions may be there afterwards. */
type Entry = readonly [what: string, bytes: string, statuses: readonly number[], stored?: number]
const corpus: readonly Entry[] = [
  ['no Host', get('/api/v1/forms', ''), [400, 401]],
  ['an empty Host', get('/api/v1/forms', 'Host:\r\n'), [400, 401]],
  ['a Host that holds a path', get('/api/v1/forms', 'Host: x/y\r\n'), [400, 401]],
  ['a Host with a user', get('/api/v1/forms', 'Host: a@b\r\n'), [400, 401]],
  ['a Host with a space', get('/api/v1/forms', 'Host: a b\r\n'), [400, 401]],
  ['two Hosts', get('/api/v1/forms', 'Host: a\r\nHost: b\r\n'), [400, 401]],
  ['a Host so short that the path would shift', get('/aaaa/api/v1/forms', 'Host: x\r\n'), [404]],
  ['HTTP/1.0 without Host', get('/api/v1/forms', '', 'HTTP/1.0'), [400, 401]],
  ['HTTP/0.9', 'GET /api/v1/forms\r\n\r\n', [400]],
  ['HTTP/2 in HTTP/1', get('/api/v1/forms', 'Host: x\r\n', 'HTTP/2.0'), [400, 401, 505]],
  ['HTTP/9.9', get('/api/v1/forms', 'Host: x\r\n', 'HTTP/9.9'), [400, 401, 505]],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 404, 505]],
  ['absolute-form without a key', get('http://x/api/v1/forms'), [400, 401, 404]],
  ['absolute-form of another host', get('http://evil.example/api/v1/forms', authorized), [200, 400, 404]],
  ['authority-form', 'CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n', [400, 404, 405, 501]],
  ['asterisk-form', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', [400, 404]],
  ['a target without a slash', get('api/v1/forms', authorized), [400, 404]],
  ['a doubled slash', get('//api/v1/forms'), [401, 404]],
  ['a path that climbs', get('/s/../api/v1/forms'), [400, 401, 404]],
  ['a path that climbs, encoded', get('/s/%2e%2e/api/v1/forms'), [400, 401, 404]],
  ['NUL in the path', get('/api/v1/forms/\0'), [400, 401]],
  ['NUL in the path, encoded', get('/api/v1/forms/%00', authorized), [400, 404]],
  ['a path that is not UTF-8', get('/api/v1/forms/%ff%fe', authorized), [400, 404]],
  ['NUL in a header', get('/healthz', 'Host: x\r\nX-A: a\0b\r\n'), [200, 400]],
  ['NUL in the key', get('/api/v1/forms', `Host: x\r\nAuthorization: Bearer ${key}\0\r\n`), [400, 401]],
  ['a bare line feed after each line', 'GET /api/v1/forms HTTP/1.1\nHost: x\n\n', [400, 401]],
  [
    'a bare line feed within a header',
    get('/api/v1/forms', `Host: x\r\nX-A: b\nAuthorization: Bearer ${key}\r\n`),
    [400, 401],
  ],
  [
    'a bare carriage return within a header',
    get('/api/v1/forms', `Host: x\r\nX-A: b\rAuthorization: Bearer ${key}\r\n`),
    [400, 401],
  ],
  ['a folded header', get('/api/v1/forms', `Host: x\r\nX-A: b\r\n Authorization: Bearer ${key}\r\n`), [400, 401]],
  ['a space before the colon', get('/api/v1/forms', `Host: x\r\nAuthorization : Bearer ${key}\r\n`), [400, 401]],
  ['a header without a colon', get('/api/v1/forms', 'Host: x\r\nnonsense\r\n'), [400, 401]],
  ['a header without a name', get('/api/v1/forms', 'Host: x\r\n: x\r\n'), [400, 401]],
  ['two keys', get('/api/v1/forms', `${authorized}Authorization: Bearer other\r\n`), [400, 401]],
  ['an unknown method', 'FOO /api/v1/forms HTTP/1.1\r\nHost: x\r\n\r\n', [400, 401, 404, 405, 501]],
  ['a method of 10,000 letters', `${'A'.repeat(10_000)} / HTTP/1.1\r\nHost: x\r\n\r\n`, [400, 404, 431]],
  ['a path of 100,000 bytes', get(`/${'a'.repeat(100_000)}`), [400, 404, 414, 431]],
  ['a query of 100,000 bytes', get(`/api/v1/forms?${'a'.repeat(100_000)}`), [400, 401, 414, 431]],
  ['a header of 100,000 bytes', get('/api/v1/forms', `Host: x\r\nX-A: ${'a'.repeat(100_000)}\r\n`), [400, 431]],
  ['10,000 headers', get('/api/v1/forms', `Host: x\r\n${'A: b\r\n'.repeat(10_000)}`), [400, 431]],
  [
    'a key of 10,000 letters',
    get('/api/v1/forms', `Host: x\r\nAuthorization: Bearer api_${'a'.repeat(10_000)}\r\n`),
    [401],
  ],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  ['nothing but line breaks', '\r\n'.repeat(1000), [400]],
  ['random bytes', String.fromCharCode(...Array.from({ length: 500 }, (_, i) => (i * 7919) % 256)), [400]],
  [
    'length and chunking, chunking first',
    post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `0\r\n\r\n${smuggled}`),
    [400],
    0,
  ],
  [
    'length and chunking, length first',
    post(`Content-Length: ${5 + smuggled.length}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${smuggled}`),
    [400],
    0,
  ],
  ['two lengths that differ', post(`Content-Length: 3\r\nContent-Length: 100\r\n`, `a=b${smuggled}`), [400], 0],
  ['a list of lengths', post('Content-Length: 3, 100\r\n', `a=b${smuggled}`), [400], 0],
  ['a negative length', post('Content-Length: -1\r\n', 'a=b'), [400], 0],
  ['a length with a sign', post('Content-Length: +3\r\n', 'a=b'), [400], 0],
  ['a length in hexadecimal', post('Content-Length: 0x3\r\n', 'a=b'), [400], 0],
  ['a length beyond every number', post(`Content-Length: ${'9'.repeat(30)}\r\n`, 'a=b'), [400, 413], 0],
  ['a length that is more than there is', post('Content-Length: 100\r\n', 'a=b'), [400], 0],
  ['a large length that is more than there is', post('Content-Length: 100000\r\n', 'a=b'), [400], 0],
  ['chunking by another name', post('Transfer-Encoding: xchunked\r\n', `3\r\na=b\r\n0\r\n\r\n`), [400, 501], 0],
  ['chunking twice', post('Transfer-Encoding: chunked, chunked\r\n', `3\r\na=b\r\n0\r\n\r\n`), [400, 501], 0],
  [
    'chunking with a tab',
    post('Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n', `0\r\n\r\n${smuggled}`),
    [400],
    0,
  ],
  [
    'chunking with a space before the colon',
    post('Transfer-Encoding : chunked\r\nContent-Length: 3\r\n', `a=b${smuggled}`),
    [400],
    0,
  ],
  ['a chunk size that is no number', post('Transfer-Encoding: chunked\r\n', 'zz\r\na=b\r\n0\r\n\r\n'), [400], 0],
  [
    'a chunk size beyond every number',
    post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\na=b\r\n0\r\n\r\n'),
    [400, 413],
    0,
  ],
  ['a negative chunk size', post('Transfer-Encoding: chunked\r\n', '-3\r\na=b\r\n0\r\n\r\n'), [400], 0],
  ['a chunk that is longer than it says', post('Transfer-Encoding: chunked\r\n', '1\r\na=b\r\n0\r\n\r\n'), [400], 0],
  ['chunks that do not end', post('Transfer-Encoding: chunked\r\n', '3\r\na=b\r\n'), [400], 0],
  [
    'chunking in HTTP/1.0',
    post('Transfer-Encoding: chunked\r\n', '3\r\na=b\r\n0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0'),
    [200, 400],
    1,
  ],
  ['Expect with nothing behind it', post('Content-Length: 3\r\nExpect: nonsense\r\n', 'a=b'), [200, 400, 417], 1],
  [
    'an upgrade',
    get(
      '/api/v1/forms',
      `${authorized}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n`,
    ),
    [200, 400, 404],
  ],
]

test(
  'whatever comes over a socket is refused at once, and the server lives',
  async () => {
    const folder = temporaryFolder()
    const secret = createUser(folder)
    const server = await startProcess({ folder })
    const call = caller(server.url, secret)
    const forms = { forms: corpus.map(([what]) => ({ title: what })) }
    const { ids } = (await call('POST', '/forms/bulk', forms)).body as { ids: string[] }
    const quietMilliseconds = isLong ? 3000 : 500
    const check = async ([what, bytes, allowed, mayStore = 0]: Entry, formId: string): Promise<string[]> => {
      const message = bytes.replaceAll(form, formId).replaceAll(key, secret)
      const { answers, isHanging } = await exchange(server.url, message, { quietMilliseconds })
      const stored = (await call('GET', `/forms/${formId}`)).body.submissionCount
      // A connection that is closed without a word refuses as well, and so does "version not supported".
      const wrong = answers.filter(({ status }) => status !== 505 && !allowed.includes(status))
      tell(`${what}: ${answers.map(({ status }) => status).join(' ') || 'closed'}`)
      return [
        ...(isHanging ? [`${what}: hangs`] : []),
        ...(wrong.length > 0 || answers.length > 1 ? [`${what}: answered ${answers.map(({ status }) => status)}`] : []),
        ...(stored > mayStore ? [`${what}: ${stored} submissions stored`] : []),
      ]
    }
    const faults = await Promise.all(corpus.map((entry, position) => check(entry, ids[position] as string)))
    expect(faults.flat()).toEqual([])
    expect(server.isAlive()).toBe(true)
    expect(server.errors()).toBe('')
  },
  timeout,
)

test(
  'requests behind one another on a connection are answered in their order',
  async () => {
    const server = await startProcess()
    const last = get('/api/v1/forms', 'Host: x\r\nConnection: close\r\n')
    const requests = get('/healthz') + get('/nowhere') + last
    // The server ends the connection after the last one.
    const { answers, isHanging } = await exchange(server.url, requests, { quietMilliseconds: 30_000 })
    expect({ statuses: answers.map(({ status }) => status), isHanging }).toEqual({
      statuses: [200, 404, 401],
      isHanging: false,
    })
  },
  timeout,
)
