// A form opens and closes by the clock, and is full with exactly as many submissions as its owner wants.
import { describe, expect, test } from 'bun:test'
import { serverWithClock, startServer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { answerTo, message } from '../raw-http.ts'
import { readPage } from '../read-page.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { siteWorld, world } from '../world.ts'

const browser = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
const day = 86_400_000
const iso = (time: number): string => new Date(time).toISOString()
/** In whole seconds. */
const inDays = (days: number): string => iso(Math.floor(Date.now() / 1000) * 1000 + days * day)

const key = (text: string) => ({ 'idempotency-key': text })

const refusal = (text: string, issues: readonly object[] = []) => {
  const error = { code: 'FORBIDDEN', message: text }
  return { status: 403, body: { ...error, issues, error } }
}

describe('the settings of a form', () => {
  test('refuse a form that would never be open, in whatever order the times are set', async () => {
    const { change, settings } = await world({ form: { opensAt: '2100-01-02T00:00Z' } })
    const issues = [
      {
        message: 'closesAt: must be later than when the form opens (opensAt), 2100-01-02T00:00:00.000Z',
        path: '/closesAt',
      },
    ]
    for (const closesAt of ['2100-01-02T00:00Z', '2100-01-01T00:00Z'])
      expect(await change({ closesAt })).toMatchObject({ status: 400, body: { issues } })
    expect((await change({ closesAt: '2100-01-02T00:00:01Z' })).status).toBe(200)
    expect((await change({ opensAt: '2100-01-03T00:00Z' })).status).toBe(400)
    expect((await change({ opensAt: '2100-01-03T00:00Z', closesAt: null })).status).toBe(200)
    expect(await settings()).toMatchObject({ opensAt: '2100-01-03T00:00:00.000Z', closesAt: null })
  })
})

describe('POST /s/:formId of a form with times', () => {
  test('is refused before and after them, with the time in words', async () => {
    const { send, change, form } = await world({ form: { opensAt: '2100-12-01T08:05:59Z' } })
    expect(await send({ a: 1 })).toMatchObject(refusal('This form opens on 1 Dec 2100, 08:05 UTC'))
    await change({ opensAt: '2020-01-01T00:00Z', closesAt: '2020-02-09T21:00Z' })
    expect(await send({ a: 1 })).toMatchObject(refusal('This form closed on 9 Feb 2020, 21:00 UTC'))
    await change({ closesAt: inDays(1) })
    expect((await send({ a: 1 })).status).toBe(200)
    await change({ open: false })
    expect(await send({ a: 1 })).toMatchObject(refusal('This form is closed'))
    expect((await form()).submissionCount).toBe(1)
  })

  test.skipIf(isCompiled)('is taken from the first moment until the last, without anything being done', async () => {
    const noon = Date.UTC(2026, 11, 1, 12)
    const { clock, server } = await serverWithClock(noon - 1)
    const { send, form } = await world({ server, form: { opensAt: iso(noon), closesAt: iso(noon + day) } })
    const statusAt = async (at: number): Promise<number> => {
      clock.now = at
      return (await send({ a: 1 })).status
    }
    const times = [noon - 1, noon, noon + day - 1, noon + day, noon + 30 * day, noon + 5]
    const statuses = []
    for (const at of times) statuses.push(await statusAt(at))
    expect(statuses).toEqual([403, 200, 200, 403, 403, 200])
    expect((await form()).submissionCount).toBe(3)
  })

  test.skipIf(isCompiled)('is refused if the form closes while it arrives', async () => {
    const { clock, server } = await serverWithClock()
    const { formId, form } = await world({ server, form: { closesAt: iso(clock.now + day) } })
    const lines = [`POST /s/${formId} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Content-Length: 7']
    const answer = await answerTo(server.url, message([...lines, 'Connection: close'], '{"a":'), {
      async rest() {
        // The answer to a request that was sent later: then this one has been begun with.
        expect((await server.fetch('/healthz')).status).toBe(200)
        clock.now += 2 * day
        return '1}'
      },
    })
    expect([answer?.status, answer?.body.includes('This form closed on')]).toEqual([403, true])
    expect((await form()).submissionCount).toBe(0)
  })
})

describe('a form that is full', () => {
  const full = refusal('This form is full')

  test('says so, until a submission is deleted or marked as spam', async () => {
    const { send, ada, path, change, form } = await world({ form: { maxSubmissions: 2 } })
    const [first, second] = [await send({ a: 1 }), await send({ a: 1 })]
    expect(await send({ a: 1 })).toMatchObject(full)
    expect((await ada.call('DELETE', `${path}/submissions/${first.body.id}`)).status).toBe(200)
    expect((await send({ a: 1 })).status).toBe(200)
    expect(await send({ a: 1 })).toMatchObject(full)
    expect((await ada.call('POST', `${path}/submissions/${second.body.id}/spam`)).status).toBe(200)
    expect((await send({ a: 1 })).status).toBe(200)
    expect(await send({ a: 1 })).toMatchObject(full)
    await change({ maxSubmissions: 1 })
    expect(await send({ a: 1 })).toMatchObject(full)
    await change({ maxSubmissions: 3 })
    expect([(await send({ a: 1 })).status, (await send({ a: 1 })).status]).toEqual([200, 403])
    expect((await form()).submissionCount).toBe(3)
  })

  test('does not count spam, tells a robot the same as a person, and lets its owner accept more', async () => {
    const { send, ada, path, spam: listSpam, form } = await world({ form: { maxSubmissions: 1 } })
    for (let n = 0; n < 3; n++) expect((await send({ _gotcha: 'x' })).status).toBe(200)
    expect((await send({ a: 1 })).status).toBe(200)
    expect(await send({ _gotcha: 'x' })).toMatchObject(full)
    const spam = await listSpam()
    expect(spam).toHaveLength(3)
    for (const one of spam.slice(1)) expect((await ada.call('POST', `${path}/spam/${one.id}/accept`)).status).toBe(200)
    expect((await form()).submissionCount).toBe(3)
    expect(await send({ a: 1 })).toMatchObject(full)
  })

  test('has exactly as many as its owner wants, however many are sent at once, and each repeat is answered', async () => {
    const most = 37
    const { server, send, ada, path, submissions, form } = await world({ form: { maxSubmissions: most } })
    const other = await world()
    const keyOf = (n: number) => key(`key-${n % 128}`)
    const answers = await Promise.all(
      Array.from({ length: 256 }, async (_, n) => {
        const spam = n % 10 === 9 ? [await send({ _gotcha: 'x' })] : []
        const [one, beside] = await Promise.all([send({ n: n % 128 }, keyOf(n)), other.send({ a: 1 })])
        expect(beside.status).toBe(200)
        return [one, ...spam]
      }),
    )
    const accepted = answers.flatMap(([one]) => (one?.status === 200 ? [one.body.id] : []))
    expect(new Set(accepted).size).toBe(most)
    expect((await form()).submissionCount).toBe(most)
    expect((await other.form()).submissionCount).toBe(256)
    // 503 while the first one with the key is being settings.
    expect(answers.flat().filter(({ status }) => ![200, 403, 503].includes(status))).toEqual([])
    const again = await Promise.all(Array.from({ length: 128 }, (_, n) => send({ n }, keyOf(n))))
    expect(new Set(again.flatMap(({ status, body }) => (status === 200 ? [body.id] : [])))).toEqual(new Set(accepted))
    expect(again.filter(({ status }) => status === 403)).toHaveLength(128 - most)
    // A refused one can be sent again with its key once there is room.
    await ada.call('DELETE', `${path}/submissions/${(await submissions())[0].id}`)
    const last = again.findIndex(({ status }) => status === 403)
    expect((await send({ n: last }, keyOf(last))).status).toBe(200)
    expect((await form()).submissionCount).toBe(most)
    expectSound(server.folder)
  })

  test('does not depend on how the writer divides what comes at once', async () => {
    const { server, formId, send, form } = await world({ form: { maxSubmissions: 5 } })
    const statuses = await Promise.all(
      Array.from({ length: 120 }, async (_, n) => (await send(n % 2 === 0 ? { _gotcha: 'x' } : { n })).status),
    )
    expect((await form()).submissionCount).toBe(5)
    expect(statuses.filter((status, n) => n % 2 === 1 && status === 200)).toHaveLength(5)
    const [row] = rowsOf(
      server.folder,
      'SELECT submission_count AS inbox, spam_count AS spam FROM forms WHERE id = ?',
      formId,
    )
    expect(row).toEqual({ inbox: 5, spam: statuses.filter((status, n) => n % 2 === 0 && status === 200).length })
    expectSound(server.folder)
  })
})

describe('a repeat of what was accepted, of a form that is full or whose time is over,', () => {
  const over = { closesAt: '2020-01-01T00:00Z' }
  const cases = [
    ['full', { maxSubmissions: 1 }],
    ['over', over],
  ] as const

  test.each(cases)('is answered as before by its header: %s', async (_name, closing) => {
    const { send, change, form } = await world()
    const first = await send({ a: 1 }, key('key'))
    await change(closing)
    const again = await send({ a: 1 }, key('key'))
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await send({ a: 2 }, key('key'))).status).toBe(400)
    expect((await send({ a: 1 }, key('other'))).status).toBe(403)
    expect((await send({ a: 1 })).status).toBe(403)
    expect((await form()).submissionCount).toBe(1)
  })

  test.each(cases)('shows a browser that loads the page again the same page: %s', async (_name, closing) => {
    const { post, change, form } = await world()
    const sent = 'name=Ada&_idempotency=17000000000001'
    const first = await post(sent, browser)
    expect(readPage(first.body).heading).toBe('Thank you')
    await change(closing)
    expect(await post(sent, browser)).toMatchObject({ status: 200, body: first.body })
    const multipartOf = (name: string) => {
      const part = (field: string, text: string) =>
        `--x\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${text}\r\n`
      return `${part('_idempotency', '17000000000001')}${part('name', name)}--x--\r\n`
    }
    const multipart = { ...browser, 'content-type': 'multipart/form-data; boundary=x' }
    expect((await post(multipartOf('Ada'), multipart)).status).toBe(200)
    expect((await post(multipartOf('Eve'), multipart)).status).toBe(403)
    expect((await post('name=Eve&_idempotency=17000000000001', browser)).status).toBe(403)
    expect((await post('%ff', browser)).status).toBe(403)
    expect((await form()).submissionCount).toBe(1)
  })

  test.each(cases)('is not looked for in a body that is long, or says no length: %s', async (_name, closing) => {
    const server = await startServer()
    const { formId, send, change } = await world({ server })
    await send({ a: 1 })
    await change(closing)
    for (const length of ['Content-Length: 1048577', 'Transfer-Encoding: chunked']) {
      const lines = [`POST /s/${formId} HTTP/1.1`, 'Host: x', 'Content-Type: multipart/form-data; boundary=x', length]
      const answer = await answerTo(server.url, message([...lines, 'Connection: close'], ''))
      expect(answer?.status).toBe(403)
    }
    expect(rowsOf(server.folder, 'SELECT 1 FROM files')).toEqual([])
  })
})

describe("the owner's text for a closed form", () => {
  const closedText = 'Registration is over.\n<b>Write</b> to us "now".'

  test('is in the answer to a script, and on the page, as text', async () => {
    const { send, post } = await world({ form: { closedText, closesAt: '2020-01-01T00:00Z' } })
    expect(await send({ a: 1 })).toMatchObject(
      refusal('This form closed on 1 Jan 2020, 00:00 UTC', [{ message: closedText }]),
    )
    const { status, headers, body } = await post('a=1', browser)
    expect([status, headers.get('location')]).toEqual([403, null])
    expect(readPage(body).heading).toBe('This form is closed')
    expect(readPage(body).texts).toContain('It closed on January 1, 2020 at 12:00 AM UTC.')
    expect(readPage(body).isolated).toContain('Registration is over.\n<b>Write</b> to us "now".')
    expect(readPage(body).text).toContain('What you sent was not stored.')
  })

  test('is shown by a form that its owner closed, too', async () => {
    const { post } = await world({ form: { closedText, open: false } })
    expect(readPage((await post('a=1', browser)).body).text).toContain('Registration is over.')
  })
})

describe('the pages of a form', () => {
  const pages = ['', '/spam', '/embed', '/settings', '/settings/told/new', '/settings/people']

  test.each([
    [{ opensAt: '2100-12-01T08:05Z' }, 'Opens 1 Dec 2100, 08:05 UTC'],
    [{ closesAt: '2020-12-01T08:05Z' }, 'Closed'],
    [{ maxSubmissions: 1 }, 'Full'],
  ])('say that it takes nothing, and so does the list: %j', async (settings, words) => {
    const { ada, path, change } = await siteWorld({ sent: [{ a: 1 }] })
    await change(settings)
    for (const page of ['/forms', ...pages.map((end) => path + end)])
      expect((await ada.get(page)).texts, page).toContain(words)
    await change({ opensAt: null, closesAt: '2100-01-01T00:00Z', maxSubmissions: 2 })
    for (const page of ['/forms', ...pages.map((end) => path + end)])
      expect((await ada.get(page)).texts, page).not.toContain(words)
  })

  test('take no test of a form that is full', async () => {
    const { ada, path } = await siteWorld({ form: { maxSubmissions: 1 }, sent: [{ a: 1 }] })
    expect((await ada.get(`${path}/embed`)).html).not.toContain('Send a test')
    const { status, heading } = await ada.post(`${path}/embed`, { a: '1' })
    expect([status, heading]).toEqual([403, 'This form is full'])
  })
})
