// A form that names the origins whose pages may send to it.
import { describe, expect, test } from 'bun:test'
import { sharedServer, startServer, toAnswer } from '../harness.ts'
import { answerTo, message } from '../raw-http.ts'
import { readPage } from '../read-page.ts'
import { type Wanted, world } from '../world.ts'
import { errorBody } from './error-body.ts'

const urlencoded = 'application/x-www-form-urlencoded'
const shop = 'https://shop.example'
const origins = [shop, 'https://*.example.com']

const prepare = async ({ form = {}, server }: Wanted = {}) => {
  const prepared = await world({ ...(server && { server }), form: { allowedOrigins: origins, ...form } })
  const send = (headers: Record<string, string>, init: RequestInit = { method: 'POST', body: 'a=1' }) =>
    prepared.server.fetch(`/s/${prepared.formId}`, { ...init, headers: { 'content-type': urlencoded, ...headers } })
  return { ...prepared, send }
}

const cors = ({ headers }: { headers: Headers }) => [headers.get('access-control-allow-origin'), headers.get('vary')]

const hidden = 'is null: the page keeps it secret, as with Referrer-Policy no-referrer'

describe('POST /s/:formId of a form with allowed origins', () => {
  test.each([
    ['an origin of the form', { origin: shop }, shop],
    ['one a level below', { origin: 'https://a.example.com' }, 'https://a.example.com'],
    ['an origin that no browser would write like that', { origin: 'HTTPS://Shop.example:443' }, shop],
    ['a page of one, without Origin', { referer: `${shop}/contact?a=b` }, null],
    ['the origin alone as Referer', { referer: `${shop}/` }, null],
    ['an empty Origin and a Referer', { origin: '', referer: `${shop}/` }, null],
  ])('takes what comes from %s', async (_what, headers, named) => {
    const { send, form } = await prepare()
    const answer = await send(headers as Record<string, string>)
    expect([answer.status, ...cors(answer)]).toEqual([200, named, 'Origin'])
    expect(answer.headers.get('access-control-expose-headers')).toBe('X-Request-Id, Retry-After, Idempotency-Replayed')
    expect((await form()).submissionCount).toBe(1)
  })

  test.each([
    ['another origin', { origin: 'https://evil.example' }, 'is https://evil.example'],
    [
      'another origin, with a Referer of ours',
      { origin: 'https://evil.example', referer: `${shop}/` },
      'is https://evil.example',
    ],
    ['the other scheme', { origin: 'http://shop.example' }, 'is http://shop.example'],
    ['another port', { origin: `${shop}:8443` }, `is ${shop}:8443`],
    ['two levels below', { origin: 'https://a.b.example.com' }, 'is https://a.b.example.com'],
    ['none below', { origin: 'https://example.com' }, 'is https://example.com'],
    ['a page that keeps its origin secret', { origin: 'null', referer: `${shop}/` }, hidden],
    ['two origins', { origin: `${shop}, https://evil.example` }, hidden],
    ['a page of another origin', { referer: `https://evil.example/${shop}/` }, 'is https://evil.example'],
    ['a file', { origin: 'file://' }, hidden],
    ['what is no URL', { referer: 'shop.example' }, hidden],
    ['nowhere, such as curl', {}, 'is missing'],
  ])('refuses what comes from %s', async (_what, headers, problem) => {
    const { send, form } = await prepare()
    const answer = await toAnswer(await send(headers as Record<string, string>))
    expect([answer.status, ...cors(answer)]).toEqual([403, null, 'Origin'])
    const issue = { message: `Origin: must be one of the allowed origins of the form, ${problem}` }
    expect(answer.body).toEqual(errorBody('FORBIDDEN', 'This form does not take submissions from this origin', [issue]))
    expect((await form()).submissionCount).toBe(0)
  })

  test('shows a browser a page, with the origin as text', async () => {
    const { send, formId } = await prepare({ form: { returnUrl: shop } })
    const answer = await send({ origin: 'https://evil.example', accept: 'text/html' })
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null])
    const page = await answer.text()
    expect(readPage(page).heading).toBe('Your message was not sent')
    expect(page).toContain('This form does not take messages from <bdi lang="">https://evil.example</bdi>.')
    expect(page).toContain('If this is your website, add it to the pages that may send')
    expect(page).not.toContain(shop)
    expect(page).not.toContain(formId)
  })

  test('answers before the body arrives', async () => {
    const { server, formId } = await prepare()
    const lines = [`POST /s/${formId} HTTP/1.1`, 'Host: x', `Content-Type: ${urlencoded}`, 'Content-Length: 1000000']
    const from = ['Origin: https://evil.example', 'Connection: close']
    expect((await answerTo(server.url, message([...lines, ...from], 'a=')))?.status).toBe(403)
  })

  test('names the origin on errors, pages and redirects too', async () => {
    const { send, change, ada, path } = await prepare()
    const html = { origin: shop, accept: 'text/html' }
    const statusAndCors = async (...sent: Parameters<typeof send>) => {
      const answer = await send(...sent)
      return [answer.status, ...cors(answer)]
    }
    expect(await statusAndCors({ origin: shop }, { method: 'POST', body: '%ff' })).toEqual([400, shop, 'Origin'])
    expect(await statusAndCors(html, { method: 'POST', body: '%ff' })).toEqual([400, shop, 'Origin, Accept-Language'])
    const long = { method: 'POST', body: 'a'.repeat(1024 * 1024 + 1) }
    expect(await statusAndCors({ origin: shop }, long)).toEqual([413, shop, 'Origin'])
    expect(await statusAndCors(html)).toEqual([200, shop, 'Origin, Accept-Language'])
    await ada.call('PATCH', path, { returnUrl: 'https://example.org' })
    expect(await statusAndCors(html)).toEqual([303, shop, 'Origin'])
    await change({ open: false })
    expect(await statusAndCors({ origin: shop })).toEqual([403, shop, 'Origin'])
    expect(await statusAndCors({ origin: 'https://evil.example' })).toEqual([403, null, 'Origin'])
  })

  test('names the origin when there were too many, and counts what it refuses', async () => {
    const { send } = await prepare({ server: await startServer({ settings: { FORMBOX_SUBMIT_LIMIT: '1' } }) })
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403)
    const answer = await send({ origin: shop })
    expect([answer.status, ...cors(answer)]).toEqual([429, shop, 'Origin'])
  })

  test('names the origin in the preflight, and none to others', async () => {
    const { send } = await prepare()
    const preflight = (origin: string) =>
      send({ origin, 'access-control-request-method': 'POST' }, { method: 'OPTIONS' })
    const answer = await preflight(shop)
    expect([answer.status, ...cors(answer)]).toEqual([204, shop, 'Origin'])
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST')
    expect(cors(await preflight('https://evil.example'))).toEqual([null, 'Origin'])
    expect(cors(await preflight('null'))).toEqual([null, 'Origin'])
  })

  test('names the origin with a challenge, and not with the script, which is the same for all', async () => {
    const { server, formId, change } = await prepare()
    await change({ challenge: true })
    const get = async (path: string, origin: string) => cors(await server.fetch(path, { headers: { origin } }))
    expect(await get(`/s/${formId}/challenge`, shop)).toEqual([shop, 'Origin'])
    expect(await get(`/s/${formId}/challenge`, 'https://evil.example')).toEqual([null, 'Origin'])
    expect(await get('/challenge.js', 'https://evil.example')).toEqual(['*', null])
  })

  test('takes all again once there are none, as any other form does', async () => {
    const { send, change } = await prepare()
    await change({ allowedOrigins: [] })
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const answer = await send(headers as Record<string, string>)
      expect([answer.status, ...cors(answer)]).toEqual([200, '*', null])
    }
  })

  test.each([
    [{}, 'http://forms.lan:8080', 200],
    [{}, 'http://forms.lan', 403],
    [{ FORMBOX_URL: 'https://forms.example' }, 'https://forms.example', 200],
    [{ FORMBOX_URL: 'https://forms.example' }, 'http://forms.example', 403],
  ])('takes what comes from a page of this server, with %j: %s', async (settings, origin, status) => {
    const { send } = await prepare({ server: await sharedServer(settings as Record<string, string>) })
    const answer = await send({ host: 'forms.lan:8080', origin })
    expect([answer.status, ...cors(answer)]).toEqual([status, status === 200 ? origin : null, 'Origin'])
  })
})

