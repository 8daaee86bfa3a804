// The server dies in the middle of a bulk operation. Afterwards all of its changes are there, or none.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../harness.ts'
import {
  type Call,
  caller,
  createUser,
  faultsOf,
  isLong,
  type Process,
  startProcess,
  tell,
  timeout,
} from '../../../torture/process.ts'

const deaths: readonly [death: string, signal: 'SIGKILL' | 'SIGUSR2', settings: Record<string, string>][] = [
  ['SIGKILL', 'SIGKILL', {}],
  // Ends the thread alone, and the process ends itself.
  [
    "the end of the writer's thread",
    'SIGUSR2',
    { BUN_OPTIONS: `--preload=${join(import.meta.dir, '../../../torture/ending-worker.ts')}` },
  ],
]

interface Start {
  readonly url: string
  readonly call: Call
  readonly formId: string
}

interface Scene extends Start {
  /** What is changed or deleted. */
  readonly ids: readonly string[]
}

interface Operation {
  readonly prepare: (start: Start) => Promise<readonly string[]>
  readonly start: (scene: Scene) => ReturnType<Call>
  /** How many of the 500 were done. */
  readonly done: (scene: Scene) => Promise<number>
}

const items = Array.from({ length: 500 }, (_, i) => ({ title: `Title ${i}`, description: 'x'.repeat(200) }))

const countForms = async (call: Call): Promise<number> => (await call('GET', '/forms')).body.pagination.total
const createForms = async ({ call }: Start): Promise<string[]> =>
  (await call('POST', '/forms/bulk', { forms: items })).body.ids
const readForms = ({ call, ids }: Scene) => Promise.all(ids.map((id) => call('GET', `/forms/${id}`)))

const submit = ({ url, formId }: Start): Promise<string[]> =>
  Promise.all(
    items.map(async ({ title }) => {
      const response = await fetch(`${url}/s/${formId}`, { method: 'POST', body: new URLSearchParams({ title }) })
      return ((await response.json()) as { id: string }).id
    }),
  )

const operations: Record<string, Operation> = {
  'creation of forms': {
    prepare: async () => [],
    start: ({ call }) => call('POST', '/forms/bulk', { forms: items }),
    done: async ({ call }) => (await countForms(call)) - 1,
  },
  'update of forms': {
    prepare: createForms,
    start: ({ call, ids }) => call('PATCH', '/forms/bulk', { forms: ids.map((id) => ({ id, title: 'Changed' })) }),
    done: async (scene) => (await readForms(scene)).filter(({ body }) => body.title === 'Changed').length,
  },
  'deletion of forms': {
    prepare: createForms,
    start: ({ call, ids }) => call('DELETE', '/forms/bulk', { ids }),
    async done(scene) {
      const gone = (await readForms(scene)).filter(({ status }) => status === 404).length
      expect(await countForms(scene.call)).toBe(501 - gone)
      return gone
    },
  },
  'deletion of submissions': {
    prepare: submit,
    start: ({ call, ids, formId }) => call('DELETE', `/forms/${formId}/submissions/bulk`, { ids }),
    async done({ call, formId, ids }) {
      const answers = await Promise.all(ids.map((id) => call('GET', `/forms/${formId}/submissions/${id}`)))
      const gone = answers.filter(({ status }) => status === 404).length
      expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(500 - gone)
      return gone
    },
  },
}

describe.each(deaths)('%s', (_death, signal, settings) => {
  test.each(Object.entries(operations))(
    'during a bulk %s leaves all of it or nothing',
    async (name, operation) => {
      const found = { all: 0, nothing: 0, answered: 0 }
      // Finds out how long the operation takes, so that the death comes before its end about as often as after it.
      let usualMilliseconds = 20
      for (let round = 0; round < (isLong ? 20 : 2); round++) {
        const folder = temporaryFolder()
        const key = createUser(folder)
        const server = await startProcess({ folder, settings })
        const call = caller(server.url, key)
        const formId: string = (await call('POST', '/forms', { title: 'Contact' })).body.id
        const start = { url: server.url, call, formId }
        const scene = { ...start, ids: await operation.prepare(start) }

        let isAnswered = false
        const calling = operation.start(scene).then(
          ({ status }) => (isAnswered = status === 200),
          () => {},
        )
        await Bun.sleep((0.5 + Math.random()) * usualMilliseconds)
        server.kill(signal)
        await server.ended()
        await calling

        expect(faultsOf(folder)).toEqual([])
        const again = await startProcess({ folder })
        const done = await operation.done({ ...scene, url: again.url, call: caller(again.url, key) })
        expect([0, 500]).toContain(done)
        if (isAnswered) expect(done).toBe(500)
        found[done === 0 ? 'nothing' : 'all']++
        if (isAnswered) found.answered++
        usualMilliseconds *= done === 0 ? 1.25 : 0.8
        await end(again)
        expect(faultsOf(folder)).toEqual([])
      }
      if (isLong) expect(Math.min(found.all, found.nothing)).toBeGreaterThan(0)
      tell(`bulk ${name}: ${found.all} times all, of which ${found.answered} answered; ${found.nothing} times nothing`)
    },
    timeout,
  )
})

const end = async (server: Process): Promise<void> => {
  server.kill('SIGKILL')
  await server.ended()
}
