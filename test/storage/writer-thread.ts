// A writer's thread for tests: the writes of the service, and commands that hold it up, fill the disk or kill it.

import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { newId } from '../../src/base/id.ts'
import type { Connection } from '../../src/storage/open.ts'
import type { Commands } from '../../src/storage/writer/batch.ts'
import { runWriter } from '../../src/storage/writer/worker.ts'
import type { Writes } from '../../src/upkeep/all-writes.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'

const testWrites = (db: Connection, { createUser } = userWrites(db)) => ({
  addUser: (email: string): string => {
    createUser({ id: newId(Date.now()), email, passwordHash: 'x'.repeat(1000) })
    return email
  },
  /** Sends a gate over the channel of that name, and waits until the test opens it. */
  hold: (name: string): void => {
    const gate = new Int32Array(new SharedArrayBuffer(4))
    const channel = new BroadcastChannel(name)
    channel.postMessage(gate)
    Atomics.wait(gate, 0, 0)
    channel.close()
  },
  pragma: (pragma: string): unknown => db.$client.query(`PRAGMA ${pragma}`).get(),
  /** No more room than so many pages from here, of 4 KiB. */
  leavePages: (pages: number): void => {
    const { page_count } = db.$client.query('PRAGMA page_count').get() as { page_count: number }
    db.$client.run(`PRAGMA max_page_count = ${page_count + pages}`)
  },
  exit: (): void => process.exit(3),
  throwLater: (): void =>
    void setTimeout(() => {
      throw new Error('the roof fell in')
    }),
})

export type TestWrites = Writes & ReturnType<typeof testWrites>

runWriter((db): Commands => {
  db.$client.run('PRAGMA busy_timeout = 20')
  return { ...joinWrites(db), ...testWrites(db) }
})
