import { describe, expect, spyOn, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { createdAt, newId } from '../../src/base/id.ts'
import { existingForm } from '../../src/commands/data-folder.ts'
import { openSnapshot } from '../../src/storage/snapshot.ts'
import { parseDateRange } from '../../src/submissions/date-range.ts'
import { toFilter } from '../../src/submissions/search/filter.ts'
import { maxArchivedFiles } from '../../src/transfer/export/archive.ts'
import { type ExportOptions, exportParts } from '../../src/transfer/export/export.ts'
import type { Filtering } from '../../src/transfer/export/found.ts'
import { openExportStore } from '../../src/transfer/export/store.ts'
import { afterThisTest, forThisFile } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { addFiles, entriesOf, someBytes, submitFiles } from './archived.ts'

const everything = {
  format: 'zip',
  range: { start: null, end: null },
  style: {},
} as const

type Data = ReturnType<typeof openData>

/** @param onPart called after each part of the archive */
const archiveOf = async (data: Data, options: Partial<ExportOptions> = {}, onPart = () => {}): Promise<Buffer> => {
  const { db, close } = openSnapshot(data.folder)
  try {
    const form = existingForm(db, data.formId)
    const parts: Buffer[] = []
    for await (const part of exportParts(db, form, { ...everything, ...options })) {
      parts.push(Buffer.from(part as Uint8Array))
      onPart()
    }
    return Buffer.concat(parts)
  } finally {
    close()
  }
}

const textIn = (entries: Awaited<ReturnType<typeof entriesOf>>, name: string): string =>
  entries.get(name)?.bytes.toString() ?? ''

describe('an archive', () => {
  test.each([0, 1, 65_535, 65_536, 65_537, 1_500_000])('has a file of %d bytes as it was sent', async (size) => {
    const data = openData()
    const bytes = someBytes(size)
    const { id } = submitFiles(data, { cv: [{ name: 'cv.pdf', bytes }] })
    const entries = await entriesOf(await archiveOf(data))
    expect([...entries.keys()]).toEqual(['submissions.csv', 'submissions.ndjson', `files/${id}/1-cv.pdf`])
    expect(entries.get(`files/${id}/1-cv.pdf`)?.bytes.equals(bytes)).toBe(true)
  })

  test('has the submissions as CSV, which says where the files are, and as NDJSON, which lists them', async () => {
    const data = openData()
    const { formId } = data
    const one = submitFiles(data, {
      name: 'Ada',
      cv: [{ name: 'cv.pdf', bytes: someBytes(3), type: 'application/pdf' }],
    })
    const two = submitFiles(data, {
      photos: [
        { name: 'a.png', bytes: someBytes(1) },
        { name: 'b.png', bytes: someBytes(2) },
      ],
    })
    const none = newId(Date.now())
    const forged = { filename: 'x', type: '', size: 1, file: one.files[0] }
    data.run('createSubmission', { formId, id: none, data: JSON.stringify({ cv: forged }), fieldNames: ['cv'] })

    const entries = await entriesOf(await archiveOf(data, { style: { bom: true } }))
    const csv = textIn(entries, 'submissions.csv')
    expect(csv).toStartWith('\ufeffid,createdAt,name,cv,photos,more\r\n')
    expect(parse(csv, { bom: true, from: 2 })).toEqual([
      [one.id, createdAt(one.id), 'Ada', `files/${one.id}/1-cv.pdf`, '', ''],
      [two.id, createdAt(two.id), '', '', `files/${two.id}/1-a.png\nfiles/${two.id}/2-b.png`, ''],
      [none, createdAt(none), '', JSON.stringify(forged), '', ''],
    ])
    const lines = textIn(entries, 'submissions.ndjson').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        id: one.id,
        formId,
        data: { name: 'Ada', cv: { filename: 'cv.pdf', type: 'application/pdf', size: 3, file: one.files[0] } },
        createdAt: createdAt(one.id),
        files: one.files,
      },
      expect.objectContaining({ id: two.id, files: two.files }),
      { id: none, formId, data: { cv: forged }, createdAt: createdAt(none) },
    ])
    expect([...entries.keys()].slice(2)).toEqual([
      `files/${one.id}/1-cv.pdf`,
      `files/${two.id}/1-a.png`,
      `files/${two.id}/2-b.png`,
    ])
  })

  test.each([
    ['CON', '1-form CON'],
    ['nul.txt', '1-form nul.txt'],
    ['../../etc/passwd', '1--..-etc-passwd'],
    ['a<b>c:d"e/f\\g|h?i*j.txt', '1-a-b-c-d-e-f-g-h-i-j.txt'],
    ['dots and blanks. . .', '1-dots and blanks'],
    ['.', '1-file'],
    ['', '1-file'],
    ['bill\u202egpj.exe', '1-bill gpj.exe'],
    ['a\r\nb\u0000.pdf', '1-a b .pdf'],
    ['Größe 日本 😀.png', '1-Größe 日本 😀.png'],
  ])('names a file %j so that every file system takes it', async (name, expected) => {
    const data = openData()
    const { id } = submitFiles(data, { cv: [{ name, bytes: someBytes(1) }] })
    const names = [...(await entriesOf(await archiveOf(data))).keys()]
    expect(names.at(-1)).toBe(`files/${id}/${expected}`)
  })

  test('cuts a long name, but not its extension, to less than the 255 bytes that a file system takes', async () => {
    const data = openData()
    submitFiles(data, { cv: [{ name: `${'😀'.repeat(3000)}.jpeg`, bytes: someBytes(1) }] })
    const name = [...(await entriesOf(await archiveOf(data))).keys()].at(-1)?.split('/').at(-1) ?? ''
    expect(Buffer.byteLength(name)).toBeLessThan(255)
    expect(name).toMatch(/^1-(😀)+\.jpeg$/u)
  })

  test('has no path twice, whatever the case of the names', async () => {
    const data = openData()
    submitFiles(data, {
      cv: ['a.txt', 'A.TXT', 'a.txt', 'a?.txt', 'a*.txt'].map((name) => ({ name, bytes: someBytes(1) })),
    })
    const names = [...(await entriesOf(await archiveOf(data))).keys()]
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(7)
  })

  test('dates a file like its submission, as far back as ZIP knows years', async () => {
    const data = openData()
    const noon = submitFiles(data, { cv: [{ name: 'a', bytes: someBytes(1) }] }, Date.UTC(2024, 1, 29, 12, 34, 56, 789))
    const old = submitFiles(data, { cv: [{ name: 'a', bytes: someBytes(1) }] }, Date.UTC(1970, 0, 1))
    const entries = await entriesOf(await archiveOf(data))
    expect(entries.get(`files/${noon.id}/1-a`)?.date).toEqual(new Date(Date.UTC(2024, 1, 29, 12, 34, 56)))
    expect(entries.get(`files/${old.id}/1-a`)?.date.getUTCFullYear()).toBe(1980)
  })

  test('has the files of a range of dates alone, and none of spam', async () => {
    const data = openData()
    const [before, within, after] = [1, 2, 3].map(
      (day) => submitFiles(data, { cv: [{ name: `${day}`, bytes: someBytes(1) }] }, Date.UTC(2026, 0, day)).id,
    )
    const spam = submitFiles(data, { cv: [{ name: 'spam', bytes: someBytes(1) }] }, Date.UTC(2026, 0, 2)).id
    data.run('markSpam', { userId: data.userId, formId: data.formId, id: spam, now: 0 })
    const range = parseDateRange('2026-01-02', '2026-01-02')
    expect([...(await entriesOf(await archiveOf(data, { range }))).keys()].slice(2)).toEqual([`files/${within}/1-2`])
    expect([...(await entriesOf(await archiveOf(data))).keys()].slice(2)).toEqual([
      `files/${before}/1-1`,
      `files/${within}/1-2`,
      `files/${after}/1-3`,
    ])
  })

  test('has what was there when it began, whatever is deleted meanwhile', async () => {
    const data = openData()
    const sent = Array.from({ length: 20 }, () => someBytes(150_000))
    const ids = sent.map((bytes) => submitFiles(data, { cv: [{ name: 'a', bytes }] }).id)
    let parts = 0
    const archive = await archiveOf(data, {}, () => {
      if (parts++ > 0) return
      data.run('deleteSubmissions', { userId: data.userId, formId: data.formId, list: 'inbox', ids })
      while (Number(data.run('removeDeletedSlice', { maxRows: 500, maxBytes: 10_000_000 })) > 0);
      submitFiles(data, { cv: [{ name: 'new', bytes: someBytes(10) }] })
    })
    const entries = await entriesOf(archive)
    expect(ids.map((id) => entries.get(`files/${id}/1-a`)?.bytes)).toEqual(sent.map((bytes) => Buffer.from(bytes)))
    expect(entries.size).toBe(22)
  })

  test('has long submissions whole, and an empty form too', async () => {
    const data = openData()
    expect([...(await entriesOf(await archiveOf(data))).values()].map(({ bytes }) => bytes.toString())).toEqual([
      'id,createdAt,more\r\n',
      '',
    ])
    const long = 'x'.repeat(500_000)
    submitFiles(data, { long, cv: [{ name: 'a', bytes: someBytes(10) }] })
    submitFiles(data, { short: 'y' })
    const entries = await entriesOf(await archiveOf(data))
    expect(textIn(entries, 'submissions.csv')).toContain(`,${long},`)
    const [first, second] = textIn(entries, 'submissions.ndjson').trimEnd().split('\n')
    expect(JSON.parse(first ?? '').data.long).toBe(long)
    expect(JSON.parse(second ?? '').data).toEqual({ short: 'y' })
  })

  describe('of a form with more files than it can count', () => {
    const makeMany = async () => {
      const data = openData()
      // As many as take several slices to look through.
      data.submit(
        data.formId,
        Array.from({ length: 10_000 }, (_, i) => i),
      )
      const few = submitFiles(data, { name: 'Grace', cv: [{ name: 'a', bytes: someBytes(1) }] })
      const many = submitFiles(data, { name: 'Ada', cv: [{ name: 'a', bytes: someBytes(1) }] })
      addFiles(data.db.$client, many.id, maxArchivedFiles)
      return { data, few }
    }
    let made: ReturnType<typeof makeMany> | undefined
    const withMany = () => (made ??= forThisFile(makeMany))

    const searching = (words: string, hasFiles: boolean | null = null) => ({ ...toFilter({ q: words }), hasFiles })
    const found = (words: string, more: Partial<Filtering> = {}): Partial<ExportOptions> => ({
      filter: { ...searching(words), userId: '', pause: async () => {}, ...more },
    })

    test.each<[string, Partial<ExportOptions>, string]>([
      ['has all', {}, 'these submissions have 65002; choose a shorter range of dates'],
      [
        'is of a search that finds as many',
        found('ada'),
        'what is found has more; search for less, or choose a shorter range of dates',
      ],
      [
        'is of a search that takes too long',
        found('grace', { maxCountMilliseconds: 0 }),
        'it takes too long to count those of what is found among 65002; choose a shorter range of dates',
      ],
    ])('is refused if it %s', async (_name, options, message) => {
      const { data } = await withMany()
      const error = await archiveOf(data, options).catch((error) => error)
      expect(error.issues).toEqual([{ field: 'format', message: `zip holds at most 65000 files, and ${message}` }])
    })

    test('is made of a search that finds few, however long that waits for others', async () => {
      const { data, few } = await withMany()
      let pauses = 0
      const { now } = performance
      const clock = spyOn(performance, 'now').mockImplementation(() => now.call(performance) + pauses * 30_000)
      afterThisTest(() => clock.mockRestore())
      const pause = async (): Promise<void> => void pauses++
      const namesOf = async (options: Partial<ExportOptions>) => [
        ...(await entriesOf(await archiveOf(data, options))).keys(),
      ]
      expect((await namesOf(found('grace', { pause }))).slice(2)).toEqual([`files/${few.id}/1-a`])
      expect(await namesOf(found('', searching('ada', false)))).toHaveLength(2)
    })

    test('is no longer made when its client goes away while it counts', async () => {
      const { data } = await withMany()
      const { folder, userId, formId } = data
      const paused = Promise.withResolvers<void>()
      const more = Promise.withResolvers<void>()
      const pause = () => {
        paused.resolve()
        return more.promise
      }
      const store = openExportStore({ folder, turns: { pause }, maxInAll: 1 })
      const leaving = new AbortController()
      const options = { ...everything, filter: searching('grace') }
      const refused = store.exportSubmissions(userId, formId, options, leaving.signal).catch((error) => error)
      await paused.promise
      leaving.abort()
      ;(await store.exportSubmissions(userId, formId, { ...everything, format: 'csv' })).close()
      more.resolve()
      expect((await refused).issues).toEqual([{ message: 'the client disconnected' }])
    })
  })
})
