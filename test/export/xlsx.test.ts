import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createdAt, newId } from '../../src/base/id.ts'
import { existingForm } from '../../src/commands/data-folder.ts'
import { timeFlags } from '../../src/commands/import.ts'
import { openSnapshot } from '../../src/storage/snapshot.ts'
import { exportParts } from '../../src/transfer/export/export.ts'
import { sheetFormat, xlsxParts } from '../../src/transfer/export/xlsx.ts'
import { importFile } from '../../src/transfer/import/import-file.ts'
import { temporaryFolder } from '../harness.ts'
import { partsOf, workbookFile } from '../import/workbooks.ts'
import { openData } from '../storage/data.ts'
import { entriesOf } from './archived.ts'

type Members = Readonly<Record<string, unknown>>

/** Oldest first, a second apart. */
const submitAll = ({ formId, run }: ReturnType<typeof openData>, all: readonly (Members | string)[]): string[] =>
  all.map((members, i) => {
    const id = newId(Date.parse('2026-03-29T00:59:58.123Z') + i * 1000)
    const data = typeof members === 'string' ? members : JSON.stringify(members)
    run('createSubmission', { formId, id, data, fieldNames: Object.keys(JSON.parse(data)) })
    return id
  })

const exported = async ({ folder, formId }: ReturnType<typeof openData>, zone = 'UTC'): Promise<Buffer> => {
  const { db, close } = openSnapshot(folder)
  try {
    const range = { start: null, end: null }
    const options = { format: 'xlsx', range, style: { zone } } as const
    const parts: Uint8Array[] = []
    for await (const part of exportParts(db, existingForm(db, formId), options)) parts.push(part as Uint8Array)
    return Buffer.concat(parts)
  } finally {
    close()
  }
}

const importedFrom = async (file: Uint8Array) => {
  const { db, folder, formId } = openData()
  const path = join(temporaryFolder(), 'in.xlsx')
  await Bun.write(path, file)
  const time = { timeZone: 'UTC', isOff: false, words: timeFlags }
  const options = { format: 'xlsx', isRaw: false, isDryRun: false, onProgress: () => {}, time } as const
  await importFile({ db, folder, form: existingForm(db, formId), write: null }, path, options)
  return db.$client.query<{ id: string; data: string }, []>('SELECT id, data FROM submissions ORDER BY id').all()
}

const partOf = async (file: Uint8Array, name: string): Promise<string> =>
  (await entriesOf(file)).get(name)?.bytes.toString() ?? ''

const sheetOf = async (file: Uint8Array, number = 1): Promise<string> =>
  await partOf(file, `xl/worksheets/sheet${number}.xml`)

