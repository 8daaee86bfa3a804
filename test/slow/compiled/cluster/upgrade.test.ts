import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { addUser, call, type Machine, startCluster, submit } from '../../../cluster/machines.ts'
import { newerProgram } from '../../../cluster/newer.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the upgrade of a cluster: ${reason}.`)

describe.skipIf(reason !== null)('a cluster', () => {
  test('is upgraded one machine at a time, and takes submissions all the while', async () => {
    const cluster = await startCluster()
    const names = ['one', 'two', 'three'] as const
    const machines = new Map<string, Machine>()
    for (const name of names) machines.set(name, await cluster.start(name))
    const at = (name: string) => machines.get(name) as Machine
    const key = await addUser(at('one'))
    const form: string = (await call(at('one'), key, 'POST', '/forms', { title: 'Contact' })).body.id
    for (const name of names) await caughtUp(at(name), at('one'))

    const answered: string[] = []
    let isOver = false
    /** As behind a proxy that sends each submission to a machine that is ready. */
    const visitor = async (): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const ready = await Promise.all(
          [...machines.values()].map(async (one) => ((await one.isReady().catch(() => false)) ? one : null)),
        )
        const machine = ready.filter((one) => one !== null).at(n % 3) ?? ready.find((one) => one !== null)
        if (!machine) continue
        const response = await submit(machine, form, { n: String(n) }).catch(() => undefined)
        if (response?.status === 200) answered.push((await response.json()).id)
      }
    }
    const visiting = visitor()

    const program = newerProgram()
    for (const name of names) {
      const { folder } = at(name)
      at(name).kill('SIGTERM')
      await at(name).ended()
      machines.set(name, await cluster.start(name, { folder, program }))
      const count = answered.length
      await until(() => answered.length > count + 5, 'five more are answered', slowly)
      if (name !== 'one') continue
      // The others read what they have, and say what they wait for.
      for (const old of [at('two'), at('three')]) {
        await until(
          () => old.errors().includes('upgrade Formbox on this machine'),
          'the older machine asks for an upgrade',
          slowly,
        )
        expect(await old.isReady()).toBe(false)
        expect((await submit(old, form, { n: 'x' })).status).toBe(503)
        expect((await call(old, key, 'GET', `/forms/${form}`)).status).toBe(200)
      }
      await until(
        async () => (await at('one').run('cluster', 'status')).output.includes('runs an older Formbox'),
        'an older Formbox is reported',
        slowly,
      )
    }
    isOver = true
    await visiting

    await expectEqual(names.map(at))
    const { body } = await call(at('two'), key, 'GET', `/forms/${form}/submissions?perPage=1`)
    expect(body.pagination.total).toBeGreaterThanOrEqual(answered.length)
    for (const id of answered)
      expect((await call(at('three'), key, 'GET', `/forms/${form}/submissions/${id}`)).status).toBe(200)
  })
})
