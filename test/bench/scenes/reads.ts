import type { Database } from 'bun:sqlite'
import type { Goal, Scene } from '../scene.ts'
import type { World } from '../seed.ts'
import { readScene } from './read.ts'

/** The form of 1,000 submissions, and the one with the most. */
const small = (world: World) => world.forms[0] as World['forms'][number]
const large = (world: World) => world.forms.at(-1) as World['forms'][number]

const page = (form: World['forms'][number], number: number, more = '') =>
  `/forms/${form.id}/submissions?page=${number}&perPage=20${more}`
const lastPage = (size: number) => Math.ceil(size / 20)
const middlePage = (size: number) => Math.ceil(size / 40)

/** Nine in ten submissions are not older than this. */
const range = (world: World) => `&startDate=${world.startDate}`

const pagesOf = (suffix: string, find: typeof small): Record<string, (world: World) => string> => ({
  [`list-first-${suffix}`]: (world) => page(find(world), 1),
  [`list-middle-${suffix}`]: (world) => page(find(world), middlePage(find(world).size)),
  [`list-last-${suffix}`]: (world) => page(find(world), lastPage(find(world).size)),
  [`range-first-${suffix}`]: (world) => page(find(world), 1, range(world)),
  [`range-middle-${suffix}`]: (world) => page(find(world), middlePage(find(world).size * 0.9), range(world)),
  [`range-last-${suffix}`]: (world) => page(find(world), lastPage(find(world).size * 0.9), range(world)),
})

/** What each baseline asks SQLite for, as the product asks it: by an index. */
export const statements = {
  form: 'SELECT * FROM forms WHERE id = +? AND deleted_at IS NULL',
  forms:
    'SELECT * FROM forms WHERE user_id = (SELECT user_id FROM forms WHERE id = +?) AND deleted_at IS NULL ' +
    'ORDER BY id DESC LIMIT 20',
  page: 'SELECT id, data FROM submissions WHERE form = +? AND list = 0 ORDER BY id DESC LIMIT 20',
  submission:
    'SELECT s.id, s.data FROM forms f JOIN submissions s ON s.form = f.number WHERE f.id = +? AND s.list = 0 AND s.id = +?',
}

const selectForm = (db: Database, world: World) => {
  const statement = db.prepare(statements.form)
  return () => statement.get(small(world).id)
}

const selectForms = (db: Database, world: World) => {
  const statement = db.prepare(statements.forms)
  return () => statement.all(small(world).id)
}

const selectPage = (db: Database, world: World) => {
  const form = db.prepare('SELECT number FROM forms WHERE id = +?')
  const rows = db.prepare(statements.page)
  return () => rows.all((form.get(small(world).id) as { number: number }).number)
}

const selectSubmission = (db: Database, world: World) => {
  const statement = db.prepare(statements.submission)
  return () => statement.get(small(world).id, small(world).someSubmission)
}

const atMostTripled = (of: string) => ({
  says: `${of}: at most 3 times the latency of list-first-1k`,
  of,
  figure: 'p50' as const,
  to: 'list-first-1k',
  atMost: 3,
})

/** Next to a route that first keeps its thread busy for as long as SQLite needs for the same rows. */
const besideBusy = (
  says: string,
  of: string,
  { to, atLeast, atMost }: Pick<Required<Goal>, 'to' | 'atLeast' | 'atMost'>,
): Goal[] => [
  {
    says: `${says}: at least ${atLeast} of a route that is busy for as long as SQLite`,
    of,
    figure: 'perSecond',
    to,
    atLeast,
  },
  { says: `${says}: at most ${atMost} times the processor time of that route`, of, figure: 'cpu', to, atMost },
]

const readForm = (name: string, atLeast: number, logging: { isLogged?: false; statement?: typeof selectForm }): Scene =>
  readScene({
    name,
    connections: 64,
    paths: { [name]: (world) => `/forms/${small(world).id}` },
    // It counts, but refuses none.
    rateLimit: 1_000_000_000,
    ...logging,
    goals: [
      {
        says: `${name}: at least ${atLeast} of the bare Elysia route`,
        of: name,
        figure: 'perSecond',
        to: `${name}/elysia`,
        atLeast,
      },
    ],
  })

export const readScenes: readonly Scene[] = [
  readForm('read-form', 0.35, { statement: selectForm }),
  readForm('read-form-unlogged', 0.42, { isLogged: false }),
  readScene({
    name: 'list-forms',
    connections: 64,
    paths: { 'list-forms': () => '/forms', 'list-forms-1m': () => '/forms' },
    keys: { 'list-forms': (world) => world.otherKey },
    statement: selectForms,
    goals: [
      ...besideBusy('list 20 forms', 'list-forms', { to: 'list-forms/elysia-busy', atLeast: 0.3, atMost: 4 }),
      {
        says: 'list 20 forms, one with 1,000,000 submissions: at most 10 % slower than without submissions',
        of: 'list-forms-1m',
        figure: 'p50',
        to: 'list-forms',
        atMost: 1.1,
      },
    ],
  }),
  readScene({
    name: 'read-submission',
    connections: 64,
    paths: { 'read-submission': (world) => `/forms/${small(world).id}/submissions/${small(world).someSubmission}` },
    statement: selectSubmission,
    goals: [],
  }),
  readScene({
    name: 'list',
    connections: 64,
    paths: {
      ...pagesOf('1k', small),
      ...pagesOf('1m', large),
      'list-any-1k': (world) => `/forms/${small(world).id}/submissions`,
      'list-any-1m': (world) => `/forms/${large(world).id}/submissions`,
    },
    pages: {
      'list-any-1k': (world) => lastPage(small(world).size),
      'list-any-1m': (world) => lastPage(large(world).size),
    },
    statement: selectPage,
    goals: [
      ...besideBusy('list 20 submissions', 'list-first-1k', { to: 'list/elysia-busy', atLeast: 0.22, atMost: 4.5 }),
      ...['list-middle-1m', 'list-last-1m', 'range-first-1m', 'range-middle-1m', 'range-last-1m'].map(atMostTripled),
    ],
  }),
]

/** What the plot shows: the kinds of page, and the number of submissions of each form. */
export const growthKinds = { first: 'list-first', middle: 'list-middle', last: 'list-last', range: 'range-first' }

export const growthCase = (kind: keyof typeof growthKinds, size: number): string => `growth-${kind}-${size}`

/** Latency of one client against the number of submissions. */
export const growthScene = (sizes: readonly number[]): Scene => {
  const paths: Record<string, (world: World) => string> = {}
  for (const [position, size] of sizes.entries()) {
    const all = pagesOf('x', (world) => world.forms[position] as World['forms'][number])
    for (const [kind, name] of Object.entries(growthKinds))
      paths[growthCase(kind as keyof typeof growthKinds, size)] = all[`${name}-x`] as (world: World) => string
  }
  return readScene({ name: 'growth', connections: 1, paths, hasBaselines: false, goals: [] })
}
