// A machine of a cluster that asks for a copy of another one's data, and does not read it.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/cluster/open-log.ts'
import { addUser, call, startCluster, submit } from '../cluster/machines.ts'
import { whyNoPostgres } from '../cluster/postgres.ts'
import { afterThisTest } from '../harness.ts'
import { isLong, tell, timeout } from './process.ts'
import { openStalledReader } from './stalled-reader.ts'

const reason = isLong ? whyNoPostgres() : 'it waits for the idle timeout, so only make torture runs it'
if (reason) process.stderr.write(`Skipping the stalled copy for a machine of a cluster: ${reason}.\n`)

test.skipIf(reason !== null)(
  'who does not read a copy keeps others from theirs for half a minute only',
  async () => {
    const cluster = await startCluster()
    const machine = await cluster.start('one')
    const key = await addUser(machine)
    const { body: form } = await call(machine, key, 'POST', '/forms', { title: 'Contact' })
    // More than the systems on both sides keep of an answer.
    for (let n = 0; n < 30; n++)
      expect((await submit(machine, form.id, { text: 'x'.repeat(900_000) + n })).status).toBe(200)
    const log = openLog([cluster.url])
    const token = await log.token()
    await log.close()
    const headers = { authorization: `Bearer ${token}` }
    const ask = async (): Promise<number> => {
      const response = await fetch(`${machine.url}/cluster/copy`, { headers, keepalive: false })
      await response.arrayBuffer()
      return response.status
    }
    const head = `GET /cluster/copy HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    afterThisTest(openStalledReader(Number(new URL(machine.url).port), Buffer.from(head)))
    const startedAt = performance.now()
    while ((await ask()) !== 503) expect(performance.now() - startedAt).toBeLessThan(20_000)
    while ((await ask()) !== 200) await Bun.sleep(500)
    const seconds = (performance.now() - startedAt) / 1000
    tell(`a stalled copy ended after ${seconds.toFixed(0)} s`)
    expect(seconds).toBeLessThan(90)
  },
  timeout,
)