describe('an XLSX export', () => {
  const all: (Members | string)[] = [
    { text: '01067', long: '12345678901234567890', formula: '=HYPERLINK("http://evil.example")', day: '3/4', e: '1E5' },
    { text: ' two  blanks ', long: 'a\tb\r\nc', formula: "'+1", '': 'no name', id: 'x', more: [1] },
    { text: '_x000D_ _X0041_ __', long: '\u0001\u001f\ufffe\u{1f600}<&>"\']]>', formula: '', day: null },
    { text: '{"debug":true}', long: '[1]', formula: '"{}"', day: { a: [1, { b: null }] }, e: ['x', ''] },
    { text: true, long: false, formula: 0, day: -1.5, e: 100000 },
    '{"text":1.50,"long":123456789012345,"formula":1e300,"day":0.1}',
    { text: null },
  ]

  test.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'])('comes back the same, with times of %s', async (zone) => {
    const data = openData()
    const ids = submitAll(data, all)
    const rows = await importedFrom(await exported(data, zone))
    const stored = data.db.$client.query<{ id: string; data: string }, []>(
      'SELECT id, data FROM submissions ORDER BY id',
    )
    expect(rows.map(({ id }) => id)).toEqual(ids)
    const withoutNulls = (text: string) => JSON.stringify(JSON.parse(text), (_, value) => value ?? undefined)
    expect(rows.map((row) => withoutNulls(row.data))).toEqual(stored.all().map((row) => withoutNulls(row.data)))
    expect(rows[5]?.data).toBe(all[5] as string)
  })

  test('has texts as texts, numbers as numbers, and times as times of the zone', async () => {
    const data = openData()
    submitAll(data, [{ text: '0151 =', on: true, n: -1.5, far: 12345 }, '{"n":12345678901234567}', {}])
    const sheet = await sheetOf(await exported(data, 'Europe/Berlin'))
    expect(sheet).toContain('<c r="C2" s="1" t="inlineStr"><is><t>0151 =</t></is></c>')
    expect(sheet).toContain('<c r="D2" t="b"><v>1</v></c><c r="E2"><v>-1.5</v></c><c r="F2"><v>12345</v></c>')
    expect(sheet).toContain('<c r="E3" s="1" t="inlineStr"><is><t>12345678901234567</t></is></c>')
    const times = [...sheet.matchAll(/<c r="B\d" s="2"><v>(.*?)<\/v>/g)].map(([, days]) =>
      new Date(Math.round((Number(days) - 25_569) * 86_400_000)).toISOString(),
    )
    // The clocks are changed before the last one.
    expect(times).toEqual(['2026-03-29T01:59:58.123Z', '2026-03-29T01:59:59.123Z', '2026-03-29T03:00:00.123Z'])
    expect(sheet).not.toContain('<f>')
  })

  test('cuts a text that no cell can hold, and says so in it', async () => {
    const data = openData()
    submitAll(data, [{ a: `${'x'.repeat(32_767)}` }, { a: `${'x'.repeat(32_000)}${'\u{1f600}'.repeat(10_000)}` }])
    const sheet = await sheetOf(await exported(data))
    const [whole = '', cut = ''] = [...sheet.matchAll(/<c r="C[23]".*?<t>(.*?)<\/t>/g)].map(([, text]) => text)
    expect(whole).toBe('x'.repeat(32_767))
    expect(cut).toEndWith(' … (cut: a cell holds 32767 of 52000 characters; CSV and JSON have all)')
    expect([cut.isWellFormed(), cut.length <= 32_767, cut.length > 32_700]).toEqual([true, true, true])
  })

  test('is the same file each time', async () => {
    const data = openData()
    submitAll(data, [{ a: 1 }])
    expect(await exported(data)).toEqual(await exported(data))
    expect((await sheetOf(await exported(openData()))).match(/<row/g)).toHaveLength(1)
  })

  test('goes on in the next sheet, below the same header, when one is full', async () => {
    const format = sheetFormat('UTC')
    function* lines() {
      yield format.line(['>1'])
      for (let i = 0; i < 3; i++) yield format.line(['>2'])
    }
    let rows = 0
    const full = { ...format, rows: () => (++rows % 2 === 0 ? 2_000_000 : 2) }
    const parts: Uint8Array[] = []
    for await (const part of xlsxParts({ lines: lines(), format: full })) parts.push(part)
    const file = Buffer.concat(parts)
    const rowsOf = async (sheet: number) =>
      [...(await sheetOf(file, sheet)).matchAll(/<row r="(\d)"/g)].map(([, number]) => number)
    expect([await rowsOf(1), await rowsOf(2)]).toEqual([
      ['1', '2', '3'],
      ['1', '2'],
    ])
    expect(await partOf(file, 'xl/workbook.xml')).toContain('<sheet name="Submissions 2" sheetId="2" r:id="rId2"/>')
  })
})

test('an import of XLSX keeps an identifier of Formbox only with the time that it tells', async () => {
  const id = newId(Date.parse('2026-03-04T14:05:06.789Z'))
  const cell = (text: string): string => `<c t="str"><v>${text}</v></c>`
  const row = (...texts: string[]): string => `<row>${texts.map(cell).join('')}</row>`
  const importedAt = async (date: string) => {
    const path = await workbookFile(partsOf({ rows: row('id', 'createdAt', 'a', 'more') + row(id, date, '1') }))
    return (await importedFrom(await Bun.file(path).bytes())).map((found) => [found.id === id, createdAt(found.id)])
  }
  // In Los Angeles, and rounded.
  expect(await importedAt('2026-03-04 06:05:06.789')).toEqual([[true, '2026-03-04T14:05:06.789Z']])
  expect(await importedAt('2026-03-04 14:05:07')).toEqual([[true, '2026-03-04T14:05:06.789Z']])
  expect(await importedAt('2026-03-04 14:05:08')).toEqual([[false, '2026-03-04T14:05:08.000Z']])
  expect(await importedAt('2026-03-06 14:05:06.789')).toEqual([[false, '2026-03-06T14:05:06.789Z']])
})
