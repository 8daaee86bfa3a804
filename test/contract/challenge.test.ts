// A form that asks for a proof of work takes what comes with one, once, and loses nothing of it.
import { describe, expect, test } from 'bun:test'
import { easiestBits } from '../../src/collect/challenges.ts'
import { type Server, serverWithUser, sharedServer, startServer, toAnswer, type User } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { solve } from '../solve.ts'
import { rowsOf } from '../storage/sound.ts'

const json = { 'content-type': 'application/json' }

const askFor = async (user: Pick<User, 'call'>, id: string, challenge = true): Promise<void> =>
  expect((await user.call('PATCH', `/forms/${id}/settings`, { challenge })).status).toBe(200)

const challengedForm = async (fields: object = {}, given?: Server) => {
  const server = given ?? (await sharedServer())
  const ada = await server.signUp()
  const id = await ada.createForm(fields)
  await askFor(ada, id)
  return { server, ada, id, stored: async () => (await ada.call('GET', `/forms/${id}/submissions`)).body.submissions }
}

type Target = Pick<Server, 'fetch'>

const fetchChallenge = async ({ fetch }: Target, id: string) => toAnswer(await fetch(`/s/${id}/challenge`))

const solved = async (server: Target, id: string): Promise<string> => solve((await fetchChallenge(server, id)).body)

