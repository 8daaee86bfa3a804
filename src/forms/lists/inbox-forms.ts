import { oncePerConnection } from '../../storage/open.ts'
import { statement } from '../../storage/statement.ts'
import { forms, stateCounts } from '../../storage/tables.ts'
import type { Readable } from '../access.ts'
import { isListed } from './listed-forms.ts'

/** Forms that an inbox covers at most: those in which something arrived last. */
export const maxInboxForms = 1000

const names = ['number', 'id', 'latestId', 'submissionCount', ...Object.values(stateCounts)] as const

/** A form whose submissions are in an inbox. */
export type InboxForm = Readable<(typeof names)[number]>

/**
 * Lists the forms of a user, own and shared, that have submissions: those in which something arrived last, and one more.
 *
 * @param group only forms with this setting; empty for all
 */
export const inboxForms = oncePerConnection((db) => {
  const listed = latestForms(db)
  return (userId: string, group = ''): InboxForm[] =>
    listed.all({ userId, group, limit: maxInboxForms + 1 }) as unknown as InboxForm[]
})

const columns = Object.fromEntries(names.map((name) => [name, forms[name]]))
const selected = names.map((name) => `forms.${forms[name].name}`).join(', ')

const inGroup = `($group = '' OR json_extract(settings, '$.group') = $group)`

// Sorted for each page, as the list by activity.
const latestForms = statement(
  `SELECT ${selected.replaceAll('forms.', '')} FROM (
    SELECT ${selected} FROM forms
    WHERE user_id = $userId AND ${isListed} AND submission_count > 0 AND ${inGroup}
    UNION ALL
    SELECT ${selected} FROM members JOIN forms ON number = form
    WHERE members.user_id = $userId AND ${isListed} AND submission_count > 0 AND ${inGroup}
  ) AS found ORDER BY latest_id DESC LIMIT $limit`,
  columns,
)
