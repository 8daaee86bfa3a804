// How the files of each service are read, and what all files have in common.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { AppError, issueLine } from '../../src/base/errors.ts'
import { createdAt } from '../../src/base/id.ts'
import { existingForm } from '../../src/commands/data-folder.ts'
import { timeFlags } from '../../src/commands/import.ts'
import { importFile } from '../../src/transfer/import/import-file.ts'
import { toReport } from '../../src/transfer/import/plan.ts'
import { temporaryFolder } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { type Row, type ServiceFile, serviceFiles } from './service-files.ts'

const imported = async ({ text, time = {}, format = 'csv' }: Pick<ServiceFile, 'text' | 'time' | 'format'>) => {
  const { db, folder, formId } = openData()
  const path = join(temporaryFolder(), 'in')
  await Bun.write(path, text)
  const { plan } = await importFile({ db, folder, form: existingForm(db, formId), write: null }, path, {
    format,
    isRaw: false,
    isDryRun: false,
    onProgress: () => {},
    time: { timeZone: 'UTC', isOff: false, words: timeFlags, ...time },
  })
  const rows = db.$client
    .query<{ id: string; data: string }, []>('SELECT id, data FROM submissions ORDER BY id')
    .all()
    .map(({ id, data }): Row => [createdAt(id), JSON.parse(data)])
  const [{ names } = { names: '[]' }] = db.$client
    .query<{ names: string }, []>('SELECT field_names AS names FROM forms')
    .all()
  return { rows, plan, names: JSON.parse(names) as string[] }
}

const refusal = async (file: Pick<ServiceFile, 'text' | 'time' | 'format'>): Promise<string> =>
  await imported(file).then(
    () => 'it was imported',
    (error) => {
      if (error instanceof AppError) return error.issues.map(issueLine).join('; ')
      throw error
    },
  )

test('the first row alone is the header where the second one has values', async () => {
  for (const [text, reason] of [
    ['Guests;;;\nAnn;a@b.example;x;y\n', 'row 2: the column of "a@b.example" has no name'],
    ['Guests;;;\nAnn;3/4/2026;x;y\n', 'row 2: the column of "3/4/2026" has no name'],
    ['Guests;;;\nAnn;;x;y\n', 'row 2: the column of "x" has no name'],
    ['Guests;;;\nAnn;x;x;y\n', 'row 2: the column of "x" has no name'],
    ['Respondent ID;Q;\n1;;x\n', 'row 2: the column of "x" has no name'],
    ['a\nx,y,z\n', 'row 2: has 3 cells, the header has 1'],
  ] as const)
    expect(await refusal({ text, time: { isOff: true } })).toStartWith(reason)
})

test('every service whose export the guide explains has a file here', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../docs/coming-from.md')).text()
  const explained = [...guide.matchAll(/^### (.+)\n+(?:[^#\n].*\n)*?.*\*\*Export\*\*/gm)].flatMap(([, title = '']) =>
    title.split(/, | and /).map((name) => name.replace(/^.*\((.*)\)$/, '$1')),
  )
  expect(explained.length).toBeGreaterThan(25)
  const known = Object.keys(serviceFiles)
  const has = (name: string): boolean => known.some((key) => key.startsWith(name) || name.startsWith(key))
  expect(explained.filter((name) => !has(name))).toEqual([])
})

describe('an import reads a file of', () => {
  test.each(Object.entries(serviceFiles))('%s', async (_, file) => {
    const before = Date.now()
    const { rows, names } = await imported(file)
    expect(rows.map(([, data]) => data)).toEqual(file.rows.map(([, data]) => data))
    for (const [i, [time]] of file.rows.entries())
      if (time === null) expect(Date.parse(rows[i]?.[0] ?? '')).toBeGreaterThanOrEqual(before)
      else expect(rows[i]?.[0]).toBe(time)
    if (file.names) expect(names).toEqual([...file.names])
  })
})

