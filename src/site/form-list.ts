import type { FormStore } from '../forms/store.ts'
import { parsePage } from '../html/pager.ts'
import { formListPage } from './form-list-page.ts'
import { firstFormPage } from './new-form-page.ts'
import type { UserVisit } from './page-access.ts'

const perPage = 20

/** `/`: lists the forms of a user, or leads to the first one. */
export const formList = (forms: FormStore) => ({
  show({ session, query }: UserVisit): Response {
    const { userId, email } = session
    const done = query.done === 'deleted' ? 'The form has been deleted.' : undefined
    const { total } = forms.listForms(userId, { page: 1, perPage: 1 })
    if (total === 0) return firstFormPage({ email, done })
    const page = parsePage(query.page, perPage, total)
    const listed = forms.listForms(userId, { page, perPage }).forms
    return formListPage({ email, done, forms: listed, page, perPage, total })
  },
})
