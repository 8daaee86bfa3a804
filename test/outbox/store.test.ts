import { describe, expect, test } from 'bun:test'
import { accessIn } from '../../src/forms/access.ts'
import { maxWebhooks } from '../../src/forms/webhooks/webhook-writes.ts'
import type { Finished } from '../../src/outbox/finish.ts'
import { openReader } from '../../src/storage/reader.ts'
import { openSigningKey } from '../../src/storage/secrets/signing-key.ts'
import { type DeliveryState, deliveryStates } from '../../src/submissions/deliveries/delivery-reads.ts'
import { dueReader } from '../../src/submissions/deliveries/due.ts'
import { openDeliveryStore } from '../../src/submissions/deliveries/store.ts'
import { afterThisTest, writeTo } from '../harness.ts'
import { refusalOf } from '../refusal.ts'
import { failure, noon, openOutbox } from './outbox.ts'

const openStore = () => {
  const outbox = openOutbox()
  const reader = openReader(outbox.folder)
  afterThisTest(() => reader.close())
  const writer = { run: async (name: string, input: unknown) => outbox.run(name, input) as never } as never
  let due = 0
  const access = accessIn(reader.db)
  const store = openDeliveryStore({ reader, access, writer, now: () => noon, onDue: () => due++ })
  const form = () => {
    reader.release()
    return access.findFormTo('deliver', outbox.userId, outbox.formId)
  }
  const list = (states: readonly DeliveryState[], page = 1, perPage = 10) =>
    store.listDeliveries(outbox.userId, form(), states, { page, perPage })
  return { ...outbox, reader, writer, store, list, form, due: () => due }
}

describe('the deliveries of a form', () => {
  test('are listed newest first, by their states, in pages', () => {
    const { addWebhook, submit, formId, claim, finish, list } = openStore()
    addWebhook()
    const ids = submit(formId, [noon, noon + 1, noon + 2, noon + 3])
    const { claimed } = claim({ limit: 3 })
    const outcomes = [{ state: 'delivered' }, { state: 'failed' }, { state: 'pending', dueAt: noon + 5 }] as const
    claimed.forEach((one, position) => {
      finish({
        ...one,
        outcome: outcomes[position] as Finished['outcome'],
        log: { ...failure, error: `error ${position}` },
      })
    })
    const listed = (states: readonly DeliveryState[], page?: number, perPage?: number) => {
      const { total, deliveries } = list(states, page, perPage)
      return [total, deliveries.map(({ submission }) => ids.indexOf(submission as string))]
    }
    expect(listed(deliveryStates)).toEqual([4, [3, 2, 1, 0]])
    expect(listed(deliveryStates, 2, 3)).toEqual([4, [0]])
    expect(listed(deliveryStates, 3, 3)).toEqual([4, []])
    expect(listed(['pending'])).toEqual([2, [3, 2]])
    expect(listed(['delivered'])).toEqual([1, [0]])
    expect(listed(['failed'])).toEqual([1, [1]])
    expect(listed(['failed', 'pending'])).toEqual([3, [3, 2, 1]])
    expect(listed(['failed', 'pending'], 2, 2)).toEqual([3, [1]])
    expect(listed(['delivered', 'pending'])).toEqual([3, [3, 2, 0]])
    expect(list(['failed']).deliveries).toMatchObject([
      { kind: 'webhook', target: 'https://example.com/hook', attempts: 1, lastAttempts: [{ error: 'error 1' }] },
    ])
  })

  test('are listed up to the newest 100,000, because a further page would hold up the main thread', () => {
    const { addWebhook, submit, formId, folder, list } = openStore()
    addWebhook()
    submit(formId, [noon])
    writeTo(folder, ({ $client }) => $client.run('UPDATE receivers SET delivered_count = 200000'))
    expect(list(deliveryStates, 1000, 100)).toEqual({ total: 200_001, deliveries: [] })
    expect(refusalOf(() => list(deliveryStates, 1001, 100))).toBe(
      'page: must be among the newest 100000 deliveries of the list',
    )
    expect(list(deliveryStates, 2002, 100)).toEqual({ total: 200_001, deliveries: [] })
    expect(list(['pending'], 1, 100).deliveries).toHaveLength(1)
  })

  test('are found by their submission and by their receiver', () => {
    const { addWebhook, submit, formId, store, form } = openStore()
    const [one, other] = [addWebhook('a.example'), addWebhook('b.example')]
    const [first] = submit(formId, [noon, noon])
    const found = store.ofSubmission(form(), first as string)
    expect(found.map(({ receiverId }) => receiverId).sort()).toEqual([one, other].sort())
    expect([...store.lastByReceiver(form())].map(([receiver, rows]) => [receiver, rows.length]).sort()).toEqual(
      [
        [one, 2],
        [other, 2],
      ].sort(),
    )
  })

  test('are in trouble while a webhook fails, and while something failed for good', () => {
    const { addWebhook, submit, formId, claim, finish, store, form } = openStore()
    addWebhook()
    submit(formId, [noon, noon])
    const [first, second] = claim().claimed
    if (!first || !second) throw new Error('nothing was claimed')
    expect(store.findFailures(form())).toEqual({ failed: 0, failing: 0 })
    finish({ ...first, outcome: { state: 'failed' }, log: failure })
    expect(store.findFailures(form())).toEqual({ failed: 1, failing: 1 })
    finish(second)
    expect(store.findFailures(form())).toEqual({ failed: 1, failing: 0 })
  })

  test('are due again by hand, which wakes the sender', async () => {
    const { addWebhook, submit, formId, userId, claim, finish, store, list, due } = openStore()
    addWebhook()
    submit(formId, [noon])
    const [one] = claim().claimed
    if (!one) throw new Error('nothing was claimed')
    finish({ ...one, outcome: { state: 'failed' }, log: failure })
    await store.retryDelivery(userId, formId, one.id)
    expect(list(['pending']).total).toBe(1)
    expect(due()).toBe(1)
  })
})

