import { expecting } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { toTimeZone } from '../base/time-zone.ts'
import { visible } from '../base/visible.ts'
import { exportPath, exportSpamPath, formPath, formsPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { withCommas } from '../html/format.ts'
import { frame, header } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { exportedFile } from '../http/attachment.ts'
import { streamed } from '../http/streamed.ts'
import type { ListName } from '../submissions/lists.ts'
import { isAnythingAsked } from '../submissions/search/filter.ts'
import { exportFormatNames, tablesFirst } from '../transfer/formats.ts'
import { filterOf, type ListQuery, queryString, rangeOf, toListQuery, typedDates, withoutAll } from './list-query.ts'
import type { PageOptions } from './page-options.ts'
import type { FormParams, UserVisit } from './visit.ts'

const formats = exportFormatNames.toSorted(tablesFirst)

/** Within a menu: saves what a list shows, in each format. @param count of them; null if no one has counted */
export const exportItems = (form: Form, listQuery: ListQuery, count: number | null, list: ListName = 'inbox'): Html =>
  html`${formats.map(
    (format, i) =>
      html`<li${i === 0 && html` class="apart"`}><a href="${(list === 'inbox' ? exportPath : exportSpamPath)(form.id)}${queryString(listQuery, { format, ...zoneOf(form) })}">Export ${count === null ? 'all' : withCommas(count)} as ${format.toUpperCase()}</a></li>
`,
  )}`

/** Within the bar for selected rows: saves these. The form that they are in is sent to the export. */
export const exportSelected = (form: Form): Html =>
  html`${Object.values(zoneOf(form)).map((zone) => html`<input type="hidden" name="zone" value="${zone}">`)}<details class="menu start" name="menus"><summary>Export</summary>
<ul class="panel items">
${formats.map(
  (format) =>
    html`<li><button formmethod="get" formaction="${exportPath(form.id)}" name="format" value="${format}">${format.toUpperCase()}</button></li>
`,
)}</ul></details>
`

/** The time zone of the form, for the columns of time. */
const zoneOf = (form: Form): { readonly zone?: string } => {
  const { timeZone } = parseSettings(form.settings)
  return timeZone === 'UTC' ? {} : { zone: timeZone }
}

/** The number of submissions on a page of a search. */
const maxIds = 100

/** `/forms/:formId/export` and the same of spam: the same file as the API's, of what the list shows. */
export const exportsRoutes = ({ pages: { userPage }, access, exports, sessions, report }: PageOptions) => {
  const send = async (
    list: ListName,
    { exchange, request, session, params, query }: UserVisit<FormParams>,
  ): Promise<Response> => {
    const { userId, email } = session
    const form = access.findFormTo('read', userId, params.formId)
    const format = formats.find((name) => name === query.format) ?? 'csv'
    const range = rangeOf(typedDates(query))
    const ids = new URL(request.url).searchParams.getAll('ids').join()
    const isAll = ids === '' || query.all === 'true'
    const asked = toListQuery(list === 'inbox' ? query : { ...query, state: '' })
    const of = isAll ? isAnythingAsked(withoutAll(asked)) && { filter: filterOf(asked) } : idsIn(ids)
    const zone = toTimeZone(typeof query.zone === 'string' ? query.zone : '') ?? 'UTC'
    // Excel may open the CSV of an archive.
    const options = { format, hasByteOrderMark: format === 'zip', ...of, list, range, isRaw: false, zone }
    const make = () => exports.exportSubmissions(userId, form.id, options, request.signal)
    const exported = await expecting(['rate_limited'], () => exchange.keepOpen(make))
    if (exported.state === 'rate_limited')
      return exportRefusedPage({ email, form, retryAfterSeconds: exported.error.retryAfterSeconds ?? 1 })
    exchange.headers['cross-origin-resource-policy'] = 'same-origin'
    return streamed(exchange, exportedFile(exported.value), {
      report,
      mayRead: () => sessions.isLive(session) && !access.isShutOut(session.userId, params.formId),
    })
  }

  return [
    userPage(exportPath, (visit) => send('inbox', visit)),
    userPage(exportSpamPath, (visit) => send('spam', visit)),
  ]
}

const idsIn = (text: string) => ({ ids: text.split(',').filter(isId).slice(0, maxIds).sort() })

interface Shown {
  readonly email: string
  readonly form: Form
  readonly retryAfterSeconds: number
}

/** Responds instead of a file while the limit of concurrent exports is reached. */
const exportRefusedPage = ({ email, form, retryAfterSeconds }: Shown): Response =>
  frame({
    status: 429,
    title: `Error: Too many exports · ${form.title} · Formbox`,
    headers: { 'retry-after': String(retryAfterSeconds) },
    header: header(formsPath, email),
    body: html`<div class="card">
<h1>Too many exports at once</h1>
<p>Other exports are still being downloaded. Wait until one is complete, or cancel one in your browser. Then export again.</p>
<p class="next"><a class="button primary" href="${formPath(form.id)}">Back to <bdi>${visible(form.title)}</bdi></a></p>
</div>`,
  })
