// What arrives broken or hostile gets an error of the decided shape, soon and in little memory, and changes nothing.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { afterThisTest, type Server, startServer, temporaryFolder, type User } from '../harness.ts'
import { answerTo, chunk, exchange, message, type RawAnswer } from '../raw-http.ts'

const maxMilliseconds = 2000
const mebibyte = 1024 * 1024
/** Mebibytes by which the memory of the service may grow; a body that is valid JSON of 1 MiB takes 100. */
const maxGrowth = 150

interface Setting {
  readonly server: Server
  readonly ada: User
  /** A form with one submission. */
  readonly formId: string
  /** Fails unless everything is as it was, and the service goes on answering. */
  readonly expectUnharmed: () => Promise<void>
}

const prepare = async (folder = temporaryFolder()): Promise<Setting> => {
  const server = await startServer({ folder })
  const ada = await server.signUp()
  const formId = await ada.createForm()
  const submit = () => server.fetch(`/s/${formId}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
  await submit()
  const state = async () => [
    (await ada.call('GET', '/forms')).body,
    (await ada.call('GET', `/forms/${formId}/submissions`)).body,
  ]
  const before = await state()
  const expectUnharmed = async () => {
    expect(await state()).toEqual(before)
    expect((await server.fetch('/healthz')).status).toBe(200)
    expect((await submit()).status).toBe(200)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(2)
  }
  return { server, ada, formId, expectUnharmed }
}

const inTime = async <T>(work: Promise<T>): Promise<T> => {
  const start = performance.now()
  const result = await work
  expect(performance.now() - start).toBeLessThan(maxMilliseconds)
  return result
}

/** Every operation that reads a body. */
const routes = [
  ['POST', '/forms'],
  ['POST', '/forms/bulk'],
  ['PATCH', '/forms/bulk'],
  ['DELETE', '/forms/bulk'],
  ['PATCH', '/forms/:formId'],
  ['DELETE', '/forms/:formId/submissions/bulk'],
] as const

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

describe('an API body', () => {
  const arrays = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const notObject = 'body: must be a JSON object'
  const notJson = 'body: must be valid JSON'
  const tooDeep = 'body: must be nested at most 64 levels deep'

  test.each([
    ['half an object', '{"title":"x"', notJson],
    ['white space only', ' \n', notJson],
    ['two objects', '{"title":"x"} {}', notJson],
    ['a comment', '{"title":"x"/**/}', notJson],
    ['NaN', '{"title":NaN}', notJson],
    ['single quotes', "{'title':'x'}", notJson],
    ['NUL itself', '{"title":"\0"}', notJson],
    ['two byte order marks', '\ufeff\ufeff{"title":"x"}', notJson],
    ['UTF-16', Buffer.from('{"title":"x"}', 'utf16le'), notJson],
    ['UTF-16 with its byte order mark', Buffer.from('\ufeff{"title":"x"}', 'utf16le'), 'body: must be UTF-8'],
    ['Latin-1', bytes('{"title":"\xe9"}'), 'body: must be UTF-8'],
    ['an encoded surrogate', bytes('{"title":"\xed\xa0\x80"}'), 'body: must be UTF-8'],
    ['an array', '[{"title":"x"}]', notObject],
    ['an empty array', '[]', notObject],
    ['text', '"title"', notObject],
    ['a number', '1e400', notObject],
    ['true', 'true', notObject],
    ['null', 'null', notObject],
    ['65 levels', `{"title":${arrays(64)}}`, tooDeep],
    ['10,000 nested arrays', arrays(10_000), tooDeep],
    ['10,000 arrays that nobody closes', '['.repeat(10_000), tooDeep],
  ])('of %s is refused by every operation', async (_what, body, issue) => {
    const { server, ada, formId, expectUnharmed } = await prepare()
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ada.key}` }

    for (const [method, path] of routes) {
      const url = `/api/v1${path.replace(':formId', formId)}`
      const response = await inTime(server.fetch(url, { method, headers, body }))

      expect(response.status, `${method} ${path}`).toBe(400)
      const error = { code: 'BAD_REQUEST', message: 'Invalid input data' }
      expect(await response.json()).toEqual({ ...error, issues: [{ message: issue }], error })
    }
    await expectUnharmed()
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jfoo', 'application/vnd.api+json', ''])(
    'of the content type %p is refused by every operation',
    async (type) => {
      const { ada, formId, expectUnharmed } = await prepare()

      for (const [method, path] of routes) {
        const headers = { 'content-type': type }
        const answer = await ada.call(method, path.replace(':formId', formId), '{"title":"x"}', headers)

        expect(answer.status, `${method} ${path}`).toBe(400)
        const issue = `body: must have Content-Type application/json, has ${type || 'none'}`
        expect(answer.body.issues).toEqual([{ message: issue }])
      }
      await expectUnharmed()
    },
  )

  test('that is missing is refused by every operation', async () => {
    const { ada, formId, expectUnharmed } = await prepare()

    for (const [method, path] of routes) {
      const answer = await ada.call(method, path.replace(':formId', formId))

      expect(answer.status, `${method} ${path}`).toBe(400)
      const issue = method === 'DELETE' ? 'ids: must be in the body or in the query' : `${notObject}, is empty`
      expect(answer.body.issues).toEqual([{ message: issue }])
    }
    await expectUnharmed()
  })

  test.each([
    ['64 levels', `{"title":"x","extra":${arrays(63)}}`],
    ['a byte order mark', '\ufeff{"title":"x"}'],
    ['any number of brackets within text', JSON.stringify({ title: 'x', extra: '['.repeat(10_000) })],
    ['unknown names of JavaScript', '{"title":"x","__proto__":{"title":5},"constructor":1,"toString":2}'],
    ['a charset', '{"title":"x"}'],
  ])('with %s is taken', async (what, body) => {
    const { ada } = await prepare()
    const type = what === 'a charset' ? 'Application/JSON; charset=iso-8859-1' : 'application/json'

    const created = await ada.call('POST', '/forms', body, { 'content-type': type })

    expect(created.status).toBe(200)
    const form = await ada.call('GET', `/forms/${created.body.id}`)
    expect(form.body).toMatchObject({ title: 'x', description: null, returnUrl: null })
  })
})