describe('the time of a file', () => {
  const many = (last: string) => `Name,When,Timestamp\n${'Ann,x,3/4/2026 14:05\n'.repeat(300)}${last}`

  test('is decided by all rows, although the first ones say something else', async () => {
    const { rows, plan } = await imported({ text: many('Bo,x,25/12/2025 14:05\n') })
    expect(plan.time).toEqual({ column: 'Timestamp', format: 'numbers', order: 'dmy', timeZone: 'UTC' })
    expect(new Set(rows.map(([time]) => time?.slice(0, 10)))).toEqual(new Set(['2025-12-25', '2026-04-03']))
    expect(await refusal({ text: many('Bo,x,soon\n') })).toStartWith(
      'no submission has a time: “Timestamp” of row 302 is "soon", which is no date',
    )
    // 3 April cannot be 4 March in the same file.
    expect(await refusal({ text: many('Bo,x,25/12/2025 14:05\nCy,x,12/25/2025 14:05\n') })).toContain('row 303')
  })

  test('is asked for where all dates can be read both ways', async () => {
    for (const text of [many(''), 'Date Submitted\n3/4/2026\n5/5/2026\n'])
      expect(await refusal({ text })).toContain('say which with --date-format dmy or --date-format mdy')
    expect((await imported({ text: many(''), time: { order: 'dmy' } })).rows[0]?.[0]).toBe('2026-04-03T14:05:00.000Z')
    expect((await imported({ text: 'name,Timestamp\nAnn,5/5/2026\n' })).rows[0]?.[0]).toBe('2026-05-05T00:00:00.000Z')
  })

  test('is in the column that is named, and nothing else is', async () => {
    const text = 'When,Timestamp,name\n2026-03-04,2026-03-05,Ann\n'
    const { rows } = await imported({ text, time: { column: 'When' } })
    expect(rows).toEqual([['2026-03-04T00:00:00.000Z', { Timestamp: '2026-03-05', name: 'Ann' }]])
    expect(await refusal({ text, time: { column: 'Wann' } })).toBe('has no column “Wann”')
    expect(await refusal({ text, time: { column: 'name' } })).toContain('row 2: the date must be like')
    expect((await imported({ text, time: { isOff: true } })).rows[0]?.[1]).toHaveProperty('Timestamp')
  })

  test.each([
    ['2026-03-29 02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25 02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-07-01T12:00', 'America/New_York', '2026-07-01T16:00:00.000Z'],
    ['2026-07-01T12:00+05:30', 'America/New_York', '2026-07-01T06:30:00.000Z'],
    ['2026-07-01', 'Asia/Kolkata', '2026-06-30T18:30:00.000Z'],
  ])('%s in %s is %s', async (date, timeZone, time) => {
    const { rows } = await imported({ text: `name,Timestamp\nAnn,${date}\n`, time: { timeZone } })
    expect(rows[0]?.[0]).toBe(time)
  })

  test.each(['0000-00-00 00:00:00', '1970-01-01', '1/1/1980 00:00', '1980-01-01T00:00:00Z', '0'])(
    'is none where a program had none: %s',
    async (date) => {
      const text = `name,Timestamp\nAnn,${date}\nBo,2026-03-04\n`
      expect((await imported({ text })).rows.map(([time]) => time?.slice(0, 10))).toContain('2026-03-04')
      expect(await refusal({ text: `name,Timestamp\nAnn,${date}\n` })).toContain('no submission has a time')
    },
  )
})

describe('the plan of a file', () => {
  test('says how it is read, with examples, and what is left out', async () => {
    const text =
      'id;_date;Other;Other;_status;_subject\n7;3/4/2026 14:05;a;b;new;Hi\n8;25/12/2025 9:00;c;;spam;\n;;;;;\n9;;d;;new;\n'
    const { plan } = await imported({ text })
    const report = toReport(plan, 'csv', [])
    expect(report).toMatchObject({
      format: 'csv',
      separator: ';',
      rows: 2,
      time: { column: '_date', format: 'dmy', timeZone: 'UTC' },
      left: [
        { why: 'empty rows', count: 1 },
        { why: 'marked as spam by the service', count: 1 },
        { why: 'no date, so they get the time of the import', count: 1 },
        { why: '“_status”, which is no field', count: 2 },
        { why: '“_subject”, which is no field', count: 1 },
      ],
    })
    expect(report.columns.filter(({ renamedFrom }) => renamedFrom)).toEqual([{ name: 'Other 2', renamedFrom: 'Other' }])
    expect(report.examples.map(({ date, values }) => ({ date, values }))).toEqual([
      { date: '3/4/2026 14:05', values: { id: '7', Other: 'a', 'Other 2': 'b' } },
      { date: null, values: { id: '9', Other: 'd' } },
    ])
    expect(report.examples[0]?.createdAt).toBe('2026-04-03T14:05:00.000Z')
  })

  test('has five examples at most, each a small part of its submission', async () => {
    const fields = Array.from({ length: 60 }, (_, i) => `f${i}`)
    const row = fields.map((_, i) => 'x'.repeat(i === 0 ? 300 : 9)).join()
    const { plan } = await imported({ text: `${fields.join()}\n${`${row}\n`.repeat(9)}`, time: { isOff: true } })
    expect(plan.examples.map(({ values }) => Object.keys(values).length)).toEqual([50, 50, 50, 50, 50])
    expect(plan.examples[0]?.values.f0).toBe(`${'x'.repeat(200)}…`)
  })
})
