// A form that its owner closed takes no submissions, whichever way they come, and loses nothing that it has.
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Server, serverWithUser, startServer, toAnswer, type User } from '../harness.ts'
import { answerTo, message } from '../raw-http.ts'
import { readPage } from '../read-page.ts'
import { owner } from '../visitor.ts'
import { siteWorld, world } from '../world.ts'

const urlencoded = 'application/x-www-form-urlencoded'

const withClosedForm = async (fields: object = {}) => {
  const { server, ada, formId: id } = await world({ form: fields })
  await setOpen(ada, id, false)
  const post = async (body: string, headers: Record<string, string> = {}) =>
    toAnswer(
      await server.fetch(`/s/${id}`, { method: 'POST', body, headers: { 'content-type': urlencoded, ...headers } }),
    )
  return { server, ada, id, post }
}

const setOpen = async (user: Pick<User, 'call'>, id: string, open: boolean): Promise<void> =>
  expect((await user.call('PATCH', `/forms/${id}/settings`, { open })).status).toBe(200)

const expectEmpty = async (user: Pick<User, 'call'>, id: string): Promise<void> => {
  expect((await user.call('GET', `/forms/${id}`)).body).toMatchObject({ keys: [], submissionCount: 0 })
  expect((await user.call('GET', `/forms/${id}/submissions`)).body.submissions).toEqual([])
}

describe('POST /s/:formId of a closed form', () => {
  test.each([
    ['urlencoded', 'a=1', urlencoded],
    ['JSON', '{"a":1}', 'application/json'],
    [
      'multipart',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
    ['a filled honeypot', '_gotcha=1', urlencoded],
    ['nothing', '', urlencoded],
    ['what cannot be read', '%ff', urlencoded],
    ['another content type', 'a=1', 'text/plain'],
    ['too long a body', 'a'.repeat(1024 * 1024 + 1), urlencoded],
  ])('answers 403 to %s, and stores nothing', async (_what, body, type) => {
    const { ada, id, post } = await withClosedForm()
    const answer = await post(body, { 'content-type': type })
    expect(answer.status).toBe(403)
    const error = { code: 'FORBIDDEN', message: 'This form is closed' }
    expect(answer.body).toEqual({ ...error, issues: [], error })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toBe('X-Request-Id, Retry-After, Idempotency-Replayed')
    await expectEmpty(ada, id)
  })

  test('tells a browser so on a page, and does not redirect', async () => {
    const { post } = await withClosedForm({ returnUrl: 'https://example.com/thanks' })
    const { status, headers, body } = await post('a=1', { accept: 'text/html' })
    expect(status).toBe(403)
    expect(headers.get('location')).toBeNull()
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(readPage(body).heading).toBe('This form is closed')
    expect(readPage(body).texts).toContain('It takes no messages at the moment.')
    expect(readPage(body).texts).toContainEqual(
      expect.stringMatching(/^What you sent was not stored\..*back button and copy it\.$/),
    )
  })

  test('answers before the body arrives', async () => {
    const { server, id } = await withClosedForm()
    const lines = [`POST /s/${id} HTTP/1.1`, 'Host: x', `Content-Type: ${urlencoded}`, 'Content-Length: 1000000']
    const answer = await answerTo(server.url, message([...lines, 'Connection: close'], 'a='))
    expect(answer?.status).toBe(403)
  })

  test('counts for the limit of the address, which comes first', async () => {
    const {
      server,
      ada,
      formId: id,
    } = await world({ server: await startServer({ settings: { FORMBOX_SUBMIT_LIMIT: '1' } }) })
    await setOpen(ada, id, false)
    const submit = async () => (await server.fetch(`/s/${id}`, { method: 'POST', body: 'a=1' })).status
    expect([await submit(), await submit()]).toEqual([403, 429])
  })

  test('takes submissions again once it is open, and has kept what it had', async () => {
    const { server, ada, id } = await withClosedForm()
    await setOpen(ada, id, true)
    const first = await server.submit(id, { a: 1 })
    await setOpen(ada, id, false)
    expect((await ada.call('GET', `/forms/${id}/submissions/${first}`)).status).toBe(200)
    await setOpen(ada, id, true)
    await server.submit(id, { a: 2 })
    expect((await ada.call('GET', `/forms/${id}`)).body.submissionCount).toBe(2)
  })

  test('answers the preflight as ever, and 404 once it is deleted', async () => {
    const { server, ada, id, post } = await withClosedForm()
    expect((await server.fetch(`/s/${id}`, { method: 'OPTIONS' })).status).toBe(204)
    await ada.call('DELETE', `/forms/${id}`)
    expect((await post('a=1')).status).toBe(404)
  })

  test('a duplicate of a closed form is closed', async () => {
    const { server, ada, id } = await withClosedForm()
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    expect((await server.fetch(`/s/${copy}`, { method: 'POST', body: 'a=1' })).status).toBe(403)
  })

  test('refuses a submission whose body was arriving when the form was closed', async () => {
    const { server, ada, id } = await withClosedForm()
    await setOpen(ada, id, true)
    const finish = await begin(server, id)
    await setOpen(ada, id, false)
    expect(await finish()).toStartWith('HTTP/1.1 403 Forbidden')
    await expectEmpty(ada, id)
  })
})

/** Sends all of a submission but its end. */
const begin = async (server: Server, id: string) => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const lines = [`POST /s/${id} HTTP/1.1`, 'Host: x', `Content-Type: ${urlencoded}`, 'Content-Length: 100000']
  const head = message([...lines, 'Connection: close'], 'a='.padEnd(50_000, 'x'))
  await new Promise<void>((resolve) => socket.write(head, () => resolve()))
  // The answer to a request that was sent later: then this one has been begun with.
  expect((await server.fetch('/healthz')).status).toBe(200)
  return async (): Promise<string> => {
    socket.write('x'.repeat(50_000))
    let answer = ''
    for await (const data of socket) answer += data
    return answer
  }
}

describe('the pages of a closed form', () => {
  test('say that it is closed, and so does the list of forms', async () => {
    const { ada, formId: id } = await siteWorld()
    const paths = ['/forms', ...['', '/embed', '/settings'].map((path) => `/forms/${id}${path}`)]
    for (const path of paths) expect((await ada.get(path)).texts, path).not.toContain('Closed')
    await setOpen(ada.api, id, false)
    for (const path of paths) expect((await ada.get(path)).texts, path).toContain('Closed')
  })

  test('offer no test submission, and take none', async () => {
    const { server } = await serverWithUser()
    const ada = await owner(server)
    const id = await ada.api.createForm()
    const embed = `/forms/${id}/embed`
    await setOpen(ada.api, id, false)
    const { html } = await ada.get(embed)
    expect(html).toContain(`href="/forms/${id}/settings/visitors#opening"`)
    expect(html).not.toContain('Send a test')
    for (const fields of [{ a: '1' }, { _gotcha: 'x' }]) {
      const answer = await ada.post(embed, fields as Record<string, string>)
      expect(answer.status).toBe(403)
      expect(answer.heading).toBe('This form is closed')
    }
    await expectEmpty(ada.api, id)
  })
})
