import { expect, test } from 'bun:test'
import { stagedRows } from '../../src/db/tables.ts'
import { timePrefix } from '../../src/id.ts'
import { removeStagedRows } from '../../src/jobs/remove-rows.ts'
import { stagedReader } from '../../src/submissions/staged-rows.ts'
import { openData } from '../storage/data.ts'
import { removeInThreeSlices } from './slices.ts'

const noon = Date.UTC(2026, 5, 1, 12)
const day = 86_400_000

test('removes what imports of the day before have left behind, in slices, and then refuses to finish them', async () => {
  const { db, run, formId } = openData()
  const importAt = (time: number, rows: number): string => {
    const importId = `${timePrefix(time)}000000000000000000`
    const staged = Array.from({ length: rows }, (_, i) => [
      `${timePrefix(time - i)}00aaaaaaaaaaaaaaaa`,
      JSON.stringify({ a: 'x'.repeat(i === 0 ? 10_000 : 1) }),
    ])
    run('stageRows', { importId, rows: staged })
    return importId
  }
  const old = importAt(noon - day - 1, 4100)
  const late = importAt(noon - day, 2)
  await removeInThreeSlices(run, (needs) =>
    removeStagedRows({ ...needs, hasStaged: stagedReader(db), now: () => noon }),
  )
  const finish = (importId: string, count: number) =>
    run('finishImport', { importId, formId, fieldNames: ['a'], count })
  expect(() => finish(old, 4100)).toThrow('Invalid input data')
  const query = db.$client.query('SELECT count(*) AS count FROM submissions')
  expect(query.get()).toEqual({ count: 0 })
  expect(finish(late, 2)).toEqual({ imported: 2, present: 0 })
  expect(query.get()).toEqual({ count: 2 })
  run('removeStagedRows', { from: late, before: `${late}~`, maxRows: 10 })
  expect(db.select().from(stagedRows).all()).toEqual([])
  expect(stagedReader(db)()).toBe(false)
})
