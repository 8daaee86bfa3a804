// Small files as several programs write them, in our words, and the value of every cell.
import { describe, expect, test } from 'bun:test'
import { AppError, issueLine } from '../../src/base/errors.ts'
import { createdAt } from '../../src/base/id.ts'
import { existingForm } from '../../src/commands/data-folder.ts'
import { timeFlags } from '../../src/commands/import.ts'
import { styleOf } from '../../src/transfer/import/cell-values.ts'
import { importFile } from '../../src/transfer/import/import-file.ts'
import type { TimeOptions } from '../../src/transfer/import/time-column.ts'
import { openData } from '../storage/data.ts'
import { type Files, type Parts, partsOf, workbookFile } from './workbooks.ts'

const imported = async (path: string, time: Partial<TimeOptions> = {}) => {
  const { db, folder, formId } = openData()
  const { plan } = await importFile({ db, folder, form: existingForm(db, formId), write: null }, path, {
    format: 'xlsx',
    isRaw: false,
    isDryRun: false,
    onProgress: () => {},
    time: { timeZone: 'UTC', isOff: false, words: timeFlags, ...time },
  })
  const rows = db.$client
    .query<{ id: string; data: string }, []>('SELECT id, data FROM submissions ORDER BY id')
    .all()
    .map(({ id, data }) => [createdAt(id), JSON.parse(data)])
  return { rows, plan }
}

const refusal = async (file: Files | string): Promise<string> =>
  imported(typeof file === 'string' ? file : await workbookFile(file), { isOff: true }).then(
    () => 'it was imported',
    (error) => {
      if (error instanceof AppError) return error.issues.map(issueLine).join('; ')
      throw error
    },
  )

interface File extends Parts {
  readonly rowsOf: readonly (readonly [time: string, data: Record<string, string>])[]
  readonly time?: Partial<TimeOptions>
}

