import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { newId } from '../../src/base/id.ts'
import { conditionText, decide } from '../../src/outbox/condition.ts'
import { conditionsId } from '../../src/outbox/receivers.ts'
import { expectQuick } from '../expect-below.ts'
import { afterThisTest, serverWithUser } from '../harness.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { noon, openOutbox } from './outbox.ts'

const sales = conditionText({ field: 'topic', equals: 'Sales' })
const support = conditionText({ field: 'topic', equals: 'support' })

/** Which of the conditions hold for these fields, given as JSON. */
const holding = (conditions: readonly string[], ...fields: readonly (readonly [name: string, json: string])[]) =>
  decide(
    JSON.stringify(conditions),
    fields.map(([name, json]) => ({ name, json })),
  )?.holding.map((position) => conditions[position] as string)

describe('a condition', () => {
  test.each([
    ['the same text', 'Sales', '"Sales"', true],
    ['another case', 'SALES', '"sales"', true],
    ['accents', 'Straße São', '"STRASSE sao"', true],
    ['an accent of its own character', 'é', '"e\u0301"', true],
    ['white space', 'our  sales\tteam', '" Our sales\\nteam "', true],
    ['an escape', 'a"b', '"A\\"B"', true],
    ['a part of the text', 'Sales', '"Sales and more"', false],
    ['a longer one', 'Sales and more', '"Sales"', false],
    ['nothing', 'Sales', '""', false],
    ['one value of a list', 'Sales', '["Support","sales"]', true],
    ['none of a list', 'Sales', '["Support"]', false],
    ['a number', '42', '42', true],
    ['a number as it was written', '1.0', '1.0', true],
    ['a number in a list', '42', '[41,42]', true],
    ['a number of 30 digits', '123456789012345678901234567890', '123456789012345678901234567890', true],
    ['true', 'true', 'true', true],
    ['null', 'null', 'null', false],
    ['an object', '[object Object]', '{"a":1}', false],
    ['an object in a list', '[object Object]', '[{"a":1}]', false],
    ['a list in a list', 'Sales', '[["Sales"]]', false],
    ['a file', 'cv.pdf', '{"filename":"cv.pdf","type":"","size":1,"file":"x"}', false],
  ])('looks at %s', (_, equals, json, isMet) => {
    const condition = conditionText({ field: 'topic', equals })
    expect(holding([condition], ['topic', json])).toEqual(isMet ? [condition] : [])
    expect(holding([condition], ['Topic', json], ['topics', json])).toEqual([])
  })

  test('looks at each value of a name that was sent several times', () => {
    expect(holding([sales, support], ['topic', '"Support"'], ['a', '1'], ['topic', '"Sales"'])).toEqual([
      sales,
      support,
    ])
  })

  test('takes little time, however many there are and whatever a stranger sends', async () => {
    const conditions = Array.from({ length: 20 }, (_, n) => conditionText({ field: 'topic', equals: `Topic ${n}` }))
    const marks = JSON.stringify('ü'.repeat(4500))
    const many = Array.from({ length: 110 }, () => ['topic', marks] as const)
    const long = JSON.stringify('\u0301\u0323'.repeat(250_000))
    const look = () => expect(holding(conditions, ['topic', long], ...many)).toEqual([])
    await expectQuick(40, look)
  })
})

/** A form with a webhook for sales, one for everything, and an address. */
const withConditions = () => {
  const outbox = openOutbox()
  const { addWebhook, notify, run, userId, formId, db } = outbox
  const always = addWebhook()
  const forSales = addWebhook()
  notify([outbox.email])
  const change = (changes: object, id = forSales) => run('updateWebhook', { userId, formId, id, now: noon, ...changes })
  change({ only: sales })
  const conditions = (): string | null =>
    db.$client.query<{ conditions: string | null }, []>('SELECT conditions FROM forms').get()?.conditions ?? null
  const decided = (holds: readonly number[]) => ({ id: conditionsId(conditions() ?? ''), holding: holds })
  const create = (decision: object | undefined, more: object = {}) => {
    const id = newId(noon)
    const outcome = run('createSubmission', { formId, id, data: '{"a":1}', fieldNames: ['a'], decision, ...more })
    return { id, outcome }
  }
  const toldOf = (submission: string) =>
    rowsOf<{ id: string }>(
      outbox.folder,
      'SELECT r.id FROM deliveries AS d JOIN receivers AS r ON number = receiver WHERE submission = ? ORDER BY number',
      submission,
    ).map(({ id }) => id)
  const [{ id: address }] = rowsOf<{ id: string }>(outbox.folder, "SELECT id FROM receivers WHERE kind = 'email'") as [
    { id: string },
  ]
  return { ...outbox, always, forSales, address, change, conditions, decided, create, toldOf }
}

