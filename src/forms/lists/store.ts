import { itemsOf, type ListPage } from '../../base/list-page.ts'
import { groupedForms } from './grouped-forms.ts'
import { joinedForms } from './joined-forms.ts'
import { listedAmong } from './listed-forms.ts'
import { ownForms } from './own-forms.ts'
import { sharedForms } from './shared-forms.ts'

export type FormLists = ReturnType<typeof openFormLists>

/** The lists of the forms of a user, own and shared. The inbox has its own. */
export const openFormLists = (options: Parameters<typeof sharedForms>[0]) => {
  const { reader, findForm, access } = options
  const { listForms, listFormsByActivity, listForMenu } = ownForms(reader.db)
  const shared = sharedForms(options)
  const lists = {
    ...shared,
    listFormsByActivity,

    /**
     * The first one of `listFormsByActivity`, and their number. It is read once for all streams that look after a commit:
     * that takes 1.4 ms with 10,000 forms, for each of twenty tabs.
     */
    findLastActive: reader.remembering((userId) => listFormsByActivity(userId, { page: 1, perPage: 1 })),

    /** The same for the menu above each page of a form. */
    listForMenu: reader.remembering(listForMenu),
  }

  return {
    ...lists,
    ...joinedForms(lists, access),
    listGrouped: groupedForms(reader.db),

    /**
     * One page, newest first. `total` counts the forms on all pages.
     *
     * @param only identifiers of the forms that a key is limited to; null for all
     */
    listForms(userId: string, page: ListPage, only: ReadonlySet<string> | null): ReturnType<typeof listForms> {
      if (!only) return listForms(userId, page)
      const own = listedAmong(findForm, only).filter((form) => form.userId === userId)
      return { total: own.length, forms: itemsOf(own, page) }
    },
  }
}