const files: Record<string, File> = {
  'Jotform, with texts in one place and rich ones': {
    texts:
      '<si><t>Submission Date</t></si><si><t>Project; Channel</t></si><si><t xml:space="preserve">Phone </t></si>' +
      '<si><r><t>a; </t></r><r><rPr><b/></rPr><t>b</t></r></si><si><t>0151_x000D_\n0152</t></si><si><t>01067 &amp; 1 &lt; 2</t></si>',
    styles: ['yyyy\\-mm\\-dd\\ hh:mm:ss'],
    rows:
      '<row r="1" spans="1:3"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>' +
      '<row r="2"><c r="A2" s="1"><v>44761.586875</v></c><c r="B2" t="s"><v>3</v></c><c r="C2" t="s"><v>4</v></c></row>' +
      '<row r="3"><c r="A3" s="1"><v>44762</v></c><c r="C3" t="s"><v>5</v></c></row>',
    rowsOf: [
      ['2022-07-19T14:05:06.000Z', { 'Project; Channel': 'a; b', 'Phone ': '0151\r\n0152' }],
      ['2022-07-20T00:00:00.000Z', { 'Phone ': '01067 & 1 < 2' }],
    ],
  },
  'Microsoft Forms, with prefixes and no-break spaces': {
    prefix: 'x:',
    styles: ['m/d/yy h:mm:ss'],
    rows:
      '<x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>ID</x:t></x:is></x:c><x:c r="B1" t="inlineStr"><x:is><x:t>Start time</x:t></x:is></x:c>' +
      '<x:c r="C1" t="inlineStr"><x:is><x:t>Completion time</x:t></x:is></x:c><x:c r="D1" t="inlineStr"><x:is><x:t>Your\u00a0name</x:t></x:is></x:c></x:row>' +
      '<x:row r="2"><x:c r="A2"><x:v>1</x:v></x:c><x:c r="B2" s="1"><x:v>46095.583333333336</x:v></x:c><x:c r="C2" s="1"><x:v>46095.5869560185</x:v></x:c>' +
      '<x:c r="D2" t="inlineStr"><x:is><x:t>Ann</x:t></x:is></x:c></x:row>',
    time: { timeZone: 'Europe/Berlin' },
    rowsOf: [['2026-03-14T13:05:13.000Z', { ID: '1', 'Start time': '2026-03-14 14:00:00', 'Your\u00a0name': 'Ann' }]],
  },
  'Google Sheets, with booleans and numbers': {
    texts:
      '<si><t>Timestamp</t></si><si><t>Newsletter</t></si><si><t>Price</t></si><si><t>Day</t></si><si><t>At</t></si>',
    styles: ['M/d/yyyy H:mm:ss', 'd"."mmm', 'h":"mm" "am/pm', '[h]:mm', '#,##0.00 [$€-407]'],
    rows:
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>4</v></c></row>' +
      '<row r="2"><c r="A2" s="1"><v>43349.00435185185</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" s="5"><v>1.1000000000000001</v></c><c r="D2" s="2"><v>43349.0</v></c><c r="E2" s="3"><v>0.25</v></c></row>' +
      '<row r="3"><c r="A3" s="1"><v>43359.42101851852</v></c><c r="B3" t="b"><v>0</v></c><c r="C3"><v>-0.5</v></c><c r="E3" s="4"><v>1.5625115740740741</v></c></row>',
    rowsOf: [
      ['2018-09-06T00:06:16.000Z', { Newsletter: 'true', Price: '1.1', Day: '2018-09-06', At: '06:00' }],
      ['2018-09-16T10:06:16.000Z', { Newsletter: 'false', Price: '-0.5', At: '37:30:01' }],
    ],
  },
  'LibreOffice, with formulas, errors, numbers with zeros and long ones': {
    styles: ['General', '00000', 'dd/mm/yyyy', '0.00E+00'],
    texts:
      '<si><t>Created at</t></si><si><t>Sum</t></si><si><t>Post code</t></si><si><t>Long</t></si><si><t>Born</t></si><si><t>Text</t></si>',
    rows:
      '<row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c><c r="E2" t="s"><v>3</v></c><c r="F2" t="s"><v>4</v></c><c r="G2" t="s"><v>5</v></c></row>' +
      '<row r="3"><c r="B3" t="d"><v>2026-03-04T14:05:06</v></c><c r="C3" t="n"><f aca="false">SUM(1,2)</f><v>3</v></c><c r="D3" s="2" t="n"><v>1067</v></c><c r="E3" t="n"><v>12345678901234567890</v></c><c r="F3" s="3"><v>59</v></c><c r="G3" t="str"><f>"a"&amp;"b"</f><v>ab</v></c></row>' +
      '<row r="6"><c r="B6" t="str"><v>2026-03-05</v></c><c r="C6" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="D6" t="n" s="1"/><c r="E6" s="4"><v>1E5</v></c><c r="F6" s="3"><v>-1</v></c><c r="G6"><f>A1</f></c></row>',
    rowsOf: [
      [
        '2026-03-04T14:05:06.000Z',
        { Sum: '3', 'Post code': '01067', Long: '12345678901234567890', Born: '1900-02-28', Text: 'ab' },
      ],
      ['2026-03-05T00:00:00.000Z', { Sum: '#DIV/0!', Long: '100000', Born: '-1' }],
    ],
  },
  'a program that counts from 1904 and leaves out where cells are': {
    workbookPr: 'date1904="1"',
    styles: ['dd/mm/yyyy hh:mm'],
    rows:
      '<row><c t="inlineStr"><is><t>Timestamp</t></is></c><c t="inlineStr"><is><r><t>Na</t></r><r><t>me</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></is></c></row>' +
      '<row><c s="1"><v>44623.586875</v></c><c t="inlineStr"><is><t>An_x000a_n &#233; <![CDATA[<b>]]></t></is></c></row>',
    rowsOf: [['2026-03-04T14:05:06.000Z', { Name: 'An\nn é <b>' }]],
  },
}

describe('an import of XLSX reads a file of', () => {
  test.each(Object.entries(files))('%s', async (_, { rowsOf, time, ...parts }) => {
    const { rows } = await imported(await workbookFile(partsOf(parts)), time)
    expect(rows).toEqual(rowsOf.map(([at, data]) => [at, data]))
  })
})

const textCell = (text: string, reference?: string): string =>
  `<c t="inlineStr"${reference ? ` r="${reference}"` : ''}><is><t>${text}</t></is></c>`
const plain = partsOf({ rows: `<row>${textCell('a')}</row><row>${textCell('1')}</row>` })
const sheet = (rows: string): Files => partsOf({ rows: `<row>${textCell('a')}</row>${rows}` })

