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
