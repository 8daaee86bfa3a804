import { invalid } from '../errors.ts'

/** An empty cell in quotation marks; without, it is ''. No text that is imported may have NUL. */
export const quotedEmpty = '\0'

/** Characters of a row: 2 MiB of data, of which each quotation mark is doubled twice, and more. */
const maxCharacters = 16 * 1024 * 1024

/**
 * The rows of a CSV file (RFC 4180), with line breaks of any kind. A quotation mark inside of a cell that does not begin
 * with one stands for itself, as do those behind the one that ends a cell. A blank line is a row of one empty cell.
 *
 * @throws AppError `invalid` when a quotation mark is left open
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
  /** Behind its line break. */
  readonly end: number
}

/** @returns a function that reads the row at a position; undefined where it may go on behind the text */
const rowReader = (delimiter: string) => {
  const untilEnd = new RegExp(`[^${delimiter}\\r\\n]*`, 'y')

  const readPlain = (text: string, at: number): string => {
    untilEnd.lastIndex = at
    return untilEnd.exec(text)?.[0] ?? ''
  }

  /** Where a cell in quotation marks ends that begins at `at`; -1 where it does not. */
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
      // The other half of a pair may follow.
      if (!isWhole && at + (text[at] === '\r' ? 1 : 0) >= text.length) return undefined
      return { cells, end: at + (isBreak ? 2 : 1) }
    }
  }
}
