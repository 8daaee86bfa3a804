// Requests with a key in the writer: repeats meet in one batch, and on several machines that execute the same commands.
import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import type { Batch, Outcome } from '../../src/storage/writer/batch.ts'
import { openData } from './data.ts'
import { expectSound, rowsOf } from './sound.ts'

const noon = Date.UTC(2026, 5, 1, 12)

const kept = (folder: string) => rowsOf(folder, 'SELECT key_hash, fingerprint, at, result FROM idempotency_keys')

/** A submission with a key. */
const sent = (formId: string, keyHash: string, more: object = {}, fingerprint = keyHash): Batch[number] => [
  'createSubmission',
  {
    formId,
    id: newId(Date.now()),
    data: '{"a":1}',
    fieldNames: ['a'],
    request: { keyHash, fingerprint, at: noon },
    ...more,
  },
]

const idIn = ([, input]: Batch[number]): string => (input as { id: string }).id

describe('a batch with repeats', () => {
  test('stores the first of each, and tells the others which one that is', () => {
    const { folder, formId, execute, userId, createForm } = openData()
    const other = createForm(userId)
    const a = sent(formId, 'a')
    const batch = [
      a,
      sent(formId, 'a'),
      sent(formId, 'a', {}, 'of another body'),
      sent(other, 'b'),
      sent(formId, 'c', { request: undefined }),
      sent(formId, 'a'),
    ]
    const repeat = { result: { state: 'repeated', first: { result: idIn(a) } } }
    const outcomes = [
      { result: undefined },
      repeat,
      { result: { state: 'repeated', first: { result: null } } },
      { result: undefined },
    ]
    expect(execute(batch)).toEqual([...outcomes, { result: undefined }, repeat])
    expect(rowsOf(folder, 'SELECT count(*) AS count FROM submissions')).toEqual([{ count: 3 }])
    expect(kept(folder)).toHaveLength(2)
    // Nor in a later batch.
    expect(execute([sent(formId, 'a')])).toEqual([repeat])
    expectSound(folder)
  })

  test('keeps no key of what is refused, which then is the first one later', () => {
    const { folder, formId, execute } = openData()
    const challenge = { random: 'used', expiresAt: noon }
    const batch = [
      sent(formId, 'a', { challenge }),
      sent(formId, 'b', { challenge }),
      sent(formId, 'b', { challenge }),
      sent('01kahp5x2r00v7m3k9qd4tznwe8c', 'c'),
      sent(formId, 'd'),
    ]
    const codes = execute(batch).map((outcome: Outcome) => ('refused' in outcome ? outcome.refused.code : 'stored'))
    expect(codes).toEqual(['stored', 'unsolved', 'unsolved', 'not_found', 'stored'])
    expect(kept(folder).map(({ key_hash }) => key_hash)).toEqual(['a', 'd'])
    expect(execute([sent(formId, 'b')])).toEqual([{ result: undefined }])
  })

  test('finds submissions that were taken for spam, and the other way round', () => {
    const { folder, formId, execute } = openData()
    const asSpam = ([, input]: Batch[number]): Batch[number] => [
      'createSubmission',
      { ...(input as object), reason: 'links' },
    ]
    const [good, spam] = [sent(formId, 'good'), asSpam(sent(formId, 'spam'))]
    const outcomes = execute([good, spam, asSpam(sent(formId, 'good')), sent(formId, 'spam')])
    expect(outcomes.slice(2)).toEqual([
      { result: { state: 'repeated', first: { result: idIn(good) } } },
      { result: { state: 'repeated', first: { result: idIn(spam) } } },
    ])
    expect(rowsOf(folder, 'SELECT id FROM submissions ORDER BY id')).toEqual([{ id: idIn(good) }, { id: idIn(spam) }])
  })

  test('leaves the same file whatever the batches are', () => {
    const log = (formId: string): Batch =>
      Array.from({ length: 60 }, (_, i) => {
        const id = `01kahp5x2r00v7m3k9${String(i).padStart(10, '0')}`
        return sent(formId, `${i % 7}`, { id }, i % 14 === 3 ? 'another' : undefined)
      })
    const files = [1, 7, 60].map((size) => {
      const { folder, execute, run, userId } = openData()
      const formId = '01kahp5x2r00aaaaaaaaaaaaaaaa'
      run('createForms', { userId, forms: [{ id: formId, title: 'Contact' }] })
      const commands = log(formId)
      const outcomes: Outcome[] = []
      for (let at = 0; at < commands.length; at += size) outcomes.push(...execute(commands.slice(at, at + size)))
      return { outcomes, kept: kept(folder), stored: rowsOf(folder, 'SELECT id, data FROM submissions ORDER BY id') }
    })
    expect(files[0]?.stored).toHaveLength(7)
    for (const file of files) expect(file).toEqual(files[0] as (typeof files)[0])
  })
})
