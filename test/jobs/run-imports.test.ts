import { expect, test } from 'bun:test'
import { hourMilliseconds, minuteMilliseconds } from '../../src/base/durations.ts'
import { newId } from '../../src/base/id.ts'
import { importReads } from '../../src/submissions/imports/import-reads.ts'
import { runImports } from '../../src/upkeep/jobs/run-imports.ts'
import { openData } from '../storage/data.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'

const noon = Date.UTC(2026, 10, 22, 12)

test('gives up what a server left when it ended, but no plan of then that is carried out now, by whom it may be', async () => {
  const { db, run, folder, userId, formId, createUser } = openData()
  const grace = createUser()
  const { email } = rowsOf(folder, 'SELECT email FROM users WHERE id = ?', grace)[0] as { email: string }
  run('addMember', { userId, formId, now: noon, id: newId(noon), memberId: grace, email, role: 'manager' })
  const [left, planned] = [newId(noon), newId(noon)]
  const own = { formId, node: 'this', report: '{}' }
  run('beginImport', { ...own, id: left, userId, now: noon })
  run('planImport', { ...own, id: planned, userId })
  const clock = { now: noon + 10 * minuteMilliseconds }
  const { withRest, find } = importReads(db)
  const job = runImports({
    writer: { run: async (name: string, input: unknown) => run(name, input) } as never,
    node: 'this',
    withRest,
    onDeleted: () => {},
    onAdded: () => {},
    now: () => clock.now,
    onFailure: (reason) => expect.unreachable(reason),
  })
  clock.now += hourMilliseconds / 2
  run('beginImport', { ...own, id: planned, userId: grace, now: clock.now })
  job.start()
  await until(() => find(undefined, left)?.state === 'failed', 'it has ended')
  await job.stop()
  expect(find(undefined, planned)).toMatchObject({ state: 'staging', userId: grace })

  run('stageRows', { importId: planned, rows: [[newId(noon), '{"a":1}']] })
  run('addStaged', { importId: planned, report: '{}', fieldNames: ['a'], count: 1, now: clock.now })
  expect(rowsOf(folder, "SELECT user_id FROM trail WHERE what = 'imported'")).toEqual([{ user_id: grace }])
})
