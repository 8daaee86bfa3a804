// The setting `confirm` of a form, and what is held because of it.
import { describe, expect, test } from 'bun:test'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { type Wanted, world } from '../world.ts'

const environment = {
  FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'https://forms.example.com',
}
const fields = [{ name: 'email', type: 'email', required: true }]
const confirm = { field: 'email', subject: 'Please confirm, {name}', text: 'Open this: {link}' }

const setUp = (form: object = {}, more: Partial<Wanted> = {}) =>
  world({ environment, form: { fields, confirm, ...form }, ...more })

describe('the setting `confirm`', () => {
  test('is off at first, is stored with all its members, and can be switched off', async () => {
    const { change, settings } = await world({ environment })
    expect((await settings()).confirm).toBeNull()
    const longest = { ...confirm, subject: '😀'.repeat(200), text: '😀\n'.repeat(2500), days: 30 }
    for (const [sent, stored] of [
      [
        { ...confirm, more: 1 },
        { ...confirm, days: 7 },
      ],
      [longest, longest],
      [null, null],
    ]) {
      expect((await change({ fields, confirm: sent })).status).toBe(200)
      expect((await settings()).confirm).toEqual(stored)
    }
  })

  test('must be null where the server sends no mail', async () => {
    const { change } = await world({ form: { fields } })
    const { status, body } = await change({ confirm })
    expect(status).toBe(400)
    expect(body.issues[0].message).toStartWith('confirm: must be null: this server sends no email')
    expect((await change({ confirm: null })).status).toBe(200)
  })

  test.each<[string, object[]]>([
    ['that is not there', []],
    ['of another type', [{ name: 'email', type: 'text', required: true }]],
    ['that may be empty', [{ name: 'email', type: 'email' }]],
  ])('does not name a field %s, and the field cannot become such a one', async (_, others) => {
    const { change, settings } = await world({ environment, form: { fields: others } })
    const field = 'must name a required field of the type `email` in `fields`'
    const refused = await change({ confirm })
    expect(refused.status).toBe(400)
    expect(refused.body.issues).toEqual([{ message: `confirm: ${field}`, path: '/confirm/field' }])
    expect((await change({ fields, confirm })).status).toBe(200)
    const before = await settings()
    const later = await change({ fields: others })
    const needed = 'must have the required field email of the type `email`, whose address `confirm` uses'
    expect([later.status, later.body.issues]).toEqual([400, [{ message: `fields: ${needed}`, path: '/fields' }]])
    expect(await settings()).toEqual(before)
  })

  test('goes into a copy of the form', async () => {
    const { ada, path } = await setUp()
    const copy = (await ada.call('POST', `${path}/duplicate`)).body.id
    expect((await ada.call('GET', `/forms/${copy}/settings`)).body.confirm).toEqual({ ...confirm, days: 7 })
  })
})

