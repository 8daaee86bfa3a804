import { closeSync, openSync, readSync } from 'node:fs'
import { posix } from 'node:path'
import type { Entry } from 'yauzl'
import { invalid } from '../../base/errors.ts'
import { builtInStyle, type NumberStyle, styleOf } from './cell-values.ts'
import { readXml } from './xml.ts'
import { openZip, type Zip } from './zip.ts'

/** What an XLSX file consists of, without its cells and texts (ECMA-376 part 1, 12.3). */
export interface Workbook {
  readonly zip: Zip
  /** The first sheet that is not hidden. */
  readonly sheet: Entry
  /** All cells that share a text point there. */
  readonly texts: Entry | undefined
  /** Of each style that a cell may have, by its number. */
  readonly styles: readonly (NumberStyle | undefined)[]
  readonly is1904: boolean
  /** The names of the other sheets that are not hidden. */
  readonly otherSheets: readonly string[]
}

/** Pictures, and up to three for each sheet. */
const maxEntries = 20_000
/** The names are a stranger's: they must not fill the memory. */
const maxShownSheets = 100
/** Bytes, unpacked: of the lists, of all different texts, and of the cells. */
const maxListBytes = 16 * 1024 * 1024
const maxTextBytes = 512 * 1024 * 1024
const maxSheetBytes = 1024 * 1024 * 1024

/** @throws AppError `invalid` that says what is wrong */
export const openWorkbook = async (path: string): Promise<Workbook> => {
  refuseOldFormat(path)
  const zip = await openZip(path, maxEntries)
  try {
    return await toWorkbook(zip)
  } catch (error) {
    zip.close()
    throw error
  }
}

/** An earlier Excel, and one with a password, writes another kind of file. */
const refuseOldFormat = (path: string): void => {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(4)
    readSync(file, start, 0, start.length, 0)
    if (start.toString('hex') === 'd0cf11e0')
      throw invalid({ message: 'is an .xls file, or has a password; save it as .xlsx without a password' })
  } finally {
    closeSync(file)
  }
}

const toWorkbook = async (zip: Zip): Promise<Workbook> => {
  const named = new Map(zip.entries.map((entry) => [entry.fileName, entry]))
  const find = (name: string, maxBytes: number): Entry | undefined => {
    const entry = named.get(name)
    if (entry && entry.uncompressedSize > maxBytes)
      throw invalid({ field: name, message: `must be at most ${maxBytes} bytes, unpacked; save the sheet as CSV` })
    return entry
  }
  const read = async (name: string, onOpen: OnOpen): Promise<boolean> => {
    const entry = find(name, maxListBytes)
    if (entry) await readXml(name, zip.read(entry), { onOpen })
    return entry !== undefined
  }
  const [main = 'xl/workbook.xml'] = (await relations(read, '')).values()
  const { sheets, is1904 } = await readBook(read, main)
  const related = await relations(read, main)
  const [first, ...others] = sheets.filter(({ isHidden }) => !isHidden)
  const sheet = first && find(related.get(first.id) ?? '', maxSheetBytes)
  if (!sheet) throw invalid({ message: 'has no sheet that can be read; it must be an .xlsx file' })
  return {
    zip,
    sheet,
    texts: find(related.get('sharedStrings') ?? '', maxTextBytes),
    styles: await readStyles(read, related.get('styles') ?? ''),
    is1904,
    otherSheets: others.slice(0, maxShownSheets).map(({ name }) => name),
  }
}

type OnOpen = (name: string, attributes: Readonly<Record<string, string>>) => void
type Read = (name: string, onOpen: OnOpen) => Promise<boolean>

/** The files to which one leads: that of each sheet by its identifier, and others by what they are. */
const relations = async (read: Read, of: string): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  const folder = posix.dirname(of)
  await read(posix.join(folder, '_rels', `${posix.basename(of)}.rels`), (name, { Id = '', Type = '', Target = '' }) => {
    if (name !== 'Relationship') return
    const kind = Type.slice(Type.lastIndexOf('/') + 1)
    const path = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
    if (kind === 'worksheet') found.set(Id, path)
    if (kind === 'officeDocument' || kind === 'sharedStrings' || kind === 'styles') found.set(kind, path)
  })
  return found
}

interface Sheet {
  readonly name: string
  readonly id: string
  readonly isHidden: boolean
}

const readBook = async (read: Read, main: string) => {
  const sheets: Sheet[] = []
  let is1904 = false
  const isRead = await read(main, (element, attributes) => {
    if (element === 'workbookPr') is1904 = isTrue(attributes.date1904)
    if (element !== 'sheet') return
    const { name = '', state = 'visible' } = attributes
    const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
    sheets.push({ name, id, isHidden: state !== 'visible' })
  })
  if (!isRead) throw invalid({ message: `has no ${main}; it must be an .xlsx file` })
  return { sheets, is1904 }
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true'

const readStyles = async (read: Read, name: string): Promise<(NumberStyle | undefined)[]> => {
  /** By the number of the format: thousands of styles may have one. */
  const ofFormats = new Map<number, NumberStyle | undefined>()
  const styles: (NumberStyle | undefined)[] = []
  let isOfCells = false
  await read(name, (element, { numFmtId = '0', formatCode }) => {
    if (element === 'numFmt' && formatCode !== undefined) ofFormats.set(Number(numFmtId), styleOf(formatCode))
    // Styles with names have formats as well, which count for nothing.
    if (element === 'cellXfs' || element === 'cellStyles') isOfCells = element === 'cellXfs'
    const format = Number(numFmtId)
    if (element === 'xf' && isOfCells) styles.push(ofFormats.has(format) ? ofFormats.get(format) : builtInStyle(format))
  })
  return styles
}
