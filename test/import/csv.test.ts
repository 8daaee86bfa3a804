import { describe, expect, test } from 'bun:test'
import { array, assert, asyncProperty, constantFrom, integer, stringMatching } from 'fast-check'
import { createdAt, newId } from '../../src/base/id.ts'
import { lastColumns } from '../../src/transfer/export/last-columns.ts'
import { readCsv } from '../../src/transfer/import/csv.ts'
import { emptyPlan } from '../../src/transfer/import/plan.ts'
import { runsOf } from '../runs.ts'
import { refusal } from './csv-refusal.ts'

/** A file that comes in chunks of so many bytes. */
async function* chunksOf(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}

/** The fields of each row below the header. */
const read = async (text: string, bytes = 1000) => {
  const rows: { location: string; fields: unknown[][] }[] = []
  for await (const { location, parse } of readCsv(chunksOf(text, bytes), { isRaw: false, plan: emptyPlan() }))
    rows.push({ location, fields: parse().fields.map(({ name, json }) => [name, JSON.parse(json)]) })
  return rows
}

describe('readCsv', () => {
  test.each<[string, unknown[][][]]>([
    [
      'a,b\r\n1,2\r\n',
      [
        [
          ['a', '1'],
          ['b', '2'],
        ],
      ],
    ],
    ['a\n1\r2', [[['a', '1']], [['a', '2']]]],
    [
      'a,b\n1,\n"",2\n',
      [
        [['a', '1']],
        [
          ['a', ''],
          ['b', '2'],
        ],
      ],
    ],
    [
      'a,b\n"x ""y"", z\r\nz",w',
      [
        [
          ['a', 'x "y", z\r\nz'],
          ['b', 'w'],
        ],
      ],
    ],
    [
      'a,b\nsays "hi",5" wide\n',
      [
        [
          ['a', 'says "hi"'],
          ['b', '5" wide'],
        ],
      ],
    ],
    [
      'a,b\n"a"b"c,d\n',
      [
        [
          ['a', '"a"b"c'],
          ['b', 'd'],
        ],
      ],
    ],
    ['a\n""""\n" "\n', [[['a', '"']], [['a', ' ']]]],
    ['\ufeff"é😀"\n"😀é"\n', [[['é😀', '😀é']]]],
    [
      'a,b,a\n1,2,3\n',
      [
        [
          ['a', '1'],
          ['b', '2'],
          ['a 2', '3'],
        ],
      ],
    ],
  ])('reads %j, however it is cut', async (text, rows) => {
    for (const bytes of [1, 2, 3, 1000]) expect((await read(text, bytes)).map(({ fields }) => fields)).toEqual(rows)
  })

  test.each([1, 5])('finds it when the header comes in chunks of %i bytes', async (bytes) => {
    for (const lineBreak of ['\n', '\r'])
      expect((await read(`name;mail${lineBreak}Ada;a@b.example`, bytes))[0]?.fields).toEqual([
        ['name', 'Ada'],
        ['mail', 'a@b.example'],
      ])
    expect(await refusal(chunksOf('', bytes))).toBe('is empty; it must have a header')
  })

  test.each([';', '\t'])('finds %j between the names, and takes a comma for text', async (delimiter) => {
    const text = [`a,b${delimiter}c${delimiter}d`, `1,5${delimiter}2${delimiter}"${delimiter}"`].join('\n')
    const names = [
      ['a,b', '1,5'],
      ['c', '2'],
      ['d', delimiter],
    ]
    expect((await read(text)).map(({ fields }) => fields)).toEqual([names])
  })

  test.each<[string, string, string, string[][]]>([
    [
      'semicolons in quoted cells',
      '"Which fruit? (apples; pears; plums)",Email\n"apples; pears",a@b.example\n',
      ',',
      [
        ['Which fruit? (apples; pears; plums)', 'Email'],
        ['apples; pears', 'a@b.example'],
      ],
    ],
    [
      'commas in a quoted header',
      '"Name (last, first)";"Street, no, city";Email\nA;B;C\n',
      ';',
      [
        ['Name (last, first)', 'Street, no, city', 'Email'],
        ['A', 'B', 'C'],
      ],
    ],
    [
      'a line break in the header',
      '"Name\n(first and last)";Email;Topic\nAda;B;C\n',
      ';',
      [
        ['Name\n(first and last)', 'Email', 'Topic'],
        ['Ada', 'B', 'C'],
      ],
    ],
    [
      'commas in every cell',
      'Name (last, first);Street, no;Email\nDoe, Jane;Main, 5;a\n',
      ';',
      [
        ['Name (last, first)', 'Street, no', 'Email'],
        ['Doe, Jane', 'Main, 5', 'a'],
      ],
    ],
    [
      'semicolons in every cell',
      'Name,Fruit (a; b; c)\nAda,a; b; c\n',
      ',',
      [
        ['Name', 'Fruit (a; b; c)'],
        ['Ada', 'a; b; c'],
      ],
    ],
    [
      'decimal commas',
      'Name;Price\nAda;1,5\nBob;2,25\n',
      ';',
      [
        ['Name', 'Price'],
        ['Ada', '1,5'],
        ['Bob', '2,25'],
      ],
    ],
    [
      'tabs',
      'Name\tTopic; more\nAda\tx, y\n',
      '\t',
      [
        ['Name', 'Topic; more'],
        ['Ada', 'x, y'],
      ],
    ],
    [
      'a line for Excel',
      'sep=;\nOrt;a,b,c\nUlm;1\n',
      ';',
      [
        ['Ort', 'a,b,c'],
        ['Ulm', '1'],
      ],
    ],
    [
      'a line for Excel with a mark and another separator',
      '\ufeff"sep=|"\r\nOrt|x\r\nUlm|1\r\n',
      '|',
      [
        ['Ort', 'x'],
        ['Ulm', '1'],
      ],
    ],
  ])('finds what separates the cells: %s', async (_, text, separator, [header = [], ...rows]) => {
    for (const bytes of [1, 3, 1000]) {
      const plan = emptyPlan()
      const found: string[][] = []
      for await (const { parse } of readCsv(chunksOf(text, bytes), { isRaw: false, plan }))
        found.push(parse().fields.map(({ json }) => JSON.parse(json)))
      expect([plan.separator, plan.columns.map(({ name }) => name), found]).toEqual([separator, header, rows])
    }
  })

  test('tells columns of the same name apart, by the next number that is free', async () => {
    const plan = emptyPlan()
    const text = 'Other,Other 2,None,Other,,Other,None,\n1,2,3,4,,6,,\n'
    for await (const { parse } of readCsv(chunksOf(text, 1000), { isRaw: false, plan }))
      expect(parse().fields.map(({ name, json }) => [name, JSON.parse(json)])).toEqual([
        ['Other', '1'],
        ['Other 2', '2'],
        ['None', '3'],
        ['Other 3', '4'],
        ['Other 4', '6'],
      ])
    expect(plan.columns.filter(({ renamedFrom }) => renamedFrom !== undefined)).toEqual([
      { name: 'Other 3', renamedFrom: 'Other' },
      { name: 'Other 4', renamedFrom: 'Other' },
      { name: 'None 2', renamedFrom: 'None' },
    ])
  })

  test('knows our own export by any columns after `more`, in their order, and says what it leaves out', async () => {
    const names = lastColumns.map(([name]) => name)
    const id = newId(Date.now() - 60_000)
    const readOwn = async (last: readonly string[]) => {
      const plan = emptyPlan()
      const text = `id,createdAt,name,more${last.map((name) => `,${name}`).join('')}\n${id},${createdAt(id)},Ada,${last.map(() => ',').join('')}\n`
      const found = []
      for await (const { parse } of readCsv(chunksOf(text, 1000), { isRaw: false, plan })) found.push(parse())
      return {
        isOwn: found[0]?.isOwn === true,
        names: found[0]?.fields.map(({ name }) => name),
        left: [...plan.left.keys()],
      }
    }
    expect(names).toContain('consent')
    for (let some = 0; some < 2 ** names.length; some++) {
      const last = names.filter((_, i) => (some >> i) % 2 === 1)
      const left = lastColumns.flatMap(([name, isImported]) => (last.includes(name) && !isImported ? name : []))
      expect([last, await readOwn(last)]).toEqual([last, { isOwn: true, names: ['name'], left }])
    }
    for (const last of [names.toReversed(), [...names, 'other'], ['other', ...names]])
      expect([last, (await readOwn(last)).isOwn]).toEqual([last, false])
  })

  test('leaves rows without a value out and counts them, and takes cells off the end that are empty', async () => {
    const plan = emptyPlan()
    const text = 'a,b,c\n,,\n1\n"","",""\n\n2,,,,""\n,\n3,4,5\n\n'
    const found: unknown[] = []
    for await (const { location, parse } of readCsv(chunksOf(text, 3), { isRaw: false, plan }))
      found.push([location, ...parse().fields.map(({ json }) => JSON.parse(json))])
    expect(found).toEqual([
      ['row 3', '1'],
      ['row 6', '2'],
      ['row 8', '3', '4', '5'],
    ])
    expect(plan.emptyRows).toBe(4)
    expect(await refusal(chunksOf('a,b\n1,2,3\n', 9))).toBe('has 3 cells, the header has 2')
  })

  test('leaves blank lines out, and counts them', async () => {
    const text = '\r\n\na\n\n1\n\n\n" "\n\n'
    for (const bytes of [1, 2, 3, 1000])
      expect((await read(text, bytes)).map(({ location }) => location)).toEqual(['row 5', 'row 8'])
  })

  test('refuses a quotation mark that is left open, and names the row in which it is', async () => {
    for (const text of ['a\n\n1\n"b\nc\n', 'a\n\n1\n"', 'a\n\n1\nx,"y""'])
      expect(await refusal(chunksOf(text, 3))).toBe('row 4: is not valid CSV: a quotation mark is not closed')
  })

  test('reads what was written in quotation marks', async () => {
    const cell = stringMatching(/^[a",;\r\n é]{0,5}$/)
    const columns = ['a', 'b', 'c']
    const row = array(cell, { minLength: 3, maxLength: 3 }).filter((cells) => cells.some((text) => text !== ''))
    const tables = array(row, { minLength: 1, maxLength: 4 })
    await assert(
      asyncProperty(
        tables,
        integer({ min: 1, max: 9 }),
        constantFrom('\n', '\r\n', '\r'),
        async (table, bytes, lineBreak) => {
          const lines = [columns, ...table].map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join())
          const written = table.map((row) => row.map((value, i) => [columns[i], value]))
          expect((await read(lines.join(lineBreak), bytes)).map(({ fields }) => fields)).toEqual(written)
        },
      ),
      { numRuns: runsOf(500) },
    )
  })
})