describe('storing a submission of a form with conditions', () => {
  test('tells those that it is meant for, whichever are stored with it', () => {
    const { always, forSales, address, formId, execute, decided, toldOf, countsAreExact } = withConditions()
    const submissions = [[0], [], [0], [1]].map((holds) => ({
      ...{ formId, id: newId(noon), data: '{"a":1}', fieldNames: ['a'] },
      decision: decided(holds),
    }))
    for (const outcome of execute(submissions.map((input) => ['createSubmission', input])))
      expect(outcome).toEqual({ result: { state: 'due' } })
    expect(submissions.map(({ id }) => toldOf(id))).toEqual([
      [always, forSales, address],
      [always, address],
      [always, forSales, address],
      [always, address],
    ])
    expect(countsAreExact()).toBeTrue()
  })

  test('has little more in the log of a cluster than without conditions, however long they are', () => {
    const long = { field: '"'.repeat(255), equals: '"'.repeat(255) }
    const all = Array.from({ length: 20 }, () => conditionText(long))
    const decision = decide(JSON.stringify(all), [{ name: long.field, json: JSON.stringify(long.equals) }])
    expect(decision?.holding).toHaveLength(20)
    expect(JSON.stringify(decision).length).toBeLessThan(120)
  })

  test('knows the conditions of the receivers in use, and of no others', () => {
    const { folder, always, forSales, userId, formId, run, change, conditions } = withConditions()
    expect(conditions()).toBe(JSON.stringify([sales]))
    change({ only: support }, always)
    expect(conditions()).toBe(JSON.stringify([support, sales]))
    change({ enabled: false })
    expect(conditions()).toBe(JSON.stringify([support]))
    change({ enabled: true, description: 'the same' })
    run('deleteWebhook', { userId, formId, id: always, now: noon })
    expect(conditions()).toBe(JSON.stringify([sales]))
    change({ only: null }, forSales)
    expect(conditions()).toBeNull()
    expectSound(folder)
  })

  test('does nothing if they were changed since the decision, and says what they are now', () => {
    const { folder, change, conditions, decided, create, toldOf, always, forSales, address } = withConditions()
    const before = decided([0])
    change({ only: support })
    const request = { keyHash: 'k', fingerprint: 'f', at: noon }
    const stale = [before, undefined]
    for (const decision of stale)
      expect(create(decision, { request })).toMatchObject({ outcome: { conditions: conditions() } })
    expect(rowsOf(folder, 'SELECT * FROM submissions')).toEqual([])
    expect(rowsOf(folder, 'SELECT * FROM idempotency_keys')).toEqual([])
    const { id, outcome } = create(decided([0]), { request })
    expect(outcome).toEqual({ state: 'due' })
    expect(toldOf(id)).toEqual([always, forSales, address])
    change({ only: null })
    expect(create(before).outcome).toEqual({ state: 'undecided', conditions: null })
  })

  test('stores spam without a decision, and decides when it is accepted', () => {
    const { run, userId, formId, conditions, decided, create, toldOf, always, forSales, address } = withConditions()
    const { id, outcome } = create(undefined, { reason: 'terms' })
    expect(outcome).toBeUndefined()
    const accept = (decision?: object) => run('acceptSpam', { userId, formId, id, now: noon, decision })
    expect(accept()).toEqual({ state: 'undecided', conditions: conditions() })
    expect(toldOf(id)).toEqual([])
    expect(accept(decided([0]))).toEqual({ state: 'accepted', hasReceivers: true })
    expect(toldOf(id)).toEqual([always, forSales, address])
  })
})

