import { test } from 'bun:test'
import fc from 'fast-check'
import { startServer, temporaryFolder, type User } from '../../../harness.ts'
import { expectSound } from '../../../storage/sound.ts'
import { Model } from '../../../torture/model.ts'
import { expectSame, step, take } from '../../../torture/model-calls.ts'
import { isLong, tell, timeout } from '../../../torture/process.ts'

test(
  'every answer to random calls of two users is what the contract says, and so are the counts after a restart',
  async () => {
    const folder = temporaryFolder()
    const server = await startServer({ folder })
    const worlds: { users: User[]; model: Model }[] = []
    let calls = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const users = [await server.signUp(), await server.signUp()]
      const model = new Model()
      for (const taken of steps) await take(taken, users, model, server.fetch)
      calls += steps.length
      for (const [position, user] of users.entries()) await expectSame(user, position, model)
      worlds.push({ users, model })
    })
    await fc.assert(property, { numRuns: isLong ? 1000 : 15 })
    await server.stop()
    expectSound(folder)

    const again = await startServer({ folder })
    for (const { users, model } of worlds)
      for (const [position, user] of users.entries()) await expectSame(user, position, model, again.fetch)
    tell(`${calls} calls, and ${worlds.length} pairs of users after the restart`)
  },
  timeout,
)
