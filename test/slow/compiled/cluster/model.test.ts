import { describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import fc from 'fast-check'
import { appliedOn, caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { startPostgres, whyNoPostgres } from '../../../cluster/postgres.ts'
import { addKey, newEmail, type Server, startServer, temporaryFolder, type User, writeUser } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { expectSound } from '../../../storage/sound.ts'
import { Model } from '../../../torture/model.ts'
import { expectSame, step, take } from '../../../torture/model-calls.ts'
import { isLong, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the model of three machines: ${reason}.`)

const runs = isLong ? 200 : 6

describe.skipIf(reason !== null)('three machines', () => {
  test(
    'answer the random calls of two users as one does, whichever takes them',
    async () => {
      const postgres = await startPostgres()
      const machines: Server[] = []
      let last: Server | undefined
      let calls = 0
      /** Any machine takes the call. What was written before, it has executed, or it waits until it has. */
      const send = async (path: string, init?: RequestInit): Promise<Response> => {
        const machine = machines[Math.floor(Math.random() * machines.length)] as Server
        if (last) await caughtUp(machine, last)
        calls++
        for (;;) {
          const response = await machine.fetch(path, init)
          // A machine that is busy may not have asked the log for a while. It does not say then that a form is unknown.
          if (response.status === 503 && (await response.clone().text()).includes('has not caught up')) continue
          last = machine
          return response
        }
      }
      const seed = temporaryFolder()
      const newUser = (): User => {
        const email = newEmail()
        return addKey({ folder: seed, fetch: send }, writeUser(seed, email), email)
      }
      const pairs = Array.from({ length: runs * 2 }, () => [newUser(), newUser()])
      for (const name of ['one', 'two', 'three']) {
        const folder = temporaryFolder()
        cpSync(seed, folder, { recursive: true })
        const settings = { FORMBOX_CLUSTER: postgres.urlOf(), FORMBOX_NODE: name }
        machines.push(await startServer({ folder, settings }))
      }
      for (const machine of machines)
        await until(async () => (await machine.fetch('/readyz')).ok, 'the machine is ready', slowly)

      // Their data begins as the same backup on each.
      const property = fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const users = pairs.pop() as User[]
        const model = new Model()
        await take({ user: 0, operation: { name: 'createForm', form: { title: 'First' } } }, users, model, send)
        for (const taken of steps) await take(taken, users, model, send)
        for (const [position, user] of users.entries()) await expectSame(user, position, model)
      })
      await fc.assert(property, { numRuns: runs, endOnFailure: true })

      await expectEqual(machines)
      expect(appliedOn(machines[0] as Server)).toBeGreaterThanOrEqual(runs)
      for (const machine of machines) {
        await machine.stop()
        expectSound(machine.folder)
      }
      tell(`${calls} calls of three machines`)
    },
    timeout * 2,
  )
})
