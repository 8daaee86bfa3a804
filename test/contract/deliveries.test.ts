import { describe, expect, test } from 'bun:test'
import { derivedId } from '../../src/base/id.ts'
import { writeTo } from '../harness.ts'
import { world } from '../world.ts'

const hour = 3_600_000
const url = 'http://hook.localhost:1/hook'
const failure = { at: 1, milliseconds: 3, status: 502, error: 'The receiver responded with 502', answer: 'Bad gateway' }
const success = { at: 2, milliseconds: 3, status: 204, error: null, answer: '' }

/**
 * A form with one delivery in each state. None of them is due, so that the server sends none of them meanwhile. Where it
 * is made due, the address is refused, and the server will try again.
 */
const withDeliveries = async () => {
  const { server, ada, formId: form } = await world()
  const submissions = [
    await server.submit(form, { n: 1 }),
    await server.submit(form, { n: 2 }),
    await server.submit(form, { n: 3 }),
  ]
  const webhook: string = (await ada.call('POST', `/forms/${form}/webhooks`, { url })).body.id
  const nextAttemptAt = Date.now() + hour
  const rows = [
    { state: 'delivered', attempts: 2, log: [failure, success] },
    { state: 'failed', attempts: 1, log: [success, failure] },
    { state: 'pending', attempts: 2, log: [failure, { ...failure, status: null, error: 'No answer' }] },
  ].map((row, n) => ({
    ...row,
    submission: submissions[n] as string,
    id: derivedId(submissions[n] as string, webhook),
  }))
  writeTo(server.folder, ({ $client }) => {
    for (const { id, submission, state, attempts, log } of rows)
      $client.run(
        `INSERT INTO deliveries (form, id, receiver, kind, submission, state, attempts, log, due_at)
         SELECT form, ?, number, kind, ?, ?, ?, ?, ? FROM receivers WHERE id = ?`,
        [id, submission, state, attempts, JSON.stringify(log), state === 'pending' ? nextAttemptAt : 0, webhook],
      )
    $client.run('UPDATE receivers SET delivered_count = 1, failed_count = 1, pending_count = 1 WHERE id = ?', [webhook])
  })
  const list = (query = '') => ada.call('GET', `/forms/${form}/deliveries${query}`)
  const retryAll = () => ada.call('POST', `/forms/${form}/deliveries/retry`)
  const retry = (id: string, user = ada, of = form) => user.call('POST', `/forms/${of}/deliveries/${id}/retry`)
  const [delivered, failed, pending] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]]
  return { server, ada, form, webhook, delivered, failed, pending, nextAttemptAt, list, retry, retryAll }
}

const isTime = expect.stringMatching(/^\d{4}-.*Z$/)

describe('GET /api/v1/forms/:formId/deliveries', () => {
  test('lists them newest first, with what came of the last attempt', async () => {
    const { list, webhook, delivered, failed, pending, nextAttemptAt } = await withDeliveries()
    const { status, body } = await list()
    expect(status).toBe(200)
    const shared = {
      kind: 'webhook',
      receiverId: webhook,
      target: url,
      createdAt: isTime,
      reason: null,
      nextAttemptAt: null,
    }
    expect(body).toEqual({
      deliveries: [
        {
          ...shared,
          id: pending.id,
          submissionId: pending.submission,
          state: 'pending',
          attempts: 2,
          lastStatus: null,
          lastError: 'No answer',
          nextAttemptAt: new Date(nextAttemptAt).toISOString(),
        },
        {
          ...shared,
          id: failed.id,
          submissionId: failed.submission,
          state: 'failed',
          attempts: 1,
          lastStatus: 502,
          lastError: 'The receiver responded with 502',
        },
        {
          ...shared,
          id: delivered.id,
          submissionId: delivered.submission,
          state: 'delivered',
          attempts: 2,
          lastStatus: 204,
          lastError: null,
        },
      ],
      pagination: { page: 1, perPage: 20, total: 3, totalPages: 1 },
    })
  })

  test.each([
    ['pending', ['pending']],
    ['failed', ['failed']],
    ['delivered', ['delivered']],
    ['failed,pending', ['pending', 'failed']],
    ['pending,delivered', ['pending', 'delivered']],
    ['pending,delivered,failed', ['pending', 'failed', 'delivered']],
    ['failed,failed', ['failed']],
    // As most generated clients send a list.
    ['failed&state=pending', ['pending', 'failed']],
  ])('lists those in some states: %s', async (state, states) => {
    const { list } = await withDeliveries()
    const { body } = await list(`?state=${state}`)
    expect(body.deliveries.map((one: { state: string }) => one.state)).toEqual(states)
    expect(body.pagination.total).toBe(states.length)
  })

  test('has pages', async () => {
    const { list, failed } = await withDeliveries()
    const { body } = await list('?page=2&perPage=1')
    expect(body.deliveries.map(({ id }: { id: string }) => id)).toEqual([failed.id])
    expect(body.pagination).toEqual({ page: 2, perPage: 1, total: 3, totalPages: 3 })
    expect((await list('?page=9')).body.deliveries).toEqual([])
  })

  test.each(['', 'x', 'Pending', 'pending,', 'pending, failed', 'pending;failed'])(
    'refuses the state %j',
    async (state) => {
      const { list } = await withDeliveries()
      const { status, body } = await list(`?state=${encodeURIComponent(state)}`)
      expect(status).toBe(400)
      const message = 'state: must be one or several of pending, delivered, failed, skipped, with commas between them'
      expect(body.issues).toEqual([{ message }])
    },
  )
})

