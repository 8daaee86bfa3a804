// One machine of a cluster has no room left. The others have.
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { addUser, call, startCluster, submit } from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { noteSkipped } from '../../../skips.ts'
import { expectSound } from '../../../storage/sound.ts'
import { timeout } from '../../../torture/process.ts'
import { fillDisk, smallDisk } from '../../../torture/small-disk.ts'
import { slowly, until } from '../../../until.ts'

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the full disk of one machine of a cluster: ${reason}.`)

test.skipIf(reason !== null)(
  'a machine of a cluster whose disk is full serves reads, lets the others go on, and catches up',
  async () => {
    const disk = smallDisk(24)
    if (!disk) return void noteSkipped('Skipping the full disk of one machine: only root can mount one.')
    const cluster = await startCluster()
    const one = await cluster.start('one')
    const two = await cluster.start('two', { folder: join(disk, 'data') })
    const key = await addUser(one)
    const { body: form } = await call(one, key, 'POST', '/forms', { title: 'Contact' })
    await caughtUp(two, one)
    const ballast = join(disk, 'ballast')
    fillDisk(disk, ballast)
    const total = 60
    for (let n = 0; n < total; n++)
      expect((await submit(one, form.id, { text: `${n} ${'x'.repeat(50_000)}` })).status).toBe(200)

    await until(async () => !(await two.isReady()), 'machine two is not ready', slowly)
    const refused = await submit(two, form.id, { text: 'refused' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    const seen = await call(two, key, 'GET', `/forms/${form.id}`)
    expect(seen.status).toBe(200)
    expect(seen.body.submissionCount).toBeLessThan(total)
    const { body: whole } = await call(one, key, 'GET', `/forms/${form.id}`)
    expect(whole.submissionCount).toBe(total)
    expect(two.errors().match(/this machine cannot execute it/g)).toHaveLength(1)
    expect(two.errors()).not.toContain(disk)

    rmSync(ballast)
    await until(two.isReady, 'machine two is ready', slowly)
    expect((await submit(two, form.id, { text: 'stored' })).status).toBe(200)
    await expectEqual([one, two])
    await until(
      () => two.errors().endsWith('the log of the cluster works again\n'),
      'machine two says that the log works again',
      slowly,
    )
    for (const machine of [one, two]) {
      await machine.stop()
      expectSound(machine.folder)
    }
  },
  timeout * 3,
)
