import type { Database } from 'bun:sqlite'
import { sameLists } from '../../submissions/lists.ts'

/** Removes those from `staged.rows` that the form has, and returns how many they are. */
export const removePresent = (client: Database, form: number): number => {
  // Who moves in has an empty form. The look-ups below would take 3 % of such an import.
  if (client.query('SELECT 1 FROM main.submissions WHERE form = ? LIMIT 1').get(form) === null) return 0
  // Not in a list that was deleted as a whole, whose rows are still there for a while. One look-up for each row of the
  // file: to collect the identifiers of a form with 10 million took 3 s, whatever was imported.
  return client
    .query(
      `DELETE FROM staged.rows WHERE number IN (
        SELECT rows.number FROM staged.rows CROSS JOIN main.submissions AS own
        WHERE own.form = ?1 AND own.list IN (${sameLists}, (SELECT spam_list FROM main.forms WHERE number = ?1)) AND own.id = rows.id)`,
    )
    .run(form).changes
}
