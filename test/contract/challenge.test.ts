// A form that asks for a proof of work takes what comes with one, once, and loses nothing of it.
import { describe, expect, test } from 'bun:test'
import { easiestBits } from '../../src/collect/challenges.ts'
import { type Answer, type Server, serverWithClock, sharedServer, startServer, toAnswer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { readPage } from '../read-page.ts'
import { solve } from '../solve.ts'
import { rowsOf } from '../storage/sound.ts'
import { addForm, type Wanted, world } from '../world.ts'

const challengedForm = (wanted: Wanted = {}) => world({ ...wanted, form: { challenge: true, ...wanted.form } })

type Target = Pick<Server, 'fetch'>

const fetchChallenge = async ({ fetch }: Target, id: string) => toAnswer(await fetch(`/s/${id}/challenge`))

const solved = async (server: Target, id: string): Promise<string> => solve((await fetchChallenge(server, id)).body)

const expectUnsolved = ({ status, body }: Answer, message: string): void => {
  const error = { code: 'BAD_REQUEST', message: 'Invalid input data' }
  expect(status).toBe(400)
  expect(body).toEqual({ ...error, issues: [{ message: `_challenge: ${message}` }], error })
}

describe('GET /s/:formId/challenge', () => {
  test('makes a challenge that any origin may read and no one keeps', async () => {
    const { server, formId } = await challengedForm()
    const kept = () => rowsOf(server.folder, 'SELECT random FROM spent_challenges ORDER BY random')
    const before = kept()
    const answers = [await fetchChallenge(server, formId), await fetchChallenge(server, formId)] as const
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
    expect(kept()).toEqual(before)
  })

  test('has none for a form that asks for none, and answers 404 where there is no form', async () => {
    const { server, formId } = await world()
    expect((await fetchChallenge(server, formId)).body).toEqual({ challenge: null })
    const missing = await fetchChallenge(server, 'unknown')
    expect([missing.status, missing.body.message]).toEqual([404, 'Form not found'])
    expect(missing.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('is harder for an address that asks for many, and for no other', async () => {
    const { server, formId } = await challengedForm({
      server: await startServer({ settings: { FORMBOX_TRUST_PROXY: '127.0.0.1' } }),
    })
    const bitsFor = async (address: string): Promise<number> =>
      (await toAnswer(await server.fetch(`/s/${formId}/challenge`, { headers: { 'x-forwarded-for': address } }))).body
        .bits
    for (let i = 0; i < 20; i++) expect(await bitsFor(`2001:db8::${i}`)).toBe(easiestBits)
    expect(await bitsFor('2001:db8::ffff')).toBe(easiestBits + 1)
    expect(await bitsFor('2001:db8:0:1::1')).toBe(easiestBits)
  })
})

describe('POST /s/:formId of a form that asks for a proof of work', () => {
  test.each([
    ['JSON', (fields: Record<string, string>) => JSON.stringify(fields), { 'content-type': 'application/json' }],
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
    const { server, form, formId, post, submissions } = await challengedForm()
    const { status } = await post(toBody({ name: 'Ada', _challenge: await solved(server, formId) }), headers)
    expect(status).toBe(200)
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada' }])
    expect((await form()).keys).toEqual(['name'])
  })

  test.each([
    ['no proof', {}, 'must be there: this form asks for a proof of work'],
    ['an empty one', { _challenge: '' }, 'must be there: this form asks for a proof of work'],
    ['one that is no text', { _challenge: { a: 1 } }, 'must be there: this form asks for a proof of work'],
    ['something else', { _challenge: 'x' }, 'must be a challenge of this form with its solution'],
    ['a filled honeypot too', { _gotcha: 'x' }, 'must be there: this form asks for a proof of work'],
  ])('refuses what comes with %s', async (_what, fields, message) => {
    const { send, submissions } = await challengedForm()
    expectUnsolved(await send({ name: 'Ada', ...fields }), message)
    expect(await submissions()).toEqual([])
  })

  test('refuses the proof for another form, and one that was used', async () => {
    const { server, ada, formId, send, submissions } = await challengedForm()
    const other = await addForm(server, ada, { form: { challenge: true } })
    const _challenge = await solved(server, formId)
    expectUnsolved(await other.send({ a: 1, _challenge }), 'must be a challenge of this form')
    expect((await send({ a: 1, _challenge })).status).toBe(200)
    expectUnsolved(await send({ a: 2, _challenge }), 'must not have been used before')
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([{ a: 1 }])
  })

  test('takes one of 50 that are sent at once with the same proof, and all others that are sent with them', async () => {
    const { server, formId, send, submissions } = await challengedForm()
    const other = await solved(server, formId)
    const _challenge = await solved(server, formId)
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, (_, i) => send({ i, _challenge })),
      send({ i: 'other', _challenge: other }),
    ])
    expect(answers.pop()?.status).toBe(200)
    const good = answers.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    for (const answer of answers) if (answer !== good[0]) expectUnsolved(answer, 'must not have been used before')
    expect(await submissions()).toHaveLength(2)
  })

  test('takes a proof that came with spam only once too, and answers as to a person', async () => {
    const { server, formId, send, spam } = await challengedForm()
    const _challenge = await solved(server, formId)
    const robot = await send({ a: 1, _gotcha: 'x', _challenge })
    expect([robot.status, robot.body.formId]).toEqual([200, formId])
    for (const _gotcha of ['x', ''])
      expectUnsolved(await send({ a: 1, _gotcha, _challenge }), 'must not have been used before')
    expect((await spam()).map(({ data }: { data: object }) => data)).toEqual([{ a: 1 }])
  })

  test('spends nothing on what it refuses for another reason', async () => {
    const { server, formId, send } = await challengedForm()
    const _challenge = await solved(server, formId)
    expect((await send({ _challenge })).body.issues).toEqual([{ message: 'body: must hold at least one field' }])
    expect((await send({ a: 1, _challenge })).status).toBe(200)
  })

  test('refuses a proof that was used before a restart, and takes one that was made before it', async () => {
    const first = await startServer()
    const { ada, formId, send } = await challengedForm({ server: first })
    const used = await solved(first, formId)
    const unused = await solved(first, formId)
    expect((await send({ a: 1, _challenge: used })).status).toBe(200)
    await first.stop()
    const second = await startServer({ folder: first.folder })
    const json = { 'content-type': 'application/json' }
    const sendAgain = async (data: object) =>
      toAnswer(await second.fetch(`/s/${formId}`, { method: 'POST', headers: json, body: JSON.stringify(data) }))
    expectUnsolved(await sendAgain({ a: 2, _challenge: used }), 'must not have been used before')
    expect((await sendAgain({ a: 3, _challenge: unused })).status).toBe(200)
    const headers = { authorization: `Bearer ${ada.key}` }
    const { submissions } = (await toAnswer(await second.fetch(`/api/v1/forms/${formId}/submissions`, { headers })))
      .body
    expect(submissions.map(({ data }: { data: object }) => data)).toEqual([{ a: 3 }, { a: 1 }])
  })

  test.skipIf(isCompiled)('refuses a proof after an hour', async () => {
    const { clock, server } = await serverWithClock()
    const { formId, send } = await challengedForm({ server })
    const _challenge = await solved(server, formId)
    clock.now += 3_600_000
    expectUnsolved(await send({ a: 1, _challenge }), 'must not be older than an hour')
  })

  test('tells a browser how to get the message through', async () => {
    const { post, submissions } = await challengedForm({ form: { returnUrl: 'https://example.com/thanks' } })
    const { status, body: page } = await post('name=Ada', { accept: 'text/html' })
    expect(status).toBe(400)
    expect(readPage(page).heading).toBe('Your message was not sent')
    expect(page).toContain('Go back with your browser’s back button, wait a few seconds, and send it again.')
    expect(page).toContain('If JavaScript is off')
    expect(await submissions()).toEqual([])
  })

  test('takes everything again when the owner changes their mind, with a proof or without', async () => {
    const { change, send, submissions } = await challengedForm()
    expect((await change({ challenge: false })).status).toBe(200)
    for (const fields of [{ a: 1 }, { a: 2, _challenge: 'x' }]) expect((await send(fields)).status).toBe(200)
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([{ a: 2 }, { a: 1 }])
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
    expect(Bun.gzipSync(Buffer.from(script)).length).toBeLessThan(5 * 1024)
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
    expect((await server.fetch('/challenge.js', { headers })).status).toBe(304)
  })
})