describe('a webhook with a condition', () => {
  const url = 'http://hook.localhost:1/'

  const withWebhook = async (only: object) => {
    const { server, ada } = await serverWithUser()
    const form = await ada.createForm()
    const { id } = (await ada.call('POST', `/forms/${form}/webhooks`, { url, only })).body
    const change = async (changes: object) =>
      expect((await ada.call('PATCH', `/forms/${form}/webhooks/${id}`, changes)).status).toBe(200)
    const toldOf = async () => {
      const { deliveries } = (await ada.call('GET', `/forms/${form}/deliveries`)).body
      return deliveries.map(({ submissionId }: { submissionId: string }) => submissionId).sort()
    }
    return { server, ada, form, change, toldOf }
  }

  test('is told of what it is meant for, however that is sent', async () => {
    const { server, ada, form, toldOf } = await withWebhook({ field: 'topic', equals: 'Sales' })
    const post = async (body: BodyInit, headers = {}) => {
      const answer = await server.fetch(`/s/${form}`, { method: 'POST', body, headers })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { id: string }).id
    }
    const multipart = new FormData()
    multipart.set('topic', 'sales')
    const meant = [
      await post(new URLSearchParams({ topic: 'SALES' })),
      await post(multipart),
      await post(JSON.stringify({ topic: ['x', 'Sales'] }), { 'content-type': 'application/json' }),
      await post('topic=Support&topic=Sales', { 'content-type': 'application/x-www-form-urlencoded' }),
    ]
    await post(new URLSearchParams({ topic: 'Support' }))
    await post(new URLSearchParams({ other: 'Sales' }))
    expect(await toldOf()).toEqual(meant.sort())
    expectSound(server.folder)
    // As marked as spam and accepted, decided anew.
    for (const id of meant.slice(0, 1)) {
      expect((await ada.call('POST', `/forms/${form}/submissions/${id}/spam`)).status).toBe(200)
      expect(await toldOf()).toEqual(meant.slice(1))
      expect((await ada.call('POST', `/forms/${form}/spam/${id}/accept`)).status).toBe(200)
    }
    expect(await toldOf()).toEqual(meant)
  })

  test('that was changed while a submission arrived decides by what it is now', async () => {
    const { server, form, change, toldOf } = await withWebhook({ field: 'topic', equals: 'Sales' })
    const body = 'topic=Support'
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    afterThisTest(() => socket.destroy())
    const head = [`POST /s/${form} HTTP/1.1`, 'Host: localhost', `Content-Length: ${body.length}`]
    const type = 'Content-Type: application/x-www-form-urlencoded'
    await new Promise<void>((resolve) => socket.write(`${[...head, type].join('\r\n')}\r\n\r\n`, () => resolve()))
    await change({ only: { field: 'topic', equals: 'support' } })
    const answer = new Promise((resolve) => socket.on('data', (bytes) => resolve(bytes.toString().slice(0, 12))))
    socket.write(body)
    expect(await answer).toBe('HTTP/1.1 200')
    expect(await toldOf()).toHaveLength(1)
  })

  test('is copied with its form', async () => {
    const { server, ada, form, toldOf } = await withWebhook({ field: 'topic', equals: 'Sales' })
    const copy = (await ada.call('POST', `/forms/${form}/duplicate`)).body.id
    const { webhooks } = (await ada.call('GET', `/forms/${copy}/webhooks`)).body
    expect(webhooks).toMatchObject([{ only: { field: 'topic', equals: 'Sales' } }])
    for (const topic of ['sales', 'support']) await server.submit(copy, { topic })
    expect((await ada.call('GET', `/forms/${copy}/deliveries`)).body.pagination.total).toBe(1)
    expect(await toldOf()).toEqual([])
    expectSound(server.folder)
  })
})
