import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { startFormbox } from '../process.ts'
import { signIn } from '../scenes/pages.ts'
import { bearer } from '../seed.ts'
import { type Request, send } from '../wrk.ts'
import { costOfCommand, costOnce } from './cost.ts'
import { ada, cara, type Filled, othersOf, submission } from './fill.ts'
import type { Step, Steps } from './reading.ts'

/** Of a bulk request. */
const bulk = 1000

/** Steps that leave less and less in the data folder, in their order. */
export const writingSteps = async (filled: Filled) => {
  const { folder, size, key, form, manyForms } = filled
  const server = await startFormbox(folder)
  const others = othersOf(filled)
  const db = new Database(join(folder, 'formbox.db'), { readonly: true })
  const headers = { ...bearer(key), 'Content-Type': 'application/json' }
  const api = (method: string, path: string, body?: unknown): Request => ({
    method,
    path: `/api/v1/forms/${form}${path}`,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const cookie = await signIn(server, filled, ada)
  const ids = (count: number): string[] =>
    db
      .query<{ id: string }, [string, number]>(
        `SELECT submissions.id FROM forms JOIN submissions ON form = number AND list = 0
         WHERE forms.id = ? ORDER BY submissions.id LIMIT ?`,
      )
      .all(form, count)
      .map(({ id }) => id)
  const left = db.query<{ count: number }, []>('SELECT count(*) AS count FROM forms WHERE deleted_at IS NOT NULL')
  const untilRemoved = async (): Promise<void> => {
    while ((left.get()?.count ?? 0) > 0) await Bun.sleep(200)
  }
  const ask = (request: Request) => () => send(server, request)
  const once =
    (rows: number, work: () => Promise<unknown>): Step =>
    () =>
      costOnce(server, others, rows, work)
  const markAllRead = async (): Promise<void> => {
    const response = await fetch(`${server.url}/forms/${form}/submissions/read`, {
      method: 'POST',
      headers: { Cookie: cookie, origin: server.url },
      body: new URLSearchParams({ upTo: form.replace(/^0/, '1') }),
      redirect: 'manual',
    })
    if (response.status !== 303) throw new Error(`marking all as read was answered with ${response.status}`)
  }
  return {
    steps: {
      'delete one': once(1, async () => send(server, api('DELETE', `/submissions/${ids(1)[0]}`))),
      'delete 1,000 of the oldest, one': once(bulk, async () =>
        send(server, api('DELETE', '/submissions/bulk', { ids: ids(bulk) })),
      ),
      'mark 1,000 as done, one': once(bulk, async () =>
        send(server, api('PATCH', '/submissions/handling/bulk', { ids: ids(bulk), state: 'done' })),
      ),
      'mark one as spam, and the next POST /s/…': once(1, async () => {
        await send(server, api('POST', `/submissions/${ids(1)[0]}/spam`))
        await send(server, submission(form))
      }),
      'mark all as read': once(1, markAllRead),
      'try again what failed, 10,000 at most': once(Math.min(10_000, size / 10), ask(api('POST', '/deliveries/retry'))),
      'delete all spam, a row': once(size / 10, ask(api('DELETE', '/spam/all'))),
      'delete the form, a row': once(size * 1.2, async () => {
        await send(server, api('DELETE', ''))
        await untilRemoved()
      }),
      'user delete, a form of theirs': () =>
        costOfCommand(['user', 'delete', cara, '--yes', '--data', folder], manyForms, { server, others }),
    } as Steps,
    async close() {
      db.close()
      await server.stop()
    },
  }
}
