// Broken or hostile HTTP, which no client library sends, gets an error in the usual shape and changes nothing.
import { describe, expect, test } from 'bun:test'
import { answerTo, chunk, exchange, message, type RawAnswer } from '../raw-http.ts'
import { inTime, prepare, type Setting } from './unharmed.ts'

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
    ['five numbers', ['Host: 1.2.3.4.5']],
    ['half an address', ['Host: [1:1]']],
    ['a wrong international name', ['Host: xn--a']],
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

  test('is refused with the same length twice, which Bun lets through as one of two', async () => {
    const setting = await prepare()
    const lines = ['POST /api/v1/forms HTTP/1.1', host, key, 'Content-Type: application/json', close]
    const length = 'Content-Length: 7'
    const answer = await send(setting, [...lines, length, length], body)
    expectShape(answer, 400, 'BAD_REQUEST')
    expect(answer?.body).toContain('Content-Length: must be one whole number')
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

    // Bun closes the connection as soon as the client has: there is no one to answer.
    expect(await inTime(exchange(setting.server.url, sent, { hangUp: true }))).toEqual([])

    await setting.expectUnharmed()
  })

  test('does not smuggle a second one in the body that no one reads', async () => {
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