describe('a field of an API body', () => {
  const title = 'must be 1 to 255 characters, not only white space'
  const description = 'must be at most 1000 characters, or null'
  const returnUrl = 'must be an absolute http or https URL of at most 2048 characters, or null'
  const id = 'must be 1 to 64 characters, not only white space'
  const items = 'must be an array of 1 to 1000 items'
  const ids = 'must be an array of 1 to 1000 identifiers'
  const oneId = 'must be an identifier of 1 to 64 characters'

  const text = (length: number) => `"${'x'.repeat(length)}"`
  const many = (item: string) => `[${Array<string>(1001).fill(item).join()}]`
  const noText = ['5', 'true', '[]', '["x"]', '{}', '1e400', '"\\u0000"', '"a\\ud800"', '"\\udfff\\ud800"']
  const noTitle = [...noText, 'null', '""', '" \\u2003\\n"', text(256)]
  const noDescription = [...noText, text(1001)]
  const noUrl = [
    ...[...noText, '""', '"http://"', '"/thanks"', '"//example.com"', '"example.com"', '"http:a"', '"http://["'],
    ...[
      '"javascript:alert(1)"',
      '"data:text/html,x"',
      '"ftp://a"',
      '" http://a"',
      '"http://a\\r\\nX: y"',
      '"http://a/\\t"',
    ],
    `"http://a/${'x'.repeat(2048)}"`,
  ]
  const noList = ['5', 'null', 'true', '"x"', '{}', '{"0":"x","length":1}', '[]', many('{"title":"x"}'), many('"x"')]
  const noObject = ['5', 'null', 'true', '"x"', '[]', '[{"title":"x"}]']
  const nothing = ['{}', '{"__proto__":{"title":"x","id":"x","forms":[{"title":"x","id":"x"}],"ids":["x"]}}']
  const first = '{"title":"x","id":"x"}'

  test.each([
    ['POST', '/forms', '%', '/title', title, nothing],
    ['POST', '/forms', '{"title":%}', '/title', title, noTitle],
    ['POST', '/forms', '{"title":"x","description":%}', '/description', description, noDescription],
    ['POST', '/forms', '{"title":"x","returnUrl":%}', '/returnUrl', returnUrl, noUrl],
    ['PATCH', '/forms/:formId', '{"title":%}', '/title', title, noTitle],
    ['PATCH', '/forms/:formId', '{"title":"x","description":%}', '/description', description, noDescription],
    ['PATCH', '/forms/:formId', '{"title":"x","returnUrl":%}', '/returnUrl', returnUrl, noUrl],
    ['POST', '/forms/bulk', '%', '/forms', items, nothing],
    ['POST', '/forms/bulk', '{"forms":%}', '/forms', items, noList],
    ['POST', '/forms/bulk', `{"forms":[${first},%]}`, '/forms/1', 'expected object', noObject],
    ['POST', '/forms/bulk', `{"forms":[${first},%]}`, '/forms/1/title', title, nothing],
    ['POST', '/forms/bulk', `{"forms":[${first},{"title":%}]}`, '/forms/1/title', title, noTitle],
    ['POST', '/forms/bulk', '{"forms":[{"title":"x","returnUrl":%}]}', '/forms/0/returnUrl', returnUrl, noUrl],
    ['PATCH', '/forms/bulk', '%', '/forms', items, nothing],
    ['PATCH', '/forms/bulk', '{"forms":%}', '/forms', items, noList],
    ['PATCH', '/forms/bulk', `{"forms":[${first},%]}`, '/forms/1', 'expected object', noObject],
    ['PATCH', '/forms/bulk', `{"forms":[${first},%]}`, '/forms/1/id', id, nothing],
    ['PATCH', '/forms/bulk', '{"forms":[{"id":%}]}', '/forms/0/id', id, [...noText, 'null', '""', text(65)]],
    ['PATCH', '/forms/bulk', `{"forms":[${first},{"id":"y","title":%}]}`, '/forms/1/title', title, noTitle],
    ...['/forms/bulk', '/forms/:formId/submissions/bulk'].flatMap(
      (path): [string, string, string, string, string, string[]][] => [
        ['DELETE', path, '%', '/ids', ids, nothing],
        ['DELETE', path, '{"ids":%}', '/ids', ids, noList],
        ['DELETE', path, '{"ids":["x",%]}', '/ids/1', oneId, ['5', 'null', 'true', '""', '["x"]', '{}', text(65)]],
      ],
    ),
  ])('is named when it is wrong: %s %s %s, %s', async (method, path, body, pointer, what, values) => {
    const { ada, formId, expectUnharmed } = await prepare()

    for (const value of values) {
      const answer = await inTime(
        ada.call(
          method,
          path.replace(':formId', formId),
          body.replace('%', () => value),
        ),
      )

      expect(answer.status, value.slice(0, 100)).toBe(400)
      const isUnreadable = /\\u0000|\\ud[8f]/.test(value)
      const name = pointer.slice(1).replaceAll('/', '.')
      const message = `${name}: ${isUnreadable ? 'must be well-formed Unicode without NUL' : what}`
      expect(answer.body.issues[0], value.slice(0, 100)).toEqual({ message, path: pointer })
    }
    await expectUnharmed()
  })
})

