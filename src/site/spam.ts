import type { FormStore } from '../forms/store.ts'
import { pageNumber, readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { countFound } from './count-found.ts'
import { deleteAllSpamPage } from './delete-all-spam-page.ts'
import { firstWords } from './first-words.ts'
import { type FormParams, formPath } from './form-frame.ts'
import { type ListPlace, placeQuery } from './list-place.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { type SpamDone, spamPage } from './spam-page.ts'
import { selectedIds } from './submissions.ts'
import { acceptSpamPage, deleteSubmissionsPage } from './submissions-question-page.ts'
import { firstFields } from './submitted-fields.ts'

const perPage = 20

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
}

/** `/forms/:formId/spam`: what was held back, to be looked at, accepted and deleted. */
export const formSpam = ({ forms, submissions }: Options) => {
  const pathOf = (formId: string, place: ListPlace, more?: Readonly<Record<string, string>>): string =>
    spamPath({ formId }) + placeQuery(place, more)

  /** Asks before it does what was sent. */
  const ask = ({ session, params, form: sent }: UserSent<FormParams>): Response => {
    const { userId, email } = session
    const form = forms.findForm(userId, params.formId)
    const { action, ids } = actionIn(sent)
    if (action === 'delete-all') return deleteAllSpamPage({ email, form })
    const place = placeOf(pageNumber(sent.get('page')))
    const back = pathOf(form.id, place)
    if (ids.length === 0) return redirect(back)
    const chosen = ids.map((id) => {
      const found = submissions.findSubmission(userId, form.id, 'spam', id)
      return { id, fields: firstFields(found, found.submissions[0] as (typeof found.submissions)[0]).fields }
    })
    const questionPage = action === 'accept' ? acceptSpamPage : deleteSubmissionsPage
    return questionPage({ email, form, back, place, action: spamPath({ formId: form.id }), submissions: chosen })
  }

  return {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId, email } = session
      const form = forms.findForm(userId, params.formId)
      const found = readPage(query.page, perPage, (page) =>
        submissions.listSubmissions(userId, form.id, 'spam', page, allDates),
      )
      return spamPage({
        email,
        form,
        rows: found.submissions.map((submission) => {
          const [id, , reason] = submission
          const one = { ...found, submissions: [submission] }
          return { id, reason: reason ?? 'marked', ...firstWords(one), ...firstFields(one, submission) }
        }),
        total: found.total,
        perPage,
        place: placeOf(found.page),
        toPath: (page) => pathOf(form.id, placeOf(page)),
        selectAllPath: pathOf(form.id, placeOf(found.page), { select: 'all' }),
        isAllSelected: query.select === 'all',
        done: doneWith(query),
      })
    },

    /** Accepts at once. Before it deletes, it asks: a row has its own buttons, which name it. */
    async act(visit: UserSent<FormParams>): Promise<Response> {
      const { session, params, form: sent } = visit
      const form = forms.findForm(session.userId, params.formId)
      const place = placeOf(pageNumber(sent.get('page')))
      const doneTo = (done: string, count: number): Response =>
        redirect(`${pathOf(form.id, place, { done, count: String(count) })}#notice`)
      const { action, ids } = actionIn(sent)
      const isConfirmed = sent.get('confirm') === 'yes'
      if (action === 'delete-all' && isConfirmed)
        return doneTo('deleted', await submissions.deleteAllSpam(session.userId, form.id))
      if (action === 'accept' && ids.length > 0)
        return doneTo('accepted', await countFound(ids, (id) => submissions.acceptSpam(session.userId, form.id, id)))
      if (action !== 'delete' || ids.length === 0 || !isConfirmed) return ask(visit)
      await submissions.deleteSubmissions(session.userId, form.id, 'spam', ids)
      return doneTo('deleted', ids.length)
    },

    ask,
  }
}

/** A button of a row names its submission. Those below the list are for what is selected. */
const actionIn = (sent: URLSearchParams) => {
  const one = sent.get('accept') ?? sent.get('delete')
  const action = sent.has('accept') ? 'accept' : sent.get('action')
  return {
    action: action === 'accept' || action === 'delete-all' ? action : 'delete',
    ids: one === null ? selectedIds(sent) : [one],
  } as const
}

export const spamPath = ({ formId }: FormParams): string => `${formPath(formId)}/spam`

const allDates = { start: null, end: null }

const placeOf = (page: number): ListPlace => ({ startDate: '', endDate: '', page })

const doneWith = ({ done, count }: UserVisit['query']): SpamDone | undefined =>
  done === 'deleted' || done === 'accepted' ? { what: done, count: Number(count) || 0 } : undefined