const post = async ({ fetch }: Target, id: string, data: object, headers = {}) =>
  toAnswer(await fetch(`/s/${id}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(data) }))

const expectUnsolved = ({ status, body }: Awaited<ReturnType<typeof post>>, message: string): void => {
  const error = { code: 'BAD_REQUEST', message: 'Invalid input data' }
  expect(status).toBe(400)
  expect(body).toEqual({ ...error, issues: [{ message: `_challenge: ${message}` }], error })
}

describe('GET /s/:formId/challenge', () => {
  test('makes a challenge that any origin may read and nobody keeps', async () => {
    const { server, id } = await challengedForm()
    const answers = [await fetchChallenge(server, id), await fetchChallenge(server, id)] as const
    for (const { status, body, headers } of answers) {
      expect(status).toBe(200)
      expect(body).toEqual({
        challenge: expect.stringMatching(/^\w+\.\d+\.[\w-]{22}\.[\w-]{43}$/),
        puzzles: 32,
        bits: expect.any(Number),
        expiresIn: 3600,
      })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-type')).toBe('application/json')
    }
    expect(answers[0].body.challenge).not.toBe(answers[1].body.challenge)
    expect(rowsOf(server.folder, 'SELECT * FROM spent_challenges')).toEqual([])
  })

  test('has none for a form that asks for none, and answers 404 where there is no form', async () => {
    const { server, ada } = await serverWithUser()
    const id = await ada.createForm()
    expect((await fetchChallenge(server, id)).body).toEqual({ challenge: null })
    const missing = await fetchChallenge(server, 'unknown')
    expect([missing.status, missing.body.message]).toEqual([404, 'Form not found'])
    expect(missing.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('is harder for an address that asks for many, and for no other', async () => {
    const { server, id } = await challengedForm(
      {},
      await startServer({ settings: { FORMBOX_TRUST_PROXY: '127.0.0.1' } }),
    )
    const bitsFor = async (address: string): Promise<number> =>
      (await toAnswer(await server.fetch(`/s/${id}/challenge`, { headers: { 'x-forwarded-for': address } }))).body.bits
    for (let i = 0; i < 20; i++) expect(await bitsFor(`2001:db8::${i}`)).toBe(easiestBits)
    expect(await bitsFor('2001:db8::ffff')).toBe(easiestBits + 1)
    expect(await bitsFor('2001:db8:0:1::1')).toBe(easiestBits)
  })
})

describe('POST /s/:formId of a form that asks for a proof of work', () => {
  test.each([
    ['JSON', (fields: Record<string, string>) => JSON.stringify(fields), json],
    ['urlencoded', (fields: Record<string, string>) => new URLSearchParams(fields), {}],
    [
      'multipart',
      (fields: Record<string, string>) => {
        const form = new FormData()
        for (const [name, value] of Object.entries(fields)) form.set(name, value)
        return form
      },
      {},
    ],
  ])('stores what comes with one as %s, without it', async (_type, toBody, headers) => {
    const { server, ada, id, stored } = await challengedForm()
    const body = toBody({ name: 'Ada', _challenge: await solved(server, id) })
    const { status } = await server.fetch(`/s/${id}`, { method: 'POST', headers, body })
    expect(status).toBe(200)
    expect((await stored()).map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada' }])
    expect((await ada.call('GET', `/forms/${id}`)).body.keys).toEqual(['name'])
  })

  test.each([
    ['no proof', {}, 'must be there: this form asks for a proof of work'],
    ['an empty one', { _challenge: '' }, 'must be there: this form asks for a proof of work'],
    ['one that is no text', { _challenge: { a: 1 } }, 'must be there: this form asks for a proof of work'],
    ['something else', { _challenge: 'x' }, 'must be a challenge of this form with its solution'],
    ['a filled honeypot too', { _gotcha: 'x' }, 'must be there: this form asks for a proof of work'],
  ])('refuses what comes with %s', async (_what, fields, message) => {
    const { server, id, stored } = await challengedForm()
    expectUnsolved(await post(server, id, { name: 'Ada', ...fields }), message)
    expect(await stored()).toEqual([])
  })

  test('refuses the proof for another form, and one that was used', async () => {
    const { server, ada, id, stored } = await challengedForm()
    const other = await ada.createForm()
    await askFor(ada, other)
    const _challenge = await solved(server, id)
    expectUnsolved(await post(server, other, { a: 1, _challenge }), 'must be a challenge of this form')
    expect((await post(server, id, { a: 1, _challenge })).status).toBe(200)
    expectUnsolved(await post(server, id, { a: 2, _challenge }), 'must not have been used before')
    expect((await stored()).map(({ data }: { data: object }) => data)).toEqual([{ a: 1 }])
  })

  test('takes one of 50 that are sent at once with the same proof, and all others that are sent with them', async () => {
    const { server, id, stored } = await challengedForm()
    const other = await solved(server, id)
    const _challenge = await solved(server, id)
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, (_, i) => post(server, id, { i, _challenge })),
      post(server, id, { i: 'other', _challenge: other }),
    ])
    expect(answers.pop()?.status).toBe(200)
    const good = answers.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    for (const answer of answers) if (answer !== good[0]) expectUnsolved(answer, 'must not have been used before')
    expect(await stored()).toHaveLength(2)
  })

  test('takes a proof that came with spam only once too, and answers as to a person', async () => {
    const { server, ada, id } = await challengedForm()
    const _challenge = await solved(server, id)
    const robot = await post(server, id, { a: 1, _gotcha: 'x', _challenge })
    expect([robot.status, robot.body.formId]).toEqual([200, id])
    for (const _gotcha of ['x', ''])
      expectUnsolved(await post(server, id, { a: 1, _gotcha, _challenge }), 'must not have been used before')
    const { spam } = (await ada.call('GET', `/forms/${id}/spam`)).body
    expect(spam.map(({ data }: { data: object }) => data)).toEqual([{ a: 1 }])
  })

  test('spends nothing on what it refuses for another reason', async () => {
    const { server, id } = await challengedForm()
    const _challenge = await solved(server, id)
    expect((await post(server, id, { _challenge })).body.issues).toEqual([
      { message: 'body: must hold at least one field' },
    ])
    expect((await post(server, id, { a: 1, _challenge })).status).toBe(200)
  })

  test('refuses a proof that was used before a restart, and takes one that was made before it', async () => {
    const first = await startServer()
    const { ada, id } = await challengedForm({}, first)
    const used = await solved(first, id)
    const unused = await solved(first, id)
    expect((await post(first, id, { a: 1, _challenge: used })).status).toBe(200)
    await first.stop()
    const second = await startServer({ folder: first.folder })
    expectUnsolved(await post(second, id, { a: 2, _challenge: used }), 'must not have been used before')
    expect((await post(second, id, { a: 3, _challenge: unused })).status).toBe(200)
    const headers = { authorization: `Bearer ${ada.key}` }
    const { submissions } = (await toAnswer(await second.fetch(`/api/v1/forms/${id}/submissions`, { headers }))).body
    expect(submissions.map(({ data }: { data: object }) => data)).toEqual([{ a: 3 }, { a: 1 }])
  })

  test.skipIf(isCompiled)('refuses a proof after an hour', async () => {
    let now = Date.now()
    const { server, id } = await challengedForm({}, await startServer({ now: () => now }))
    const _challenge = await solved(server, id)
    now += 3_600_000
    expectUnsolved(await post(server, id, { a: 1, _challenge }), 'must not be older than an hour')
  })

  test('tells a browser how to get the message through', async () => {
    const { server, id, stored } = await challengedForm({ returnUrl: 'https://example.com/thanks' })
    const body = new URLSearchParams({ name: 'Ada' })
    const response = await server.fetch(`/s/${id}`, { method: 'POST', headers: { accept: 'text/html' }, body })
    const page = await response.text()
    expect(response.status).toBe(400)
    expect(page).toContain('<h1>Your message was not sent</h1>')
    expect(page).toContain('Go back with your browser’s back button.')
    expect(page).toContain('If JavaScript is off')
    expect(await stored()).toEqual([])
  })

  test('takes everything again when the owner changes their mind, with a proof or without', async () => {
    const { server, ada, id, stored } = await challengedForm()
    await askFor(ada, id, false)
    for (const fields of [{ a: 1 }, { a: 2, _challenge: 'x' }])
      expect((await post(server, id, fields)).status).toBe(200)
    expect((await stored()).map(({ data }: { data: object }) => data)).toEqual([{ a: 2 }, { a: 1 }])
  })
})

describe('/challenge.js', () => {
  test('is small, and may be loaded and kept by pages of any site', async () => {
    const server = await sharedServer()
    const response = await server.fetch('/challenge.js', { headers: { origin: 'https://shop.example' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const script = await response.text()
    expect(Bun.gzipSync(Buffer.from(script)).length).toBeLessThan(4096)
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
    expect((await server.fetch('/challenge.js', { headers })).status).toBe(304)
  })
})