describe('what was not delivered', () => {
  const undelivered = () => {
    const data = openStore()
    const [hook, off, gone] = ['a.example', 'off.example', 'gone.example'].map((host) => data.addWebhook(host))
    data.submit(data.formId, Array(700).fill(noon))
    const { claimed } = data.claim({ limit: 9999, maxUnderWay: 99_999, maxPerHost: 9999 })
    const outcomes = [{ state: 'failed' }, { state: 'pending', dueAt: noon + 5000 }] as const
    data.finish(...claimed.map((one, i) => ({ ...one, outcome: outcomes[i % 2] as Finished['outcome'], log: failure })))
    const path = { userId: data.userId, formId: data.formId }
    data.run('updateWebhook', { ...path, id: off, now: noon, enabled: false })
    data.run('deleteWebhook', { ...path, id: gone, now: noon })
    return { ...data, hook }
  }

  test('is due again at once, in slices, where someone would be told of it', async () => {
    const { store, userId, formId, deliveries, countsAreExact, due, claim } = undelivered()
    const before = deliveries()
    expect(await store.retryDeliveries(userId, formId)).toBe(700)
    const [told, others] = [deliveries(), before].map((rows) => rows.filter(({ receiver }) => receiver !== 1))
    expect(told).toEqual(others as typeof before)
    const now = deliveries().filter(({ receiver }) => receiver === 1)
    expect(now.map(({ state, due_at }) => [state, due_at])).toEqual(Array(700).fill(['pending', noon]))
    expect(countsAreExact()).toBeTrue()
    expect(due()).toBeGreaterThan(0)
    expect(claim().claimed.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2])
    expect(await store.retryDeliveries(userId, formId)).toBe(0)
  })

  test('is due again for one receiver alone, if the form has it', async () => {
    const { store, addWebhook, submit, userId, formId, folder, due, countsAreExact } = openStore()
    const [one, other] = ['one.example', 'other.example'].map((host) => addWebhook(host)) as [string, string]
    submit(formId, Array(1200).fill(noon))
    writeTo(folder, ({ $client }) => {
      $client.run("UPDATE deliveries SET state = 'failed'")
      $client.run('UPDATE receivers SET failed_count = pending_count, pending_count = 0')
    })
    expect(await store.retryDeliveries(userId, formId, other)).toBe(1200)
    // A slice of 500 each.
    expect(due()).toBe(3)
    expect(countsAreExact()).toBeTrue()
    expect(await store.retryDeliveries(userId, formId, other)).toBe(0)
    const refused = { issues: [{ field: 'receiverId', message: 'must be a receiver that the form has' }] }
    await expect(store.retryDeliveries(userId, formId, 'x')).rejects.toMatchObject(refused)
    expect(await store.retryDeliveries(userId, formId, one)).toBe(1200)
  })

  test('is what was due before, if the webhook is deleted between two slices', async () => {
    const { reader, writer, addWebhook, submit, run, userId, formId, folder } = openStore()
    const id = addWebhook()
    submit(formId, Array(700).fill(noon))
    writeTo(folder, ({ $client }) => {
      $client.run("UPDATE deliveries SET state = 'failed'")
      $client.run('UPDATE receivers SET failed_count = pending_count, pending_count = 0')
    })
    let slices = 0
    const onDue = (): void => {
      slices++
      if (slices === 1) run('deleteWebhook', { userId, formId, id, now: noon })
    }
    const store = openDeliveryStore({ reader, access: accessIn(reader.db), writer, now: () => noon, onDue })
    expect(await store.retryDeliveries(userId, formId, id)).toBe(500)
    expect(slices).toBe(2)
  })

  test('comes after what is new', async () => {
    const { store, userId, formId, submit, claim } = undelivered()
    await store.retryDeliveries(userId, formId)
    const [fresh] = submit(formId, [noon + 1])
    expect(claim({ limit: 1 }).claimed.map(({ submission }) => submission)).toEqual([fresh as string])
  })

  test('leaves alone what is attempted at the moment, and a mail that waits for the end of its hour', async () => {
    const { store, notify, submit, userId, formId, claim, finish, deliveries } = openStore()
    notify(['grace@example.com'])
    submit(formId, Array(61).fill(noon))
    for (const one of claim({ limit: 1 }).claimed)
      finish({ ...one, outcome: { state: 'pending', dueAt: noon + 5000 }, log: failure })
    const { claimed } = claim({ limit: 1 })
    const rows = () => deliveries().filter(({ id, kind }) => kind === 'digest' || id === claimed[0]?.id)
    const before = rows()
    expect(before.map(({ due_at }) => due_at > noon)).toEqual([true, true])
    expect(await store.retryDeliveries(userId, formId)).toBe(1)
    expect(rows()).toEqual(before)
  })

  test('is found at once beside the failed deliveries of a webhook that was deleted', async () => {
    const { store, addWebhook, submit, run, userId, formId, folder, due } = openStore()
    const gone = addWebhook('gone.example')
    submit(formId, Array(3000).fill(noon))
    run('deleteWebhook', { userId, formId, id: gone, now: noon })
    addWebhook()
    submit(formId, [noon, noon])
    writeTo(folder, ({ $client }) => {
      $client.run("UPDATE deliveries SET state = 'failed'")
      $client.run('UPDATE receivers SET failed_count = pending_count, pending_count = 0')
    })
    expect(await store.retryDeliveries(userId, formId)).toBe(2)
    // Each slice of 500 rows wakes the sender.
    expect(due()).toBe(1)
  })

  test('is 10,000 deliveries at most', async () => {
    const { store, addWebhook, submit, userId, formId, folder } = openStore()
    addWebhook()
    submit(formId, Array(10_700).fill(noon))
    writeTo(folder, ({ $client }) => {
      $client.run("UPDATE deliveries SET state = 'failed'")
      $client.run('UPDATE receivers SET failed_count = pending_count, pending_count = 0')
    })
    expect(await store.retryDeliveries(userId, formId)).toBe(10_000)
    expect(await store.retryDeliveries(userId, formId)).toBe(700)
  })
})