const expectShape = (answer: RawAnswer | undefined, status: number, code: string | null) => {
  expect(answer?.status).toBe(status)
  // Bun itself answers what is no HTTP, or too long, before Formbox sees it: without a body.
  if (code === null) return expect(answer?.body).toBe('')
  expect(answer?.headers.get('content-type')).toStartWith('application/json')
  expect(answer?.headers.get('x-request-id')).toMatch(/\S/)
  const body = JSON.parse(answer?.body ?? '')
  expect(body).toEqual({
    code,
    message: expect.any(String),
    issues: expect.any(Array),
    error: { code, message: body.message },
  })
}

describe('a request over a bare socket', () => {
  const close = 'Connection: close'
  const host = 'Host: localhost'
  const key = 'Authorization: Bearer KEY'
  const list = 'GET /api/v1/forms HTTP/1.1'
  const submit = ['POST /s/FORM HTTP/1.1', host, close, 'Content-Type: application/json']

  const send = async ({ server, ada, formId }: Setting, lines: readonly string[], body = '') => {
    const filled = lines.map((line) => line.replace('KEY', ada.key).replace('FORM', formId))
    return inTime(answerTo(server.url, message(filled, body)))
  }

  test.each([
    ['a short Host', [list, 'Host: x', close]],
    ['the absolute form', ['GET http://example.com/api/v1/forms HTTP/1.1', host, close]],
    ['back slashes', ['GET /api\\v1\\forms HTTP/1.1', host, close]],
    ['dots', ['GET /s/../api/v1/forms HTTP/1.1', host, close]],
    ['PROPFIND', ['PROPFIND /api/v1/forms HTTP/1.1', host, close]],
    ['TRACE', ['TRACE /api/v1/forms HTTP/1.1', host, close]],
    ['a key that is not ASCII', [list, host, 'Authorization: Bearer api_\xff', close]],
    ['two keys', [list, host, key, 'Authorization: Bearer x', close]],
  ])('gets 401 without a good key: %s', async (_what, lines) => {
    const setting = await prepare()

    expectShape(await send(setting, lines), 401, 'UNAUTHORIZED')

    await setting.expectUnharmed()
  })

  test.each([
    ['a short Host', ['GET /aaaa/api/v1/forms HTTP/1.1', 'Host: x', close]],
    ['the absolute form of a short host', ['GET http://x/aaaa/api/v1/forms HTTP/1.1', host, close]],
    ['no Host', ['GET /api/v1/forms HTTP/1.0']],
    ['no Host and a shifted path', ['GET /aaaaaa/api/v1/forms HTTP/1.0']],
    ['an empty Host', ['GET /aaaaaa/api/v1/forms HTTP/1.1', 'Host:', close]],
    ['a Host with a path', [list, 'Host: localhost/healthz?', close]],
    ['a Host with a user', [list, 'Host: user@localhost', close]],
    ['two Hosts', [list, 'Host: a', 'Host: b', close]],
    ['a double slash', ['GET //api/v1/forms HTTP/1.1', host, close]],
    ['encoded letters', ['GET /%61pi/v1/forms HTTP/1.1', host, close]],
  ])('does not get around the key with %s', async (_what, lines) => {
    const setting = await prepare()

    const answer = await send(setting, lines)

    const codes: Record<number, string> = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 404: 'NOT_FOUND' }
    expectShape(answer, answer?.status ?? 0, codes[answer?.status ?? 0] ?? 'an error')
    expect(answer?.body).not.toContain(setting.formId)
    await setting.expectUnharmed()
  })

  // RFC 9112 section 3.2.
  test.each([
    ['two of them', ['Host: a', 'Host: b']],
    ['a path', ['Host: localhost/x']],
    ['a user', ['Host: user@localhost']],
    ['a space', ['Host: local host']],
    ['an impossible port', ['Host: localhost:99999']],
    ['bytes that are no name', ['Host: \xff\xfe']],
  ])('is refused for a wrong Host: %s', async (_what, hosts) => {
    const setting = await prepare()

    expectShape(await send(setting, [list, ...hosts, key, close]), 400, 'BAD_REQUEST')
  })

  // The address of such a request is relative, and Elysia takes its path to begin at the 8th character.
  test.each([
    ['no Host', ['GET /aaaaaa/healthz HTTP/1.0']],
    ['an empty Host', ['GET /aaaaaa/healthz HTTP/1.1', 'Host:', close]],
    ['a wrong Host', ['GET /aaaaaa/healthz HTTP/1.1', 'Host: a b', close]],
  ])('is not answered as another path with %s', async (_what, lines) => {
    expect((await send(await prepare(), lines))?.status).not.toBe(200)
  })

  test.each([
    ['a form that is not UTF-8', 'GET /api/v1/forms/\xff\xfe HTTP/1.1'],
    ['an encoded form that is not UTF-8', 'GET /api/v1/forms/%ff%fe HTTP/1.1'],
    ['a broken encoding', 'GET /api/v1/forms/%zz HTTP/1.1'],
    ['an encoding that breaks off', 'GET /api/v1/forms/%E0%A4 HTTP/1.1'],
    ['an encoded NUL', 'GET /api/v1/forms/%00 HTTP/1.1'],
    ['an encoded slash', 'GET /api/v1/forms/FORM%2Fsubmissions HTTP/1.1'],
    ['dots behind an encoded slash', 'GET /api/v1/forms/..%2f..%2fhealthz HTTP/1.1'],
    ['an encoded bulk', 'GET /api/v1/forms/%62ulk HTTP/1.1'],
    ['a very long form', `GET /api/v1/forms/${'a'.repeat(60_000)} HTTP/1.1`],
    ['a submission that is not UTF-8', 'GET /api/v1/forms/FORM/submissions/%ff HTTP/1.1'],
    ['an encoded NUL as a submission', 'DELETE /api/v1/forms/FORM/submissions/%00 HTTP/1.1'],
    ['an identifier that is not UTF-8', 'DELETE /api/v1/forms/bulk?ids=%ff HTTP/1.1'],
    ['an identifier of NUL', 'DELETE /api/v1/forms/FORM/submissions/bulk?ids=%00 HTTP/1.1'],
    ['a path outside the API that is not UTF-8', 'GET /%ff/\xfe HTTP/1.1'],
    ['PUT', 'PUT /api/v1/forms HTTP/1.1'],
    ['OPTIONS', 'OPTIONS /api/v1/forms HTTP/1.1'],
    ['PROPFIND', 'PROPFIND /api/v1/forms HTTP/1.1'],
    ['TRACE', 'TRACE /api/v1/forms HTTP/1.1'],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1'],
  ])('gets 404 for %s', async (_what, line) => {
    const setting = await prepare()

    expectShape(await send(setting, [line, host, key, close]), 404, 'NOT_FOUND')

    await setting.expectUnharmed()
  })

  test.each(['page=%zz', 'page=%ff', 'page=%00', 'perPage=1e1', 'page=1&page=x', 'perPage=99999999999999999999'])(
    'gets 400 for the query %s',
    async (query) => {
      const setting = await prepare()

      const answer = await send(setting, [`GET /api/v1/forms?${query} HTTP/1.1`, host, key, close])

      expectShape(answer, 400, 'BAD_REQUEST')
      await setting.expectUnharmed()
    },
  )

  const body = '{"a":1}'
  const chunked = 'Transfer-Encoding: chunked'

  test.each([
    ['no Host in HTTP/1.1', [list, key, close], '', 400],
    ['a length and chunks', [...submit, 'Content-Length: 7', chunked], chunk(body) + chunk(), 400],
    ['two lengths', [...submit, 'Content-Length: 7', 'Content-Length: 8'], body, 400],
    ['a length with a sign', [...submit, 'Content-Length: +7'], body, 400],
    ['a negative length', [...submit, 'Content-Length: -7'], body, 400],
    ['a length in hexadecimal', [...submit, 'Content-Length: 0x7'], body, 400],
    ['a length beyond all numbers', [...submit, `Content-Length: ${'9'.repeat(30)}`], body, 400],
    ['a chunk of no length', [...submit, chunked], `zz\r\n${body}\r\n${chunk()}`, 400],
    ['an unknown coding', [...submit, 'Transfer-Encoding: gzip, chunked'], chunk(body) + chunk(), 400],
    ['a coding that resembles chunked', [...submit, 'Transfer-Encoding: xchunked'], chunk(body) + chunk(), 400],
    ['a space before the colon', [...submit, 'Transfer-Encoding : chunked'], chunk(body) + chunk(), 400],
    ['NUL in a header', [...submit, 'X-Y: a\0b'], '', 400],
    ['a header on two lines', [...submit, 'X-Y: a', ' b'], '', 400],
    ['NUL in the path', ['GET /heal\0thz HTTP/1.1', host, close], '', 505],
    ['a space in the path', ['GET /a b HTTP/1.1', host, close], '', 505],
    ['a path without a slash', ['GET healthz HTTP/1.1', host, close], '', 400],
    ['a star for a path', ['OPTIONS * HTTP/1.1', host, close], '', 400],
    ['bare line feeds', ['GET /healthz HTTP/1.1\nHost: localhost\n'], '', 505],
    ['a later HTTP', ['GET /healthz HTTP/1.2', host, close], '', 505],
    ['the greeting of HTTP/2', ['PRI * HTTP/2.0'], 'SM\r\n\r\n', 400],
    ['the greeting of TLS', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'], '', 400],
    ['a path of 100,000 characters', [`GET /${'a'.repeat(100_000)} HTTP/1.1`, host, close], '', 431],
    ['a header of 100,000 characters', [list, host, key, `X-Y: ${'a'.repeat(100_000)}`, close], '', 431],
    ['500 headers', [list, host, key, ...Array<string>(500).fill('X-Y: a'), close], '', 431],
  ])('is refused by Bun itself for %s', async (_what, lines, content, status) => {
    const setting = await prepare()

    expectShape(await send(setting, lines, content), status, null)

    await setting.expectUnharmed()
  })

  test.each([
    ['a method that there is not', ['FOO /healthz HTTP/1.1', host, close], ''],
    ['half a request line', ['GET /api/v'], ''],
    ['half a body', [...submit, 'Content-Length: 100'], body],
    ['half a body in chunks', [...submit, chunked], chunk(body)],
    ['half an API body', ['POST /api/v1/forms HTTP/1.1', host, key, 'Content-Length: 100'], '{"title":"x"}'],
  ])('that ends after %s changes nothing', async (_what, lines, content) => {
    const setting = await prepare()
    const filled = lines.map((line) => line.replace('KEY', setting.ada.key).replace('FORM', setting.formId))
    const bytes = message(filled, content)
    const sent = filled.length === 1 ? bytes.subarray(0, -4) : bytes

    // Bun closes the connection as soon as the client has: there is nobody to answer.
    expect(await inTime(exchange(setting.server.url, sent, { hangUp: true }))).toEqual([])

    await setting.expectUnharmed()
  })

  test('does not smuggle a second one in the body that nobody reads', async () => {
    const setting = await prepare()
    const hidden = message([
      `DELETE /api/v1/forms/${setting.formId} HTTP/1.1`,
      host,
      `Authorization: Bearer ${setting.ada.key}`,
    ])
    const first = message(['POST /api/v1/forms HTTP/1.1', host, `Content-Length: ${hidden.length}`], hidden)
    const last = message(['GET /healthz HTTP/1.1', host, close])

    const answers = await inTime(exchange(setting.server.url, Buffer.concat([first, last])))

    expect(answers.map(({ status }) => status)).toEqual([401, 200])
    await setting.expectUnharmed()
  })
})

