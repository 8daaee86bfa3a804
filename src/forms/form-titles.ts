import type { Db } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { forms } from '../storage/tables.ts'

export type FindTitles = ReturnType<typeof titleReader>

/** Finds the titles of those of some forms that a user may read, by identifier. A page may ask for thousands. */
export const titleReader = (db: Db): ((userId: string, ids: readonly string[]) => ReadonlyMap<string, string>) => {
  const titles = titlesOf(db)
  return (userId, ids) => new Map(titles.all({ userId, ids: JSON.stringify(ids) }).map(({ id, title }) => [id, title]))
}

const titlesOf = statement(
  `SELECT forms.id, title FROM json_each($ids) JOIN forms ON forms.id = value AND deleted_at IS NULL
  WHERE user_id = $userId OR EXISTS (SELECT 1 FROM members WHERE members.user_id = $userId AND form = forms.number)`,
  { id: forms.id, title: forms.title },
)
