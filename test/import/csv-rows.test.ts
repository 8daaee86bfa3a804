import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { array, assert, asyncProperty, constantFrom, integer, stringMatching } from 'fast-check'
import { csvRows, quotedEmpty } from '../../src/import/csv-rows.ts'

/** The rows of a text that comes in stretches of so many bytes. */
const rowsOf = async (text: string, bytes = 1000, delimiter = ','): Promise<string[][]> => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const all = Buffer.from(text)
    for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
  }
  const rows: string[][] = []
  for await (const row of csvRows(chunks(), delimiter)) rows.push([...row])
  return rows
}

describe('csvRows', () => {
  test.each<[string, string[][]]>([
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n1\r2', [['a'], ['1'], ['2']]],
    [
      'a,,\n,,"",""\n',
      [
        ['a', '', ''],
        ['', '', quotedEmpty, quotedEmpty],
      ],
    ],
    ['"a ""b"", c\r\nd",e', [['a "b", c\r\nd', 'e']]],
    ['says "hi",5" wide\n', [['says "hi"', '5" wide']]],
    ['"a"b"c,d\n', [['ab"c', 'd']]],
    ['a\n\nb\n', [['a'], [''], ['b']]],
    ['"é😀"\n', [['é😀']]],
    ['""""\n', [['"']]],
    ['', []],
  ])('reads %j, however it is cut', async (text, rows) => {
    for (const bytes of [1, 2, 3, 1000]) expect(await rowsOf(text, bytes)).toEqual(rows)
  })

  test('refuses a quotation mark that is left open', () => {
    expect(rowsOf('a\n"b\nc')).rejects.toThrow('Invalid input data')
    expect(rowsOf('"')).rejects.toThrow('Invalid input data')
  })

  test('reads what csv-parse reads', async () => {
    const cell = stringMatching(/^[a",;\r\n é]{0,5}$/)
    const rows = array(array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 })
    await assert(
      asyncProperty(
        rows,
        integer({ min: 1, max: 9 }),
        constantFrom('\n', '\r\n', '\r'),
        async (table, bytes, lineBreak) => {
          const text = table.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join()).join(lineBreak)
          const read = parse(text, { relax_column_count: true, record_delimiter: ['\r\n', '\n', '\r'] })
          const own = (await rowsOf(text, bytes)).map((row) => row.map((each) => (each === quotedEmpty ? '' : each)))
          expect(own).toEqual(read)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
