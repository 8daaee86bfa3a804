import { describe, expect, test } from 'bun:test'
import { unavailable } from '../../src/errors.ts'
import { type Attempted, sendDeliveries } from '../../src/jobs/send-deliveries.ts'
import type { Claimed } from '../../src/outbox/claim.ts'
import { outboxReads } from '../../src/outbox/receivers.ts'
import { afterThisTest } from '../harness.ts'
import { noon, openOutbox } from '../outbox/outbox.ts'
import { until } from '../until.ts'

const delivered: Attempted = { result: 'delivered', status: 200, error: null, answer: '' }
const failed: Attempted = { result: 'later', status: 500, error: 'The receiver answered 500', answer: 'oh' }

/** The sender over a data file, with a clock that stands still. `attempt` stands for the network. */
const openSender = (
  attempt: (claimed: Claimed, signal: AbortSignal) => Promise<Attempted>,
  lookMilliseconds?: number,
) => {
  const outbox = openOutbox()
  const failures: string[] = []
  const clock = { now: noon }
  const disk = { isFull: false, refused: 0 }
  const looks = { count: 0 }
  const run = async (name: string, input: unknown): Promise<unknown> => {
    if (!disk.isFull) return outbox.run(name, input)
    disk.refused++
    throw unavailable(5)
  }
  const job = sendDeliveries({
    writer: { run } as never,
    node: 'this',
    hasPending: () => {
      looks.count++
      return outboxReads(outbox.db).hasPending()
    },
    attempts: { attempt, close: () => {} },
    now: () => clock.now,
    onFailure: (reason) => failures.push(reason),
    retryMilliseconds: 1,
    lookMilliseconds,
  })
  afterThisTest(() => job.stop())
  const states = () => outbox.deliveries().map(({ state }) => state)
  return { ...outbox, job, failures, clock, states, disk, looks }
}