describe('a form that apps and extensions send to', () => {
  const apps = ['capacitor://localhost', 'chrome-extension://abcdefgh', shop]

  test('takes what they send, with CORS for the app alone', async () => {
    const { send, form } = await prepare({ form: { allowedOrigins: apps } })
    const preflight = { method: 'OPTIONS', headers: {} }
    for (const origin of apps) {
      expect([(await send({ origin })).status, ...cors(await send({ origin }))]).toEqual([200, origin, 'Origin'])
      const headers = { origin, 'access-control-request-method': 'POST' }
      expect(cors(await send(headers, preflight))).toEqual([origin, 'Origin'])
    }
    expect((await send({ referer: 'capacitor://localhost/contact?a=b' })).status).toBe(200)
    expect((await form()).submissionCount).toBe(7)
  })

  test.each([
    ['tauri://localhost', 'is tauri://localhost'],
    ['http://localhost', 'is http://localhost'],
    ['capacitor://localhost:1', 'is capacitor://localhost:1'],
    ['capacitor://LOCALHOST', 'is capacitor://LOCALHOST'],
    ['capacitor://localhost.evil.example', 'is capacitor://localhost.evil.example'],
    ['capacitor://localhost@evil.example', hidden],
    ['file://localhost', hidden],
    ['null', hidden],
  ])('refuses what comes from %s', async (origin, problem) => {
    const { send } = await prepare({ form: { allowedOrigins: apps } })
    const answer = await toAnswer(await send({ origin }))
    expect([answer.status, ...cors(answer)]).toEqual([403, null, 'Origin'])
    const message = `Origin: must be one of the allowed origins of the form, ${problem}`
    expect(answer.body.issues).toEqual([{ message }])
  })

  test('names them where they may frame its page, and not where visitors go after sending', async () => {
    const fields = [{ name: 'a' }]
    const { server, formId } = await prepare({ form: { allowedOrigins: apps, fields, page: { frame: true } } })
    const policy = (await server.fetch(`/f/${formId}`)).headers.get('content-security-policy')
    expect(policy).toContain(`; frame-ancestors ${apps.join(' ')};`)
    expect(policy).toContain(`; form-action 'self' ${shop};`)
  })
})

