/** In half of Europe, spreadsheets write semicolons. */
const separators = [',', ';', '\t'] as const

/** How a separator would divide one record. */
interface Cells {
  count: number
  /** Without empty ones at the end. */
  filled: number
}

/**
 * The character that separates the cells: that with which the first records have the same number of cells, at least two.
 * If several have, it is one that no blank follows, as in text, and then the one with the most cells. A comma if none has.
 *
 * @param start the first records of the file @param isWhole whether it ends with a whole record
 */
export const findSeparator = (start: string, isWhole: boolean): string => {
  const records = recordsIn(start)
  const [header, ...rows] = isWhole || records.length < 2 ? records : records.slice(0, -1)
  if (!header) return ','
  const judged = separators.map((separator, i) => {
    const { count, filled } = header[i] as Cells
    const sizes = rows.map((row) => row[i] as Cells)
    return {
      separator,
      count,
      isPossible: count > 1 && filled > 0,
      share: sizes.filter((row) => row.count === count).length,
      tolerant: sizes.filter((row) => row.filled <= count).length,
      isText: !start.replaceAll(`${separator} `, '').includes(separator),
    }
  })
  const [best] = judged
    .filter(({ isPossible }) => isPossible)
    .sort(
      (a, b) =>
        b.share - a.share || b.tolerant - a.tolerant || Number(a.isText) - Number(b.isText) || b.count - a.count,
    )
  return best?.separator ?? ','
}

/**
 * The records that are not blank. What is in quotation marks is not looked at: they open a cell after any of the
 * separators, whichever it is.
 */
const recordsIn = (text: string): Cells[][] => {
  const records: Cells[][] = []
  let record = empty()
  let isStart = true
  let isBlank = true
  const end = (): void => {
    if (!isBlank) records.push(record)
    record = empty()
    isStart = true
    isBlank = true
  }
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; at++) {
    const character = text[at] as string
    if (character === '\n' || character === '\r') {
      end()
      continue
    }
    isBlank = false
    const separator = separators.indexOf(character as (typeof separators)[number])
    for (const [i, cells] of record.entries()) if (i !== separator) cells.filled = cells.count
    if (separator !== -1) (record[separator] as Cells).count++
    if (character === '"' && isStart) at = endOfQuoted(text, at)
    isStart = separator !== -1
  }
  end()
  return records
}

const empty = (): Cells[] => separators.map(() => ({ count: 1, filled: 0 }))

/** The position of the closing mark. A doubled one is a character of the cell. */
const endOfQuoted = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at
  return text.length
}

/** The separator that the first line names, as Excel reads it: `sep=;`. */
export const namedSeparator = (start: string): { readonly separator: string; readonly line: string } | undefined => {
  const [line, , separator] = /^\ufeff?("?)sep=([^"\r\n])\1(?:\r\n|\r|\n|$)/i.exec(start) ?? []
  return line !== undefined && separator !== undefined ? { separator, line } : undefined
}
