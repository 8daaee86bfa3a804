import { and, asc, desc, eq, gte, inArray, type SQL, sql } from 'drizzle-orm'
import type { ListPage } from '../../base/list-page.ts'
import type { Db } from '../../storage/open.ts'
import { forms, param } from '../../storage/tables.ts'
import { asOwner, type Readable } from '../access.ts'
import type { Form } from '../form.ts'
import { listedCounter, listedForm } from './listed-forms.ts'

export interface FormPage<F> {
  readonly total: number
  readonly forms: readonly F[]
}

/** The forms of a user in pages: as the API lists them, and as the start page does. */
export const ownForms = (db: Db) => {
  const ofUser = and(eq(forms.userId, param('userId')), listedForm)
  const listed = (order: typeof asc) =>
    db
      .select(listedColumns)
      .from(forms)
      .where(ofUser)
      .orderBy(order(forms.id))
      .limit(param('limit'))
      .offset(param('offset'))
      .prepare()
  // Sorted for each page: 2 to 6 ms for 10,000 forms. With whole rows instead of numbers, it was 6 to 10, and 52 with long
  // settings. An index would make each submission 2 % slower, and creating many forms at once 16 %.
  const numbersOfPage = (order: typeof asc, where: SQL | undefined) =>
    db
      .select({ number: forms.number })
      .from(forms)
      .where(where)
      .orderBy(order(forms.latestId))
      .limit(param('limit'))
      .offset(param('offset'))
  const byActivity = (order: typeof asc, where: SQL | undefined) =>
    db
      .select()
      .from(forms)
      .where(inArray(forms.number, numbersOfPage(order, where)))
      .orderBy(order(forms.latestId))
      .prepare()
  const [newestFirst, oldestFirst] = [listed(desc), listed(asc)]
  // A form's `latest_id` is at least its own identifier. So the newest n forms are all as late as the n-th identifier, a form
  // that is earlier is not among the first n, and only the others are sorted: of 100,000 forms, the first page took 23 ms and
  // takes 12.
  const lateEnough = gte(
    forms.latestId,
    sql`(${db
      .select({ id: forms.id })
      .from(forms)
      .where(ofUser)
      .orderBy(desc(forms.id))
      .limit(1)
      .offset(param('others'))})`,
  )
  const [lastActiveFirst, lastActiveLast] = [byActivity(desc, and(ofUser, lateEnough)), byActivity(asc, ofUser)]
  const forMenu = db
    .select(menuColumns)
    .from(forms)
    .where(inArray(forms.number, numbersOfPage(desc, and(ofUser, lateEnough))))
    .orderBy(desc(forms.latestId))
    .prepare()
  const countOfUser = listedCounter(db)

  /**
   * Passes over the forms before the page, or over those after it if they are fewer: 100,000 take 5 ms, and to sort them 50.
   * Before the page there are `more` forms, or as many as there are.
   */
  const paged =
    <F>(read: Read<F>, readBackwards: Read<F>) =>
    (userId: string, { page, perPage }: ListPage, more = 0): FormPage<F> => {
      const total = countOfUser(userId)
      const before = Math.max(0, (page - 1) * perPage - more)
      const limit = Math.min(page * perPage, total) - before
      if (limit <= 0) return { total, forms: [] }
      const after = total - before - limit
      const found =
        before <= after
          ? read({ userId, limit, offset: before, others: before + limit - 1 })
          : readBackwards({ userId, limit, offset: after, others: after + limit - 1 }).toReversed()
      return { total, forms: found }
    }

  return {
    listForms: paged(
      (rows) => newestFirst.all(rows),
      (rows) => oldestFirst.all(rows),
    ),
    /** The form with the newest submission first. A form counts as active from its creation, so a new one is not at the end. */
    listFormsByActivity: paged(
      (rows) => lastActiveFirst.all(rows).map(asOwner),
      (rows) => lastActiveLast.all(rows).map(asOwner),
    ),
    /** The first ones of `listFormsByActivity`, and how many there are, without what a menu does not show of them. */
    listForMenu(userId: string): FormPage<MenuForm> {
      const total = countOfUser(userId)
      const limit = Math.min(maxInMenu, total)
      const found = limit === 0 ? [] : forMenu.all({ userId, limit, offset: 0, others: limit - 1 })
      return { total, forms: found as MenuForm[] }
    },
  }
}

type Rows = {
  readonly userId: string
  readonly limit: number
  readonly offset: number
  /** On this page and those before it, but for one. */
  readonly others: number
}

type Read<F> = (rows: Rows) => readonly F[]

const menuColumns = {
  number: forms.number,
  id: forms.id,
  title: forms.title,
  latestId: forms.latestId,
  submissionCount: forms.submissionCount,
}

/** Own forms in a menu. */
export const maxInMenu = 10

/** What a menu needs of a form. */
export type MenuForm = Readable<keyof typeof menuColumns>

/** The columns of each form in a list. */
export const listedColumns = {
  id: forms.id,
  title: forms.title,
  description: forms.description,
  returnUrl: forms.returnUrl,
  fieldNames: forms.fieldNames,
  submissionCount: forms.submissionCount,
  updatedAt: forms.updatedAt,
}

/** The columns of each form in a list. */
export type ListedForm = Pick<Form, keyof typeof listedColumns>