describe('_next', () => {
  test.each([
    [null, `${shop}/thanks`, `${shop}/thanks`],
    [null, 'https://a.example.com/thanks', 'https://a.example.com/thanks'],
    [null, 'https://evil.example/', null],
    [null, 'https://example.org/', null],
    ['https://example.org/end', `${shop}/thanks`, `${shop}/thanks`],
    ['https://example.org/end', 'https://example.org/thanks', 'https://example.org/thanks'],
    ['https://example.org/end', 'https://evil.example/', 'https://example.org/end'],
    ['https://example.org/a/end', '/thanks/', 'https://example.org/thanks/'],
    ['https://example.org/a/end', 'thanks', 'https://example.org/a/thanks'],
    ['https://example.org/a/end', '?sent=1', 'https://example.org/a/end?sent=1'],
    ['https://example.org/a/end', `//${new URL(shop).host}/thanks`, `${shop}/thanks`],
    ['https://example.org/a/end', '//evil.example/', 'https://example.org/a/end'],
    ['https://example.org/a/end', '/\\evil.example/', 'https://example.org/a/end'],
    [null, '/thanks/', null],
  ])('of a form with the return address %j that asks for %s leads to %j', async (returnUrl, next, location) => {
    const { send } = await prepare({ form: { returnUrl } })
    const body = new URLSearchParams({ a: '1', _next: next }).toString()
    const answer = await send({ origin: shop, accept: 'text/html' }, { method: 'POST', body })
    expect([answer.status, answer.headers.get('location')]).toEqual([location ? 303 : 200, location])
  })
})
