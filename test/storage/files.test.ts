import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { newId } from '../../src/base/id.ts'
import { accessIn } from '../../src/forms/access.ts'
import { openReader } from '../../src/storage/reader.ts'
import type { Batch } from '../../src/storage/writer/batch.ts'
import { fromMessage, toTransfer } from '../../src/storage/writer/messages.ts'
import type { Writer } from '../../src/storage/writer/writer.ts'
import { fileReads } from '../../src/submissions/files/file-reads.ts'
import type { FileWrites, NewFile } from '../../src/submissions/files/file-writes.ts'
import { openFileStore } from '../../src/submissions/files/store.ts'
import type { ListName } from '../../src/submissions/lists.ts'
import { inboxOf } from '../../src/submissions/lists.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from './data.ts'
import { expectSound, rowsOf } from './sound.ts'

const part = 512 * 1024
const later = Date.UTC(2100, 0, 1)

/** A form, and files that arrive part by part. */
const open = () => {
  const data = openData()
  const { folder, formId, run } = data
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const reads = fileReads(reader.db)

  const stage = (bytes: Buffer, stagedUntil = later): NewFile => {
    const id = newId(Date.now())
    for (let offset = 0; offset === 0 || offset < bytes.length; offset += part)
      run('stageFile', { id, stagedBy: 'this', stagedUntil, offset, bytes: bytes.subarray(offset, offset + part) })
    return { id, name: 'cv.pdf', type: 'application/pdf', size: bytes.length, kind: null }
  }
  const submit = (files: readonly NewFile[], more: object = {}): string => {
    const id = newId(Date.now())
    const value = files.map(({ id: file, name: filename, type, size }) => ({ filename, type, size, file }))
    run('createSubmission', { formId, id, data: JSON.stringify({ cv: value }), fieldNames: ['cv'], files, ...more })
    return id
  }
  const bytesOf = (submission: string): Buffer[] => {
    // What was written in this turn, too.
    reader.release()
    return reads.list(inboxOf(1), submission).map((file) => Buffer.concat([...reads.bytesOf(file)]))
  }
  /** Removes what was deleted, and returns how often that took a slice. */
  const removeAll = (): number => {
    let slices = 0
    while (Number(run('removeDeletedSlice', oneSlice)) > 0) slices++
    return slices
  }
  const piecesLeft = () => rowsOf(folder, 'SELECT number FROM file_pieces').length
  const filesLeft = () => rowsOf(folder, 'SELECT number FROM files').length
  return { ...data, reader, stage, submit, bytesOf, removeAll, piecesLeft, filesLeft }
}

