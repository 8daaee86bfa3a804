import type { Entry as Packed } from 'yauzl'
import { invalid } from '../../base/errors.ts'
import { requireFree } from '../../storage/free-disk.ts'
import { plainText } from './cell-values.ts'
import type { Entry } from './imported.ts'
import type { Plan } from './plan.ts'
import type { Row } from './row.ts'
import { sheetReader } from './sheet.ts'
import { tableEntries } from './table.ts'
import { maxTextCharacters, openTexts, type Texts } from './texts.ts'
import { openWorkbook, type Workbook } from './workbook.ts'
import { readXml, xmlReader } from './xml.ts'
import type { Zip } from './zip.ts'

interface XlsxOptions {
  /** Gets the columns, the number of empty rows, and what is left out. */
  readonly plan: Plan
  /** Called with the share that has been read, from 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** An XLSX file, which may have to be read twice. */
export interface Xlsx {
  /** The rows below the header of the first sheet. */
  read(options: XlsxOptions): AsyncGenerator<Entry, void>
  close(): void
}

/**
 * Opens an XLSX file. At most a row of it is in memory, and some of its texts.
 *
 * @param folder where its texts are kept until it is closed
 * @throws AppError `invalid` that says what is wrong, also while it is read
 */
export const openXlsx = async (path: string, folder: string): Promise<Xlsx> => {
  const book = await openWorkbook(path)
  let texts: Texts | undefined
  const close = (): void => {
    texts?.close()
    book.zip.close()
  }
  try {
    if (book.texts) {
      requireFree(folder, book.texts.uncompressedSize)
      texts = openTexts(folder)
      await readTexts(book.zip, book.texts, texts)
    }
    const textOf = (number: number): string | undefined => texts?.get(number)
    return {
      read: ({ plan, onProgress }) => {
        plan.otherSheets = book.otherSheets
        return tableEntries(readRows(book, textOf, { plan, onProgress }), { isRaw: true, plan })
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

const pieceBytes = 512

async function* readRows(
  { zip, sheet, styles, is1904 }: Workbook,
  textOf: (number: number) => string | undefined,
  { plan, onProgress }: XlsxOptions,
): AsyncGenerator<Row, void> {
  const onFormula = (): void => {
    plan.formulas++
  }
  const { handlers, takeRows } = sheetReader({ textOf, styles, is1904, onFormula })
  const xml = xmlReader(sheet.fileName, handlers)
  let read = 0
  for await (const chunk of zip.read(sheet)) {
    // A few bytes are a cell that points to a long text: the rows of a whole chunk would be gigabytes.
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      xml.read(chunk.subarray(at, at + pieceBytes))
      yield* takeRows()
    }
    read += chunk.length
    onProgress(Math.min(1, read / sheet.uncompressedSize))
  }
  xml.end()
}

/** The texts of a file, in order (ECMA-376 part 1, 18.4.9), without how they look and how they are pronounced. */
const readTexts = async (zip: Zip, entry: Packed, texts: Texts): Promise<void> => {
  let text = ''
  let isText = false
  let isSpoken = false
  await readXml(entry.fileName, zip.read(entry), {
    onOpen(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isSpoken = true
      else if (name === 't') isText = !isSpoken
    },
    onText(part) {
      if (!isText) return
      text += part
      if (text.length > maxTextCharacters)
        throw invalid({ field: entry.fileName, message: `must have texts of at most ${maxTextCharacters} characters` })
    },
    onClose(name) {
      if (name === 'si') texts.add(plainText(text))
      else if (name === 'rPh') isSpoken = false
      else if (name === 't') isText = false
    },
  })
}
