import type { ListPage } from '../../base/list-page.ts'
import type { FormAccess, FormTo } from '../access.ts'
import { type Form, stateOfForm } from '../form.ts'
import { maxGroupedForms } from './grouped-forms.ts'
import { type FormPage, type MenuForm, maxInMenu, type ownForms } from './own-forms.ts'
import type { SharedForm, sharedForms } from './shared-forms.ts'

type OwnForms = ReturnType<typeof ownForms>
type Remembered<Found> = (userId: string) => Found | undefined

interface Lists extends Pick<OwnForms, 'listFormsByActivity'>, Pick<ReturnType<typeof sharedForms>, 'listShared'> {
  readonly findLastActive: Remembered<ReturnType<OwnForms['listFormsByActivity']>>
  readonly listForMenu: Remembered<FormPage<MenuForm>>
}

const byActivity = (a: Pick<Form, 'latestId'>, b: Pick<Form, 'latestId'>): number => (a.latestId < b.latestId ? 1 : -1)

/** The own forms of a user and the shared ones as one list, the one in which something arrived last first. */
export const joinedForms = (lists: Lists, { findReadable }: Pick<FormAccess, 'findReadable'>) => {
  const { listFormsByActivity, listForMenu, listShared, findLastActive } = lists

  /** The newest of those that others share, and how many there are. */
  const findShared = (userId: string, perPage: number) => {
    const shared = listShared(userId, { page: 1, perPage }, null)
    const ids = shared.forms.map(({ id }) => id)
    return { ...shared, found: findReadable(userId, ids) }
  }

  return {
    /** A page, with how those of others are shared. `total` counts the forms on all pages. */
    listJoined(userId: string, page: ListPage) {
      const { total, forms: shared, found: others } = findShared(userId, maxGroupedForms)
      const sharing: ReadonlyMap<string, SharedForm> = new Map(shared.map((one) => [one.id, one]))
      // So many own forms of the pages before may be on this one instead, behind the others.
      const own = listFormsByActivity(userId, page, others.length)
      const all: FormTo<'read'>[] = [...own.forms, ...others]
      if (others.length > 0) all.sort(byActivity)
      const before = (page.page - 1) * page.perPage
      const start = before - Math.min(Math.max(0, before - others.length), own.total)
      return { sharing, total: own.total + total, forms: all.slice(start, start + page.perPage) }
    },

    /** The first own ones and as many of others. `total` counts all. */
    listForMenu(userId: string): FormPage<MenuForm> {
      const own = listForMenu(userId) ?? { total: 0, forms: [] }
      const { total, found } = findShared(userId, maxInMenu)
      return { total: own.total + total, forms: [...own.forms, ...found].sort(byActivity) }
    },

    /**
     * Differs when one of them has a new submission, or there are more or fewer. Of the own ones it reads the first alone, as
     * their list begins with the last one that had a submission: it is looked at after each commit. Of those that are shared,
     * the newest twenty count.
     */
    stateOfForms(userId: string): string {
      const own = findLastActive(userId)
      const { total, found } = findShared(userId, 20)
      const states = [...(own?.forms ?? []), ...found].map((form) => stateOfForm(form, 0))
      return [own?.total ?? 0, total, ...states].join('-')
    },
  }
}
