// Decisions 22, 23, 25 and 27: who gets which answer for a submission, and what is kept of it. How each content type is
// read stands in the other files that begin with `collect-`.
import { describe, expect, test } from 'bun:test'
import { connect } from '../../src/storage/open.ts'
import { submissions } from '../../src/storage/tables.ts'
import {
  type Answer,
  afterThisTest,
  type Server,
  serverWithUser,
  startServer,
  toAnswer,
  type User,
} from '../harness.ts'
import { readPage } from '../read-page.ts'
import { world } from '../world.ts'

const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const post = async (server: Server, formId: string, body: string, headers: Record<string, string> = {}) =>
  toAnswer(await server.fetch(`/s/${formId}`, { method: 'POST', body, headers: { ...urlencoded, ...headers } }))
const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

const submissionsOf = async (user: User, formId: string) =>
  (await user.call('GET', `/forms/${formId}/submissions`)).body.submissions

const expectError = (answer: Answer, status: number, code: string, text: string) => {
  expect(answer.status).toBe(status)
  expect(answer.body).toMatchObject({ code, message: text, error: { code, message: text } })
  expect(answer.headers.get('x-request-id')).toMatch(/\S/)
}

describe('POST /s/:formId', () => {
  test('answers a script with the identifiers of what the API then reads back', async () => {
    const { server, ada, formId } = await world()
    const before = Date.now()

    const answer = await post(server, formId, 'name=Grace&message=Hello')

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[\w-]{1,64}$/), formId, ok: true })
    expect(answer.headers.get('x-request-id')).toMatch(/\S/)
    const read = await ada.call('GET', `/forms/${formId}/submissions/${answer.body.id}`)
    expect(read.body).toEqual({
      id: answer.body.id,
      formId,
      data: { name: 'Grace', message: 'Hello' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(Date.parse(read.body.createdAt)).toBeWithin(before, Date.now() + 1)
    const form = await ada.call('GET', `/forms/${formId}`)
    expect(form.body).toMatchObject({ keys: ['name', 'message'], submissionCount: 1, updatedAt: null })
  })

  test('has the submission in the data file when it answers', async () => {
    const { server, formId } = await world({ server: await startServer() })
    const db = connect(server.folder)
    afterThisTest(() => db.$client.close())

    for (let i = 0; i < 20; i++) {
      const { body } = await post(server, formId, `n=${i}`)

      const stored = db.select().from(submissions).all()
      expect(stored.at(-1)).toMatchObject({ id: body.id, data: `{"n":"${i}"}` })
      expect(stored).toHaveLength(i + 1)
    }
  })

  test('takes no key, and does not look at one', async () => {
    const { server, ada, formId } = await world()

    const answer = await post(server, formId, 'a=1', { authorization: 'Bearer api_wrong' })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
    expect(await submissionsOf(ada, formId)).toHaveLength(1)
  })

  test('answers a submission to a deleted form with 404', async () => {
    const { server, ada, formId } = await world()
    await ada.call('DELETE', `/forms/${formId}`)

    expectError(await post(server, formId, 'a=1'), 404, 'NOT_FOUND', 'Form not found')
  })

  test.each(['unknown', 'bulk', '0'.repeat(28), 'a'.repeat(5000), '%00', '%ff', '..%2Fs'])(
    'answers a submission to the form %p with 404 and keeps nothing',
    async (formId) => {
      const { server, ada } = await serverWithUser()
      const own = await ada.createForm()

      expectError(await post(server, formId, 'a=1'), 404, 'NOT_FOUND', 'Form not found')

      expect(await submissionsOf(ada, own)).toEqual([])
    },
  )

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('answers %s with 404 and keeps nothing', async (method) => {
    const { server, ada, formId } = await world()
    const body = method === 'GET' ? {} : { body: 'a=1', headers: urlencoded }

    expectError(await toAnswer(await server.fetch(`/s/${formId}`, { method, ...body })), 404, 'NOT_FOUND', 'Not found')

    expect(await submissionsOf(ada, formId)).toEqual([])
  })
})