describe('an import of XLSX', () => {
  test('keeps as text what is no number that others can read, also in our own export that was edited', async () => {
    const cells = ['1e400', '9'.repeat(200), '-0', '1.50', '00', '١'].map((value) => `<c><v>${value}</v></c>`)
    const head = ['id', 'createdAt', 'a', 'b', 'c', 'd', 'e', 'f', 'more'].map((name) => textCell(name)).join('')
    const row = `${textCell('')}${textCell('2026-03-04T14:05:06.000Z')}${cells.join('')}`
    const { rows } = await imported(await workbookFile(partsOf({ rows: `<row>${head}</row><row>${row}</row>` })))
    const data = { a: '1e400', b: '9'.repeat(200), c: -0, d: 1.5, e: '00', f: '١' }
    expect(rows).toEqual([['2026-03-04T14:05:06.000Z', data]])
  })

  test('takes the first sheet that is not hidden, names the others, and counts formulas without a value', async () => {
    const file = await workbookFile(
      partsOf({
        rows: `<row>${textCell('a')}${textCell('b')}</row><row>${textCell('1')}<c><f>A1</f></c></row><row/><row/><row>${textCell('2')}</row>`,
        sheets:
          '<sheet name="Lists" state="hidden" r:id="rId9"/><sheet name="Now" r:id="rId1"/><sheet name="2025" r:id="rId8"/>',
      }),
    )
    const { rows, plan } = await imported(file, { isOff: true })
    expect(rows.map(([, data]) => data)).toEqual([{ a: '1' }, { a: '2' }])
    expect(plan).toMatchObject({ otherSheets: ['2025'], formulas: 1, emptyRows: 2, separator: null })
    expect(plan.columns).toEqual([{ name: 'a' }, { name: 'b' }])
  })

  test.each<[string, Files, string]>([
    ['no workbook', { 'a.txt': 'x' }, 'has no xl/workbook.xml; it must be an .xlsx file'],
    ['no sheet', partsOf({ rows: '', sheets: '' }), 'has no sheet that can be read; it must be an .xlsx file'],
    ['no rows', partsOf({ rows: '' }), 'is empty; it must have a header'],
    ['no XML', { ...plain, 'xl/workbook.xml': '<a' }, 'xl/workbook.xml: is not valid XML: Unexpected end'],
    [
      'half of a sheet',
      { ...plain, 'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row>' },
      'xl/worksheets/sheet1.xml: is not valid XML: Unclosed root tag',
    ],
    [
      'entities of its own',
      { ...plain, 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' },
      'xl/worksheets/sheet1.xml: must not have a DOCTYPE',
    ],
    [
      'an entity that XML has not',
      sheet(`<row>${textCell('&nbsp;')}</row>`),
      'xl/worksheets/sheet1.xml: is not valid XML: Invalid character entity',
    ],
    [
      'no UTF-8',
      { ...plain, 'xl/workbook.xml': [Buffer.from('<a>\xe9</a>', 'latin1')] },
      'xl/workbook.xml: must be UTF-8',
    ],
    [
      'a text that is not there',
      sheet('<row><c t="s"><v>7</v></c></row>'),
      'row 2: has a cell whose text is not in the file',
    ],
    [
      'a value in a column without a name',
      sheet(`<row>${textCell('1')}${textCell('2', 'C2')}</row>`),
      'row 2: has 3 cells, the header has 1',
    ],
    [
      'an attribute that every object has',
      { ...plain, 'xl/worksheets/sheet1.xml': '<a hasOwnProperty="b" c="d"/>' },
      'xl/worksheets/sheet1.xml: must not have an attribute hasOwnProperty',
    ],
    ['a row twice', sheet('<row r="2"/><row r="2"/>'), 'row 2: must be followed by a later row, of at most 1048576'],
    ['a row too far down', sheet('<row r="1048577"/>'), 'row 1: must be followed by a later row, of at most 1048576'],
    ['a column too far right', sheet(`<row>${textCell('x', 'XFE2')}</row>`), 'row 2: must have at most 16384 cells'],
    [
      'cells out of order',
      sheet(`<row>${textCell('x', 'B2')}${textCell('x', 'A2')}</row>`),
      'row 2: must have its cells in order',
    ],
    ['a cell nowhere', sheet(`<row>${textCell('x', '2')}</row>`), 'row 2: must have its cells in order'],
    ['NUL', sheet(`<row>${textCell('_x0000_')}</row>`), 'row 2: a: must not contain NUL'],
  ])('refuses %s', async (_, parts, reason) => {
    expect(await refusal(parts)).toStartWith(reason)
  })

  test('takes no longer for brackets in the code of a format than for anything else', async () => {
    const taken = async (character: string): Promise<number> => {
      const styles = Array.from({ length: 4 }, () => character.repeat(60_000))
      const file = await workbookFile(
        partsOf({ rows: `<row>${textCell('a')}</row><row><c s="1"><v>7</v></c></row>`, styles }),
      )
      const start = performance.now()
      expect((await imported(file, { isOff: true })).rows.map(([, data]) => data)).toEqual([{ a: '7' }])
      return performance.now() - start
    }
    await taken('x')
    expect(await taken('[')).toBeLessThan(20 * (await taken('x')))
    expect([251, 252].map((brackets) => styleOf(`${'['.repeat(brackets)}yyyy`))).toEqual(['date', undefined])
  })

  test('refuses a file of earlier Excel, or with a password, and one that is cut off', async () => {
    const path = await workbookFile(plain)
    await Bun.write(path, Buffer.from('d0cf11e0a1b11ae1', 'hex'))
    expect(await refusal(path)).toBe('is an .xls file, or has a password; save it as .xlsx without a password')
    await Bun.write(path, Buffer.from('PK\x03\x04'))
    expect(await refusal(path)).toStartWith('is not an archive that can be read')
  })
})
