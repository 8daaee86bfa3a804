import { expect, test } from 'bun:test'
import { outboxReads } from '../../src/outbox/receivers.ts'
import { removeOldDeliveries } from '../../src/upkeep/jobs/remove-rows.ts'
import { failure, noon, openOutbox } from '../outbox/outbox.ts'
import { expectSound } from '../storage/sound.ts'
import { stepsOf } from './slices.ts'

const hour = 3_600_000
const day = 24 * hour

const setUp = () => {
  const outbox = openOutbox()
  const sweep = (now: number) =>
    stepsOf(outbox.run, (needs) =>
      removeOldDeliveries({ ...needs, hasReceivers: outboxReads(outbox.db).hasReceivers, now: () => now }),
    )
  /** Adds a webhook to a form, which is told of submissions of these times, and delivers or fails all of that. */
  const tell = (formId: string, times: readonly number[], state: 'delivered' | 'failed'): void => {
    outbox.addWebhook('a.example', { formId })
    outbox.submit(formId, times)
    const { claimed } = outbox.claim({ limit: 1000, maxUnderWay: 2000, maxPerHost: 1000 })
    outbox.finish(
      ...claimed.map((one) => ({ ...one, outcome: { state }, ...(state === 'failed' && { log: failure }) })),
    )
  }
  return { ...outbox, sweep, tell }
}

test('removes what was delivered after 30 days and what failed after 90, of all forms', async () => {
  const { folder, createForm, userId, formId, deliveries, countsAreExact, sweep, tell } = setUp()
  const times = [noon - 91 * day, noon - 31 * day, noon - 29 * day]
  tell(formId, times, 'delivered')
  tell(createForm(userId), times, 'failed')
  expect(await sweep(noon)).toEqual(['checkClock', 'removeOldDeliveries'])
  expect(deliveries().map(({ state }) => state)).toEqual(['delivered', 'failed', 'failed'])
  expect(countsAreExact()).toBeTrue()
  expectSound(folder)
})

test('goes through more forms and more deliveries than one write looks at', async () => {
  const { createForm, addWebhooks, userId, formId, deliveries, sweep, tell } = setUp()
  tell(
    formId,
    Array.from({ length: 600 }, (_, i) => noon - 31 * day + i),
    'delivered',
  )
  addWebhooks(Array.from({ length: 500 }, () => ({ host: 'b.example', formId: createForm(userId) })))
  tell(createForm(userId), [noon - 31 * day], 'delivered')
  const slices = Array<string>(3).fill('removeOldDeliveries')
  expect(await sweep(noon)).toEqual(['checkClock', ...slices])
  expect(deliveries()).toEqual([])
})

test('asks for nothing where no one is told', async () => {
  const { sweep } = setUp()
  expect(await sweep(noon)).toEqual([])
})

test('removes nothing for a day when the clock was set forward, and nothing for another one when it was set right', async () => {
  const { formId, deliveries, sweep, tell } = setUp()
  tell(formId, [noon - 29 * day, noon], 'delivered')
  await sweep(noon)
  for (const now of [noon + 365 * day, noon + 366 * day - 1, noon + hour, noon + day]) await sweep(now)
  expect(deliveries()).toHaveLength(2)
  await sweep(noon + day + hour)
  expect(deliveries()).toHaveLength(1)
})