describe('POST /s/:formId from a browser', () => {
  test('leads to the return URL of the form with 303', async () => {
    const { server, ada, formId } = await world({ form: { returnUrl: 'https://example.com/thanks?from=form#top' } })

    const answer = await post(server, formId, 'a=1', { accept: firefox })

    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('https://example.com/thanks?from=form#top')
    expect(answer.body).toBe('')
    expect(await submissionsOf(ada, formId)).toMatchObject([{ data: { a: '1' } }])
  })

  test.each([
    'https://example.com',
    'HTTPS://Example.com:443/a/../b',
    "http://[::1]:8080/a%2fb;c=1?d[]=e&f='g'(h)*!,$@~#top",
  ])('leads there as it was written: %s', async (returnUrl) => {
    const { server, formId } = await world({ form: { returnUrl } })

    const answer = await post(server, formId, 'a=1', { accept: firefox })

    expect([answer.status, answer.headers.get('location')]).toEqual([303, returnUrl])
  })

  test('writes a return URL beyond ASCII so that a header can hold it', async () => {
    const { server, formId } = await world({ form: { returnUrl: 'https://bücher.example/größe/😀' } })

    const answer = await post(server, formId, 'a=1', { accept: firefox })

    expect(answer.headers.get('location')).toBe('https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe/%F0%9F%98%80')
  })

  test('shows a thank-you page where the form has no return URL, with the title as text', async () => {
    const { server, ada } = await serverWithUser()
    const formId = await ada.createForm({ title: '<script>alert(1)</script> & "more"' })

    const answer = await post(server, formId, 'a=1', { accept: firefox })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('x-request-id')).toMatch(/\S/)
    expect(readPage(answer.body).heading).toBe('Thank you')
    expect(answer.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;')
    expect(answer.body).not.toContain('<script>alert')
    expect(await submissionsOf(ada, formId)).toHaveLength(1)
  })

  test('shows the thank-you text of the form, as text, with its line breaks', async () => {
    const { server, ada, formId } = await world({ form: { title: 'Contact' } })
    const set = (thankYou: string | null) => ada.call('PATCH', `/forms/${formId}/settings`, { thankYou })
    await set('Danke!\n\n<b>Bis bald</b> & "mehr"')
    const { status, headers, body } = await post(server, formId, 'a=1', { accept: firefox })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(body).toContain(
      '<h1><bdi lang="">Contact</bdi></h1>\n<p><bdi lang="">Danke!\n\n&lt;b&gt;Bis bald&lt;/b&gt; &amp; &quot;mehr&quot;</bdi></p>',
    )
    expect(body).not.toContain('Thank you')
    await set(null)
    expect(readPage((await post(server, formId, 'a=1', { accept: firefox })).body).heading).toBe('Thank you')
  })

  test('sends a browser to the return URL where the form has a thank-you text too', async () => {
    const { server, ada, formId } = await world({ form: { returnUrl: 'https://example.com/thanks' } })
    await ada.call('PATCH', `/forms/${formId}/settings`, { thankYou: 'Danke!' })
    const answer = await post(server, formId, 'a=1', { accept: firefox })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('https://example.com/thanks')
  })

  test.each([
    ['an unknown form', 'unknown', 'a=1', 404, 'It may have been deleted.'],
    ['a body without a field', undefined, '', 400, 'The form was empty.'],
    ['what is not UTF-8', undefined, 'a=%ff', 400, 'The server could not read what your browser sent.'],
    ['a body over the limit', undefined, `a=${'x'.repeat(1024 * 1024)}`, 413, 'this form takes up to 1 MB of text.'],
  ])('shows a page that says what is wrong with %s', async (_what, target, body, status, sentence) => {
    const { server, ada, formId } = await world({ form: { returnUrl: 'https://example.com/thanks' } })

    const answer = await post(server, target ?? formId, body, { accept: firefox })

    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('location')).toBeNull()
    expect(answer.body).toContain(sentence)
    if (status !== 404) expect(readPage(answer.body).heading).toBe('Your message was not sent')
    if (status !== 404) expect(answer.body).toContain('What you typed is still there.')
    expect(await submissionsOf(ada, formId)).toEqual([])
  })

  test('says what the address of a form is for, where it is opened like a page', async () => {
    const { server, formId } = await world()
    const open = (accept: string) => fetch(`${server.url}/s/${formId}`, { headers: { accept } })
    const answer = await open(firefox)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('To write a message, go back to the page with the form.')
    expect(await (await open('*/*')).json()).toMatchObject({ code: 'NOT_FOUND', message: 'Not found' })
  })

  test('shows no name of a field in an error', async () => {
    const { server, formId } = await world()

    const answer = await post(server, formId, '%3Cimg+src=%00', { accept: firefox })

    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain('img src')
    expect(answer.body).not.toContain('NUL')
  })

  test.each([
    [firefox, 'a form', true],
    ['TEXT/HTML', 'a form', true],
    [firefox, 'JSON', false],
    ['*/*', 'a form', false],
    ['application/json', 'a form', false],
    ['text/plain', 'a form', false],
    ['text/html;q=0', 'a form', false],
    ['application/json, Text/HTML ; level=1; Q=0.0', 'a form', false],
    ['application/json, text/html;q=0.01', 'a form', true],
  ])('is what accepts %p and sends %s: %p', async (accept, what, isBrowser) => {
    const { server, formId } = await world({ form: { returnUrl: 'https://example.com/thanks' } })
    const [body, headers] = what === 'JSON' ? ['{"a":1}', { ...json, accept }] : ['a=1', { accept }]

    const answer = await post(server, formId, body, headers)
    const refused = await post(server, 'unknown', body, headers)

    expect(answer.status).toBe(isBrowser ? 303 : 200)
    if (!isBrowser) expect(answer.body).toEqual({ id: expect.any(String), formId, ok: true })
    expect(refused.status).toBe(404)
    expect(refused.headers.get('content-type')).toStartWith(isBrowser ? 'text/html' : 'application/json')
  })
})

