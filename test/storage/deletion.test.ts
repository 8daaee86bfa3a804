import { describe, expect, test } from 'bun:test'
import { unavailable } from '../../src/base/errors.ts'
import { newId } from '../../src/base/id.ts'
import { startWriter } from '../../src/storage/writer/writer.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import type { Writes } from '../../src/upkeep/all-writes.ts'
import { hasDeletedRows, removeDeleted } from '../../src/upkeep/jobs/remove-rows.ts'
import { afterThisTest, forThisFile, type Server, startServer, temporaryFolder } from '../harness.ts'
import { until } from '../until.ts'
import { openData } from './data.ts'
import { expectSound, rowsOf } from './sound.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const every = (count: number, step = 1000): number[] => Array.from({ length: count }, (_, i) => noon + i * step)

const left = (folder: string, formId: string): number =>
  rowsOf<{ rows: number }>(
    folder,
    'SELECT count(*) AS rows FROM submissions JOIN forms ON number = form WHERE forms.id = ?',
    formId,
  )[0]?.rows ?? 0

/** Until no row of the forms is left in any table. */
const untilRemoved = async (folder: string, ...formIds: readonly string[]): Promise<void> => {
  const forms = `SELECT 1 FROM forms WHERE id IN (${formIds.map(() => '?')})`
  await until(() => rowsOf(folder, forms, ...formIds).length === 0, 'the forms are gone')
  expect(rowsOf(folder, 'SELECT form FROM submissions WHERE form NOT IN (SELECT number FROM forms)')).toEqual([])
  expect(rowsOf(folder, 'SELECT form FROM tallies WHERE form NOT IN (SELECT number FROM forms)')).toEqual([])
  expectSound(folder)
}

let starting: Promise<Server> | undefined
/** The server of the tests that do not end it, of this file alone: `expectSound` reads all rows. */
const serverOfFile = () => (starting ??= forThisFile(startServer))

