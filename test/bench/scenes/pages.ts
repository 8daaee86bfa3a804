import { type Process, runFormbox, startFormbox } from '../process.ts'
import type { Goal, Measure, Scene } from '../scene.ts'
import type { World } from '../seed.ts'
import { load, send } from '../wrk.ts'

export const ada = 'ada@example.com'
/** Has twenty forms as Ada has, but those with submissions have ten. */
const cara = 'cara@example.com'

const perPage = 20

const largest = (world: World) => world.forms.at(-1) as World['forms'][number]

const pageOfLargest = (query: (world: World) => string) => (world: World) =>
  `/forms/${largest(world).id}?${query(world)}`

/** The day, because the page has inputs for dates only. */
const startDay = (world: World): string => world.startDate.slice(0, 10)

const paths: Readonly<Record<string, { email: string; path: (world: World) => string }>> = {
  'page-form-1m': { email: ada, path: pageOfLargest(() => '') },
  'page-form-middle-1m': {
    email: ada,
    path: pageOfLargest((world) => `page=${Math.ceil(largest(world).size / perPage / 2)}`),
  },
  'page-form-last-1m': {
    email: ada,
    path: pageOfLargest((world) => `page=${Math.ceil(largest(world).size / perPage)}`),
  },
  'page-form-range-1m': {
    email: ada,
    path: pageOfLargest((world) => `startDate=${startDay(world)}&page=${Math.ceil(largest(world).size / perPage / 2)}`),
  },
  'page-home-1m': { email: ada, path: () => '/' },
  'page-form-10': { email: cara, path: (world) => `/forms/${world.formOfTen}` },
  'page-home-10': { email: cara, path: () => '/' },
}

const besideTen = (says: string, of: string, to: string, atMost: number): Goal => ({
  says: `${says}: at most ${atMost} times as long as with 10`,
  of,
  figure: 'p50',
  to,
  atMost,
})

/** What one browser waits for, with many submissions and with few. */
export const pageScene: Scene = {
  cases: ['page-form-1m', 'page-form-middle-1m', 'page-form-last-1m', 'page-form-range-1m', 'page-home-1m'],
  baselines: ['page-form-10', 'page-home-10'],
  goals: [
    besideTen('/forms/… of 1,000,000 submissions', 'page-form-1m', 'page-form-10', 2),
    besideTen('/forms/… of 1,000,000 submissions, in the middle', 'page-form-middle-1m', 'page-form-10', 3),
    besideTen('/forms/… of 1,000,000 submissions, at the end', 'page-form-last-1m', 'page-form-10', 3),
    besideTen('/forms/… of 1,000,000 submissions, by date', 'page-form-range-1m', 'page-form-10', 3),
    besideTen('/ with 1,000,000 submissions', 'page-home-1m', 'page-home-10', 3),
  ],
  async open(world) {
    const server = await startFormbox(world.folder)
    const cookies: Record<string, string> = {
      [ada]: await signIn(server, world, ada),
      [cara]: await signIn(server, world, cara),
    }
    const measures: Record<string, Measure> = {}
    for (const [name, { email, path }] of Object.entries(paths)) {
      const request = { path: path(world), headers: { Cookie: cookies[email] ?? '' } }
      measures[name] = async (seconds) => {
        if (!(await send(server, request)).includes('/sign-out')) throw new Error(`${name}: nobody is signed in`)
        return load(server, request, 1, seconds)
      }
    }
    return { measures, close: () => server.stop() }
  },
}

/** The cookie of a new session. */
export const signIn = async (server: Process, { folder }: Pick<World, 'folder'>, email: string): Promise<string> => {
  const password = await runFormbox('user', 'password', email, '--data', folder)
  const { headers } = await fetch(`${server.url}/sign-in`, {
    method: 'POST',
    headers: { origin: server.url },
    body: new URLSearchParams({ email, password }),
    redirect: 'manual',
  })
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}