describe('POST /api/v1/forms/:formId/deliveries/:deliveryId/retry', () => {
  test('makes one that failed due, and one that was delivered', async () => {
    const { list, retry, failed, delivered } = await withDeliveries()
    for (const { id } of [failed, delivered])
      expect(await retry(id)).toMatchObject({ status: 200, body: { success: true } })
    const { body } = await list()
    expect(body.deliveries.map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending', 'pending'])
    expect(body.deliveries[1].nextAttemptAt).toEqual(isTime)
  })

  test('makes one that waits due at once', async () => {
    const { list, retry, pending } = await withDeliveries()
    expect((await retry(pending.id)).status).toBe(200)
    const [first] = (await list()).body.deliveries
    // If it was tried already, the next attempt is due in half an hour or a little more.
    expect(Date.parse(first.nextAttemptAt)).toBeLessThan(Date.now() + (hour * 2) / 3)
  })

  test('is 404 for another identifier, and under another form', async () => {
    const { ada, retry, failed, webhook } = await withDeliveries()
    const gone = { status: 404, body: { message: 'Delivery not found' } }
    expect(await retry('nobody')).toMatchObject(gone)
    expect(await retry(webhook)).toMatchObject(gone)
    expect(await retry(failed.id, ada, await ada.createForm())).toMatchObject(gone)
  })

  test('is 400 where no one would be told', async () => {
    const { ada, form, webhook, list, retry, failed } = await withDeliveries()
    const path = `/forms/${form}/webhooks/${webhook}`
    await ada.call('PATCH', path, { enabled: false })
    const off = 'deliveryId: must be a delivery to a webhook that is switched on'
    expect(await retry(failed.id)).toMatchObject({ status: 400, body: { issues: [{ message: off }] } })
    await ada.call('DELETE', path)
    const gone = 'deliveryId: must be a delivery to a receiver that the form still has'
    expect(await retry(failed.id)).toMatchObject({ status: 400, body: { issues: [{ message: gone }] } })
    // The one that was pending may have failed by now, for want of a receiver.
    const { deliveries } = (await list('?state=failed')).body
    expect(deliveries).toContainEqual(expect.objectContaining({ id: failed.id, target: url }))
  })
})

describe('POST /api/v1/forms/:formId/deliveries/:deliveryId/dismiss', () => {
  test('makes one that failed a skipped one, which can be retried, and leaves others as they are', async () => {
    const { ada, form, list, retry, retryAll, failed, pending, delivered } = await withDeliveries()
    const dismiss = (id: string) => ada.call('POST', `/forms/${form}/deliveries/${id}/dismiss`)
    for (const { id } of [failed, failed, pending, delivered])
      expect(await dismiss(id)).toMatchObject({ status: 200, body: { success: true } })
    const { deliveries } = (await list('?state=skipped')).body
    expect(deliveries).toMatchObject([{ id: failed.id, state: 'skipped', reason: 'dismissed' }])
    expect((await dismiss('nobody')).status).toBe(404)
    expect((await retryAll()).body).toEqual({ count: 1 })
    expect((await retry(failed.id)).status).toBe(200)
    expect((await list('?state=skipped')).body.deliveries).toEqual([])
  })
})

describe('POST /api/v1/forms/:formId/deliveries/retry', () => {
  test('makes due what failed and what waits, and nothing else', async () => {
    const { list, retryAll, pending } = await withDeliveries()
    expect(await retryAll()).toMatchObject({ status: 200, body: { count: 2 } })
    const { deliveries } = (await list()).body
    expect(deliveries.map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending', 'delivered'])
    const { nextAttemptAt } = deliveries.find(({ id }: { id: string }) => id === pending.id)
    expect(Date.parse(nextAttemptAt)).toBeLessThan(Date.now() + (hour * 2) / 3)
  })

  test('keeps to one receiver, if it is one of the form', async () => {
    const { ada, form, webhook, list } = await withDeliveries()
    const other: string = (await ada.call('POST', `/forms/${form}/webhooks`, { url })).body.id
    const of = (id: string) => ada.call('POST', `/forms/${form}/deliveries/retry?receiverId=${id}`)
    expect(await of(other)).toMatchObject({ status: 200, body: { count: 0 } })
    expect((await list('?state=failed')).body.deliveries).toHaveLength(1)
    expect(await of(webhook)).toMatchObject({ status: 200, body: { count: 2 } })
    const message = 'receiverId: must be a receiver that the form has'
    expect(await of('x')).toMatchObject({ status: 400, body: { issues: [{ message }] } })
  })

  test('tries nothing again where no one would be told', async () => {
    const { ada, form, webhook, list, retryAll } = await withDeliveries()
    await ada.call('PATCH', `/forms/${form}/webhooks/${webhook}`, { enabled: false })
    expect(await retryAll()).toMatchObject({ status: 200, body: { count: 0 } })
    expect((await list('?state=failed')).body.deliveries).not.toEqual([])
  })
})
