import { type AppError, expecting, issueLine } from '../base/errors.ts'
import { toTimeZone } from '../base/time-zone.ts'
import { formPath, importPath, importsPath, type ParamsOf } from '../config/addresses.ts'
import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { redirect } from '../html/redirect.ts'
import { ReceivedFile } from '../http/received-file.ts'
import {
  fileFormats,
  formatOfFile,
  type ImportFormat,
  importFormatNames,
  importsInWords,
  tablesFirst,
} from '../transfer/formats.ts'
import { dateOrders } from '../transfer/import/read-date.ts'
import type { Given, ShownImport } from '../transfer/import/store.ts'
import { maxImportBytes } from '../transfer/import/take-file.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import { importBody, namedColumn, noColumn, planWords, stateWords } from './import-report.ts'
import type { PageOptions } from './page-options.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

type ImportParams = ParamsOf<typeof importPath.route>

/** `/forms/:formId/imports`: takes a file, shows what it was understood as, imports it, and takes that back. */
export const importsRoutes = (options: PageOptions) => {
  const { formPage, userAction, userPage, userUpload } = options.pages
  const { access, imports, now } = options

  const page = (
    { session, params: { formId } }: Pick<UserVisit<FormParams>, 'session' | 'params'>,
    problem?: AppError,
  ): Response => {
    const form = access.findFormTo('import', session.userId, formId)
    const recent = imports.listRecent(form).filter(({ state }) => state !== 'planned' && state !== 'failed')
    return startPage({ ...formPage(session, form), recent, problem })
  }

  const on = {
    show: (visit: UserVisit<FormParams>): Response => page(visit),

    async upload(visit: UserVisit<FormParams>): Promise<Response> {
      const { exchange, session, params } = visit
      const file = new ReceivedFile(exchange, session.userId)
      const plan = () =>
        imports.plan(
          session.userId,
          params.formId,
          (to) => file.readTo(to),
          () => givenFor(formatOfFile(importFormatNames, file.name) ?? 'csv'),
          exchange.request.signal,
        )
      const planned = await expecting(['invalid', 'too_large', 'rate_limited'], () => exchange.keepOpen(plan))
      if (planned.state !== 'done') return page(visit, planned.error)
      return redirect(importPath(params.formId, planned.value))
    },

    showOne({ session, params }: UserVisit<ImportParams>): Response {
      const form = access.findFormTo('import', session.userId, params.formId)
      const found = imports.find(form, params.importId)
      const isMoving = ['staging', 'adding', 'removing'].includes(found.state)
      return formFrame({
        ...formPage(session, form),
        tab: 'Submissions',
        headers: isMoving ? { refresh: '2' } : {},
        body: importBody(form.id, found, now()),
      })
    },

    async act({ exchange, session, params, form: sent }: UserSent<ImportParams>): Promise<Response> {
      const { formId, importId } = params
      const { userId } = session
      const what = sent.get('do')
      if (what === 'import') await exchange.keepOpen(() => imports.carryOut(userId, formId, importId))
      else if (what === 'end') {
        const before = imports.find(access.findFormTo('import', userId, formId), importId)
        await imports.end(userId, formId, importId)
        if (before.state === 'planned') return redirect(importsPath(formId))
      } else {
        const { report } = imports.find(access.findFormTo('import', userId, formId), importId)
        const given = toGiven(report.format, sent)
        await exchange.keepOpen(() => imports.replan(userId, formId, importId, given, exchange.request.signal))
      }
      return redirect(importPath(formId, importId))
    },
  }

  return [
    userPage(importsPath, on.show),
    userUpload(importsPath, importsPath, on.upload),
    userPage(importPath, on.showOne),
    userAction(importPath, importPath, on.act),
  ]
}

const givenFor = (format: ImportFormat): Given => ({
  format,
  isRaw: false,
  time: { timeZone: 'UTC', isOff: false, words: planWords },
})

/** What was chosen on the page of a plan. */
const toGiven = (format: ImportFormat, sent: URLSearchParams): Given => {
  const column = sent.get('date') ?? ''
  const isOff = column === noColumn
  return {
    ...givenFor(format),
    time: {
      column: isOff || column === '' ? undefined : column.slice(namedColumn.length),
      isOff,
      timeZone: toTimeZone(sent.get('timeZone')?.trim() || 'UTC') ?? 'UTC',
      order: dateOrders.find((order) => order === sent.get('dateFormat')),
      words: planWords,
    },
  }
}

interface Start extends FormPage {
  readonly recent: readonly ShownImport[]
  readonly problem: AppError | undefined
}

const startPage = ({ recent, problem, ...shown }: Start): Response =>
  formFrame({
    ...shown,
    tab: 'Submissions',
    ...(problem && { status: 400 }),
    body: html`<div class="builder"><div><section class="card import" aria-labelledby="import-heading">
<h2 id="import-heading">Import submissions</h2>
<p>From another service, a spreadsheet or Formbox: ${importsInWords({ zip: 'a ZIP that Formbox exported' }, tablesFirst)}, up to
${maxImportBytes / 1024 / 1024} MiB. You see what Formbox makes of the file before anything is stored. No one is notified.</p>
${problem && html`<p class="notice failed" role="alert">${problemText(problem)}</p>`}
<form class="ask" method="post" action="${importsPath(shown.form.id)}" enctype="multipart/form-data">
<div class="field"><label for="file">File</label>
<input id="file" name="file" type="file" required accept="${importFormatNames.flatMap((name) => fileFormats[name].extensions).join()}"></div>
<p class="actions"><button class="primary">Look at it</button> <a class="button quiet" href="${formPath(shown.form.id)}">Cancel</a></p>
</form>
</section>
${recent.length > 0 && recentList(shown.form.id, recent)}</div></div>`,
  })

const problemText = ({ code, issues, message }: AppError): string =>
  code === 'rate_limited'
    ? 'Another import of yours is running. Wait until it is done.'
    : issues.map(issueLine).join(' ') || message

const recentList = (
  formId: string,
  recent: readonly ShownImport[],
): Html => html`<section class="card" aria-labelledby="recent-heading">
<h2 id="recent-heading">Imports</h2>
<ul class="plain">
${recent.map(
  (
    one,
  ) => html`<li><a href="${importPath(formId, one.id)}">${stateWords(one)}</a>${one.finishedAt !== null && html` <span class="small muted">${time(one.finishedAt)}</span>`}</li>
`,
)}</ul>
</section>`
