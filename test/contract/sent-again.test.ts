// A submission that is sent again with the same key is stored once and answered as before.
import { describe, expect, test } from 'bun:test'
import { allowed, startReceiver } from '../deliveries/receiver.ts'
import { type Answer, serverWithClock, startServer, toAnswer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { answerTo, message } from '../raw-http.ts'
import { readPage } from '../read-page.ts'
import { solve } from '../solve.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import { badRequest } from './error-body.ts'

const json = { 'content-type': 'application/json' }
const day = 86_400_000

const key = (text: string) => ({ 'idempotency-key': text })

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true'

const expectRepeat = (answer: Answer, first: Answer): void => {
  expect([answer.status, answer.body]).toEqual([first.status, first.body])
  expect([isReplay(first), isReplay(answer)]).toEqual([false, true])
}

describe('POST /s/:formId with Idempotency-Key', () => {
  test('stores the same submission once, and answers with its identifier, for scripts of any site to read', async () => {
    const { send, submissions, form, formId, server } = await world()
    const first = await send({ name: 'Ada' }, key('a-key'))
    expect(first.body).toEqual({ id: expect.any(String), formId, ok: true })
    expect(first.headers.has('idempotency-replayed')).toBe(false)
    for (let i = 0; i < 3; i++) expectRepeat(await send({ name: 'Ada' }, key('a-key')), first)
    expect((await submissions()).map((one: { id: string }) => one.id)).toEqual([first.body.id])
    expect((await form()).submissionCount).toBe(1)
    const exposed = first.headers.get('access-control-expose-headers')
    expect(exposed).toBe('X-Request-Id, Retry-After, Idempotency-Replayed')
    expectSound(server.folder)
  })

  test('takes each key for a submission of its own, and what has none', async () => {
    const { send, submissions } = await world()
    for (const headers of [...['a', 'b', 'A', '"a"'].map(key), {}, {}])
      expect(isReplay(await send({ a: 1 }, headers))).toBe(false)
    expect(await submissions()).toHaveLength(6)
  })

  test('means nothing for another form', async () => {
    const one = await world()
    const other = await world()
    const answers = [await one.send({ a: 1 }, key('key')), await other.send({ a: 1 }, key('key'))]
    expect(answers.map(isReplay)).toEqual([false, false])
    expect(await other.submissions()).toHaveLength(1)
  })

  test('refuses another submission with the key, and still knows the first one', async () => {
    const { send, submissions } = await world()
    const first = await send({ a: 1 }, key('key'))
    for (const other of [{ a: 2 }, { a: '1' }, { a: 1, b: 1 }, { b: 1 }, { a: 1, _gotcha: 'x' }]) {
      const answer = await send(other, key('key'))
      const issue = 'Idempotency-Key: must be new: it was used for another request in the last 24 hours'
      expect([answer.status, answer.body]).toEqual([400, badRequest(issue)])
      expect(isReplay(answer)).toBe(false)
    }
    expectRepeat(await send({ a: 1 }, key('key')), first)
    expect(await submissions()).toHaveLength(1)
  })

  test('compares the fields, however they are written', async () => {
    const { post, send, submissions } = await world()
    const multipart = (boundary: string) => ({
      ...key('key'),
      'content-type': `multipart/form-data; boundary=${boundary}`,
    })
    const part = 'Content-Disposition: form-data; name="a"\r\n\r\nü 1\r\n'
    const first = await send({ a: 'ü 1' }, key('key'))
    expectRepeat(await post('{ "a" :\n"ü 1" }', { ...key('key'), ...json }), first)
    expectRepeat(await post('a=%C3%BC+1', key('key')), first)
    for (const boundary of ['x', 'y'])
      expectRepeat(await post(`--${boundary}\r\n${part}--${boundary}--\r\n`, multipart(boundary)), first)
    expect(await submissions()).toHaveLength(1)
  })

  test('compares what is in files', async () => {
    const { post, submissions } = await world()
    const sendFile = (content: string) => {
      const form = new FormData()
      form.set('file', new File([content], 'a.bin'))
      return post(form, key('key'))
    }
    const content = 'x'.repeat(500_000)
    const first = await sendFile(content)
    expectRepeat(await sendFile(content), first)
    expect((await sendFile(`${content.slice(1)}y`)).status).toBe(400)
    expect(await submissions()).toHaveLength(1)
  })

  test('answers a browser with the page or the redirect again', async () => {
    const browser = { accept: 'text/html', ...key('key') }
    const { post, submissions } = await world({ form: { returnUrl: 'https://example.com/a' } })
    const sendNext = () => post('a=1&_next=https%3A%2F%2Fexample.com%2Fb', browser)
    const answers = [await sendNext(), await sendNext()]
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      Array(2).fill([303, 'https://example.com/b']),
    )
    expect(answers.map(isReplay)).toEqual([false, true])
    expect(await submissions()).toHaveLength(1)

    const other = await world()
    const pages = [await other.post('a=1', browser), await other.post('a=1', browser)]
    expectRepeat(pages[1] as Answer, pages[0] as Answer)
    expect(readPage(pages[1]?.body).heading).toBe('Thank you')
  })

  test('takes 1 to 255 visible ASCII characters', async () => {
    const { send } = await world()
    for (const text of ['!', '~'.repeat(255), '8e03978e-40d5-43e8-bc93-6894a57f9324', 'a,b', "';--"])
      expect((await send({ a: 1 }, key(text))).status).toBe(200)
  })

  test.each([
    ['an empty one', ['Idempotency-Key: ']],
    ['256 characters', [`Idempotency-Key: ${'x'.repeat(256)}`]],
    ['a space', ['Idempotency-Key: a b']],
    ['other characters', ['Idempotency-Key: \xfc']],
    ['two headers', ['Idempotency-Key: a', 'Idempotency-Key: a']],
  ])('refuses %s, for what can be read and what cannot', async (_what, lines) => {
    const { server, formId, submissions } = await world()
    for (const body of ['a=1', '%ff']) {
      const head = [`POST /s/${formId} HTTP/1.1`, 'Host: x', 'Connection: close', `Content-Length: ${body.length}`]
      const type = 'Content-Type: application/x-www-form-urlencoded'
      const answer = await answerTo(server.url, message([...head, type, ...lines], body))
      const issue = 'Idempotency-Key: must be 1 to 255 visible ASCII characters, sent once'
      expect(answer?.status).toBe(400)
      expect(JSON.parse(answer?.body ?? '')).toEqual(badRequest(issue))
    }
    expect(await submissions()).toEqual([])
  })

  test('keeps no error: what was refused is a first submission when it is sent again', async () => {
    const { send, change, submissions } = await world({ form: { open: false } })
    expect((await send({ a: 1 }, key('key'))).status).toBe(403)
    expect((await change({ open: true, challenge: true })).status).toBe(200)
    expect((await send({ a: 1 }, key('key'))).status).toBe(400)
    expect((await send({}, key('key'))).status).toBe(400)
    expect((await change({ challenge: false })).status).toBe(200)
    const first = await send({ a: 2 }, key('key'))
    expectRepeat(await send({ a: 2 }, key('key')), first)
    expect(await submissions()).toHaveLength(1)
  })

  test('remembers a submission that was marked as spam or deleted, or whose form was closed', async () => {
    const { send, change, submissions, spam, ada, path } = await world()
    const first = await send({ a: 1 }, key('key'))
    const one = `${path}/submissions/${first.body.id}`
    await ada.call('POST', `${one}/spam`)
    expectRepeat(await send({ a: 1 }, key('key')), first)
    expect([await submissions(), (await spam()).length]).toEqual([[], 1])
    await ada.call('POST', `${path}/spam/${first.body.id}/accept`)
    expect((await ada.call('DELETE', one)).status).toBe(200)
    expect((await change({ open: false })).status).toBe(200)
    expectRepeat(await send({ a: 1 }, key('key')), first)
    expect((await send({ a: 1 }, key('other'))).status).toBe(403)
    expect([await submissions(), await spam()]).toEqual([[], []])
  })

  test('is not remembered by a form that was deleted', async () => {
    const { send, ada, path } = await world()
    await send({ a: 1 }, key('key'))
    await ada.call('DELETE', path)
    expect((await send({ a: 1 }, key('key'))).status).toBe(404)
  })

  test('holds for spam as for everything else, whatever the rules are by then', async () => {
    const { send, change, submissions, spam } = await world()
    const robot = await send({ a: 1, _gotcha: 'x' }, key('robot'))
    expectRepeat(await send({ a: 1, _gotcha: 'x' }, key('robot')), robot)
    const good = await send({ a: 'Casino' }, key('good'))
    expect((await change({ blockedTerms: ['casino'] })).status).toBe(200)
    expectRepeat(await send({ a: 'Casino' }, key('good')), good)
    const judged = await send({ a: 'Casino' }, key('judged'))
    expect((await change({ blockedTerms: [] })).status).toBe(200)
    expectRepeat(await send({ a: 'Casino' }, key('judged')), judged)
    expect(await submissions()).toHaveLength(1)
    expect((await spam()).map(({ reason }: { reason: string }) => reason)).toEqual(['terms', 'honeypot'])
  })

  test('is looked for before the proof of work, which a repeat has spent already', async () => {
    const { server, formId, send, submissions } = await world({ form: { challenge: true } })
    const solved = async () => solve((await toAnswer(await server.fetch(`/s/${formId}/challenge`))).body)
    const used = await solved()
    const first = await send({ a: 1, _challenge: used }, key('key'))
    const unused = await solved()
    for (const _challenge of [used, unused, '']) expectRepeat(await send({ a: 1, _challenge }, key('key')), first)
    expect((await send({ a: 2, _challenge: used }, key('other'))).status).toBe(400)
    // It was not spent by the repeat.
    expect((await send({ a: 2, _challenge: unused }, key('other'))).status).toBe(200)
    const parallel = await solved()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send({ a: 3, _challenge: parallel, _idempotency: 'view' })),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(await submissions()).toHaveLength(3)
  })

  test('counts for the limit of the address, repeat or not', async () => {
    const { send } = await world({ form: { submitLimit: 2 } })
    const statuses = [
      await send({ a: 1 }, key('key')),
      await send({ a: 1 }, key('key')),
      await send({ a: 1 }, key('key')),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  test('holds across a restart', async () => {
    const first = await startServer()
    const { formId, send } = await world({ server: first })
    const answer = await send({ a: 1 }, key('key'))
    await first.stop()
    const second = await startServer({ folder: first.folder })
    const headers = { ...json, ...key('key') }
    const again = await second.fetch(`/s/${formId}`, { method: 'POST', body: '{"a":1}', headers })
    expectRepeat(await toAnswer(again), answer)
    expect(rowsOf(second.folder, 'SELECT id FROM submissions')).toHaveLength(1)
  })

  test.skipIf(isCompiled).each([0, 0.3, 0.999])('holds for 24 hours from %d of a day on, not longer', async (part) => {
    const { clock, server } = await serverWithClock(Date.UTC(2026, 5, 1) + part * day)
    const { send, submissions } = await world({ server })
    const first = await send({ a: 1 }, key('key'))
    clock.now += day - 1
    expectRepeat(await send({ a: 1 }, key('key')), first)
    expect((await send({ a: 2 }, key('key'))).status).toBe(400)
    clock.now += 1
    const second = await send({ a: 2 }, key('key'))
    clock.now += day - 1
    expectRepeat(await send({ a: 2 }, key('key')), second)
    // The clock of another machine is behind.
    clock.now -= day
    expectRepeat(await send({ a: 2 }, key('key')), second)
    expect(await submissions()).toHaveLength(2)
  })
})

describe('the field _idempotency', () => {
  test('makes one submission of a form that is sent twice, with the same page as answer, and is not part of it', async () => {
    const { post, form, submissions } = await world()
    const browser = { accept: 'text/html' }
    const first = await post('a=1&_idempotency=0.25', browser)
    expectRepeat(await post('a=1&_idempotency=0.25', browser), first)
    expect(readPage(first.body).heading).toBe('Thank you')
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([{ a: '1' }])
    expect((await form()).keys).toEqual(['a'])
  })

  test('tells submissions with other content apart: a visitor may go back and change the text', async () => {
    const { send, submissions } = await world()
    for (const a of [1, 2]) expect(isReplay(await send({ a, _idempotency: 'view' }))).toBe(false)
    for (const a of [1, 2]) expect(isReplay(await send({ a, _idempotency: 'view' }))).toBe(true)
    expect(await submissions()).toHaveLength(2)
  })

  test('has no effect while it is empty, as without JavaScript, nor beside the header', async () => {
    const { send, submissions } = await world()
    for (let i = 0; i < 2; i++) expect(isReplay(await send({ a: 1, _idempotency: '' }))).toBe(false)
    for (const [text, replayed] of [
      ['x', false],
      ['y', false],
      ['x', true],
    ] as const)
      expect(isReplay(await send({ a: 1, _idempotency: text === 'x' ? 'view' : 7 }, key(text)))).toBe(replayed)
    // The same text as a header names something else.
    expect(isReplay(await send({ a: 1, _idempotency: 'x' }))).toBe(false)
    expect(await submissions()).toHaveLength(5)
  })

  test.each([['x'.repeat(256)], ['a b'], ['ü'], [7], [null], [{ a: 1 }]])(
    'is refused where it is no key: %j',
    async (key) => {
      const { send, submissions } = await world()
      const { status, body } = await send({ a: 1, _idempotency: key })
      const issue = '_idempotency: must be 1 to 255 visible ASCII characters, sent once'
      expect([status, body]).toEqual([400, badRequest(issue)])
      expect(await submissions()).toEqual([])
    },
  )
})

describe('1,000 repeats at the same time', () => {
  const withReceiver = async () => {
    const receiver = startReceiver()
    const prepared = await world({ environment: allowed })
    const { server, formId } = prepared
    await prepared.ada.call('POST', `${prepared.path}/webhooks`, { url: receiver.url })
    const expectOnce = async (id: string): Promise<void> => {
      expect((await prepared.submissions()).map((one: { id: string }) => one.id)).toEqual([id])
      const query = 'SELECT state FROM deliveries JOIN forms ON number = form WHERE forms.id = ?'
      const states = () => rowsOf(server.folder, query, formId)
      await until(() => states().every(({ state }) => state === 'delivered'), 'all are delivered')
      expect(states()).toHaveLength(1)
      expect(receiver.arrived.map(({ body }) => JSON.parse(body).data.id)).toEqual([id])
      expectSound(server.folder)
    }
    return { ...prepared, expectOnce }
  }

  test('of a form that is sent by browsers are one submission and one delivery, and all are answered so', async () => {
    const { send, expectOnce } = await withReceiver()
    const answers = await Promise.all(Array.from({ length: 1000 }, () => send({ a: 1, _idempotency: 'view' })))
    const [first] = answers
    for (const { status, body } of answers) expect([status, body]).toEqual([200, first?.body])
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
    await expectOnce(first?.body.id)
  })

  test('with the header too; while the first is under way, the others are told to wait a second', async () => {
    const { send, expectOnce } = await withReceiver()
    const answers = await Promise.all(Array.from({ length: 1000 }, () => send({ a: 1 }, key('key'))))
    const waiting = answers.filter(({ status }) => status !== 200)
    const remark = 'the first request with this Idempotency-Key is still being carried out'
    for (const { status, body, headers } of waiting) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(body.message).toBe(`Temporarily unable to write, retry after 1 seconds; ${remark}`)
    }
    const [first] = answers.filter((answer) => answer.status === 200 && !isReplay(answer))
    for (const { status } of waiting.slice(0, 20)) {
      expect(status).toBe(503)
      expectRepeat(await send({ a: 1 }, key('key')), first as Answer)
    }
    await expectOnce(first?.body.id)
  })
})
