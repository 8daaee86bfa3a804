import { describe, expect, test } from 'bun:test'
import { unavailable } from '../../src/base/errors.ts'
import { newId } from '../../src/base/id.ts'
import type { Claimed } from '../../src/outbox/claim.ts'
import { outboxReads } from '../../src/outbox/receivers.ts'
import { dueLook } from '../../src/outbox/waiting.ts'
import { type Attempted, sendDeliveries } from '../../src/upkeep/jobs/send-deliveries.ts'
import { afterThisTest } from '../harness.ts'
import { noon, openOutbox } from '../outbox/outbox.ts'
import { until } from '../until.ts'

const delivered: Attempted = { result: 'delivered', status: 200, error: null, answer: '' }
const failed: Attempted = { result: 'later', status: 500, error: 'The receiver responded with 500', answer: 'oh' }

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
  const writes: string[] = []
  const look = dueLook(outbox.db)
  const run = async (name: string, input: unknown): Promise<unknown> => {
    writes.push(name)
    if (!disk.isFull) return outbox.run(name, input)
    disk.refused++
    throw unavailable(5)
  }
  const job = sendDeliveries({
    writer: { run } as never,
    node: 'this',
    hasPending: () => {
      const isSo = outboxReads(outbox.db).hasPending()
      if (!isSo) looks.count++
      return isSo
    },
    look: (input) => {
      looks.count++
      return look(input)
    },
    attempts: { attempt, close: () => {} },
    now: () => clock.now,
    onFailure: (reason) => failures.push(reason),
    retryMilliseconds: 1,
    lookMilliseconds,
  })
  afterThisTest(() => job.stop())
  const states = () => outbox.deliveries().map(({ state }) => state)
  /** Resolves when it has looked so many times more. */
  const looked = (times: number): Promise<void> => {
    const enough = looks.count + times
    return until(() => looks.count >= enough, `it has looked ${times} times`)
  }
  return { ...outbox, job, failures, clock, states, disk, looks, looked, writes }
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

  test('writes nothing while nothing is due, and sends what is due: also what another machine had when it died', async () => {
    const answers = [failed, delivered]
    const sender = openSender(async () => answers.shift() as Attempted, 1)
    const { addWebhook, submit, formId, claim, job, clock, states, deliveries, looked, writes } = sender
    addWebhook()
    submit(formId, [noon])
    claim({ node: 'other', lostAt: noon + 60_000 })
    job.start()
    await looked(5)
    clock.now = noon + 59_999
    await looked(5)
    expect(writes).toEqual(['releaseClaims'])
    clock.now = noon + 60_000
    await until(() => deliveries()[0]?.log !== '[]', 'the attempt is written down')
    await looked(5)
    expect(writes.splice(0)).toEqual(['releaseClaims', 'claimDeliveries', 'finishDeliveries'])
    clock.now = deliveries()[0]?.due_at as number
    await until(() => states()[0] === 'delivered', 'it is delivered')
    await looked(5)
    expect(writes).toEqual(['claimDeliveries', 'finishDeliveries'])
  })

  test('writes nothing while a digest of the day waits', async () => {
    const { run, userId, formId, email, job, clock, looked, writes, states } = openSender(async () => delivered, 1)
    const [hour, seven] = [3_600_000, noon + 19 * 3_600_000]
    const notify = [{ address: email, only: null, digest: 'day' }]
    run('updateFormSettings', { userId, id: formId, now: noon, changes: { notify } })
    run('createSubmission', {
      formId,
      id: newId(noon),
      data: '{"a":"1"}',
      fieldNames: ['a'],
      digestAt: { day: seven, week: seven },
    })
    job.start()
    for (; clock.now < seven - hour; clock.now += hour) await looked(2)
    clock.now = seven - 1
    await looked(5)
    expect(writes).toEqual(['releaseClaims'])
    clock.now = seven
    await until(() => states().join() === 'delivered', 'it is delivered')
  })

  test('claims once what is due behind hundreds of receivers with nothing due', async () => {
    const { addForms, claim, job, clock, states, looks, writes } = openSender(async () => delivered)
    addForms(41)
    const other = { node: 'other', limit: 1000, maxUnderWay: 2000, lostAt: noon + 60_000 }
    const { claimed, lookedTo } = claim(other)
    expect([...claimed, ...claim({ ...other, after: lookedTo }).claimed]).toHaveLength(400)
    job.start()
    const count = () => states().filter((state) => state === 'delivered').length
    await until(() => count() === 10, 'ten are delivered')
    await until(() => looks.count === 5, 'it has looked at all once more')
    expect(writes.filter((name) => name === 'claimDeliveries')).toHaveLength(1)
    clock.now += 60_000
    job.wake()
    await until(() => count() > 10, 'what the other machine had is delivered')
  })

  test('writes nothing for a host that is busy, and gives up what waits for someone who is locked out', async () => {
    const waiting: (() => void)[] = []
    const sender = openSender(() => new Promise((end) => waiting.push(() => end(delivered))), 1)
    const { addWebhook, submit, formId, userId, run, job, looked, writes, states } = sender
    addWebhook()
    submit(formId, Array(6).fill(noon))
    job.start()
    await looked(5)
    expect(writes.splice(0)).toEqual(['releaseClaims', 'claimDeliveries'])
    run('disableUser', { userId, now: noon })
    await until(() => states().every((state) => state === 'failed'), 'all are given up')
    await looked(5)
    expect(writes).toEqual(['claimDeliveries'])
    for (const end of waiting) end()
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
  })

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

  test('pauses no host for an answer to one mail while it takes others', async () => {
    const refused = {
      ...failed,
      error: 'Not verified',
      operatorError: 'not verified',
      isOurFault: true,
      isOfMail: true,
    }
    let first: number | undefined
    const { notify, submit, formId, job, clock, deliveries, failures } = openSender(async ({ receiver }) => {
      first ??= receiver
      return receiver === first ? delivered : refused
    })
    const ofFirst = () => deliveries().filter(({ state }) => state === 'delivered').length
    notify(['ada@example.com'])
    submit(formId, [noon])
    job.start()
    await until(() => ofFirst() > 0 && deliveries().every(({ state }) => state === 'delivered'), 'a mail has arrived')
    notify(['ada@example.com', 'eve@example.com'])
    submit(formId, [noon])
    job.wake()
    await until(() => deliveries().some(({ log, state }) => state === 'pending' && log !== '[]'), 'one was answered')
    const before = ofFirst()
    submit(formId, [noon])
    job.wake()
    await until(() => ofFirst() > before, 'another one has arrived')
    expect(failures).toEqual([])

    // Nothing has arrived for ten minutes: the settings may be wrong.
    clock.now += 600_000
    job.wake()
    await until(() => failures.length === 1, 'the host is paused')
  })
})
