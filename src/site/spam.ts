import type { FormStore } from '../forms/store.ts'
import { pageNumber, readPage } from '../html/pager.ts'
import { redirect } from '../html/redirect.ts'
import type { SpamStore } from '../spam/store.ts'
import { countFound } from './count-found.ts'
import { deleteAllSpamPage } from './delete-all-spam-page.ts'
import { deleteSubmissionsPage } from './delete-submissions-page.ts'
import { firstWords } from './first-words.ts'
import { type FormParams, formPath } from './form-frame.ts'
import { type ListPlace, placeQuery } from './list-place.ts'
import type { UserSent, UserVisit } from './page-access.ts'
import { type SpamDone, spamPage } from './spam-page.ts'
import { selectedIds } from './submissions.ts'
import { firstFields } from './submitted-fields.ts'

const perPage = 20

interface Options {
  readonly forms: FormStore
  readonly spam: SpamStore
}

/** `/forms/:formId/spam`: what was held back, to be looked at, accepted and deleted. */
export const formSpam = ({ forms, spam }: Options) => {
  const pathOf = (formId: string, place: ListPlace, more?: Readonly<Record<string, string>>): string =>
    spamPath({ formId }) + placeQuery(place, more)

  return {
    show({ session, params, query }: UserVisit<FormParams>): Response {
      const { userId, email } = session
      const form = forms.findForm(userId, params.formId)
      const found = readPage(query.page, perPage, (page) => spam.listSpam(userId, form.id, page, allDates))
      return spamPage({
        email,
        form,
        rows: found.submissions.map((submission) => {
          const [id] = submission
          const one = { ...found, submissions: [submission] }
          return { id, reason: found.reasonOf(id), ...firstWords(one), ...firstFields(one, submission) }
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
    async act({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { userId, email } = session
      const form = forms.findForm(userId, params.formId)
      const place = placeOf(pageNumber(sent.get('page')))
      const back = pathOf(form.id, place)
      const doneTo = (done: string, count: number): Response =>
        redirect(`${pathOf(form.id, place, { done, count: String(count) })}#notice`)
      if (sent.get('action') === 'delete-all') {
        if (sent.get('confirm') === 'yes') return doneTo('deleted', await spam.deleteAllSpam(userId, form.id))
        return deleteAllSpamPage({ email, form, spamCount: forms.countSpam(form) })
      }
      const one = sent.get('accept') ?? sent.get('delete')
      const ids = one === null ? selectedIds(sent) : [one]
      if (ids.length === 0) return redirect(back)
      if (sent.has('accept') || sent.get('action') === 'accept')
        return doneTo('accepted', await countFound(ids, (id) => spam.acceptSpam(userId, form.id, id)))
      if (sent.get('confirm') === 'yes') {
        await spam.deleteSpam(userId, form.id, ids)
        return doneTo('deleted', ids.length)
      }
      const submissions = ids.map((id) => {
        const found = spam.findSpam(userId, form.id, id)
        return { id, fields: firstFields(found, found.submissions[0] as (typeof found.submissions)[0]).fields }
      })
      return deleteSubmissionsPage({ email, form, back, place, action: spamPath({ formId: form.id }), submissions })
    },
  }
}

export const spamPath = ({ formId }: FormParams): string => `${formPath(formId)}/spam`

const allDates = { start: null, end: null }

const placeOf = (page: number): ListPlace => ({ startDate: '', endDate: '', page })

const doneWith = ({ done, count }: UserVisit['query']): SpamDone | undefined =>
  done === 'deleted' || done === 'accepted' ? { what: done, count: Number(count) || 0 } : undefined
