import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startFormbox } from '../process.ts'
import { closeAll, type Goal, type Measure, type Scene } from '../scene.ts'
import { bearer, copyData, fillForms, type World } from '../seed.ts'
import { load, type Request, send } from '../wrk.ts'
import { ada, signIn } from './pages.ts'

const perPage = 20

/** What is asked for with the spam there, and, where it can be, without it as `…/without`. */
interface Asked {
  readonly connections: number
  readonly isWithoutToo: boolean
  request(form: World['forms'][number], headers: { readonly key: object; readonly cookie: object }): Request
}

const submission = '{"name":"Ada Lovelace","email":"ada@example.com","message":"Please call me back"}'

const post = (formId: string, body: string): Request => ({
  method: 'POST',
  path: `/s/${formId}`,
  headers: { 'Content-Type': 'application/json' },
  body,
})

const cases: Readonly<Record<string, Asked>> = {
  'list-beside-spam-1m': {
    connections: 64,
    isWithoutToo: true,
    request: ({ id }, { key }) => ({ path: `/api/v1/forms/${id}/submissions`, headers: { ...key } }),
  },
  'page-beside-spam-1m': {
    connections: 1,
    isWithoutToo: true,
    request: ({ id }, { cookie }) => ({ path: `/forms/${id}`, headers: { ...cookie } }),
  },
  'submit-beside-spam-1m': { connections: 64, isWithoutToo: true, request: ({ id }) => post(id, submission) },
  'robot-beside-spam-1m': {
    connections: 64,
    isWithoutToo: true,
    request: ({ id }) => post(id, `{"_gotcha":"x",${submission.slice(1)}`),
  },
  'page-spam-first-1m': {
    connections: 1,
    isWithoutToo: false,
    request: ({ id }, { cookie }) => ({ path: `/forms/${id}/spam`, headers: { ...cookie } }),
  },
  'page-spam-last-1m': {
    connections: 1,
    isWithoutToo: false,
    request: ({ id, size }, { cookie }) => ({
      path: `/forms/${id}/spam?page=${Math.floor(size / perPage)}`,
      headers: { ...cookie },
    }),
  },
}

const withoutSpam = (name: string): string => `${name}/without`

const beside = (says: string, of: string, bound: Pick<Goal, 'figure' | 'atLeast' | 'atMost'>): Goal => ({
  says: `${says} with 1,000,000 submissions beside 1,000,000 spam: ${
    bound.atLeast === undefined ? `at most ${bound.atMost} times as long as` : `at least ${bound.atLeast} of one`
  } without spam`,
  of,
  to: withoutSpam(of),
  ...bound,
})

/** The greatest form, with as much spam as submissions, next to the same without spam. */
export const spamScene: Scene = {
  cases: Object.keys(cases),
  baselines: Object.keys(cases)
    .filter((name) => cases[name]?.isWithoutToo)
    .map(withoutSpam),
  goals: [
    beside('a list', 'list-beside-spam-1m', { figure: 'p50', atMost: 1.1 }),
    beside('/forms/…', 'page-beside-spam-1m', { figure: 'p50', atMost: 1.1 }),
    beside('POST /s/…', 'submit-beside-spam-1m', { figure: 'perSecond', atLeast: 0.9 }),
    {
      says: '/forms/…/spam of 1,000,000: at most 3 times as long as /forms/…',
      of: 'page-spam-first-1m',
      figure: 'p50',
      to: 'page-beside-spam-1m',
      atMost: 3,
    },
    {
      says: '/forms/…/spam of 1,000,000, the last page: at most 3 times the first',
      of: 'page-spam-last-1m',
      figure: 'p50',
      to: 'page-spam-first-1m',
      atMost: 3,
    },
  ],
  async open(world) {
    const form = world.forms.at(-1) as World['forms'][number]
    const now = Date.now()
    const copies = await Promise.all([
      startCopy(world, (folder) => fillForms(folder, [form], [now - 10 * 86_400_000, now], 'spam')),
      startCopy(world, async () => {}),
    ])
    const measures: Record<string, Measure> = {}
    for (const [name, { connections, isWithoutToo, request }] of Object.entries(cases))
      for (const [isWithout, { server, cookie }] of copies.entries())
        if (!isWithout || isWithoutToo)
          measures[isWithout ? withoutSpam(name) : name] = async (seconds) => {
            const asked = request(form, { key: bearer(world.key), cookie })
            const answer = await send(server, asked)
            if ('Cookie' in (asked.headers ?? {}) && !answer.includes('/sign-out'))
              throw new Error(`${name}: not signed in`)
            return load(server, asked, connections, seconds)
          }
    const close = async () => {
      await closeAll(copies.map(({ server }) => server))
      for (const { folder } of copies) rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}

const startCopy = async (world: World, fill: (folder: string) => Promise<unknown>) => {
  const folder = mkdtempSync(join(world.scratch, 'spam-'))
  copyData(world.folder, folder)
  await fill(folder)
  const server = await startFormbox(folder)
  return { folder, server, cookie: { Cookie: await signIn(server, { ...world, folder }, ada) } }
}