describe('what is due', () => {
  test('is counted over all forms, without what is under way, put off or settled', () => {
    const { addWebhook, submit, formId, claim, finish, reader } = openStore()
    const due = (now: number) => {
      reader.release()
      return dueReader(reader.db)(now)
    }
    expect(due(noon)).toEqual({ count: 0, oldestAt: null })
    addWebhook('a.example')
    addWebhook('b.example')
    submit(formId, [noon - 5000, noon - 3000, noon - 1000])
    expect(due(noon)).toEqual({ count: 6, oldestAt: noon - 5000 })
    const [first, second, third] = claim({ limit: 3 }).claimed
    if (!first || !second || !third) throw new Error('nothing was claimed')
    expect(due(noon).count).toBe(3)
    finish(
      first,
      { ...second, outcome: { state: 'failed' } },
      { ...third, outcome: { state: 'pending', dueAt: noon + 10 } },
    )
    expect(due(noon).count).toBe(3)
    expect(due(noon + 10)).toEqual({ count: 4, oldestAt: noon - 3000 })
  })
})

test('a form has at most 10 webhooks, not counting deleted ones', () => {
  const { addWebhook, userId, formId, run } = openStore()
  const ids = Array.from({ length: maxWebhooks }, () => addWebhook())
  expect(() => addWebhook()).toThrow('Invalid input data')
  run('deleteWebhook', { userId, formId, id: ids[0], now: noon })
  addWebhook()
})

test('the signing key is made once, and the same after a restart', async () => {
  const { reader, writer } = openStore()
  const first = await openSigningKey({ reader, writer })()
  reader.release()
  expect(first).toHaveLength(32)
  expect(await openSigningKey({ reader, writer })()).toEqual(first)
})