describe('deleting a form of many submissions', () => {
  test('hides it from every reader at once, and removes it from the disk in the end', async () => {
    const server = await serverOfFile()
    const ada = await server.signUp()
    const formId = await ada.createForm({ title: 'Large' })
    const other = await ada.createForm({ title: 'Other' })
    const { submit } = openData(server.folder)
    const ids = submit(formId, every(10_000, 10))
    const kept = submit(other, every(500))
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(10_000)

    expect((await ada.call('DELETE', `/forms/${formId}`)).body).toEqual({ success: true })

    const answers = [
      await ada.call('GET', `/forms/${formId}`),
      await ada.call('PATCH', `/forms/${formId}`, { title: 'Back' }),
      await ada.call('DELETE', `/forms/${formId}`),
      await ada.call('POST', `/forms/${formId}/duplicate`),
      await ada.call('GET', `/forms/${formId}/submissions`),
      await ada.call('GET', `/forms/${formId}/submissions/${ids[9999]}`),
      await ada.call('DELETE', `/forms/${formId}/submissions/${ids[9999]}`),
    ]
    for (const { status, body } of answers) expect([status, body.message]).toEqual([404, 'Form not found'])
    const late = await server.fetch(`/s/${formId}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
    expect(late.status).toBe(404)
    const forms = (await ada.call('GET', '/forms')).body
    expect(forms.forms.map(({ id }: { id: string }) => id)).toEqual([other])
    expect(forms.pagination.total).toBe(1)

    await untilRemoved(server.folder, formId)
    const ofOther = 'SELECT s.id FROM submissions AS s JOIN forms ON number = form WHERE forms.id = ? ORDER BY s.id'
    expect(rowsOf(server.folder, ofOther, other).map(({ id }) => id)).toEqual(kept)
    expect((await ada.call('GET', `/forms/${other}`)).body.submissionCount).toBe(500)
  })

  test.each([499, 500, 501, 1000, 1])('works in slices of 500: %d', (count) => {
    const { folder, userId, formId, run, submit } = openData()
    submit(formId, every(count))
    run('deleteForms', { userId, now: noon, ids: [formId] })
    expect(left(folder, formId)).toBe(count)
    for (let rest = count; rest > 500; rest -= 500) {
      expect(run('removeDeletedSlice', oneSlice)).toBeGreaterThan(0)
      expect(left(folder, formId)).toBe(rest - 500)
      expectSound(folder)
    }
    expect(run('removeDeletedSlice', oneSlice)).toBeGreaterThan(0)
    expect(rowsOf(folder, 'SELECT id FROM forms')).toEqual([])
    expect(rowsOf(folder, 'SELECT * FROM tallies')).toEqual([])
    expect(run('removeDeletedSlice', oneSlice)).toBe(0)
  })

  test('changes no more rows in any slice, whatever else there is about the form', () => {
    const { db, folder, userId, formId, run, submit } = openData()
    submit(formId, every(10_000))
    // What someone did with the form: another row for each kind of deed.
    db.$client
      .query(`WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted LIMIT 2000)
        INSERT INTO trail (form, at, user_id, what, detail, count)
        SELECT number, ?, user_id, 'settings', n, 1 FROM forms, counted`)
      .run(noon)
    run('deleteForms', { userId, now: noon, ids: [formId] })
    const changes = () => db.$client.query<{ n: number }, []>('SELECT total_changes() AS n').get()?.n ?? 0
    const slices: number[] = []
    for (let before = changes(); run('removeDeletedSlice', oneSlice) !== 0; before = changes())
      slices.push(changes() - before)
    expect(Math.max(...slices)).toBeLessThan(oneSlice.maxRows + 20)
    for (const table of ['forms', 'tallies', 'trail']) expect(rowsOf(folder, `SELECT * FROM ${table}`)).toEqual([])
    expectSound(folder)
  })

  test('takes many small forms in one slice of 500 rows', () => {
    const { folder, userId, run, submit } = openData()
    const ids = Array.from({ length: 400 }, () => newId(noon))
    run('createForms', { userId, forms: ids.map((id) => ({ id, title: 'F' })) })
    submit(ids[1] as string, every(150))
    run('deleteForms', { userId, now: noon, ids })
    expect(run('removeDeletedSlice', oneSlice)).toBe(500)
    // The first one, the 150 submissions of the second, and 349 more.
    expect(rowsOf(folder, 'SELECT count(*) AS forms FROM forms WHERE deleted_at IS NOT NULL')).toEqual([{ forms: 50 }])
    expect(run('removeDeletedSlice', oneSlice)).toBe(50)
    expect(run('removeDeletedSlice', oneSlice)).toBe(0)
    expectSound(folder)
  })

  test('goes on when the server starts again, and no one sees what is left meanwhile', async () => {
    const { folder, userId, formId, createForm, run, submit } = openData()
    submit(formId, every(3000))
    submit(createForm(userId), every(10))
    // As far as a server came before it was killed.
    run('deleteForms', { userId, now: noon, ids: [formId] })
    run('removeDeletedSlice', oneSlice)
    expect(left(folder, formId)).toBe(2500)

    const server = await startServer({ folder })
    const late = await server.fetch(`/s/${formId}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
    expect(late.status).toBe(404)
    await untilRemoved(folder, formId)
    expect(rowsOf(folder, 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: 10 }])
  })

  test('goes on after a server that ended in the middle of it', async () => {
    const folder = temporaryFolder()
    let formId = ''
    // It may be done before it is stopped.
    for (let round = 0; round < 5 && (round === 0 || left(folder, formId) === 0); round++) {
      const server = await startServer({ folder })
      const ada = await server.signUp()
      formId = await ada.createForm()
      openData(folder).submit(formId, every(10_000, 10))
      expect((await ada.call('DELETE', `/forms/${formId}`)).status).toBe(200)
      await server.stop()
    }
    expect(left(folder, formId)).toBeGreaterThan(0)
    expectSound(folder)

    await startServer({ folder })
    await untilRemoved(folder, formId)
    expect(rowsOf(folder, 'SELECT count(*) AS rows FROM submissions')).toEqual([{ rows: 0 }])
  })

  test('takes several forms, those that are deleted meanwhile and those that are empty', async () => {
    const server = await serverOfFile()
    const ada = await server.signUp()
    const ids = (await ada.call('POST', '/forms/bulk', { forms: Array(12).fill({ title: 'F' }) })).body.ids as string[]
    const { submit } = openData(server.folder)
    for (const id of ids.slice(0, 6)) submit(id, every(700))

    const deletions = [ids.slice(0, 3), [ids[3]], [ids[4]], ids.slice(5, 9), [ids[9]], [ids[10]]]
    const answers = await Promise.all(deletions.map((some) => ada.call('DELETE', '/forms/bulk', { ids: some })))

    expect(answers.map(({ status }) => status)).toEqual(deletions.map(() => 200))
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(1)
    await untilRemoved(server.folder, ...ids.slice(0, 11))
    expect((await ada.call('GET', `/forms/${ids[11]}`)).status).toBe(200)
    expect(left(server.folder, ids[11] as string)).toBe(0)
  })

  test('while submissions arrive leaves none of them, and answers each with 200 or 404', async () => {
    const server = await serverOfFile()
    const ada = await server.signUp()
    const formId = await ada.createForm()
    const submit = async (): Promise<number> =>
      (await server.fetch(`/s/${formId}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })).status
    const early = Array.from({ length: 100 }, submit)
    const deleted = ada.call('DELETE', `/forms/${formId}`)
    const late = Array.from({ length: 100 }, submit)

    const statuses = await Promise.all([...early, ...late])
    expect((await deleted).status).toBe(200)
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
    expect(await submit()).toBe(404)
    await untilRemoved(server.folder, formId)
  })

  test('goes on by itself after writes of it were refused, as by a full disk, and not when it was stopped', async () => {
    const { db, folder, userId, formId, run, submit } = openData()
    submit(formId, every(1200))
    const onDeath = () => {}
    const writer = startWriter<Writes>({
      folder,
      worker: new Worker(new URL('../../src/upkeep/write-worker.ts', import.meta.url).href),
      onDeath,
    })
    await writer.started
    afterThisTest(() => writer.close())
    const tries: boolean[] = []
    // Every other try is refused.
    const full: typeof writer = {
      ...writer,
      run(name, input, bytes) {
        tries.push(tries.length % 2 === 1)
        return tries.at(-1) ? writer.run(name, input, bytes) : Promise.reject(unavailable(5))
      },
    }
    const reported: string[] = []
    const onFailure = (reason: string) => reported.push(reason)
    const hasDeleted = hasDeletedRows(db)
    const job = removeDeleted({ writer: full, hasDeleted, now: Date.now, onFailure, retryMilliseconds: 1 })
    job.start()
    // Nothing was deleted yet, so nothing is written.
    expect(tries).toEqual([])
    run('deleteForms', { userId, now: noon, ids: [formId] })
    job.wake()
    await untilRemoved(folder, formId)
    expect(tries.slice(0, 5)).toEqual([false, true, false, true, false])
    // Whoever wants to write is told that the disk is full.
    expect(reported).toEqual([])

    await job.stop()
    const { length } = tries
    job.wake()
    // Twenty times what it waits for: a timer that goes on would show.
    await Bun.sleep(20)
    expect(tries.length).toBe(length)
  })
})
