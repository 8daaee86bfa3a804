import type { DeliveryStore } from '../deliveries/store.ts'
import { AppError, invalid } from '../errors.ts'
import type { RefusedOrigins } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import type { FormStore } from '../forms/store.ts'
import { isNew } from '../forms/unseen.ts'
import { readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import { type Reporter, reportDefect } from '../http/error-response.ts'
import type { DateRange } from '../submissions/date-range.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { countFound } from './count-found.ts'
import { type FormParams, formPath } from './form-frame.ts'
import { placePath, rangeOf, type TypedDates, toPlace, typedDates } from './list-place.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { type SubmissionRow, type SubmissionsDone, submissionsPage } from './submissions-page.ts'
import { deleteSubmissionsPage, markSpamPage } from './submissions-question-page.ts'
import { firstFields } from './submitted-fields.ts'

const perPage = 20
/** More than any page shows. */
const maxSelected = 100
/** Columns of a form whose owner has chosen none. */
const firstColumns = 4

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly deliveries: DeliveryStore
  readonly refusedOrigins: Pick<RefusedOrigins, 'list'>
  readonly now: () => number
  readonly report: Reporter
}

/** `/forms/:formId`: lists the submissions of a form, and deletes those that are selected. */
export const formSubmissions = ({ forms, submissions, deliveries, refusedOrigins, now, report }: Options) => {
  const columnsOf = (form: Form): readonly string[] => {
    const { columns } = parseSettings(form.settings)
    return columns ?? (JSON.parse(forms.readFieldNames(form) ?? '[]') as string[]).slice(0, firstColumns)
  }

  /** Asks before the selected submissions are deleted or marked as spam. */
  const askAbout = (action: 'delete' | 'spam', { session, params, form: sent }: UserSent<FormParams>): Response => {
    const { userId, email } = session
    const form = forms.findForm(userId, params.formId)
    const place = toPlace(Object.fromEntries(sent))
    const back = placePath(form.id, place)
    const ids = selectedIds(sent)
    if (ids.length === 0) return redirect(back)
    const ask = action === 'delete' ? deleteSubmissionsPage : markSpamPage
    return ask({
      email,
      form,
      back,
      place,
      action: `${formPath(form.id)}/submissions/${action}`,
      submissions: ids.map((id) => {
        const found = submissions.findSubmission(userId, form.id, 'inbox', id)
        return { id, fields: firstFields(found, found.submissions[0] as (typeof found.submissions)[0]).fields }
      }),
    })
  }

  return {
    show({ exchange, session, params, query }: UserVisit<FormParams>): Response {
      const { userId, email } = session
      const form = forms.findForm(userId, params.formId)
      const dates = typedDates(query)
      const range = tryRange(dates)
      const newCount = submissions.countNew(form)
      const days = submissions.countByDay(form, now())
      // With a range that is wrong, the page shows why, and no submissions.
      const shown = readPage(query.page, perPage, (page) =>
        'problem' in range ? none(form) : submissions.listSubmissions(userId, form.id, 'inbox', page, range),
      )
      const [newest] = shown.submissions
      // Of a range, some that are new may not be in sight.
      const isWholeList = dates.startDate === '' && dates.endDate === ''
      if (newest && shown.page === 1 && isWholeList)
        forms.markSeen(userId, form.id, newest[0]).catch(reportDefect(report, exchange))
      return submissionsPage({
        email,
        form,
        columns: columnsOf(form),
        rows: shown.submissions.map(
          (submission): SubmissionRow => ({
            id: submission[0],
            isNew: isNew(form, submission[0]),
            ...firstFields(shown, submission),
          }),
        ),
        newCount,
        trouble: deliveries.findFailures(form),
        refused: refusedOrigins.list(form),
        days,
        now: now(),
        perPage,
        total: shown.total,
        place: { ...dates, page: shown.page },
        problem: 'problem' in range ? range.problem : undefined,
        isAllSelected: query.select === 'all',
        done: doneWith(query),
      })
    },

    /** Those that are gone meanwhile are passed over. */
    async markSpam({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { id } = forms.findForm(session.userId, params.formId)
      const count = await countFound(selectedIds(sent), (one) => submissions.markSpam(session.userId, id, one))
      const place = toPlace(Object.fromEntries(sent))
      return redirect(`${placePath(id, place, { done: 'marked', count: String(count) })}#notice`)
    },

    askToMarkSpam: (sent: UserSent<FormParams>): Response => askAbout('spam', sent),

    /** Asks first. What it shows is sent back with the confirmation. */
    async delete(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const ids = selectedIds(sent)
      if (ids.length === 0 || sent.get('confirm') !== 'yes') return askAbout('delete', visit)
      await submissions.deleteSubmissions(session.userId, params.formId, 'inbox', ids)
      const place = toPlace(Object.fromEntries(sent))
      return redirect(`${placePath(params.formId, place, { done: 'deleted', count: String(ids.length) })}#notice`)
    },

    askToDelete: (sent: UserSent<FormParams>): Response => askAbout('delete', sent),
  }
}

/** @throws AppError `invalid` if they are more than a page shows */
export const selectedIds = (sent: URLSearchParams): string[] => {
  const ids = [...new Set(sent.getAll('ids'))]
  if (ids.length <= maxSelected) return ids
  throw invalid({ field: 'ids', message: `must name at most ${maxSelected} submissions` })
}

export const entriesPath = ({ formId }: FormParams): string => formPath(formId)

const none = ({ id }: Form): ReturnType<SubmissionStore['listSubmissions']> => ({
  formId: id,
  submissions: [],
  total: 0,
  readPiece: () => undefined,
})

const tryRange = (dates: TypedDates): DateRange | { problem: string } => {
  try {
    return rangeOf(dates)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    const isReversed = error.issues.some(({ message }) => message.includes('after'))
    return { problem: isReversed ? '“From” must not be after “To”.' : 'Dates must be like 2026-12-31.' }
  }
}

/** What was just done with how many, by the query of the page that follows; undefined if it is nothing. */
const doneWith = ({ done, count }: UserVisit['query']): SubmissionsDone | undefined =>
  done === 'deleted' || done === 'marked' ? { what: done, count: Number(count) || 0 } : undefined
