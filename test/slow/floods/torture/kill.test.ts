import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { fillFolder } from '../../../backup/data.ts'
import { temporaryFolder } from '../../../harness.ts'
import { type Answered, startLoad } from '../../../load.ts'
import { dataFile } from '../../../storage/sound.ts'
import { caller, createUser, faultsOf, isLong, listAll, startProcess, tell, timeout } from '../../../torture/process.ts'

const rounds = isLong ? 50 : 3
/** Of each start after a kill. The short form runs beside other tests, where a start waits for its turn. */
const maxStartMilliseconds = isLong ? 1000 : 10_000

describe('SIGKILL', () => {
  test(
    'under load loses no submission that was answered, and doubles none',
    async () => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      const answered: Answered[] = []
      const sent = new Set<string>()
      const rates: number[] = []
      const starts: number[] = []
      let formId = ''
      for (let round = 0; round < rounds; round++) {
        const server = await startProcess({ folder })
        starts.push(server.startMilliseconds)
        if (round % 10 === 0) {
          if (formId) await expectAllThere(caller(server.url, key), formId, answered, sent)
          answered.length = 0
          sent.clear()
          formId = (await caller(server.url, key)('POST', '/forms', { title: `Round ${round}` })).body.id
        }
        const load = startLoad({ url: server.url, formId, run: String(round) })
        await load.reached(50)
        const [startedAt, before] = [performance.now(), load.answered.length]
        await Bun.sleep(50 + Math.random() * 500)
        rates.push(((load.answered.length - before) / (performance.now() - startedAt)) * 1000)
        server.kill('SIGKILL')
        expect((await server.ended()).signal).toBe('SIGKILL')
        await load.stop()
        expect([...load.refused]).toEqual([])
        answered.push(...load.answered)
        for (const value of load.sent) sent.add(value)
        expect(faultsOf(folder)).toEqual([])
      }
      const server = await startProcess({ folder })
      starts.push(server.startMilliseconds)
      await expectAllThere(caller(server.url, key), formId, answered, sent)
      tell(`${rounds} kills, ${median(rates).toFixed(0)} submissions a second, ${times(starts.slice(1))}`)
      if (isLong) expect(median(rates)).toBeGreaterThan(2000)
      // The first start makes the file and follows no kill.
      expect(Math.max(...starts.slice(1))).toBeLessThan(maxStartMilliseconds)
    },
    timeout,
  )

  test(
    'with many submissions and a log as long as a backup may leave it is made good within the same time',
    async () => {
      const [rows, logBytes] = isLong ? [400_000, 128 * megabyte] : [20_000, 8 * megabyte]
      const folder = temporaryFolder()
      fillFolder(folder, rows * 300, 300)
      const key = createUser(folder, 'bob@example.com')
      const starts: number[] = []
      const kept: string[] = []
      let formId = ''
      for (let round = 0; round <= (isLong ? 10 : 1); round++) {
        const server = await startProcess({ folder })
        const call = caller(server.url, key)
        if (round === 0) formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
        else starts.push(server.startMilliseconds)
        expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(kept.length)

        // Reads one state of the file, as a backup does: what is written meanwhile has to stay in the log.
        const reader = new Database(dataFile(folder), { readonly: true })
        reader.run('BEGIN')
        reader.query('SELECT count(*) FROM forms').get()
        while (statSync(`${dataFile(folder)}-wal`).size < logBytes)
          kept.push(...(await Promise.all(Array.from({ length: 8 }, () => submitLarge(server.url, formId)))))
        server.kill('SIGKILL')
        await server.ended()
        reader.close()
        expect(statSync(`${dataFile(folder)}-wal`).size).toBeGreaterThanOrEqual(logBytes)
      }
      const server = await startProcess({ folder })
      starts.push(server.startMilliseconds)
      const { submissions } = await listAll(caller(server.url, key), formId, 10)
      expect(submissions.map(({ id }) => id).sort()).toEqual(kept.sort())
      server.kill('SIGKILL')
      await server.ended()
      expect(faultsOf(folder)).toEqual([])
      tell(`${starts.length} kills with ${rows} rows and a log of ${logBytes / megabyte} MiB, ${times(starts)}`)
      expect(Math.max(...starts)).toBeLessThan(maxStartMilliseconds)
    },
    timeout,
  )
})

const megabyte = 1024 * 1024

const submitLarge = async (url: string, formId: string): Promise<string> => {
  const body = new URLSearchParams({ value: 'x'.repeat(megabyte / 2) })
  const response = await fetch(`${url}/s/${formId}`, { method: 'POST', body })
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

const times = (starts: readonly number[]): string =>
  `median start ${median(starts).toFixed(0)} ms, slowest ${Math.max(...starts).toFixed(0)} ms`

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const expectAllThere = async (
  call: ReturnType<typeof caller>,
  formId: string,
  answered: readonly Answered[],
  sent: ReadonlySet<string>,
): Promise<void> => {
  const { submissions, total } = await listAll(call, formId)
  const byId = new Map(submissions.map(({ id, data }) => [id, data.value as string]))
  expect(answered.filter(({ id, value }) => byId.get(id) !== value)).toEqual([])
  const values = submissions.map(({ data }) => data.value as string)
  expect(new Set(values).size).toBe(values.length)
  expect(values.filter((value) => !sent.has(value))).toEqual([])
  expect(total).toBe(submissions.length)
  const form = (await call('GET', `/forms/${formId}`)).body
  expect(form.submissionCount).toBe(submissions.length)
  const names = new Set(submissions.flatMap(({ data }) => Object.keys(data)))
  expect(new Set(form.keys)).toEqual(names)
}
