import { newId } from '../../src/base/id.ts'
import type { openData } from '../storage/data.ts'

const noon = Date.UTC(2026, 10, 22, 12)

/** Imports these into the inbox, as one slice. */
export const importRows = (
  { run, userId, formId }: Pick<ReturnType<typeof openData>, 'run' | 'userId' | 'formId'>,
  rows: readonly (readonly [id: string, data: string, notes?: string])[],
): void => {
  const importId = newId(noon)
  run('beginImport', { id: importId, userId, formId, node: '', report: '{}', now: noon })
  run('stageRows', { importId, rows })
  run('addStaged', { importId, report: '{}', fieldNames: [], count: rows.length, now: noon })
  run('addSlice', { importId, now: noon, maxRows: 10, maxBytes: 1_000_000 })
}