describe('a submission of a form with `confirm`', () => {
  test('is answered as ever, and is in no list but that of what waits', async () => {
    const { ada, path, send, form, submissions, spam } = await setUp({ maxSubmissions: 1 })
    const { status, body } = await send({ email: 'ada@example.com' })
    expect([status, body]).toEqual([200, { id: body.id, formId: body.formId, ok: true }])
    expect(await submissions()).toEqual([])
    expect(await spam()).toEqual([])
    expect(await form()).toMatchObject({ submissionCount: 0, keys: [] })
    const waiting = (await ada.call('GET', `${path}/spam?reason=unconfirmed`)).body
    expect(waiting.spam).toMatchObject([{ id: body.id, data: { email: 'ada@example.com' }, reason: 'unconfirmed' }])
    expect(waiting.pagination.total).toBe(1)
    // It does not count, so the form is not full.
    expect((await send({ email: 'eve@example.com' })).status).toBe(200)
    expect((await ada.call('GET', `${path}/spam?reason=marked`)).status).toBe(400)
  })

  test('can be read, let in and deleted by hand, each with its number', async () => {
    const { server, ada, path, submit, submissions } = await setUp()
    const [first, second, third] = [
      await submit({ email: 'ada@example.com' }),
      await submit({ email: 'eve@example.com' }),
      await submit({ email: 'zoe@example.com' }),
    ]
    expect((await ada.call('GET', `${path}/spam/${first}`)).body).toMatchObject({ id: first, reason: 'unconfirmed' })
    expect((await ada.call('POST', `${path}/spam/${first}/accept`)).status).toBe(200)
    expect((await submissions()).map(({ id }: { id: string }) => id)).toEqual([first])
    expect((await ada.call('DELETE', `${path}/spam/${second}`)).status).toBe(200)
    // What is not confirmed is no spam.
    expect((await ada.call('DELETE', `${path}/spam/all`)).status).toBe(200)
    const left = (await ada.call('GET', `${path}/spam?reason=unconfirmed`)).body.spam
    expect(left.map(({ id }: { id: string }) => id)).toEqual([third])
    const known = rowsOf(
      server.folder,
      'SELECT submission, confirmed_at, accepted_at IS NOT NULL AS accepted FROM confirmations WHERE submission IN (?, ?, ?)',
      ...[first, second, third],
    )
    expect(known).toEqual([
      { submission: first, confirmed_at: null, accepted: 1 },
      { submission: third, confirmed_at: null, accepted: 0 },
    ])
  })

  test('takes its places, and no values that come once', async () => {
    const shift = { name: 'shift', type: 'choice', options: ['Day', 'Night'], places: { Night: 1 } }
    const { ada, path, send, submissions } = await setUp({ fields: [{ ...fields[0], once: 'refuse' }, shift] })
    const first = (await send({ email: 'ada@example.com', shift: 'Night' })).body.id
    expect((await send({ email: 'eve@example.com', shift: 'Night' })).body.issues?.[0]?.rule).toBe('full')
    const second = (await send({ email: 'ada@example.com', shift: 'Day' })).body.id
    expect((await ada.call('POST', `${path}/spam/${first}/accept`)).status).toBe(200)
    expect((await send({ email: 'ada@example.com' })).body.issues?.[0]?.rule).toBe('repeated')
    expect((await ada.call('DELETE', `${path}/submissions/${first}`)).status).toBe(200)
    expect((await send({ email: 'eve@example.com', shift: 'Night' })).status).toBe(200)
    expect((await ada.call('POST', `${path}/spam/${second}/accept`)).status).toBe(200)
    expect(await submissions()).toHaveLength(1)
  })

  test('takes its places also if they are switched on while it waits, and its values only then', async () => {
    const shift = { name: 'shift', type: 'choice', options: ['Day', 'Night'] }
    const { server, ada, path, change, send, submit } = await setUp({ fields: [...fields, shift] })
    const first = await submit({ email: 'ada@example.com', shift: 'Night' })
    await submit({ email: 'ada@example.com', shift: 'Day' })
    const limits = [
      { ...fields[0], once: 'refuse' },
      { ...shift, places: { Day: 2, Night: 1 } },
    ]
    expect((await change({ fields: limits })).status).toBe(200)
    await until(
      async () => rowsOf(server.folder, 'SELECT 1 FROM limits WHERE count_from IS NOT NULL').length === 0,
      'all is counted',
    )
    expect((await send({ email: 'eve@example.com', shift: 'Night' })).body.issues?.[0]?.rule).toBe('full')
    expect((await send({ email: 'ada@example.com', shift: 'Day' })).status).toBe(200)
    expect((await send({ email: 'eve@example.com', shift: 'Day' })).body.issues?.[0]?.rule).toBe('full')
    expectSound(server.folder)
    expect((await ada.call('POST', `${path}/spam/${first}/accept`)).status).toBe(200)
    expect((await send({ email: 'ada@example.com' })).body.issues?.[0]?.rule).toBe('repeated')
    expect((await ada.call('DELETE', `${path}/submissions/${first}`)).status).toBe(200)
    expect((await send({ email: 'eve@example.com', shift: 'Night' })).status).toBe(200)
    expectSound(server.folder)
  })

  test('keeps the texts that the visitor agreed to, each once', async () => {
    const boxes = [
      { name: 'terms', type: 'checkbox', label: 'I agree to the terms', required: true },
      { name: 'news', type: 'checkbox', label: 'Send me news' },
    ]
    const { server, submit } = await setUp({ fields: [...fields, ...boxes] })
    const id = await submit({ email: 'ada@example.com', terms: 'on', news: '0' })
    await submit({ email: 'eve@example.com', terms: 'on', news: 'on' })
    const texts = rowsOf<{ text: string }>(
      server.folder,
      'SELECT text FROM consent_texts WHERE form = (SELECT form FROM confirmations WHERE submission = ?) ORDER BY text',
      id,
    )
    const { subject, text } = confirm
    expect(texts.map((one) => one.text)).toEqual([
      'I agree to the terms',
      'Send me news',
      JSON.stringify({ subject, text }),
    ])
  })
})
