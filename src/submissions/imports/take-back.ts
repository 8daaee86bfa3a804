import { formReader } from '../../forms/form.ts'
import { deliveryRemoval } from '../../outbox/removal.ts'
import { type Connection, type Db, oncePerConnection } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import { importedPages, imports, stagedRows, submissions } from '../../storage/tables.ts'
import { listNames, listOf } from '../lists.ts'
import { submissionRows } from '../rows.ts'
import { stagedBytes } from '../stored-submission.ts'
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
const nextStaged = statement(
  `SELECT id, ${stagedBytes} AS bytes FROM staged_rows WHERE import_id = $owner ORDER BY id LIMIT $maxRows`,
  { id: stagedRows.id, bytes: computed<number>() },
)
const removeStaged = statement('DELETE FROM staged_rows WHERE import_id = $owner AND id <= $last')
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
    for (const name of listNames) {
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

interface RestSlice {
  readonly maxRows: number
  /** Of submissions and their notes. At least one is removed, however long it is. */
  readonly maxBytes: number
}

interface Removed {
  readonly count: number
  /** Of submissions and their notes. */
  readonly bytes: number
}

interface Rest extends RestSlice {
  readonly importId: string
}

/** Returns a function that removes what is left of an import that has ended, or is no longer wanted. */
export const restRemoval = (db: Connection): ((rest: Rest) => boolean) => {
  const { find } = importReads(db)
  const { noRest, removeOne } = importStatements(db)
  const remove = stagedRemoval(db)
  return ({ importId, ...slice }) => {
    const found = find(undefined, importId)
    if (!found || found.state === 'staging' || found.state === 'adding' || found.state === 'removing') return false
    if (remove(importId, slice).count > 0) return true
    if (found.state === 'planned') removeOne.run({ id: importId })
    else noRest.run({ id: importId })
    return false
  }
}

/** Removes staged rows of an import, and after the last one a page. Returns how many they were, and the bytes of the rows. */
const stagedRemoval = (db: Db) => {
  const [nextRows, removeRows] = [nextStaged(db), removeStaged(db)]
  const [next, removePageOf] = [nextPage(db), removePage(db)]
  return (id: string, { maxRows, maxBytes }: RestSlice): Removed => {
    for (const owner of [id, `${id} files`]) {
      let [count, bytes, last] = [0, 0, '']
      for (const row of nextRows.all({ owner, maxRows })) {
        if (count > 0 && bytes + row.bytes > maxBytes) break
        count++
        bytes += row.bytes
        last = row.id
      }
      if (count === 0) continue
      removeRows.run({ owner, last })
      return { count, bytes }
    }
    const page = next.get({ id })
    if (page) removePageOf.run({ id, page: page.page })
    return { count: page ? 1 : 0, bytes: 0 }
  }
}

/** Removes a slice of the imports of a deleted form. Returns how many rows they were, and their bytes. */
export const formImportRemoval = oncePerConnection((db: Db): ((form: number, slice: RestSlice) => Removed) => {
  const next = ofForm(db)
  const remove = stagedRemoval(db)
  const { removeOne } = importStatements(db)
  return (form, { maxRows, maxBytes }) => {
    let [count, bytes] = [0, 0]
    for (let found = next.get({ form }); found && count < maxRows && bytes < maxBytes; found = next.get({ form })) {
      const removed = remove(found.id, { maxRows: maxRows - count, maxBytes: maxBytes - bytes })
      if (removed.count === 0) removeOne.run({ id: found.id })
      count += Math.max(1, removed.count)
      bytes += removed.bytes
    }
    return { count, bytes }
  }
})
