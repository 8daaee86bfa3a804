import { foldForSearch } from '../../base/search-fold.ts'
import { oncePerConnection } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import { forms, members } from '../../storage/tables.ts'
import type { Readable, Role } from '../access.ts'
import { isListed } from './listed-forms.ts'

/** Forms that are in groups, and among which one is found, at most: those in which something arrived last. */
export const maxGroupedForms = 1000

/** What a form is called. */
export interface GroupedForm extends Readable<'number' | 'id' | 'title' | 'latestId' | 'submissionCount'> {
  /** Of the user in the form. */
  readonly role: Role
  /** Settings; null if they are not set. */
  readonly group: string | null
  readonly address: string | null
}

/** Lists the forms of a user, own and shared, without what else they have: the one in which something arrived last first. */
export const groupedForms = oncePerConnection((db) => {
  const listed = byActivity(db)
  return (userId: string): GroupedForm[] => listed.all({ userId, limit: maxGroupedForms }) as GroupedForm[]
})

const named = `number, forms.id, title, latest_id, submission_count,
  settings ->> '$.group' AS "group", settings ->> '$.address' AS address`

const byActivity = statement(
  `SELECT number, id, title, latest_id, submission_count, "group", address, role FROM (
    SELECT ${named}, 'owner' AS role FROM forms WHERE user_id = $userId AND ${isListed}
    UNION ALL
    SELECT ${named}, role FROM members JOIN forms ON number = form WHERE members.user_id = $userId AND ${isListed}
  ) AS found ORDER BY latest_id DESC LIMIT $limit`,
  {
    number: forms.number,
    id: forms.id,
    title: forms.title,
    latestId: forms.latestId,
    submissionCount: forms.submissionCount,
    group: computed<string | null>(),
    address: computed<string | null>(),
    role: members.role,
  },
)

/** A group of forms; null for those that are in none. */
export interface FormGroup<F> {
  readonly name: string | null
  readonly forms: readonly F[]
}

/** Forms by their groups: the one in which something arrived last first, and those without one at the end. */
export const inGroups = <F>(forms: readonly F[], groupOf: (form: F) => string | null): FormGroup<F>[] => {
  const groups = Array.from(Map.groupBy(forms, groupOf), ([name, found]) => ({ name, forms: found }))
  return [...groups.filter(({ name }) => name !== null), ...groups.filter(({ name }) => name === null)]
}

/** Those in a group, with a part of their title, group or address; empty texts stand for all. */
export const findGrouped = (
  forms: readonly GroupedForm[],
  { q, group }: { readonly q: string; readonly group: string },
): GroupedForm[] => {
  const word = foldForSearch(q)
  const isFound = (form: GroupedForm): boolean =>
    q === '' || [form.title, form.group, form.address].some((text) => text && foldForSearch(text).includes(word))
  return forms.filter((form) => (group === '' || form.group === group) && isFound(form))
}
