import { expect, test } from 'bun:test'
import { removeOldDeliveries } from '../../src/jobs/remove-old-deliveries.ts'
import { afterThisTest } from '../harness.ts'
import { failure, noon, openOutbox } from '../outbox/outbox.ts'
import { until } from '../until.ts'

const day = 86_400_000

test('removes what was delivered after 30 days and what failed after 90, of all forms', async () => {
  const { addWebhook, createForm, userId, formId, submit, claim, finish, deliveries, run } = openOutbox()
  const other = createForm(userId)
  addWebhook('a.example')
  addWebhook('b.example', { formId: other })
  for (const form of [formId, other]) submit(form, [noon - 91 * day, noon - 31 * day, noon - 29 * day])
  const { claimed } = claim({ maxPerHost: 9 })
  for (const one of claimed) finish(one.form === claimed[0]?.form ? one : { ...one, outcome: 'failed', log: failure })
  const job = removeOldDeliveries({
    writer: { run: async (name: string, input: unknown) => run(name, input) } as never,
    hasReceivers: () => true,
    now: () => noon,
    onFailure: () => {},
  })
  afterThisTest(() => job.stop())
  job.start()
  await until(() => deliveries().length <= 3)
  expect(deliveries().map(({ state }) => state)).toEqual(['delivered', 'failed', 'failed'])
})
