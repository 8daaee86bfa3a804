import { expect, test } from 'bun:test'
import { createJob } from '../../src/upkeep/jobs/job.ts'
import { openLease } from '../../src/upkeep/jobs/lease.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { until } from '../until.ts'

const hour = 3_600_000

/** Machines of a cluster with one job, and their own clocks. They execute the same writes, so they may share a file. */
const startMachines = (...names: string[]) => {
  const { db, run } = openData()
  return names.map((node) => {
    const machine = {
      asked: 0,
      written: 0,
      steps: 0,
      now: Date.UTC(2026, 0, 1),
      job: undefined as never as ReturnType<typeof createJob>,
    }
    const writer = {
      run: async (name: string, input: unknown) => {
        machine.written++
        return run(name, input)
      },
    } as never
    const ask = openLease({ db, writer, node, now: () => machine.now })
    machine.job = createJob({
      task: 'count',
      lease: async (task) => {
        const until = await ask(task)
        machine.asked++
        return until
      },
      step: async () => {
        machine.steps++
        return machine.now + hour
      },
      now: () => machine.now,
      onFailure: (reason) => {
        throw new Error(reason)
      },
    })
    afterThisTest(() => machine.job.stop())
    machine.job.start()
    return machine
  })
}

type Machine = ReturnType<typeof startMachines>[number]

/** An hour passes on these machines, and each looks whether it has to do something. */
const anHourLater = async (...machines: readonly Machine[]): Promise<void> => {
  for (const machine of machines) {
    const { asked } = machine
    machine.now += hour
    machine.job.wake()
    await until(() => machine.asked > asked, 'the machine has asked again')
  }
}

test('one machine does a job as long as it runs, and another one takes over when it is gone', async () => {
  const [one, two, three] = startMachines('one', 'two', 'three') as [Machine, Machine, Machine]
  await until(() => [one, two, three].every(({ asked }) => asked === 1), 'each machine has asked once')
  expect([one.steps, two.steps, three.steps]).toEqual([1, 0, 0])
  for (let hours = 1; hours <= 30; hours++) await anHourLater(one, two, three)
  expect([one.steps, two.steps, three.steps]).toEqual([31, 0, 0])
  // Each write is a row of the log. Only the machine that has the job renews it.
  expect([one.written, two.written, three.written]).toEqual([31, 0, 0])

  await one.job.stop()
  await anHourLater(two, three)
  expect([two.steps, three.steps]).toEqual([0, 0])
  await anHourLater(two, three)
  expect([two.steps, three.steps]).toEqual([1, 0])
  await anHourLater(two, three)
  expect([two.steps, three.steps]).toEqual([2, 0])
})

test('a lease that a wrong clock wrote for years ahead holds no one up', async () => {
  const { db, run } = openData()
  const now = Date.UTC(2026, 0, 1)
  const writer = { run: async (name: string, input: unknown) => run(name, input) } as never
  const ahead = openLease({ db, writer, node: 'one', now: () => now + 1000 * 24 * hour })
  expect(await ahead('count')).toBeNull()
  expect(await openLease({ db, writer, node: 'two', now: () => now })('count')).toBeNull()
})
