import { formReader } from '../../forms/form.ts'
import { deliveryRemoval } from '../../outbox/removal.ts'
import { type Connection, type Db, oncePerConnection } from '../../storage/open.ts'
import { statement } from '../../storage/statement.ts'
import { importedPages, imports, stagedRows, submissions } from '../../storage/tables.ts'
import { type ListName, listOf } from '../lists.ts'
import { submissionRows } from '../rows.ts'
import { importReads } from './import-reads.ts'
import { importStatements } from './import-statements.ts'

const nextPage = statement('SELECT page, ids FROM imported_pages WHERE import_id = $id ORDER BY page LIMIT 1', {
  page: importedPages.page,
  ids: importedPages.ids,
})
const removePage = statement('DELETE FROM imported_pages WHERE import_id = $id AND page = $page')
const existing = statement(
  `SELECT id FROM submissions WHERE form = $form AND list = $list AND id IN (SELECT value FROM json_each($ids)) ORDER BY id`,
  { id: submissions.id },
)
const removeStaged = statement(
  `DELETE FROM staged_rows WHERE number IN (
    SELECT number FROM staged_rows WHERE import_id IN ($id, $id || ' files') ORDER BY import_id, id LIMIT $limit)
  RETURNING number`,
  { number: stagedRows.number },
)
const ofForm = statement('SELECT id FROM imports WHERE form = $form ORDER BY id LIMIT 1', { id: imports.id })

/**
 * Returns a function that removes the next page of what an import has added, wherever it is by now. Returns whether more
 * is left. The pieces of long ones remain: `removeDeletedSlice` has to follow.
 */
export const sliceRemover = (db: Connection): ((slice: { readonly importId: string }) => boolean) => {
  const findForm = formReader(db)
  const rows = submissionRows(db)
  const deliveries = deliveryRemoval(db)
  const { find } = importReads(db)
  const { setState, countAdded } = importStatements(db)
  const [next, remove, exist] = [nextPage(db), removePage(db), existing(db)]

  return ({ importId }) => {
    const found = find(undefined, importId)
    if (found?.state !== 'removing') return false
    const page = next.get({ id: importId })
    if (!page) {
      setState.run({ id: importId, state: 'removed', report: found.report, finishedAt: found.finishedAt })
      return false
    }
    for (const name of ['inbox', 'spam'] satisfies ListName[]) {
      // Each removal changes the form's row.
      const form = findForm(found.formId)
      if (!form) return false
      const ids = new Set(exist.all({ ...listOf(form, name), ids: page.ids }).map(({ id }) => id))
      rows.remove(form, name, ids)
      deliveries.ofSubmissions(form.number, ids)
    }
    remove.run({ id: importId, page: page.page })
    countAdded.run({ id: importId, by: (JSON.parse(page.ids) as string[]).length, added: 0 })
    return true
  }
}

interface Rest {
  readonly importId: string
  readonly maxRows: number
}

/** Returns a function that removes what is left of an import that has ended, or is no longer wanted. */
export const restRemoval = (db: Connection): ((rest: Rest) => boolean) => {
  const { find } = importReads(db)
  const { noRest, removeOne } = importStatements(db)
  const removeRows = stagedRemoval(db)
  return ({ importId, maxRows }) => {
    const found = find(undefined, importId)
    if (!found || found.state === 'staging' || found.state === 'adding' || found.state === 'removing') return false
    if (removeRows(importId, maxRows) > 0) return true
    if (found.state === 'planned') removeOne.run({ id: importId })
    else noRest.run({ id: importId })
    return false
  }
}

/** Removes staged rows of an import, and then pages. Returns how many they were. */
const stagedRemoval = (db: Db) => {
  const [next, remove, removeRows] = [nextPage(db), removePage(db), removeStaged(db)]
  return (id: string, maxRows: number): number => {
    const removed = removeRows.all({ id, limit: maxRows }).length
    if (removed > 0) return removed
    const page = next.get({ id })
    if (!page) return 0
    remove.run({ id, page: page.page })
    return 1
  }
}

/** Removes the imports of a deleted form, up to so many rows. Returns how many they were. */
export const formImportRemoval = oncePerConnection((db: Db): ((form: number, maxRows: number) => number) => {
  const next = ofForm(db)
  const removeRows = stagedRemoval(db)
  const { removeOne } = importStatements(db)
  return (form, maxRows) => {
    let count = 0
    for (let found = next.get({ form }); found && count < maxRows; found = next.get({ form })) {
      const removed = removeRows(found.id, maxRows - count)
      if (removed === 0) removeOne.run({ id: found.id })
      count += Math.max(1, removed)
    }
    return count
  }
})
