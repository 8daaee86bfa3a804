import { describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../harness.ts'
import { type Answered, type Load, startLoad } from './load.ts'
import { caller, createUser, faultsOf, isLong, listAll, startProcess, tell, timeout } from './process.ts'

const rounds = isLong ? 50 : 3
/** A machine that is busy with something else starts slower; on its own it takes a tenth of this. */
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
        await reaches(load, 50)
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
      // The median, for a single start waits for whatever else the machine is doing.
      expect(median(starts)).toBeLessThan(maxStartMilliseconds)
      tell(
        `${rounds} kills, ${median(rates).toFixed(0)} submissions a second, median start ${median(starts).toFixed(0)} ms, slowest ${Math.max(...starts).toFixed(0)} ms`,
      )
    },
    timeout,
  )

  test.each(['create', 'update', 'delete'] as const)(
    'during a bulk %s leaves all of it or nothing',
    async (operation) => {
      const folder = temporaryFolder()
      const key = createUser(folder)
      let [whole, none] = [0, 0]
      for (let round = 0; round < (isLong ? 20 : 2); round++) {
        const server = await startProcess({ folder })
        const call = caller(server.url, key)
        const items = Array.from({ length: 500 }, (_, i) => ({ title: `${round}-${i}` }))
        const { ids } = (await call('POST', '/forms/bulk', { forms: items })).body as { ids: string[] }
        const before = (await call('GET', '/forms')).body.pagination.total
        const bodies = {
          create: ['POST', { forms: items }],
          update: ['PATCH', { forms: ids.map((id) => ({ id, title: 'Changed' })) }],
          delete: ['DELETE', { ids }],
        } as const
        const [method, body] = bodies[operation]
        let isAnswered = false
        const calling = call(method, '/forms/bulk', body).then(
          ({ status }) => (isAnswered = status === 200),
          () => {},
        )
        await Bun.sleep(Math.random() * 20)
        server.kill('SIGKILL')
        await server.ended()
        await calling

        const again = await startProcess({ folder })
        const recall = caller(again.url, key)
        const total = (await recall('GET', '/forms')).body.pagination.total
        const states = await Promise.all(ids.map(async (id) => recall('GET', `/forms/${id}`)))
        const done = {
          create: total - before,
          update: states.filter(({ body: form }) => form.title === 'Changed').length,
          delete: states.filter(({ status }) => status === 404).length,
        }[operation]
        expect([0, 500]).toContain(done)
        expect(total - before).toBe({ create: done, update: 0, delete: 0 - done }[operation])
        if (isAnswered) expect(done).toBe(500)
        if (done === 0) none++
        else whole++
        again.kill('SIGKILL')
        await again.ended()
        expect(faultsOf(folder)).toEqual([])
      }
      tell(`bulk ${operation}: ${whole} times all of it was there, ${none} times nothing`)
    },
    timeout,
  )
})

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const reaches = async (load: Load, count: number): Promise<void> => {
  while (load.answered.length < count) await Bun.sleep(5)
}

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
