import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'
import { caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { addUser, call, newForm, startCluster, submit } from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { noteSkipped } from '../../../skips.ts'
import { tell } from '../../../torture/process.ts'

setDefaultTimeout(180_000)

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping files in a cluster: ${reason}.`)

test.skipIf(reason !== null)(
  'files come to all machines of a cluster, and other writes wait little for them',
  async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const form = await newForm(one, key)
    const sent = [randomBytes(9_000_000), randomBytes(9_000_000), randomBytes(10)]
    const body = new FormData()
    for (const bytes of sent) body.append('photos', new File([bytes], 'photo.jpg'))

    let isArriving = true
    const waits: number[] = []
    const startedAt = performance.now()
    const uploaded = fetch(`${one.url}/s/${form}`, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    }).finally(() => {
      isArriving = false
    })
    // On both machines: one after the other, as long as the files arrive.
    const write = async (machine: typeof one): Promise<void> => {
      while (isArriving) {
        const before = performance.now()
        expect((await submit(machine, form, { text: 'x' })).status).toBe(200)
        waits.push(performance.now() - before)
      }
    }
    await Promise.all([write(one), write(two)])
    const answer = await uploaded
    expect(answer.status).toBe(200)
    const seconds = (performance.now() - startedAt) / 1000
    tell(
      `18 MB in ${seconds.toFixed(1)} s beside ${waits.length} texts, of which one waited ${Math.max(...waits).toFixed(0)} ms`,
    )
    // Behind the whole of the files, one would wait as long as they take.
    expect(Math.max(...waits)).toBeLessThan((seconds * 1000) / 2)

    await caughtUp(one, two)
    await expectEqual([one, two])
    const { id } = await answer.json()
    const { data } = (await call(two, key, 'GET', `/forms/${form}/submissions/${id}`)).body
    for (const [position, { file }] of data.photos.entries()) {
      const path = `/api/v1/forms/${form}/submissions/${id}/files/${file}`
      const read = await fetch(`${two.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
      expect(Buffer.from(await read.arrayBuffer()).equals(sent[position] as Buffer)).toBe(true)
    }

    const log = new SQL(cluster.url)
    const [{ longest }] = await log`SELECT max(octet_length(batch)) AS longest FROM formbox_log`
    await log.close()
    expect(longest).toBeLessThan(1024 * 1024)
  },
)