describe('the sender', () => {
  test('delivers what is in the outbox when it starts, and what comes when it is woken', async () => {
    const { addWebhook, submit, formId, job, states } = openSender(async () => delivered)
    addWebhook()
    submit(formId, Array(30).fill(noon))
    job.start()
    await until(() => states().every((state) => state === 'delivered'), 'thirty are delivered')
    submit(formId, [noon])
    job.wake()
    await until(
      () => states().length === 31 && states().every((state) => state === 'delivered'),
      'thirty-one are delivered',
    )
  })

  test('delivers what another process has added, also while something waits for a later time', async () => {
    const answers = [delivered, failed]
    const sender = openSender(async () => answers.shift() ?? delivered, 1)
    const { addWebhook, submit, formId, job, states, looks } = sender
    addWebhook()
    job.start()
    await until(() => looks.count > 1, 'it has found nothing')
    submit(formId, [noon])
    await until(() => states().join() === 'delivered', 'the first is delivered')
    submit(formId, [noon])
    await until(() => answers.length === 0, 'the second is attempted')
    submit(formId, [noon])
    await until(() => states().toSorted().join() === 'delivered,delivered,pending', 'the third is delivered')
  })

  test('takes no step for a submission while no attempt may begin', async () => {
    const waiting: (() => void)[] = []
    const { addWebhooks, submit, formId, job, looks } = openSender(
      () => new Promise((resolve) => waiting.push(() => resolve(delivered))),
    )
    addWebhooks(Array.from({ length: 10 }, (_, host) => ({ host: `${host}.example` })))
    submit(formId, Array(20).fill(noon))
    job.start()
    await until(() => waiting.length > 0, 'an attempt is under way')
    // In each tenth of a second, ten begin.
    for (let time = 0; waiting.length < 20 && time < 300; time++) {
      job.wake()
      await new Promise(setImmediate)
    }
    expect(looks.count).toBeLessThanOrEqual(waiting.length / 10 + 1)
    const stopped = job.stop()
    for (const end of waiting) end()
    await stopped
  })

  test('attempts at most 32 of one user at once, and 4 to one host', async () => {
    const waiting: { claimed: Claimed; end: () => void }[] = []
    const sender = openSender(
      (claimed) => new Promise((resolve) => waiting.push({ claimed, end: () => resolve(delivered) })),
    )
    for (let host = 0; host < 10; host++) sender.addWebhook(`${host}.example`)
    sender.submit(sender.formId, Array(20).fill(noon))
    sender.job.start()
    let most = 0
    let ended = 0
    while (ended < 200) {
      await until(() => waiting.length > 0, 'an attempt is under way')
      most = Math.max(most, waiting.length)
      const hosts = Object.values(Object.groupBy(waiting, ({ claimed }) => claimed.host)).map((all) => all?.length)
      expect(Math.max(...hosts.map(Number))).toBeLessThanOrEqual(4)
      if (waiting.length === 32 || ended + waiting.length > 150) {
        ended++
        waiting.shift()?.end()
      } else await Bun.sleep(1)
    }
    expect(most).toBe(32)
  }, 20_000)

  test('tries again on the schedule, and gives up after ten attempts', async () => {
    let attempts = 0
    const { addWebhook, submit, formId, job, clock, states, deliveries } = openSender(async () => {
      attempts++
      return failed
    })
    addWebhook()
    submit(formId, [noon])
    job.start()
    for (let attempt = 1; attempt <= 10; attempt++) {
      await until(
        () => JSON.parse(deliveries()[0]?.log as string).length === attempt,
        `attempt ${attempt} is written down`,
      )
      expect(attempts).toBe(attempt)
      clock.now = Math.max(clock.now, deliveries()[0]?.due_at as number)
      job.wake()
    }
    expect(states()).toEqual(['failed'])
    expect(clock.now - noon).toBeGreaterThan(75.5 * 3_600_000)
  })

  test('does not try again what would be refused again', async () => {
    const { addWebhook, submit, formId, job, states } = openSender(async () => ({ ...failed, result: 'refused' }))
    addWebhook()
    submit(formId, [noon])
    job.start()
    await until(() => states()[0] === 'failed', 'the delivery has failed')
  })

  test('keeps a delivery that a defect of ours prevents, and reports the defect', async () => {
    const { addWebhook, submit, formId, job, states, failures, deliveries } = openSender(async () => {
      throw new Error('a defect')
    })
    addWebhook()
    submit(formId, [noon])
    job.start()
    await until(() => deliveries()[0]?.log !== '[]', 'the attempt is written down')
    expect(states()).toEqual(['pending'])
    expect(failures).toEqual(['cannot make a delivery: a defect'])
  })

  test('makes no further attempt while the disk is full, and then writes down what came of the last ones', async () => {
    let attempts = 0
    const { addWebhook, submit, formId, job, states, failures, disk } = openSender(async () => {
      attempts++
      disk.isFull = true
      return delivered
    })
    addWebhook()
    submit(formId, Array(6).fill(noon))
    job.start()
    await until(() => disk.refused > 5, 'the disk has refused several writes')
    expect(attempts).toBe(4)
    expect(states()).toEqual(Array(6).fill('pending'))
    disk.isFull = false
    await until(() => states().filter((state) => state === 'delivered').length === 4, 'four are delivered')
    expect(failures).toEqual([])
  })

  test('breaks off what takes long when it is stopped, and it is due again at once', async () => {
    const { addWebhook, submit, formId, job, deliveries } = openSender(
      (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ...failed, error: 'broken off' }))),
    )
    addWebhook()
    submit(formId, [noon])
    job.start()
    await until(() => deliveries()[0]?.attempts === 1, 'one attempt is counted')
    await job.stop()
    expect(deliveries()).toMatchObject([{ state: 'pending', due_at: 0 }])
  })

  test('pauses a host that it cannot reach by a fault of this server, counts no attempt, and tells the operator', async () => {
    let attempts = 0
    const { notify, submit, formId, job, clock, deliveries, failures } = openSender(async () => {
      attempts++
      return attempts <= 8
        ? { ...failed, error: 'Wrong password', operatorError: 'mx.example: wrong password', isOurFault: true }
        : delivered
    })
    notify(['a@example.com'])
    submit(formId, Array(30).fill(noon))
    job.start()
    await until(() => deliveries().filter(({ log }) => log !== '[]').length === 4, 'four attempts are written down')
    job.wake()
    expect(attempts).toBe(4)
    expect(failures).toEqual(['cannot send mail: mx.example: wrong password; the next try is in 5 minutes'])
    expect(
      deliveries()
        .map(({ log }) => log)
        .join(),
    ).not.toContain('mx.example')
    expect(deliveries().every((row) => row.attempts === 0 && row.state === 'pending')).toBeTrue()
    clock.now += 300_000
    job.wake()
    await until(() => attempts === 8, 'eight attempts were made')
    await until(() => deliveries().every((row) => row.attempts === 0), 'no attempt is counted')
    clock.now += 300_000
    job.wake()
    await until(() => deliveries().every(({ state }) => state === 'delivered'), 'all are delivered')
  })
})
