// Bodies that are not JSON, not of the right shape or too long get 400 quickly and change nothing.
import { describe, expect, test } from 'bun:test'
import { serverWithUser, toAnswer } from '../harness.ts'
import { world } from '../world.ts'
import { badRequest } from './error-body.ts'
import { inTime, prepare } from './unharmed.ts'

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
      // A bulk deletion may have its identifiers in the query, and then this is no body.
      const isNoBody = method === 'DELETE' && body === 'null'
      const message = isNoBody ? 'ids: must be in the body or in the query' : issue
      expect(await response.json()).toEqual({ ...error, issues: [{ message }], error })
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

  test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'x'.repeat(101)])(
    'of the content coding %p is refused by every operation in words that say so',
    async (coding) => {
      const { ada, formId, expectUnharmed } = await prepare()

      for (const [method, path] of routes) {
        const answer = await ada.call(method, path.replace(':formId', formId), '{"title":"x"}', {
          'content-encoding': coding,
        })

        expect(answer.status, `${method} ${path}`).toBe(400)
        const message = `Content-Encoding: must be absent, is ${coding.slice(0, 100)}; compressed bodies are not supported`
        expect(answer.body.issues).toEqual([{ message }])
      }
      await expectUnharmed()
    },
  )

  test('of the content coding identity is taken, and so is any where there is no body', async () => {
    const { ada, formId } = await prepare()
    const call = (method: string, path: string, coding: string, body?: object) =>
      ada.call(method, path, body, { 'content-encoding': coding })

    expect((await call('POST', '/forms', ' Identity', { title: 'x' })).status).toBe(200)
    expect((await call('POST', `/forms/${formId}/duplicate`, 'gzip')).status).toBe(200)
    expect((await call('DELETE', `/forms/bulk?ids=${formId}`, 'gzip')).status).toBe(200)
  })

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
  const noId = ['5', 'null', 'true', '""', '["x"]', '{}', text(65)]
  const first = '{"title":"x","id":"x"}'
  const handled = '/forms/:formId/submissions/handling/bulk'

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
        ['DELETE', path, '{"ids":["x",%]}', '/ids/1', oneId, noId],
      ],
    ),
    ['PATCH', handled, '{"state":"done","ids":%}', '/ids', ids, noList],
    ['PATCH', handled, '{"state":"done","ids":["x",%]}', '/ids/1', oneId, noId],
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
describe('decision 5: a body that cannot be taken is 400 and says why', () => {
  const deep = (levels: number) => `{"title":"x","more":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const sized = (bytes: number) => `{"title":"${'x'.repeat(bytes - 12)}"}`
  const bodies: [what: string, body: string | Uint8Array, contentType: string | undefined, message: string][] = [
    ['empty', '', 'application/json', 'body: must be a JSON object, is empty'],
    ['text', '{"title":"x"}', 'text/plain', 'body: must have Content-Type application/json, has text/plain'],
    [
      'a form',
      'title=x',
      'application/x-www-form-urlencoded',
      'body: must have Content-Type application/json, has application/x-www-form-urlencoded',
    ],
    [
      'almost JSON',
      '{"title":"x"}',
      'application/jsonx',
      'body: must have Content-Type application/json, has application/jsonx',
    ],
    ['not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'application/json', 'body: must be UTF-8'],
    ['an overlong NUL', Uint8Array.of(0x22, 0xc0, 0x80, 0x22), 'application/json', 'body: must be UTF-8'],
    ['not JSON', '{title:"x"}', 'application/json', 'body: must be valid JSON'],
    ['cut', '{"title":"x"', 'application/json', 'body: must be valid JSON'],
    ['two values', '{"title":"x"}{}', 'application/json', 'body: must be valid JSON'],
    ['an array', '[{"title":"x"}]', 'application/json', 'body: must be a JSON object'],
    ['null', 'null', 'application/json', 'body: must be a JSON object'],
    ['a text value', '"title"', 'application/json', 'body: must be a JSON object'],
    ['65 levels', deep(65), 'application/json', 'body: must be nested at most 64 levels deep'],
    ['10,000 levels', deep(10_000), 'application/json', 'body: must be nested at most 64 levels deep'],
    ['1 byte too many', sized(1024 * 1024 + 1), 'application/json', 'body: must be at most 1048576 bytes'],
  ]
  test('on an operation that takes one', async () => {
    const { server, ada, formId: id } = await world()
    for (const [what, body, contentType, message] of bodies)
      for (const [method, path] of [
        ['POST', '/forms'],
        ['PATCH', `/forms/${id}`],
      ]) {
        const headers = { authorization: `Bearer ${ada.key}`, ...(contentType && { 'content-type': contentType }) }
        const response = await server.fetch(`/api/v1${path}`, {
          method: method as string,
          headers,
          body: body as string,
        })
        const answer = await toAnswer(response)
        expect([what, answer.status, answer.body]).toEqual([what, 400, badRequest(message)])
      }
    expect((await ada.call('GET', '/forms')).body.forms).toEqual([expect.objectContaining({ updatedAt: null })])
  })

  test('but 64 levels, one megabyte, a charset, other cases and a byte order mark are taken', async () => {
    const { ada } = await serverWithUser()
    const padded = `{"title":"x","more":"${'x'.repeat(1024 * 1024 - 23)}"}`
    expect(padded.length).toBe(1024 * 1024)
    for (const body of [deep(64), padded, '\ufeff{"title":"x"}', ' \r\n{"title":"x"}\t'])
      expect((await ada.call('POST', '/forms', body)).status).toBe(200)
    for (const type of ['Application/JSON', 'application/json; charset=UTF-8', 'application/json;charset="utf-8"'])
      expect((await ada.call('POST', '/forms', { title: 'x' }, { 'content-type': type })).status).toBe(200)
  })

  test('a body without an announced length has the same limit', async () => {
    const { server, ada } = await serverWithUser()
    const post = async (bytes: number) => {
      const text = new TextEncoder().encode(`{"title":"x","more":"${'x'.repeat(bytes - 23)}"}`)
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 65_536) controller.enqueue(text.slice(at, at + 65_536))
          controller.close()
        },
      })
      const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' }
      return toAnswer(await server.fetch('/api/v1/forms', { method: 'POST', headers, body }))
    }
    expect((await post(1024 * 1024)).status).toBe(200)
    expect((await post(1024 * 1024 + 1)).body).toEqual(badRequest('body: must be at most 1048576 bytes'))
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(1)
  })

  test('40 megabytes are 400 as well, with everything that an answer has', async () => {
    const { ada } = await serverWithUser()
    const { status, headers, body } = await ada.call('POST', '/forms', `{"title":"${'x'.repeat(40 * 1024 * 1024)}"}`)
    expect([status, body]).toEqual([400, badRequest('body: must be at most 1048576 bytes')])
    expect(headers.get('x-request-id')).toMatch(/\S/)
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(0)
  })
})
