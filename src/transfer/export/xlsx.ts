import { clocksIn, isoTimesIn } from '../../base/time-zone.ts'
import { type ZipEntry, zipParts } from './archive.ts'
import type { TableFormat } from './csv.ts'

/** What a sheet can hold, and a cell of it. */
const maxRows = 1_048_576
const maxCharacters = 32_767
/** Spreadsheets round numbers with more digits, which are therefore written as text. */
const maxDigits = 15

/** 1970-01-01, in days as spreadsheets count them. */
const epochDay = 25_569
const dayMilliseconds = 86_400_000

/** The styles of cells in `styles` below. */
const [textStyle, timeStyle] = [1, 2] as const

interface SheetFormat extends TableFormat {
  /** How many rows the present sheet has. */
  rows(): number
  /** Another sheet begins, with the same header. */
  startSheet(): void
}

/**
 * How a table is written as rows of a sheet. Texts are marked as texts, so that no spreadsheet runs them, or makes numbers or
 * dates of them. Times are what the clocks of the zone show.
 */
export const sheetFormat = (zone: string): SheetFormat => {
  let row = 0
  return {
    start: '',
    emptyText: inline(''),
    text: inline,
    json(json) {
      if (json === 'true' || json === 'false') return ` t="b"><v>${json === 'true' ? 1 : 0}</v>`
      return isExact(json) ? `><v>${json}</v>` : inline(json)
    },
    time: (at) => ` s="${timeStyle}"><v>${clocksIn(zone, at) / dayMilliseconds + epochDay}</v>`,
    isoTime: isoTimesIn(zone),
    line(cells) {
      row++
      let line = `<row r="${row}">`
      for (const [i, cell] of cells.entries()) if (cell !== '') line += `<c r="${columnName(i)}${row}"${cell}</c>`
      return `${line}</row>`
    },
    rows: () => row,
    startSheet() {
      row = 1
    },
  }
}

const inline = (text: string): string => {
  const kept = /^\s|\s$|\s\s|[\t\n]/.test(text) ? ' xml:space="preserve"' : ''
  return ` s="${textStyle}" t="inlineStr"><is><t${kept}>${toXml(fitting(text))}</t></is>`
}

/** A longer text ends in what was done about it. */
const fitting = (text: string): string => {
  if (text.length <= maxCharacters) return text
  const end = ` … (cut: a cell holds ${maxCharacters} of ${text.length} characters; CSV and JSON have all)`
  return text.slice(0, maxCharacters - end.length).replace(/[\ud800-\udbff]$/, '') + end
}

/** What XML cannot have, and what looks like the escape for it (ECMA-376 part 1, 22.4.2.4). */
const unwritable = /[^\t\n\x20-\ufffd]|_(?=x[0-9a-f]{4}_)/gi
const escaped = (character: string): string =>
  `_x${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`

const toXml = (text: string): string => {
  const writable = /[^\t\n\x20-\ufffd]|_x/i.test(text) ? text.replace(unwritable, escaped) : text
  return /[&<>]/.test(writable)
    ? writable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : writable
}

const isExact = (json: string): boolean => {
  const digits = json
    .replace(/[eE].*/, '')
    .replaceAll(/[^\d]/g, '')
    .replace(/^0+/, '')
  return digits.length <= maxDigits && Number.isFinite(Number(json)) && (Number(json) !== 0 || digits === '')
}

const columnNames: string[] = []
const columnName = (column: number): string => (columnNames[column] ??= toColumnName(column))
const toColumnName = (column: number): string =>
  (column < 26 ? '' : toColumnName(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

interface Sheets {
  /** Lines of the table, made with this format. The first part is the header, and no part has more than `spareRows`. */
  readonly lines: Iterable<string> | AsyncIterable<string>
  readonly format: SheetFormat
}

const spareRows = 1000

/**
 * A table as an XLSX file (ECMA-376), made as it is read. What one sheet cannot hold goes on in the next one, below the same
 * header.
 */
export const xlsxParts = ({ lines, format }: Sheets): AsyncGenerator<Uint8Array, void> => {
  async function* entries(): AsyncGenerator<ZipEntry, void> {
    const iterator = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]()
    const header = (await iterator.next()).value ?? ''
    let next = await iterator.next()
    async function* sheet(): AsyncGenerator<string, void> {
      yield sheetStart + header
      for (let isFull = false; !next.done && !isFull; next = await iterator.next()) {
        yield next.value
        isFull = format.rows() > maxRows - spareRows
        if (isFull) format.startSheet()
      }
      yield sheetEnd
    }
    let sheets = 0
    do yield { name: `xl/worksheets/sheet${++sheets}.xml`, parts: sheet(), at: 0 }
    while (!next.done)
    for (const [name, text] of Object.entries(workbook(sheets))) yield { name, parts: [declaration + text], at: 0 }
  }
  return zipParts(entries())
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const related = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** The header stays in sight, and the columns of the identifier and the time are wide enough. */
const sheetStart = `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="1" width="32" customWidth="1"/><col min="2" max="2" width="20" customWidth="1"/></cols><sheetData>`
const sheetEnd = '</sheetData></worksheet>'

const styles = `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`

/** All parts but the sheets. */
const workbook = (sheets: number): Readonly<Record<string, string>> => {
  const each = (part: (n: number) => string): string => Array.from({ length: sheets }, (_, i) => part(i + 1)).join('')
  return {
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${related}"><sheets>${each((n) => `<sheet name="Submissions${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships">${each((n) => `<Relationship Id="rId${n}" Type="${related}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="styles" Type="${related}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': styles,
    '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${related}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${types}.worksheet+xml"/>`)}</Types>`,
  }
}
