import { AppError } from '../errors.ts'
import type { ExportFormat } from '../export/export.ts'
import type { ExportStore } from '../export/store.ts'
import type { FormStore } from '../forms/store.ts'
import type { Reporter } from '../http/error-response.ts'
import { streamed } from '../http/streamed.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import { exportRefusedPage } from './export-refused-page.ts'
import type { FormParams } from './form-frame.ts'
import { rangeOf, typedDates } from './list-place.ts'
import type { UserVisit } from './page-access.ts'

interface Choice {
  /** In the query. */
  readonly value: string
  readonly name: string
  readonly hint: string
  readonly format: ExportFormat
  readonly hasByteOrderMark: boolean
}

/** What the page offers. The first one is for a request that names none of them. */
export const exportChoices: readonly [Choice, ...Choice[]] = [
  { value: 'csv', name: 'CSV', hint: 'For programs and most spreadsheets', format: 'csv', hasByteOrderMark: false },
  {
    value: 'excel',
    name: 'CSV for Excel',
    hint: 'Excel then shows every letter',
    format: 'csv',
    hasByteOrderMark: true,
  },
  { value: 'ndjson', name: 'NDJSON', hint: 'One submission a line', format: 'ndjson', hasByteOrderMark: false },
  { value: 'json', name: 'JSON', hint: 'One array', format: 'json', hasByteOrderMark: false },
]

interface Options {
  readonly forms: FormStore
  readonly exports: ExportStore
  readonly sessions: BrowserSessions
  /** Told of errors in the middle of an export. */
  readonly report: Reporter
}

/** `/forms/:formId/export`: the same file as the API's, with the dates that the list shows. */
export const formExport = ({ forms, exports, sessions, report }: Options) => ({
  download({ exchange, session, params, query }: UserVisit<FormParams>): Response {
    const { userId, email } = session
    const form = forms.findForm(userId, params.formId)
    const choice = exportChoices.find(({ value }) => value === query.format) ?? exportChoices[0]
    const range = rangeOf(typedDates(query))
    try {
      const file = exports.exportSubmissions(userId, form.id, { ...choice, range, isRaw: false })
      exchange.headers['cross-origin-resource-policy'] = 'same-origin'
      return streamed(exchange, file, { report, mayRead: () => sessions.isLive(session) })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
      return exportRefusedPage({ email, form, retryAfterSeconds: error.retryAfterSeconds ?? 1 })
    }
  },
})