describe('files of a submission', () => {
  test.each([0, 1, 65_535, 65_536, 65_537, part, part + 1, 3 * part])(
    'of %d bytes are there to the last one',
    (size) => {
      const { folder, stage, submit, bytesOf } = open()
      const sent = [randomBytes(size), randomBytes(10)]
      expect(bytesOf(submit(sent.map((bytes) => stage(bytes))))).toEqual(sent)
      expectSound(folder)
    },
  )

  test('are not read for one that is gone, though another has its number by then', () => {
    const { formId, userId, reader, run, stage, submit, removeAll } = open()
    const reads = fileReads(reader.db)
    const old = submit([stage(Buffer.from('old'))])
    const [gone] = reads.list(inboxOf(1), old)
    if (!gone) return expect.unreachable('the file was not stored')
    const read = () => Buffer.concat([...reads.bytesOf(gone)])
    expect(read()).toEqual(Buffer.from('old'))

    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [old] })
    reader.release()
    expect(read).toThrow('lacks a piece')
    removeAll()
    const next = submit([stage(Buffer.from('of somebody else'))])
    reader.release()
    const [other] = reads.list(inboxOf(1), next)

    expect(other?.number).toBe(gone.number)
    expect(read).toThrow('lacks a piece')
  })

  test('come from the log of a cluster as base64', () => {
    const { run, submit, bytesOf } = open()
    const bytes = randomBytes(100_000)
    const file = { id: newId(Date.now()), name: 'a', type: '', size: bytes.length, kind: null }
    run('stageFile', { id: file.id, stagedBy: 'a', stagedUntil: later, offset: 0, bytes: bytes.toString('base64') })
    expect(bytesOf(submit([file]))).toEqual([bytes])
  })

  test('are adopted whole, or the submission is refused', () => {
    const { folder, run, stage, submit, filesLeft } = open()
    const one = stage(randomBytes(100))
    const wrongs = [
      { ...one, size: 99 },
      { ...one, id: newId(0) },
    ]
    for (const wrong of wrongs) expect(() => submit([one, wrong])).toThrow(/retry/)
    submit([one])
    expect(() => submit([one])).toThrow(/retry/)
    expect(rowsOf(folder, 'SELECT id FROM submissions')).toHaveLength(1)
    const left = stage(randomBytes(100))
    expect(run('giveUpFiles', { ids: [left.id] })).toBe(true)
    expect(() => submit([left])).toThrow(/retry/)
    expect(filesLeft()).toBe(2)
    expectSound(folder)
  })

  test('arrive in order, and never from two senders', () => {
    const { folder, run } = open()
    const id = newId(Date.now())
    const first = { id, stagedBy: 'a', stagedUntil: later, offset: 0, bytes: Buffer.alloc(65_536) }
    run('stageFile', first)
    for (const wrong of [first, { ...first, offset: 131_072 }, { ...first, offset: 65_536, stagedBy: 'b' }])
      expect(() => run('stageFile', wrong)).toThrow('Invalid input data')
    run('stageFile', { ...first, offset: 65_536, bytes: Buffer.alloc(10) })
    expect(() => run('stageFile', { ...first, offset: 65_546 })).toThrow('Invalid input data')
    expectSound(folder)
  })

  test('go to the spam and back with it', () => {
    const { folder, formId, userId, run, stage, submit, bytesOf } = open()
    const bytes = randomBytes(200_000)
    const id = submit([stage(bytes)])
    const chosen = { userId, formId, id, now: Date.now() }
    run('markSpam', chosen)
    expect(bytesOf(id)).toEqual([])
    expectSound(folder)
    run('acceptSpam', chosen)
    expect(bytesOf(id)).toEqual([bytes])
    expectSound(folder)
  })
})

describe('removing files', () => {
  const ways: Record<string, (data: ReturnType<typeof open>, id: string) => void> = {
    'with their submission': ({ run, userId, formId }, id) =>
      expect(run('deleteSubmissions', { userId, formId, list: 'inbox' satisfies ListName, ids: [id] })).toBe(true),
    'with all spam': ({ run, userId, formId }, id) => {
      run('markSpam', { userId, formId, id, now: 0 })
      run('deleteAllSpam', { userId, formId })
    },
    'with their form': ({ run, userId, formId }) => void run('deleteForms', { userId, now: 0, ids: [formId] }),
    'by the age of their submission': ({ run, userId, formId }) => {
      run('updateFormSettings', { userId, id: formId, now: 0, changes: { retentionDays: 1 } })
      const sweep = { list: 'inbox', form: 0, from: '', now: later, maxForms: 9, maxRows: 9 }
      expect(run('removeOldSubmissions', sweep)).toMatchObject({ isMoreLeft: true })
    },
  }
  test.each(Object.entries(ways))('%s takes slices of 8 MiB, and leaves nothing', (_, remove) => {
    const data = open()
    const { folder, stage, submit, removeAll, piecesLeft, filesLeft } = data
    const id = submit([stage(randomBytes(10_000_000)), stage(randomBytes(10_000_000)), stage(randomBytes(100))])
    submit([])
    remove(data, id)
    expectSound(folder)
    expect(removeAll()).toBeGreaterThanOrEqual(3)
    expect([piecesLeft(), filesLeft()]).toEqual([0, 0])
    expectSound(folder)
  })

  test('takes many small ones in slices too', () => {
    const { run, userId, formId, stage, submit, removeAll, filesLeft } = open()
    const ids = Array.from({ length: 30 }, () => submit(Array.from({ length: 20 }, () => stage(randomBytes(1)))))
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids })
    expect(removeAll()).toBe(Math.ceil((30 * 20) / oneSlice.maxRows))
    expect(filesLeft()).toBe(0)
  })

  test('that were given up, by who brought them and by time', () => {
    const { folder, run, stage, removeAll, filesLeft } = open()
    const ids = [stage(randomBytes(100_000), 1000), stage(randomBytes(100), 2000), stage(randomBytes(100), 3000)]
    expect(run('giveUpFiles', { now: 1000 })).toBe(false)
    expect(run('giveUpFiles', { now: 2001 })).toBe(true)
    expect(run('giveUpFiles', { stagedBy: 'that', before: '~' })).toBe(false)
    expect(run('giveUpFiles', { stagedBy: 'this', before: ids[2]?.id })).toBe(false)
    removeAll()
    expect(filesLeft()).toBe(1)
    expect(run('giveUpFiles', { stagedBy: 'this', before: '~' })).toBe(true)
    removeAll()
    expect(filesLeft()).toBe(0)
    expectSound(folder)
  })
})

