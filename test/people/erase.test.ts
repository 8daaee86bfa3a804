import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unavailable } from '../../src/base/errors.ts'
import { parseConfig } from '../../src/config/config.ts'
import type { ListName } from '../../src/submissions/lists.ts'
import { eraseMatches } from '../../src/transfer/people/erase.ts'
import type { Match } from '../../src/transfer/people/scan.ts'
import { openData } from '../storage/data.ts'
import { rowsOf } from '../storage/sound.ts'

const at = Date.UTC(2026, 10, 21, 8)
const day = 86_400_000

/** A form with that many submissions, and their deletion by the service's own commands. */
const start = (count: number, settings: Record<string, string> = {}) => {
  const { folder, userId, formId, run, submit } = openData()
  const ids = submit(
    formId,
    Array.from({ length: count }, (_, i) => at - i),
  )
  const toMatch = (submissionId: string, list: ListName = 'inbox'): Match => ({
    ...{ formId, formTitle: 'Contact', submissionId, list, field: 'a' },
  })
  let writes = 0
  const options = (maxWrites = Number.POSITIVE_INFINITY) => ({
    config: parseConfig({ FORMBOX_DATA: folder, ...settings }),
    now: () => at,
    submissions: {
      async deleteSubmissions(user: string, form: string, list: ListName, deleted: readonly string[]) {
        if (++writes > maxWrites) throw unavailable(1)
        run('deleteSubmissions', { userId: user, formId: form, list, ids: deleted })
      },
    },
  })
  const left = () => rowsOf<{ id: string }>(folder, 'SELECT id FROM submissions').map(({ id }) => id)
  return { folder, userId, formId, run, ids, matches: ids.map((id) => toMatch(id)), options, left }
}

describe('erasing what was found', () => {
  test('follows what was moved to the other list, and passes over what is gone', async () => {
    const { userId, formId, run, ids, matches, options, left } = start(150)
    const [moved = '', deleted = ''] = ids
    run('markSpam', { userId, formId, id: moved, now: at })
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [deleted] })
    const { receipt } = await eraseMatches(options(), userId, matches)
    const erased = receipt.submissions.map(({ submissionId }) => submissionId)
    expect(erased.toSorted()).toEqual(ids.filter((id) => id !== deleted).toSorted())
    expect(left()).toEqual([])
  })

  test('passes over a form that is gone', async () => {
    const { userId, formId, run, matches, options } = start(3)
    run('deleteForms', { userId, now: at, ids: [formId] })
    expect((await eraseMatches(options(), userId, matches)).receipt.submissions).toEqual([])
  })

  test('gives a receipt for what was deleted when the rest cannot be', async () => {
    const { userId, ids, matches, options, left } = start(250)
    const { receipt, refusal } = await eraseMatches(options(2), userId, matches)
    expect([refusal?.code, refusal?.message]).toEqual([
      'unavailable',
      'Temporarily unable to write, retry after 1 seconds; 200 of 250 submissions were erased',
    ])
    expect(receipt).toMatchObject({ erasedAt: at, backups: { kept: 'none' } })
    expect(receipt.submissions.map(({ submissionId }) => submissionId)).toEqual(ids.slice(0, 200))
    expect(left().toSorted()).toEqual(ids.slice(200).toSorted())
  })

  test('counts those of a slice that were deleted one by one before it was refused', async () => {
    const { userId, formId, run, ids, matches, options, left } = start(5)
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: ids.slice(0, 1) })
    // The first is missing in both lists, after which the others go singly.
    const { receipt } = await eraseMatches(options(5), userId, matches)
    expect(receipt.submissions.map(({ submissionId }) => submissionId)).toEqual(ids.slice(1, 3))
    expect(left()).toHaveLength(2)
  })

  test('throws what refuses the first of them', async () => {
    const { userId, matches, options } = start(1)
    await expect(eraseMatches(options(0), userId, matches)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test.each([
    ['none', {}, null, 'none', null],
    ['seven, each day', { FORMBOX_BACKUP_EVERY: '24h', FORMBOX_BACKUP_KEEP: '7' }, null, 'some', at + 7 * day],
    ['all', { FORMBOX_BACKUP_EVERY: '24h', FORMBOX_BACKUP_KEEP: '0' }, null, 'all', null],
    ['none any more', {}, 'formbox-20261120T080000Z.db', 'all', null],
    ['none, beside files of others', {}, 'mine.db', 'none', null],
  ] as const)('says of a server that keeps these backups until when they hold it: %s', async (...given) => {
    const [, settings, file, kept, endAt] = given
    const { folder, userId, matches, options } = start(1, settings)
    if (file !== null) {
      mkdirSync(join(folder, 'backups'))
      writeFileSync(join(folder, 'backups', file), '')
    }
    const { erasedAt, backups } = (await eraseMatches(options(), userId, matches)).receipt
    expect([erasedAt, backups]).toEqual([at, { kept, endAt, isOffSite: false }])
  })

  test('says that backups are on an S3 server too', async () => {
    const { userId, matches, options } = start(1, {
      FORMBOX_BACKUP_EVERY: '1h',
      FORMBOX_BACKUP_KEEP: '3',
      FORMBOX_BACKUP_S3: 's3://bucket/forms',
      FORMBOX_BACKUP_S3_KEY_ID: 'key',
      FORMBOX_BACKUP_S3_SECRET: 'secret',
    })
    const { backups } = (await eraseMatches(options(), userId, matches)).receipt
    expect(backups).toEqual({ kept: 'some', endAt: at + day / 8, isOffSite: true })
  })
})