/** The service in a process of its own, on a form that is there already. */
const spawnService = async () => {
  const folder = temporaryFolder()
  const { server, ada, formId } = await prepare(folder)
  await server.stop()
  const command = process.env.TEST_EXECUTABLE ? [process.env.TEST_EXECUTABLE] : [process.execPath, 'src/main.ts']
  const env = { FORMBOX_DATA: folder, FORMBOX_PORT: '0', FORMBOX_RATE_LIMIT: '0', FORMBOX_SUBMIT_LIMIT: '0' }
  const child = Bun.spawn([...command, 'serve'], {
    cwd: `${import.meta.dir}/../..`,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  afterThisTest(async () => {
    child.kill()
    await child.exited
  })
  const { value } = await child.stdout.getReader().read()
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0]
  const post = (path: string, body: string, type: string) =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': type, authorization: `Bearer ${ada.key}` },
    })
  /** The most memory that was ever resident, in MiB. */
  const peak = () => Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  return { formId, post, peak }
}

describe.skipIf(process.platform !== 'linux')('the memory and time that it takes to refuse', () => {
  const urlencoded = 'application/x-www-form-urlencoded'
  const json = 'application/json'
  const multipart = 'multipart/form-data; boundary=edge'
  const part = (name: string, value: string) =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const repeat = (text: (i: number) => string, count: number) =>
    Array.from({ length: count }, (_, i) => text(i)).join('')

  test.each([
    ['a field of an enormous index', 200, urlencoded, 'x[30000000]=1'],
    ['the same in multipart/form-data', 200, multipart, `${part('x[30000000]', '1')}--edge--\r\n`],
    ['a million percent signs', 200, urlencoded, '%'.repeat(1_000_000)],
    ['10,000 nested arrays', 400, json, `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a million brackets', 400, json, '['.repeat(1_000_000)],
    ['170,000 members', 400, json, `{${repeat(() => '"":0,', 170_000)}"":0}`],
    ['300,000 objects', 200, json, `{"a":[${repeat(() => '{},', 300_000)}{}]}`],
    ['a number of a million digits', 200, json, `{"a":${'9'.repeat(1_000_000)}}`],
    ['text that never ends', 400, json, `{"a":"${'\\'.repeat(1_000_000)}`],
    ['18,000 parts', 400, multipart, `${repeat((i) => part(String(i), ''), 18_000)}--edge--\r\n`],
    [
      '14,000 parts of replacement characters',
      400,
      multipart,
      `${repeat((i) => part(`�${i}`, `�${i}`), 7000)}--edge--\r\n`,
    ],
    ['a million boundaries', 400, multipart, '--edge\r\n'.repeat(125_000)],
  ])(
    'of a submission with %s is small',
    async (_what, status, type, body) => {
      const { formId, post, peak } = await spawnService()
      await post(`/s/${formId}`, 'a=1', urlencoded)
      const before = peak()

      expect(body.length).toBeLessThanOrEqual(mebibyte)
      for (let i = 0; i < 5; i++) expect((await inTime(post(`/s/${formId}`, body, type))).status).toBe(status)

      expect(peak() - before).toBeLessThan(maxGrowth)
      expect((await inTime(post(`/s/${formId}`, 'a=1', urlencoded))).status).toBe(200)
    },
    30_000,
  )

  test('of a submission with 500,000 fields is small', async () => {
    const { formId, post, peak } = await spawnService()
    await post(`/s/${formId}`, 'a=1', urlencoded)
    const before = peak()

    for (let i = 0; i < 5; i++)
      expect((await inTime(post(`/s/${formId}`, '&a'.repeat(500_000), urlencoded))).status).toBe(400)

    expect(peak() - before).toBeLessThan(maxGrowth)
  }, 30_000)

  test('of a bulk body with 5,500,000 items is small', async () => {
    const { post, peak } = await spawnService()
    await post('/api/v1/forms', '{"title":"x"}', json)
    const before = peak()

    const response = await inTime(post('/api/v1/forms/bulk', `{"forms":[${'{},'.repeat(5_500_000)}{}]}`, json))

    expect(response.status).toBe(400)
    expect(peak() - before).toBeLessThan(maxGrowth)
  }, 30_000)
})