test('many small parts are written at once, and large ones two at a time', async () => {
  const { reader } = open()
  const underWay: (() => void)[] = []
  const run = () => new Promise<void>((resolve) => underWay.push(resolve))
  const options = { reader, access: accessIn(reader.db), node: 'this', now: Date.now, onDeleted: () => {} }
  const store = openFileStore({ ...options, writer: { run } as unknown as Writer<FileWrites> })
  const stage = (count: number, bytes: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => store.stage(`${i}`, 0, new Uint8Array(bytes))))
  /** How many are written at once, again and again until all are written. */
  const turns = async (): Promise<number[]> => {
    const counts: number[] = []
    for (await Bun.sleep(0); underWay.length > 0; await Bun.sleep(0)) {
      counts.push(underWay.length)
      for (const end of underWay.splice(0)) end()
    }
    return counts
  }

  const small = stage(300, 1)
  expect(await turns()).toEqual([128, 128, 44])
  await small
  const large = stage(5, 256 * 1024)
  expect(await turns()).toEqual([2, 2, 1])
  await large
})

test('what was staged while the clock was years ahead is given up as well', () => {
  const { run, stage, filesLeft, removeAll } = open()
  const now = Date.UTC(2026, 0, 1)
  const day = 24 * 3_600_000
  stage(randomBytes(10), now + 365 * day)
  const underWay = stage(randomBytes(10), now + day)
  expect(run('giveUpFiles', { now })).toBe(true)
  removeAll()
  expect(filesLeft()).toBe(1)
  expect(run('giveUpFiles', { ids: [underWay.id] })).toBe(true)
})

test('the bytes of a file come to the writer as they are, among other commands', () => {
  const bytes = randomBytes(100)
  const whole = new Uint8Array(randomBytes(50_000))
  const batch: Batch = [
    ['probe', null],
    ['stageFile', { id: 'a', bytes: bytes.subarray(10, 20) }],
    ['createForms', { forms: [] }],
    ['stageFile', { id: 'b', bytes: whole }],
  ]
  const { message, transferred } = toTransfer(batch)
  expect(transferred).toEqual([expect.anything(), whole.buffer])
  expect(fromMessage(structuredClone(message))).toEqual([
    ['probe', null],
    ['stageFile', { id: 'a', bytes: new Uint8Array(bytes.subarray(10, 20)) }],
    ['createForms', { forms: [] }],
    ['stageFile', { id: 'b', bytes: whole }],
  ])
})

test('a form can be removed while files are staged', () => {
  const { run, userId, formId, stage, removeAll, filesLeft } = open()
  stage(randomBytes(100))
  run('deleteForms', { userId, now: 0, ids: [formId] })
  removeAll()
  expect(filesLeft()).toBe(1)
})
