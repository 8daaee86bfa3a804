import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startFormbox } from '../process.ts'
import type { Measure, Scene } from '../scene.ts'
import { bearer, fillForms, signUp } from '../seed.ts'
import { load, send } from '../wrk.ts'
import { ada, signIn } from './pages.ts'

const forms = 1000
const each = 100
/** What comes in is newer than its form, as everywhere. So the last ones are of the next seconds. */
const spreadMilliseconds = 100_000

/** A date in the midst of what there is. */
const middle = 'inbox-middle'
const page = 'inbox-page'
const first = 'inbox'

/** One list over 1,000 forms. What it costs must depend on how many forms there are, not on how much is in them. */
export const inboxScene: Scene = {
  cases: [first, middle, page],
  baselines: [],
  goals: [
    { says: 'the inbox of 1,000 forms, newest first: at most 10 ms', of: first, figure: 'p50', atMost: 10 },
    {
      says: 'the inbox of 1,000 forms, from a date in the midst: at most 20 ms',
      of: middle,
      figure: 'p50',
      atMost: 20,
    },
  ],
  async open(world) {
    const folder = mkdtempSync(join(world.scratch, 'inbox-'))
    const key = await signUp(folder, ada)
    const creating = await startFormbox(folder)
    const headers = { ...bearer(key), 'Content-Type': 'application/json' }
    const body = JSON.stringify({ forms: Array.from({ length: forms }, (_, n) => ({ title: `Form ${n}` })) })
    const { ids } = JSON.parse(await send(creating, { method: 'POST', path: '/api/v1/forms/bulk', headers, body })) as {
      ids: string[]
    }
    await creating.stop()
    const now = Date.now()
    await fillForms(
      folder,
      ids.map((id) => ({ id, size: each })),
      [now, now + spreadMilliseconds],
    )

    const server = await startFormbox(folder)
    const endDate = new Date(now + spreadMilliseconds / 2).toISOString()
    const cookie = await signIn(server, { folder }, ada)
    const ofKey =
      (path: string): Measure =>
      (seconds) =>
        load(server, { path, headers: bearer(key) }, 1, seconds)
    const measures: Record<string, Measure> = {
      [first]: ofKey('/api/v1/inbox?limit=30'),
      [middle]: ofKey(`/api/v1/inbox?limit=30&endDate=${endDate}`),
      [page]: (seconds) => load(server, { path: '/', headers: { Cookie: cookie } }, 1, seconds),
    }
    const close = async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}
