// Exports are opened again by a program that knows nothing of us: the csv module of Python, which many scripts use.
import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { withFormulas } from '../../../../src/transfer/export/formulas.ts'
import { noteSkipped } from '../../../skips.ts'
import { world } from '../../../world.ts'

const python = Bun.which('python3')
if (!python) noteSkipped('Skipping the tests with Python: there is no python3 on the PATH.')

/** Prints the rows as JSON. Python's own limit for a cell is 128 KiB. */
const program = `
import csv, json, sys
csv.field_size_limit(10_000_000)
rows = list(csv.reader(open(sys.argv[1], newline='', encoding=sys.argv[2]), strict=True))
json.dump(rows, sys.stdout)
`

const readByPython = async (csv: Uint8Array, encoding: string): Promise<string[][]> => {
  const child = Bun.spawn([python as string, '-c', program, '/dev/stdin', encoding], {
    stdin: csv,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, errors]).toEqual([0, ''])
  return JSON.parse(output)
}

const texts = [
  '',
  ' ',
  ',',
  ';',
  '"',
  '""',
  '\n',
  '\r',
  '\r\n',
  'x,"y"\r\nz',
  "'",
  '\\',
  'a\tb',
  '\u2028',
  '\ufeff',
  'é😀日本',
  'x'.repeat(200_000),
  '"\r\n'.repeat(50_000),
]

const formulas = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', ' =1', "'=1", '＝1', 'a;=1', 'a\n=1']

describe.skipIf(!python)('an export, read by Python', () => {
  test.each([
    ['raw', 'raw=true', 'utf-8'],
    ['with a byte order mark', 'raw=true&bom=true', 'utf-8-sig'],
    ['without formulas', '', 'utf-8'],
  ])('has every cell, %s', async (_name, query, encoding) => {
    const { server, ada, formId } = await world()
    const sent = [...texts, ...formulas]
    for (const text of sent) await server.submit(formId, { 'a "name", too': 'x', text, list: [text.slice(0, 10)] })
    const headers = { authorization: `Bearer ${ada.key}` }
    const response = await server.fetch(`/api/v1/forms/${formId}/export?${query}`, { headers })
    const csv = await response.bytes()
    const [header, ...rows] = await readByPython(csv, encoding)
    expect(header).toEqual(['id', 'createdAt', 'a "name", too', 'text', 'list', 'more'])
    const found = rows.map((row) => row[3] as string)
    expect(query === '' ? found.map(withFormulas) : found).toEqual(sent)
    const harmful = (cells: readonly string[]) => cells.filter((cell) => formulas.includes(cell))
    expect(harmful(found)).toEqual(query === '' ? [] : formulas)
    // Another reader finds the same.
    expect([header, ...rows]).toEqual(parse(Buffer.from(csv), { bom: true }))
  })
})
