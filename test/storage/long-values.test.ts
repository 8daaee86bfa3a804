import { describe, expect, test } from 'bun:test'
import { formListJson } from '../../src/api/form-json.ts'
import { submissionJson, submissionListJson } from '../../src/api/submission-json.ts'
import { newId } from '../../src/base/id.ts'
import { fieldNameReader } from '../../src/forms/field-names.ts'
import type { Form } from '../../src/forms/form.ts'
import type { JsonPart } from '../../src/http/streamed.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { expectSound, rowsOf } from './sound.ts'
import { openStores } from './stores.ts'

const firstPage = { page: 1, perPage: 100 }
const always = { start: null, end: null }

const withStores = () => {
  const stores = openStores()
  /** Submissions of these data, oldest first. */
  const submit = (formId: string, ...texts: string[]): string[] =>
    texts.map((text) => {
      const id = newId(Date.now())
      const fieldNames = Object.keys(JSON.parse(text))
      stores.run('createSubmission', { formId, id, data: text, fieldNames })
      return id
    })
  return { ...stores, readFieldNames: fieldNameReader(stores.reader.db), submit }
}

/** JSON text of a whole answer. */
const whole = (json: string | Iterable<JsonPart>): string =>
  typeof json === 'string' ? json : Buffer.concat([...json].map((part) => Buffer.from(part as string))).toString()

const dataOf = (length: number): string => `{"a":"${'ä'.repeat(length)}"}`

describe('a long submission', () => {
  // Around the length from which it is cut, and around the ends of pieces: "ä" takes two bytes.
  test.each([0, 4088, 4089, 32_763, 32_764, 32_765, 65_531, 65_532, 65_533, 500_000])(
    'of %d characters is read as it was written, alone and in a list',
    (length) => {
      const { folder, formId, form, submissions, submit } = withStores()
      const texts = [dataOf(1), dataOf(length), dataOf(2)]
      const ids = submit(formId, ...texts)
      expectSound(folder)

      const list = JSON.parse(
        whole(submissionListJson(submissions.listSubmissions(form(), 'inbox', firstPage, always), firstPage)),
      )
      expect(list.submissions.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
      expect(list.submissions.map(({ data }: { data: object }) => JSON.stringify(data)).toReversed()).toEqual(texts)
      expect(list.pagination.total).toBe(3)
      const one = submissions.findSubmission(form(), 'inbox', ids[1] as string)
      expect(whole(submissionJson(one))).toBe(JSON.stringify(list.submissions[1]))
    },
  )

  test('is left out of a list that is being sent when it is deleted before its turn', () => {
    const { userId, formId, form, run, reader, submissions, submit } = withStores()
    const ids = submit(formId, dataOf(100_000), dataOf(1), dataOf(200_000), dataOf(100_000))
    const parts = submissionListJson(submissions.listSubmissions(form(), 'inbox', firstPage, always), firstPage)
    const sent = [...takeUntil(parts as Generator<JsonPart>, ids[3] as string)]
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [ids[2]] })
    run('removeDeletedSlice', oneSlice)
    // As the next turn of the event loop does.
    reader.release()
    const answer = JSON.parse(whole([...sent, ...(parts as Generator<JsonPart>)]))
    expect(answer.submissions.map(({ id }: { id: string }) => id)).toEqual([ids[3], ids[1], ids[0]])
  })

  test('breaks an answer off when it is deleted in the middle, and is no part of another one', () => {
    const { userId, formId, form, run, reader, submissions, submit } = withStores()
    const [id] = submit(formId, dataOf(100_000))
    const parts = submissionJson(submissions.findSubmission(form(), 'inbox', id as string)) as Generator<JsonPart>
    const sent = [...takeUntil(parts, 'ä')]
    expect(Buffer.concat(sent.map((part) => Buffer.from(part as string))).length).toBeLessThan(100_000)
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [id] })
    run('removeDeletedSlice', oneSlice)
    submit(formId, dataOf(100_001))
    reader.release()
    expect(() => [...parts]).toThrow('deleted while it was being sent')
  })

  test('is removed with its pieces, by its form and by itself, in slices of 8 MiB', () => {
    const { folder, userId, formId, createForm, run, submit } = withStores()
    const others = Array.from({ length: 3 }, () => createForm(userId, 'Other'))
    const ids = submit(formId, ...Array(9).fill(dataOf(1_000_000)))
    for (const other of others) submit(other, ...Array(3).fill(dataOf(1_000_000)), dataOf(1))
    const bytes = () =>
      rowsOf<{ bytes: number }>(folder, 'SELECT coalesce(sum(octet_length(bytes)), 0) AS bytes FROM pieces')[0]
        ?.bytes ?? 0
    const before = bytes()
    expect(run('deleteSubmissions', { userId, formId, list: 'inbox', ids })).toBe(true)
    run('deleteForms', { userId, now: 0, ids: others })
    expect(bytes()).toBe(before)
    expectSound(folder)
    for (let left = before; left > 0; ) {
      expect(run('removeDeletedSlice', oneSlice)).toBeGreaterThan(0)
      expect(left - bytes()).toBeLessThanOrEqual(oneSlice.maxBytes + 2 * 1024 * 1024)
      left = bytes()
      expectSound(folder)
    }
    expect(run('removeDeletedSlice', oneSlice)).toBe(0)
    expect(rowsOf(folder, 'SELECT title FROM forms')).toEqual([{ title: 'Contact' }])
  })
})

