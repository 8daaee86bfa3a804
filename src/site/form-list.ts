import type { DeliveryStore } from '../deliveries/store.ts'
import type { Form } from '../forms/ownership.ts'
import type { FormStore } from '../forms/store.ts'
import { readPage } from '../html/pager.ts'
import { creationTime } from '../id.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import { firstWords } from './first-words.ts'
import { type FormRow, formListPage } from './form-list-page.ts'
import { firstFormPage } from './new-form-page.ts'
import type { UserVisit } from './page-access.ts'
import { isInTrouble } from './trouble.ts'

const perPage = 20

interface Options {
  readonly forms: FormStore
  readonly submissions: SubmissionStore
  readonly deliveries: DeliveryStore
  readonly now: () => number
}

/** `/`: lists the forms of a user, or leads to the first one. */
export const formList = ({ forms, submissions, deliveries, now }: Options) => {
  const toRow = (form: Form): FormRow => {
    const newest = submissions.findNewest(form)
    return {
      form,
      newCount: submissions.countNew(form),
      isInTrouble: isInTrouble(deliveries.findFailures(form)),
      days: submissions.countByDay(form, now()),
      newest: newest && { at: creationTime(newest.submissions[0]?.[0] as string), ...firstWords(newest) },
    }
  }

  return {
    show({ session, query }: UserVisit): Response {
      const { userId, email } = session
      const done = query.done === 'deleted' ? 'The form has been deleted.' : undefined
      const { forms: listed, ...paged } = readPage(query.page, perPage, (page) =>
        forms.listFormsByActivity(userId, page),
      )
      if (paged.total === 0) return firstFormPage({ email, done })
      return formListPage({ email, done, rows: listed.map(toRow), now: now(), ...paged })
    },
  }
}
