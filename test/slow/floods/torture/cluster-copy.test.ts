// A machine of a cluster that asks for a copy of another one's data, and does not read it, or hardly.
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openLog } from '../../../../src/storage/cluster/open-log.ts'
import { addUser, call, startCluster, submit } from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { afterThisTest } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { isLong, tell, timeout } from '../../../torture/process.ts'
import { openStalledReader } from '../../../torture/stalled-reader.ts'

const reason = isLong ? whyNoPostgres() : 'it waits for the idle timeout, so only make torture runs it'
if (reason) noteSkipped(`Skipping the stalled copy for a machine of a cluster: ${reason}.`)

/** Reads some 64 KiB a second: without an end, a copy would take seven minutes. Returns whether it is given one. */
const readSlowly = (port: number, request: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    afterThisTest(() => socket.destroy())
    socket.on('error', () => {})
    socket.once('data', (start) => resolve(start.toString('latin1').startsWith('HTTP/1.1 200')))
    socket.on('data', () => {
      socket.pause()
      setTimeout(() => socket.resume(), 1000)
    })
    socket.write(request)
  })

test.skipIf(reason !== null)(
  'who does not read a copy, or reads it slowly, keeps others from theirs for a while only',
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
    const secondsUntilFree = async (): Promise<number> => {
      const startedAt = performance.now()
      while ((await ask()) !== 503) await Bun.sleep(20)
      while ((await ask()) !== 200) await Bun.sleep(500)
      return (performance.now() - startedAt) / 1000
    }
    const ofStalled = await secondsUntilFree()
    tell(`a stalled copy ended after ${ofStalled.toFixed(0)} s`)
    expect(ofStalled).toBeLessThan(90)

    // The copy before may not have ended yet.
    while (!(await readSlowly(Number(new URL(machine.url).port), head)));
    const ofSlow = await secondsUntilFree()
    tell(`a slow copy ended after ${ofSlow.toFixed(0)} s`)
    expect(ofSlow).toBeLessThan(300)
    expect(machine.errors()).toBe('')
  },
  timeout * 3,
)
