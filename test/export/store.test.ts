import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { toFilter } from '../../src/submissions/search/filter.ts'
import { openExportStore } from '../../src/transfer/export/store.ts'
import { exportFormatNames } from '../../src/transfer/formats.ts'
import { openData } from '../storage/data.ts'
import { until } from '../until.ts'

const everything = {
  format: 'csv',
  range: { start: null, end: null },
  style: {},
} as const

type Sheet = Parameters<ReturnType<typeof openExportStore>['exportSheet']>[0]

/** Of exports that search nothing. */
const turns = { pause: async () => {} }

const start = Date.parse('2026-11-01T00:00:00Z')

const withSubmissions = () => {
  const data = openData()
  data.submit(
    data.formId,
    Array.from({ length: 1000 }, (_, i) => start + i),
  )
  return data
}

/** Bytes of the log after so much more was written, which SQLite would otherwise begin anew. */
const write = ({ db, formId, run }: ReturnType<typeof openData>, count: number): void => {
  for (let i = 0; i < count; i++)
    run('createSubmission', {
      formId,
      id: `0${String(i).padStart(27, '0')}`,
      data: `{"a":"${'x'.repeat(4000)}"}`,
      fieldNames: ['a'],
    })
  db.$client.run('PRAGMA wal_checkpoint')
}

