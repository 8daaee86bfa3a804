// Many requests wait for a log that answers what is read, and takes nothing: its standby hangs.
import { expect, test } from 'bun:test'
import { addUser, call, newForm, startCluster, submit } from '../cluster/machines.ts'
import { startPair } from '../cluster/pair.ts'
import { whyNoPostgres } from '../cluster/postgres.ts'
import { answerTo, message } from '../raw-http.ts'
import { until } from '../until.ts'
import { isLong, peakBytes, tell, timeout } from './process.ts'

const reason = whyNoPostgres()
if (reason) process.stderr.write(`Skipping the requests that wait for the log of a cluster: ${reason}.\n`)

const megabyte = 1024 * 1024
/** Those with 100,000 bytes are more than the server keeps at a time. */
const counts = isLong ? { small: 9000, large: 1000 } : { small: 300, large: 100 }

test.skipIf(reason !== null)(
  'requests that wait for the log are answered together, in bounded memory, while all can be read',
  async () => {
    const pair = await startPair()
    const cluster = await startCluster(pair.primary().urlOf())
    const machine = await cluster.start('one')
    const key = await addUser(machine)
    const form = await newForm(machine, key)
    const send = (bytes: number) => {
      const body = JSON.stringify({ sent: 'x'.repeat(bytes) })
      const head = ['Host: x', 'Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`]
      return answerTo(machine.url, message([`POST /s/${form} HTTP/1.1`, ...head], body))
    }
    pair.standby().freeze()
    const startedAt = performance.now()
    const waiting = [
      ...Array.from({ length: counts.small }, () => send(10)),
      ...Array.from({ length: counts.large }, () => send(100_000)),
    ]
    await until(async () => !(await machine.isReady()))
    expect((await call(machine, key, 'GET', `/forms/${form}`)).status).toBe(200)
    const answers = await Promise.all(waiting)
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([503]))
    expect(answers.every((answer) => answer?.headers.has('retry-after'))).toBe(true)
    tell(
      `${answers.length} answers in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ` +
        `peak ${(peakBytes(machine) / megabyte).toFixed(0)} MiB`,
    )
    expect(peakBytes(machine)).toBeLessThan(512 * megabyte)

    // Nothing is appended behind what the log has not taken.
    const late = await submit(machine, form, { sent: 'late' })
    expect([late.status, await late.text()]).toEqual([503, expect.not.stringContaining('may have been stored')])
    pair.standby().thaw()
    await until(machine.isReady)
    expect((await submit(machine, form, { sent: 'again' })).status).toBe(200)
    const { body } = await call(machine, key, 'GET', `/forms/${form}/submissions`)
    const sent = body.submissions.map(({ data }: { data: { sent: string } }) => data.sent)
    expect(sent.filter((text: string) => text === 'late' || text === 'again')).toEqual(['again'])
    expect(machine.errors().match(/writes are refused until it works again/g)).toHaveLength(1)
  },
  timeout * 3,
)
