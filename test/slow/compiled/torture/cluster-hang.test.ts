// Many requests wait for a log that answers what is read, and takes nothing, because its standby hangs; or takes each
// row, but slowly.
import { expect, test } from 'bun:test'
import { addUser, call, type Machine, newForm, startCluster, submit } from '../../../cluster/machines.ts'
import { startPair } from '../../../cluster/pair.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { answerTo, message } from '../../../raw-http.ts'
import { noteSkipped } from '../../../skips.ts'
import { isLong, peakBytes, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the requests that wait for the log of a cluster: ${reason}.`)

const megabyte = 1024 * 1024
/** Those with 100,000 bytes are more than the server keeps at a time. */
const counts = isLong ? { small: 9000, large: 1000 } : { small: 300, large: 100 }

const sendTo = ({ url }: Pick<Machine, 'url'>, form: string, data: object) => {
  const body = JSON.stringify(data)
  const head = ['Host: x', 'Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  return answerTo(url, message([`POST /s/${form} HTTP/1.1`, ...head], body))
}

test.skipIf(reason !== null)(
  'requests that wait for the log are answered together, in bounded memory, while all can be read',
  async () => {
    const pair = await startPair()
    const cluster = await startCluster(pair.primary().urlOf())
    const machine = await cluster.start('one')
    const key = await addUser(machine)
    const form = await newForm(machine, key)
    const send = (bytes: number) => sendTo(machine, form, { sent: 'x'.repeat(bytes) })
    pair.standby().freeze()
    const startedAt = performance.now()
    const waiting = [
      ...Array.from({ length: counts.small }, () => send(10)),
      ...Array.from({ length: counts.large }, () => send(100_000)),
    ]
    await until(async () => !(await machine.isReady()), 'the machine is not ready', slowly)
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
    await until(machine.isReady, 'the machine is ready', slowly)
    expect((await submit(machine, form, { sent: 'again' })).status).toBe(200)
    const { body } = await call(machine, key, 'GET', `/forms/${form}/submissions`)
    const sent = body.submissions.map(({ data }: { data: { sent: string } }) => data.sent)
    expect(sent.filter((text: string) => text === 'late' || text === 'again')).toEqual(['again'])
    expect(machine.errors().match(/writes are refused until it works again/g)).toHaveLength(1)
  },
  timeout * 3,
)

/** Each takes two seconds, and has up to 1 MiB or 1000 submissions. */
const slowRows = `
  CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NEW; END';
  CREATE TRIGGER be_slow BEFORE INSERT ON formbox_log FOR EACH ROW EXECUTE FUNCTION be_slow()`

test.skipIf(reason !== null)(
  'no request waits for more than ten seconds while the log takes rows slowly, and what is refused is not stored',
  async () => {
    const cluster = await startCluster()
    const machine = await cluster.start('one')
    const key = await addUser(machine)
    const form = await newForm(machine, key)
    await cluster.postgres?.ask(slowRows)
    const startedAt = performance.now()
    const sizes = [...Array<number>(isLong ? 9000 : 0).fill(10), ...Array<number>(100).fill(100_000)]
    const answers = await Promise.all(
      sizes.map(async (bytes, n) => {
        const answer = await sendTo(machine, form, { n, sent: 'x'.repeat(bytes) })
        return { n, answer, seconds: (performance.now() - startedAt) / 1000 }
      }),
    )
    const stored = answers.filter(({ answer }) => answer?.status === 200)
    const refused = answers.filter(({ answer }) => answer?.status === 503)
    const unsure = refused.filter(({ answer }) => answer?.body.includes('may have been stored'))
    const seconds = Math.max(...answers.map((answer) => answer.seconds))
    tell(
      `${stored.length} stored, ${refused.length} refused, of which ${unsure.length} may have been stored, ` +
        `the last answer after ${seconds.toFixed(1)} s`,
    )
    expect(stored.length + refused.length).toBe(answers.length)
    expect(stored.length).toBeGreaterThan(0)
    // More than ten by what this process itself takes.
    expect(seconds).toBeLessThan(13)

    await cluster.postgres?.ask('DROP TRIGGER be_slow ON formbox_log')
    await until(async () => (await submit(machine, form, { n: -1 })).status === 200, 'a submission is stored', slowly)
    const { output } = await machine.run('export', form, '--format', 'ndjson')
    const found = new Set(
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).data.n),
    )
    for (const { n } of stored) expect(found.has(n)).toBe(true)
    const known = new Set([...stored, ...unsure].map(({ n }) => n))
    expect([...found].filter((n) => n !== -1 && !known.has(n as number))).toEqual([])
  },
  timeout * 3,
)