/** The parts up to the one that holds this text. */
function* takeUntil(parts: Generator<JsonPart>, text: string): Generator<JsonPart> {
  for (let next = parts.next(); !next.done; next = parts.next()) {
    yield next.value
    if (Buffer.from(next.value as string).includes(text)) return
  }
}

describe('the field names of a form', () => {
  const names = (count: number, name: (i: number) => string): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), 1])))

  const listed = ({ userId, formLists, readFieldNames }: ReturnType<typeof withStores>) =>
    JSON.parse(whole(formListJson(formLists.listForms(userId, firstPage, null).forms, ']}', readFieldNames))).forms

  test('take 64 KiB at most, whatever they consist of', () => {
    const open = withStores()
    open.submit(
      open.formId,
      names(500, (i) => `${i}${'\u000b'.repeat(150)}`),
      names(500, (i) => `n${i}`),
    )
    const [{ keys }] = listed(open)
    expect(Buffer.byteLength(JSON.stringify(keys))).toBeLessThanOrEqual(64 * 1024)
    // As many as have room, in order, and the shorter ones that came later.
    expect(keys.slice(0, 3)).toEqual(['0', '1', '2'].map((i) => `${i}${'\u000b'.repeat(150)}`))
    expect(keys.at(-1)).toMatch(/^n\d+$/)
    expectSound(open.folder)
  })

  test('leave out one of more than 1,000 bytes, and take the others of the same submission', () => {
    const open = withStores()
    open.submit(
      open.formId,
      JSON.stringify({
        a: 1,
        ['x'.repeat(998)]: 1,
        ['x'.repeat(999)]: 1,
        ['ä'.repeat(499)]: 1,
        ['ä'.repeat(500)]: 1,
        b: 1,
      }),
    )
    expect(listed(open)[0].keys).toEqual(['a', 'x'.repeat(998), 'ä'.repeat(499), 'b'])
  })

  test('are those of no other form when theirs was deleted meanwhile', () => {
    const open = withStores()
    const { userId, formId, createForm, run, reader, formLists, readFieldNames, submit } = open
    submit(
      formId,
      names(400, (i) => `field number ${i}`),
    )
    const listed = formLists.listForms(userId, firstPage, null).forms
    const parts = formListJson(listed, ']}', readFieldNames) as Generator<JsonPart>
    const begun = parts.next().value as string
    run('deleteForms', { userId, now: 0, ids: [formId] })
    while (run('removeDeletedSlice', oneSlice));
    const later = createForm(open.createUser(), 'Later')
    submit(
      later,
      names(400, (i) => `secret number ${i}`),
    )
    reader.release()
    expect(JSON.parse(begun + whole(parts)).forms).toEqual([])
  })

  test('are the same where they are many, in a list, alone and in a copy of the form', () => {
    const open = withStores()
    const { folder, userId, formId, run, findForm, readFieldNames } = open
    const many = names(400, (i) => `field number ${i}`)
    open.submit(formId, '{"a":1}', many, '{"z":1}')
    const copyId = newId(Date.now())
    run('duplicateForm', { userId, id: formId, copyId })
    open.submit(copyId, '{"only in the copy":1}')

    const expected = ['a', ...Object.keys(JSON.parse(many)), 'z']
    const [copy, form] = listed(open)
    expect(form.keys).toEqual(expected)
    expect(copy.keys).toEqual([...expected, 'only in the copy'])
    expect(JSON.parse(readFieldNames(findForm(formId) as Form) ?? '')).toEqual(expected)
    expectSound(folder)
    run('deleteForms', { userId, now: 0, ids: [formId, copyId] })
    while (run('removeDeletedSlice', oneSlice));
    expect(rowsOf(folder, 'SELECT * FROM long_field_names')).toEqual([])
  })
})
