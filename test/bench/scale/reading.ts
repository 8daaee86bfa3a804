import { startFormbox } from '../process.ts'
import { signIn } from '../scenes/pages.ts'
import { bearer } from '../seed.ts'
import { type Request, send } from '../wrk.ts'
import { type Cost, costOfRequest, costOnce } from './cost.ts'
import { ada, cara, type Filled, othersOf, submission } from './fill.ts'

export type Step = () => Promise<Cost>

/** By their names. */
export type Steps = Readonly<Record<string, Step>>

const perPage = 20
const seconds = 2

/** Steps after which the data folder has what it had before, but for a few submissions and forms. */
export const readingSteps = async (filled: Filled) => {
  const { folder, size, key, form, manyKey } = filled
  const server = await startFormbox(folder)
  const others = othersOf(filled)
  const api = (path: string, ofKey = key): Request => ({ path: `/api/v1${path}`, headers: bearer(ofKey) })
  const cookies: Record<string, string> = {
    [ada]: await signIn(server, filled, ada),
    [cara]: await signIn(server, filled, cara),
  }
  const page = (path: string, email: string = ada): Request => ({ path, headers: { Cookie: cookies[email] ?? '' } })
  const list = `/forms/${form}/submissions`
  const lastPage = Math.floor(size / perPage)
  const some = JSON.parse(await send(server, api(`${list}?page=${lastPage >> 1}`))).submissions
  const [{ id, createdAt }] = some
  const many = JSON.parse(await send(server, api('/forms', manyKey)))
  const [manyForm, lastOfMany] = [many.forms[0].id, many.pagination.totalPages]

  const asked: Record<string, Request> = {
    'list, first page': api(list),
    'list, middle page': api(`${list}?page=${lastPage >> 1}`),
    'list, last page': api(`${list}?page=${lastPage}`),
    'list by date, first page': api(`${list}?endDate=${createdAt}`),
    'list by date, last page': api(`${list}?endDate=${createdAt}&page=${lastPage >> 1}`),
    'one submission': api(`${list}/${id}`),
    'page of a submission': page(`/forms/${form}/submissions/${id}`),
    'page of the form, first': page(`/forms/${form}`),
    'page of the form, last': page(`/forms/${form}?page=${lastPage}`),
    'page of what is unread, last': page(`/forms/${form}?state=unread&page=${lastPage}`),
    'page of what is open': page(`/forms/${form}?state=open`),
    'page of what is done': page(`/forms/${form}?state=done`),
    'page of the spam, last': page(`/forms/${form}/spam?page=${Math.floor(lastPage / 10)}`),
    'page of a search with matches': page(`/forms/${form}?q=lovelace`),
    'page of deliveries': page(`/forms/${form}/deliveries`),
    'deliveries that failed, page 400': api(`/forms/${form}/deliveries?state=failed&page=400`),
    'trail, first page': api(`/forms/${form}/trail`),
    'trail, page 400': api(`/forms/${form}/trail?page=400`),
    'start page': page('/'),
    'page of forms': page('/forms'),
    'POST /s/…': submission(form),
    'GET /f/…': { path: `/f/${form}`, headers: { Accept: 'text/html', 'Accept-Language': 'en' } },
    'page of the spam that is learned': page(`/forms/${form}/spam/learned`),
    'many forms: list, first page': api('/forms', manyKey),
    'many forms: list, middle page': api(`/forms?page=${lastOfMany >> 1}`, manyKey),
    'many forms: list, last page': api(`/forms?page=${lastOfMany}`, manyKey),
    'many forms: start page': page('/', cara),
    'many forms: page of forms': page('/forms', cara),
    'many forms: page of forms, middle': page(`/forms?page=${lastOfMany >> 1}`, cara),
    'many forms: page of forms, last': page(`/forms?page=${lastOfMany}`, cara),
    'many forms: one': api(`/forms/${manyForm}`, manyKey),
    'many forms: POST /s/… to one': submission(manyForm),
    'many forms: create one': {
      ...api('/forms', manyKey),
      method: 'POST',
      headers: { ...bearer(manyKey), 'Content-Type': 'application/json' },
      body: '{"title":"Contact"}',
    },
  }
  const once =
    (rows: number, work: () => Promise<unknown>): Step =>
    () =>
      costOnce(server, others, rows, work)
  const download = async (path: string): Promise<void> => {
    const words = ['curl', '--fail', '--silent', '--output', '/dev/null', '--header', `Authorization: Bearer ${key}`]
    if ((await Bun.spawn([...words, server.url + path], { env: {} }).exited) !== 0) throw new Error(`${path} failed`)
  }
  const exported = (format: string): Step => once(size, () => download(`/api/v1/forms/${form}/export?format=${format}`))
  /** Goes on until everything has been looked through. Beside others it would take an hour, so they come to its begin. */
  const wholly =
    (rows: number, ask: (cursor: string | null) => Request): Step =>
    async () => {
      const cost = await costOnce(server, undefined, rows, async () => {
        for (let next: string | null = null; ; ) {
          next = JSON.parse(await send(server, ask(next))).next
          if (next === null) return
        }
      })
      return { ...cost, others: (await costOnce(server, others, rows, () => send(server, ask(null)))).others }
    }
  const search = (cursor: string | null): Request =>
    api(`${list}/search?q=zzzzzz${cursor === null ? '' : `&cursor=${cursor}`}`)
  const people = (cursor: string | null): Request => ({
    ...api('/personal-data/search'),
    method: 'POST',
    headers: { ...bearer(key), 'Content-Type': 'application/json' },
    body: JSON.stringify({ value: 'nobody@example.com', ...(cursor !== null && { cursor }) }),
  })
  const readSheet = async (): Promise<void> => {
    const made = { method: 'POST', headers: { ...bearer(key), 'Content-Type': 'application/json' }, body: '{}' }
    const { id: sheet, url } = JSON.parse(await send(server, { ...api(`/forms/${form}/sheets`), ...made }))
    await download(new URL(url, server.url).pathname)
    await send(server, { ...api(`/forms/${form}/sheets/${sheet}`), method: 'DELETE' })
  }
  return {
    requests: Object.fromEntries(
      Object.entries(asked).map(([name, request]) => [name, () => costOfRequest(server, request, seconds)]),
    ) as Steps,
    scans: {
      'search without a match, a row': wholly(size, search),
      'people search without a match, a row': wholly(size * 1.1, people),
      'export CSV, a row': exported('csv'),
      'export NDJSON, a row': exported('ndjson'),
      'sheet, 50,000 rows at most': once(Math.min(size, 50_000), readSheet),
    } as Steps,
    close: () => server.stop(),
  }
}
