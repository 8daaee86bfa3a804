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
import type { Place } from '../submissions/inbox/merge.ts'
import type { ListName } from '../submissions/lists.ts'
import { isAnythingAsked } from '../submissions/search/filter.ts'
import { isOfContent } from '../submissions/search/match.ts'
import { type CsvStyle, csvTable, type Rows } from '../transfer/export/csv.ts'
import type { InboxFormat, InboxOf } from '../transfer/export/inbox.ts'
import { type ExportFormat, exportFormatNames, fileFormats, tablesFirst } from '../transfer/formats.ts'
import type { matchingReader } from './chosen.ts'
import { type Asked, toInboxQuery } from './inbox-query.ts'
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

/** How all pages write CSV. Excel may open the one of an archive. */
const styleOf = (format: ExportFormat, zone?: string): CsvStyle => ({ bom: format === 'zip', zone })

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
    const options = { format, ...of, list, range, style: styleOf(format, zone) }
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

type Asker = Pick<UserVisit, 'exchange' | 'request' | 'session'>

/** How often it is asked whether the user may still read all forms of a file. */
const recheckMilliseconds = 1000

/** Sends submissions of several forms as one file. @param matching finds those whose content has to be searched */
export const inboxExporter = (
  { access, inbox, exports, sessions, report }: PageOptions,
  matching: ReturnType<typeof matchingReader>,
) => {
  const send = ({ exchange, session }: Asker, format: InboxFormat, formIds: readonly string[], of: InboxOf) => {
    let [askedAt, mayStill] = [performance.now(), true]
    const mayRead = (): boolean => {
      if (performance.now() - askedAt < recheckMilliseconds) return mayStill
      askedAt = performance.now()
      mayStill = !formIds.some((id) => access.isShutOut(session.userId, id))
      return mayStill
    }
    const file = exports.exportInbox(session.userId, { format, formIds, of, style: styleOf(format) }, mayRead)
    exchange.headers['cross-origin-resource-policy'] = 'same-origin'
    return streamed(exchange, exportedFile(file), { report, mayRead: () => sessions.isLive(session) })
  }

  const sendChosen = (visit: Asker, format: InboxFormat, chosen: readonly Place[]): Response =>
    send(visit, format, [...new Set(chosen.map(({ formId }) => formId))], chosen)

  return {
    sendChosen,

    /** All that matches; of a search, as many as can be chosen at once. */
    async sendAll(visit: Asker, format: InboxFormat, asked: Asked, upTo?: string | null): Promise<Response> {
      const query = toInboxQuery(asked, { limit: 1, newer: '' })
      if (isOfContent(query.wanted)) return sendChosen(visit, format, (await matching(visit, asked, upTo)).chosen)
      const { formIds, part } = inbox.partOf(visit.session.userId, query)
      return send(visit, format, formIds, part)
    },
  }
}

/** Sends a table of something else than submissions. @param makeRows called while it is sent, and `close` after that */
export const tableSender =
  ({ sessions, report }: PageOptions) =>
  ({ exchange, session }: Asker, disposition: string, makeRows: () => Promise<Rows>, close: () => void): Response => {
    async function* parts(): AsyncGenerator<string, void> {
      yield csvTable(await makeRows(), styleOf('csv'))
    }
    const { mediaType } = fileFormats.csv
    const file = { mediaType, disposition, parts: parts(), isSlow: true, close }
    return streamed(exchange, file, { report, mayRead: () => sessions.isLive(session) })
  }

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
