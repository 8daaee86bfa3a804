import { afterEach, describe, expect, jest, test } from 'bun:test'
import { unavailable } from '../../src/base/errors.ts'
import { createJob } from '../../src/upkeep/jobs/job.ts'
import { afterThisTest } from '../harness.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const hour = 3_600_000

/**
 * A job whose clock stands at noon unless a test moves it. The test ends each of its steps: `(await job.step()).end(…)`
 * waits for the next step, and says when the one after it is due.
 */
const openJob = (retryMilliseconds?: number) => {
  const failures: string[] = []
  const begun: Step[] = []
  const awaited: ((step: Step) => void)[] = []
  const clock = { now: noon }
  let atOnce = 0
  const job = createJob({
    task: 'feed the cat',
    now: () => clock.now,
    onFailure: (reason) => failures.push(reason),
    ...(retryMilliseconds !== undefined && { retryMilliseconds }),
    async step(stopping) {
      atOnce++
      expect(atOnce, 'steps under way').toBe(1)
      const { promise, resolve: end, reject: fail } = Promise.withResolvers<number | null>()
      const step = { stopping, end, fail }
      const next = awaited.shift()
      if (next) next(step)
      else begun.push(step)
      return promise.finally(() => atOnce--)
    },
  })
  afterThisTest(() => {
    for (const { end } of begun) end(null)
    return job.stop()
  })
  const step = (): Promise<Step> => {
    const [first] = begun.splice(0, 1)
    return first ? Promise.resolve(first) : new Promise((resolve) => awaited.push(resolve))
  }
  return { ...job, step, begun, failures, clock }
}

interface Step {
  readonly stopping: AbortSignal
  end(dueAt: number | null): void
  fail(error: unknown): void
}

/** Until all is done that is possible at this moment; timers are not. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

afterEach(() => void jest.useRealTimers())

describe('a job', () => {
  test('takes no step before it is started, whoever wakes it, and the first one at once', async () => {
    const job = openJob()
    job.wake()
    await settled()
    expect(job.begun).toHaveLength(0)
    job.start()
    ;(await job.step()).end(null)
  })

  test('takes one step after the other while they are due', async () => {
    const job = openJob()
    job.start()
    for (const dueAt of [noon, noon - 1, 0]) (await job.step()).end(dueAt)
    ;(await job.step()).end(null)
    await settled()
    expect(job.begun).toHaveLength(0)
  })

  test('takes the next step when it is due', async () => {
    jest.useFakeTimers()
    const job = openJob()
    job.start()
    ;(await job.step()).end(noon + 20)
    for (let i = 0; i < 10; i++) await Promise.resolve()
    jest.advanceTimersByTime(19)
    expect(job.begun).toHaveLength(0)
    jest.advanceTimersByTime(1)
    expect(job.begun).toHaveLength(1)
  })

  test('takes a step at once when it is woken while it waits', async () => {
    const job = openJob()
    job.start()
    ;(await job.step()).end(noon + hour)
    await settled()
    job.wake()
    ;(await job.step()).end(null)
    await settled()
    job.wake()
    ;(await job.step()).end(null)
  })

  test('takes one more step when it is woken during one, however often', async () => {
    const job = openJob()
    job.start()
    const first = await job.step()
    for (let time = 0; time < 3; time++) job.wake()
    first.end(null)
    ;(await job.step()).end(null)
    await settled()
    expect(job.begun).toHaveLength(0)
  })

  test('takes one more step when it is woken at any moment while one ends', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const job = openJob()
      job.start()
      ;(await job.step()).end(null)
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      job.wake()
      await settled()
      expect(job.begun, `woken after ${turns} turns`).toHaveLength(1)
    }
  })

  test('looks again every hour, whether a step is due much later or there is nothing to do', async () => {
    jest.useFakeTimers()
    const job = openJob()
    job.start()
    for (const dueAt of [noon + 1000 * hour, null]) {
      ;(await job.step()).end(dueAt)
      for (let i = 0; i < 10; i++) await Promise.resolve()
      jest.advanceTimersByTime(hour - 1)
      expect(job.begun).toHaveLength(0)
      jest.advanceTimersByTime(1)
      expect(job.begun).toHaveLength(1)
    }
  })
})

describe('a step that fails', () => {
  test('is reported in one line and taken again after the time that the line names', async () => {
    jest.useFakeTimers()
    const job = openJob()
    job.start()
    ;(await job.step()).fail(new Error('no cat'))
    for (let i = 0; i < 10; i++) await Promise.resolve()
    expect(job.failures).toEqual(['cannot feed the cat: no cat; the next try is in 1 minute'])
    jest.advanceTimersByTime(59_999)
    expect(job.begun).toHaveLength(0)
    jest.advanceTimersByTime(1)
    expect(job.begun).toHaveLength(1)
  })

  test('is not taken again earlier when the job is woken', async () => {
    const job = openJob(hour)
    job.start()
    const first = await job.step()
    job.wake()
    first.fail(new Error('no cat'))
    await settled()
    job.wake()
    await settled()
    expect(job.begun).toHaveLength(0)
    expect(job.failures).toEqual(['cannot feed the cat: no cat; the next try is in 60 minutes'])
  })

  test('is taken again as soon as the writer may be in service again', async () => {
    jest.useFakeTimers()
    const job = openJob()
    job.start()
    ;(await job.step()).fail(unavailable(5))
    for (let i = 0; i < 10; i++) await Promise.resolve()
    jest.advanceTimersByTime(4999)
    expect(job.begun).toHaveLength(0)
    jest.advanceTimersByTime(1)
    expect(job.begun).toHaveLength(1)
    ;(await job.step()).end(null)
  })

  test('is not reported when the disk is full, which every write says, and is taken again', async () => {
    const job = openJob(1)
    job.start()
    ;(await job.step()).fail(unavailable(5))
    ;(await job.step()).end(null)
    expect(job.failures).toEqual([])
  })
})

describe('a job that is stopped', () => {
  test('waits for the step under way, tells it, and takes no other', async () => {
    const job = openJob()
    job.start()
    const step = await job.step()
    expect(step.stopping.aborted).toBe(false)
    let isStopped = false
    const stopped = job.stop().then(() => (isStopped = true))
    expect(step.stopping.aborted).toBe(true)
    await settled()
    expect(isStopped).toBe(false)
    job.wake()
    step.end(noon)
    await stopped
    await settled()
    expect(job.begun).toHaveLength(0)
  })

  test('does not report what its last step threw', async () => {
    const job = openJob(1)
    job.start()
    const step = await job.step()
    const stopped = job.stop()
    step.fail(new Error('interrupted'))
    await stopped
    expect(job.failures).toEqual([])
  })

  test.each([
    ['for what is due later', (step: Step) => step.end(noon + 1)],
    ['for its retry', (step: Step) => step.fail(unavailable(5))],
  ])('while it waits %s, takes no other step, also when it is woken', async (_, end) => {
    jest.useFakeTimers()
    const job = openJob(1)
    job.start()
    end(await job.step())
    for (let i = 0; i < 10; i++) await Promise.resolve()
    await job.stop()
    job.wake()
    for (let i = 0; i < 10; i++) await Promise.resolve()
    // More than the five seconds after which it would try again.
    jest.advanceTimersByTime(6000)
    expect(job.begun).toHaveLength(0)
  })

  test('before it was started, or twice, is no error', async () => {
    const job = openJob()
    await job.stop()
    await job.stop()
  })
})
