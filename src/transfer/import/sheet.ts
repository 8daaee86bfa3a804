import { invalid } from '../../base/errors.ts'
import { scanJson } from '../../base/json-scan.ts'
import { type NumberStyle, plainText, shownNumber } from './cell-values.ts'
import { type Cell, maxCells, maxRowBytes, type Row } from './row.ts'
import { maxTextCharacters } from './texts.ts'
import type { XmlHandlers } from './xml.ts'

interface SheetOptions {
  /** The text with a number, of those that cells share. */
  readonly textOf: (number: number) => string | undefined
  readonly styles: readonly (NumberStyle | undefined)[]
  readonly is1904: boolean
  /** Called for a formula whose value is not in the file. */
  readonly onFormula: () => void
}

/** The rows of a spreadsheet. */
const maxRows = 1_048_576
/** Characters of all cells: many may point to one text. */
const maxCharacters = 1024 * 1024 * 1024

/**
 * What to do with the elements of a sheet (ECMA-376 part 1, 18.3.1), and the rows that were read since the last time.
 * Formulas are not executed: their values are in the file. Empty cells are left out.
 */
export const sheetReader = ({ textOf, styles, is1904, onFormula }: SheetOptions) => {
  let rows: Row[] = []
  let row = { number: 0, cells: [] as Cell[], positions: [] as number[], characters: 0 }
  let cell = { at: -1, type: 'n', style: 0, isFormula: false, hasValue: false, text: '' }
  let isInCell = false
  let isText = false
  let isReading = false
  let characters = 0

  const location = (): string => `row ${row.number}`

  const startRow = ({ r }: Readonly<Record<string, string>>): void => {
    const number = r === undefined ? row.number + 1 : Number(r)
    if (!(number > row.number && number <= maxRows))
      throw invalid({ field: location(), message: `must be followed by a later row, of at most ${maxRows}` })
    row = { number, cells: [], positions: [], characters: 0 }
    cell.at = -1
  }

  const startCell = ({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void => {
    const at = r === undefined ? cell.at + 1 : columnOf(r)
    if (!(at > cell.at)) throw invalid({ field: location(), message: 'must have its cells in order' })
    if (at >= maxCells) throw invalid({ field: location(), message: `must have at most ${maxCells} cells` })
    cell = { at, type: t, style: Number(s), isFormula: false, hasValue: false, text: '' }
    isInCell = true
  }

  const endCell = (): void => {
    isInCell = false
    const value = toCell()
    if (value === null) {
      if (cell.isFormula) onFormula()
      return
    }
    row.cells.push(value)
    row.positions.push(cell.at)
    row.characters += (typeof value === 'string' ? value : value.text).length
    if (row.characters > maxRowBytes)
      throw invalid({ field: location(), message: `must be at most ${maxRowBytes} characters` })
  }

  const toCell = (): Cell => {
    const { type, text, hasValue } = cell
    if (!hasValue) return null
    if (type !== 's' && type !== 'b' && type !== 'n') return plainText(text)
    const written = text.trim()
    if (written === '') return null
    if (type === 'b') return { text: String(written === '1'), json: String(written === '1') }
    if (type === 'n') {
      // Our own export has no number that others cannot read, but a file can be edited.
      const isNumber = jsonNumber.test(written) && !scanJson(written).badNumber
      const json = isNumber ? written : JSON.stringify(written)
      return { text: shownNumber(written, styles[cell.style], is1904), json }
    }
    const shared = textOf(Number(written))
    if (shared === undefined) throw invalid({ field: location(), message: 'has a cell whose text is not in the file' })
    return shared
  }

  const endRow = (): void => {
    characters += row.characters
    if (characters > maxCharacters)
      throw invalid({ field: location(), message: `is too much: the cells have more than ${maxCharacters} characters` })
    if (row.cells.length > 0) rows.push(row)
  }

  const handlers: Required<XmlHandlers> = {
    onOpen(name, attributes) {
      if (name === 'sheetData') isReading = true
      else if (!isReading) return
      else if (name === 'row') startRow(attributes)
      else if (name === 'c') startCell(attributes)
      else if (isInCell && (name === 'v' || name === 't')) isText = cell.hasValue = true
      else if (isInCell && name === 'f') cell.isFormula = true
      // How a text is pronounced.
      else if (name === 'rPh') isInCell = false
    },
    onText(text) {
      if (!isText) return
      cell.text += text
      if (cell.text.length > maxTextCharacters)
        throw invalid({ field: location(), message: `must have cells of at most ${maxTextCharacters} characters` })
    },
    onClose(name) {
      if (name === 'v' || name === 't') isText = false
      else if (!isReading) return
      else if (name === 'c') endCell()
      else if (name === 'row') endRow()
      else if (name === 'rPh') isInCell = true
      else if (name === 'sheetData') isReading = false
    },
  }
  return {
    handlers,
    takeRows(): Row[] {
      const taken = rows
      rows = []
      return taken
    },
  }
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The position of a cell such as `AB12`, from 0. */
const columnOf = (reference: string): number => {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