describe('control fields', () => {
  const next = 'https://example.com/next?a=b#c'
  const parts = (fields: Record<string, string>): string =>
    Object.entries(fields)
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('')

  test.each([
    [
      'in a form',
      urlencoded,
      `_subject=Hi&a=1&_next=${encodeURIComponent(next)}&_replyto=x%40y.example&_idempotency=k`,
    ],
    [
      'in JSON',
      json,
      JSON.stringify({ _subject: 'Hi', a: '1', _next: next, _replyto: 'x@y.example', _idempotency: 'k' }),
    ],
    [
      'in multipart',
      { 'content-type': 'multipart/form-data; boundary=b' },
      `${parts({ _subject: 'Hi', a: '1', _next: next, _replyto: 'x@y.example', _idempotency: 'k' })}--b--\r\n`,
    ],
  ])('are not part of the data, and no keys, except _replyto: %s', async (_where, type, body) => {
    const { server, ada, formId } = await world()
    const answer = await post(server, formId, body, type)
    expect(answer).toMatchObject({ status: 200, body: { formId } })
    expect(await submissionsOf(ada, formId)).toMatchObject([{ data: { a: '1', _replyto: 'x@y.example' } }])
    expect((await ada.call('GET', `/forms/${formId}`)).body.keys).toEqual(['a', '_replyto'])
  })

  test.each([
    ['to _next on the origin of the return URL', 'https://example.com/thanks', next, next],
    [
      'to the return URL where _next is elsewhere',
      'https://example.com/thanks',
      'https://evil.example/',
      'https://example.com/thanks',
    ],
    ['to the return URL where _next is empty', 'https://example.com/thanks', '', 'https://example.com/thanks'],
    ['to the thank-you page where the form has no return URL', null, next, null],
  ])('send a browser %s', async (_where, returnUrl, asked, location) => {
    const { server, ada, formId } = await world({ form: { returnUrl } })
    for (const robot of ['', '&_gotcha=x']) {
      const body = `a=1&_next=${encodeURIComponent(asked)}${robot}`
      const answer = await post(server, formId, body, { accept: firefox })
      expect(answer.status).toBe(location === null ? 200 : 303)
      expect(answer.headers.get('location')).toBe(location)
    }
    expect(await submissionsOf(ada, formId)).toHaveLength(1)
  })

  test('are no fields: a submission of nothing else is refused', async () => {
    const { server, formId } = await world()
    const answer = await post(server, formId, '_subject=Hi&_next=https%3A%2F%2Fexample.com%2F')
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toEqual([{ message: 'body: must hold at least one field' }])
  })
})

