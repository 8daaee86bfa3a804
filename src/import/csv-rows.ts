import { invalid } from '../errors.ts'

/** Stands for an empty cell in quotation marks. An empty cell without them is ''. Imported text never contains NUL. */
export const quotedEmpty = '\0'

/** Characters of a row: more than a submission of 2 MiB takes, even if it consists of quotation marks. */
const maxCharacters = 16 * 1024 * 1024

/**
 * The rows of a CSV file (RFC 4180), with line breaks of any kind. In a cell that does not begin with a quotation mark,
 * and after the mark that ends a cell, quotation marks are ordinary characters. A blank line is a row with one empty
 * cell.
 *
 * @throws AppError `invalid` if a quotation mark is not closed
 */
export async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<readonly string[], void> {
  const readRow = rowReader(delimiter)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true })
    let start = 0
    for (let row = readRow(text, start, false); row; row = readRow(text, start, false)) {
      yield row.cells
      start = row.end
    }
    rest = text.slice(start)
    if (rest.length > maxCharacters) throw invalid({ message: 'is not valid CSV: a quotation mark is not closed' })
  }
  const text = rest + decoder.decode()
  for (let start = 0; start < text.length; ) {
    const row = readRow(text, start, true)
    if (!row) throw invalid({ message: 'is not valid CSV: a quotation mark is not closed' })
    yield row.cells
    start = row.end
  }
}

interface Row {
  readonly cells: readonly string[]
  /** The position after its line break. */
  readonly end: number
}

/** Returns a function that reads the row at a position. It returns undefined if the row may continue after the text. */
const rowReader = (delimiter: string) => {
  const untilEnd = new RegExp(`[^${delimiter}\\r\\n]*`, 'y')

  const readPlain = (text: string, at: number): string => {
    untilEnd.lastIndex = at
    return untilEnd.exec(text)?.[0] ?? ''
  }

  /** Position of the quotation mark that ends the cell beginning at `at`; -1 if there is none. */
  const closingQuote = (text: string, at: number): number => {
    let quote = text.indexOf('"', at + 1)
    while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
    return quote
  }

  return (text: string, start: number, isWhole: boolean): Row | undefined => {
    const cells: string[] = []
    for (let at = start; ; at++) {
      const quote = text[at] === '"' ? closingQuote(text, at) : undefined
      if (quote === -1) return undefined
      const inQuotes = quote === undefined ? '' : text.slice(at + 1, quote).replaceAll('""', '"')
      const behindAt = quote === undefined ? at : quote + 1
      const behind = readPlain(text, behindAt)
      cells.push(inQuotes + behind || (quote === undefined ? '' : quotedEmpty))
      at = behindAt + behind.length
      if (text[at] === delimiter) continue
      const isBreak = text.startsWith('\r\n', at)
      // The second half of CRLF may follow.
      if (!isWhole && at + (text[at] === '\r' ? 1 : 0) >= text.length) return undefined
      return { cells, end: at + (isBreak ? 2 : 1) }
    }
  }
}