describe('openExportStore', () => {
  test('lets go of an export that takes too long, whoever holds it', async () => {
    const data = withSubmissions()
    const { folder, userId, formId } = data
    const store = openExportStore({ folder, turns, maxMilliseconds: 200 })
    const { parts } = await store.exportSubmissions(userId, formId, everything)
    expect((await parts.next()).done).toBe(false)
    await until(async () => {
      try {
        for (let i = 0; i < 2; i++) (await store.exportSubmissions(userId, formId, everything)).close()
        return true
      } catch {
        return false
      }
    }, 'another export may run')
    await Bun.sleep(300)
    // Nothing keeps the log from being emptied any more.
    write(data, 10)
    expect(data.db.$client.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toEqual({ busy: 0, log: 0, checkpointed: 0 })
    await expect(parts.next()).rejects.toThrow('an export was broken off: it took too long')
  })

  test('breaks off a sheet that is read slowly, but not one that is read fast, and no export with it', async () => {
    const { folder, userId, formId } = withSubmissions()
    const store = openExportStore({ folder, turns, maxSheetMilliseconds: 200 })
    const sheet = { id: 'sheet', userId, formId }
    const { signal, parts } = store.exportSheet(sheet, 50_000)
    const other = await store.exportSubmissions(userId, formId, everything)
    expect((await parts.next()).done).toBe(false)
    expect(() => store.exportSheet(sheet, 1)).toThrow('Too many requests')
    await until(() => signal.aborted, 'the sheet was broken off')
    store.exportSheet(sheet, 1).close()
    expect(signal.reason.message).toBe('a sheet was broken off: it took too long')
    await expect(parts.next()).rejects.toThrow('a sheet was broken off: it took too long')
    for (let part = await other.parts.next(); !part.done; ) part = await other.parts.next()
    expect(other.signal.aborted).toBe(false)
  })

  test('gives a sheet more time for what was read of it', async () => {
    const { folder, userId, formId, run } = withSubmissions()
    // Two seconds' worth.
    for (let i = 0; i < 8; i++) {
      const data = JSON.stringify({ a: 'x'.repeat(70_000) })
      run('createSubmission', { formId, id: newId(start + 2000 + i), data, fieldNames: ['a'] })
    }
    const store = openExportStore({ folder, turns, maxSheetMilliseconds: 20 })
    const idle = store.exportSheet({ id: 'idle', userId, formId }, 50_000)
    const busy = store.exportSheet({ id: 'busy', userId, formId }, 8)
    for (let i = 0; i < 9; i++) await busy.parts.next()
    await until(() => idle.signal.aborted, 'the one of which nothing was read was broken off')
    expect(busy.signal.aborted).toBe(false)
    busy.close()
  })

  test('gives a sheet no more time than an export, however much is read of it', async () => {
    const { folder, userId, formId } = withSubmissions()
    const store = openExportStore({ folder, turns, maxMilliseconds: 50, maxSheetMilliseconds: 3_600_000 })
    const { signal } = store.exportSheet({ id: 'sheet', userId, formId }, 50_000)
    await until(() => signal.aborted, 'the sheet was broken off')
  })

  test('lets go of every export when the log of the data file grows too long', async () => {
    const data = withSubmissions()
    const store = openExportStore({ folder: data.folder, turns, maxWalBytes: 5_000_000 })
    const { parts } = await store.exportSubmissions(data.userId, data.formId, everything)
    await parts.next()
    write(data, 1200)
    // It waits for no one, and reaches the end of the log when no one reads an earlier state.
    const checkpoint = data.db.$client.query<{ log: number; checkpointed: number }, []>(
      'PRAGMA wal_checkpoint(PASSIVE)',
    )
    await until(() => {
      const { log, checkpointed } = checkpoint.get() ?? {}
      return log === checkpointed
    }, 'the whole WAL is in the data file')
    await expect(parts.next()).rejects.toThrow('an export was broken off: the log of the data file grew too long')
  })

  test('has a long log held by another thread until the last export ends', async () => {
    const data = withSubmissions()
    const { folder, userId, formId } = data
    const held: string[] = []
    const holdLog = () => {
      held.push('begin')
      return () => void held.push('end')
    }
    data.db.$client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const store = openExportStore({ folder, turns, holdLog, maxMilliseconds: 2000, heldWalBytes: 200_000 })
    const first = await store.exportSubmissions(userId, formId, everything)
    const second = await store.exportSubmissions(userId, formId, everything)
    write(data, 50)
    await until(() => held.length > 0, 'the log is held')
    first.close()
    expect(held).toEqual(['begin'])
    second.close()
    expect(held).toEqual(['begin', 'end'])
  })

  test('lets others through while it looks for what a search finds, and ends when it is closed', async () => {
    const { folder, userId, formId, run } = withSubmissions()
    for (let i = 0; i < 20; i++) {
      const data = JSON.stringify({ a: 'é'.repeat(300_000) })
      run('createSubmission', { formId, id: newId(start + 2000 + i), data, fieldNames: ['a'] })
    }
    let pauses = 0
    const store = openExportStore({ folder, turns: { pause: async () => void pauses++ } })
    const filter = toFilter({ q: 'nowhere' })
    const { parts } = await store.exportSubmissions(userId, formId, { ...everything, filter })
    expect((await parts.next()).value).toStartWith('id,createdAt')
    expect((await parts.next()).done).toBe(true)
    // Each of the long ones takes longer than a slice.
    expect(pauses).toBeGreaterThan(20)

    const paused = Promise.withResolvers<void>()
    const more = Promise.withResolvers<void>()
    let left = 10
    // It has run each of its statements by then.
    const pause = async () => {
      if (left-- > 0) return
      paused.resolve()
      await more.promise
    }
    const closed = await openExportStore({ folder, turns: { pause } }).exportSubmissions(userId, formId, {
      ...everything,
      filter,
    })
    await closed.parts.next()
    const next = closed.parts.next()
    await paused.promise
    closed.close()
    more.resolve()
    await expect(next).rejects.toThrow()
  })

  test('begins to answer before it has found anything, in each format', async () => {
    const { folder, userId, formId } = withSubmissions()
    const store = openExportStore({ folder, turns: { pause: () => new Promise(() => {}) } })
    const filter = toFilter({ q: 'nowhere' })
    for (const format of exportFormatNames)
      (await store.exportSubmissions(userId, formId, { ...everything, format, filter })).close()
  })

  test('refuses more than it lets run, in all and of each user, and none that a form refuses', async () => {
    const { folder, userId, formId, createUser, createForm } = withSubmissions()
    const store = openExportStore({ folder, turns, maxInAll: 3, maxOfUser: 2 })
    const other = createUser()
    const otherForm = createForm(other)
    const third = createUser()
    for (let i = 0; i < 5; i++)
      await expect(store.exportSubmissions(other, formId, everything)).rejects.toThrow('Insufficient access')
    const first = await store.exportSubmissions(userId, formId, everything)
    await store.exportSubmissions(userId, formId, everything)
    await expect(store.exportSubmissions(userId, formId, everything)).rejects.toThrow('Too many requests')
    await store.exportSubmissions(other, otherForm, everything)
    await expect(store.exportSubmissions(third, createForm(third), everything)).rejects.toThrow('Too many requests')
    first.close()
    first.close()
    await store.exportSubmissions(userId, formId, everything)
    await expect(store.exportSubmissions(userId, formId, everything)).rejects.toThrow('Too many requests')
  })

  test('lets so many sheets be read in all and of one owner, each once, apart from exports', async () => {
    const { folder, userId, formId, createUser, createForm } = withSubmissions()
    const store = openExportStore({ folder, turns, maxInAll: 1, maxSheetsInAll: 3, maxSheetsOfUser: 2 })
    const other = createUser()
    const [first, second, third] = ['1', '2', '3'].map((id) => ({ id, userId, formId })) as [Sheet, Sheet, Sheet]
    const others = ['4', '5'].map((id) => ({ id, userId: other, formId: createForm(other) })) as [Sheet, Sheet]
    const reading = store.exportSheet(first, 1)
    expect(() => store.exportSheet(first, 1)).toThrow('Too many requests')
    store.exportSheet(second, 1)
    expect(() => store.exportSheet(third, 1)).toThrow('Too many requests')
    store.exportSheet(others[0], 1)
    expect(() => store.exportSheet(others[1], 1)).toThrow('Too many requests')
    await store.exportSubmissions(userId, formId, everything)
    reading.close()
    store.exportSheet(third, 1)
    expect(() => store.exportSheet(first, 1)).toThrow('Too many requests')
  })
})