describe('the honeypot, a field named _gotcha', () => {
  test.each([
    ['text', 'a=1&_gotcha=spam', urlencoded],
    ['white space', 'a=1&_gotcha=+', urlencoded],
    ['text beside an empty one', 'a=1&_gotcha=&_gotcha=spam', urlencoded],
    ['text and nothing else', '_gotcha=spam', urlencoded],
    ['JSON text', '{"a":1,"_gotcha":"spam"}', json],
    ['an escaped name', '{"a":1,"_got\\u0063ha":"spam"}', json],
    ['an object', '{"a":1,"_gotcha":{}}', json],
  ])('takes a submission that fills it with %s for spam: success, but neither listed nor counted', async (...given) => {
    const [, body, type] = given
    const { server, ada, formId } = await world({ form: { returnUrl: 'https://example.com/thanks' } })

    const answer = await post(server, formId, body, type)
    const inBrowser = await post(server, formId, body, { ...type, accept: firefox })

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[\w-]{28}$/), formId, ok: true })
    expect(inBrowser.status).toBe(type === json ? 200 : 303)
    const list = await ada.call('GET', `/forms/${formId}/submissions`)
    expect(list.body).toMatchObject({ submissions: [], pagination: { total: 0 } })
    expect((await ada.call('GET', `/forms/${formId}`)).body).toMatchObject({ keys: [], submissionCount: 0 })
    expect((await ada.call('GET', `/forms/${formId}/submissions/${answer.body.id}`)).status).toBe(404)
  })

  test.each([
    ['in a form', 'a=1&_gotcha=', urlencoded, { a: '1' }],
    ['in JSON', '{"_gotcha":"","a":1}', json, { a: 1 }],
    ['as null', '{"_gotcha":null,"a":1}', json, { a: 1 }],
  ])('is left out of what is stored when it is empty %s', async (_where, body, type, data) => {
    const { server, ada, formId } = await world()

    expect((await post(server, formId, body, type)).status).toBe(200)

    expect(await submissionsOf(ada, formId)).toMatchObject([{ data }])
    expect((await ada.call('GET', `/forms/${formId}`)).body).toMatchObject({ keys: ['a'], submissionCount: 1 })
  })

  test('is no field: a submission that holds nothing but an empty one is refused', async () => {
    const { server, ada, formId } = await world()

    expectError(await post(server, formId, '_gotcha='), 400, 'BAD_REQUEST', 'Invalid input data')

    expect(await submissionsOf(ada, formId)).toEqual([])
  })
})

describe('the keys of a form', () => {
  test('are the names of the fields in the order in which they were first seen', async () => {
    const { server, ada, formId } = await world()
    const keys = async () => (await ada.call('GET', `/forms/${formId}`)).body.keys

    await post(server, formId, 'name=Ada&email=a&name=Grace')
    await post(server, formId, '{"zip":1,"email":{"inner":2},"10":3,"2":4}', json)
    await post(server, formId, 'refused=%ff')

    expect(await keys()).toEqual(['name', 'email', 'zip', '10', '2'])
    const ids = (await submissionsOf(ada, formId)).map((submission: { id: string }) => submission.id)
    await ada.call('DELETE', `/forms/${formId}/submissions/bulk`, { ids })
    expect(await keys()).toEqual(['name', 'email', 'zip', '10', '2'])
  })

  test('are at most 500; further names are stored with the submission all the same', async () => {
    const { server, ada, formId } = await world()
    const names = Array.from({ length: 700 }, (_, i) => `field ${i}`)

    for (const some of [names.slice(0, 450), names])
      await post(server, formId, new URLSearchParams(some.map((name) => [name, 'x'])).toString())

    const { keys } = (await ada.call('GET', `/forms/${formId}`)).body
    expect(keys).toEqual(names.slice(0, 500))
    const [latest] = await submissionsOf(ada, formId)
    expect(Object.keys(latest.data)).toEqual(names)
  })
})
