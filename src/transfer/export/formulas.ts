// A spreadsheet runs a cell that begins with = + - @, or with one of their full-width forms, as a formula (OWASP, "CSV
// Injection"). White space and quotation marks may come first: some programs strip them. A cell begins where our
// text begins, but also inside it, after a semicolon, a tab or a line break: in half of Europe, a spreadsheet splits a
// CSV file that is opened with a double click at semicolons, and reads the quotation marks around our cells as text. So
// an apostrophe is put at each of these positions, and the spreadsheet shows text.
//
// Apostrophes count as quotation marks in this rule. Text that already has one at such a position gets another one, so
// `withFormulas` removes exactly what `withoutFormulas` has added.

/** The text of a cell in which no spreadsheet finds a formula. */
export const withoutFormulas = (text: string): string => {
  if (isHarmless(text)) return text
  const positions = formulaPositions(text)
  if (positions.length === 0) return text
  const parts = positions.map((position, i) => text.slice(position, positions[i + 1]))
  return `${text.slice(0, positions[0])}'${parts.join("'")}`
}

/** Undoes `withoutFormulas`. */
export const withFormulas = (text: string): string => {
  if (!text.includes("'")) return text
  const positions = formulaPositions(text).filter((position) => text[position] === "'")
  return (
    text.slice(0, positions[0]) + positions.map((position, i) => text.slice(position + 1, positions[i + 1])).join('')
  )
}

/** A quick check that is true for most cells. A spreadsheet reads a negative number as a number, not as a formula. */
const isHarmless = (text: string): boolean => !suspicious.test(text) || /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)
const suspicious = /^['"\s\u200b-\u200f=+\-@＝＋－＠]|[;\t\r\n]/

const [skipped, lineEnd, semicolon, formula] = [1, 2, 3, 4] as const

/** The meaning of each character for the rule; 0 for most. */
const toMeanings = (): Uint8Array => {
  const meanings = new Uint8Array(0x10000)
  for (let code = 0; code < meanings.length; code++)
    if (/['"\s\u200b-\u200f]/.test(String.fromCharCode(code))) meanings[code] = skipped
  for (const character of '\t\r\n') meanings[character.charCodeAt(0)] = lineEnd
  for (const character of '=+-@＝＋－＠') meanings[character.charCodeAt(0)] = formula
  meanings[0x3b] = semicolon
  return meanings
}

// Made when it is first needed. It takes 10 ms, which would delay the start of every command.
let known: Uint8Array | undefined

/**
 * Where a spreadsheet could find a formula. Of several line breaks in a row only the last one counts: the others end
 * empty lines. This works on character codes: with patterns, 1 MiB of line breaks took 0.3 s.
 */
const formulaPositions = (text: string): number[] => {
  known ??= toMeanings()
  const meanings = known
  const positions: number[] = []
  // Where the cell and the line begin, while only skipped characters have followed; -1 after any other character.
  let cellStart = 0
  let lineStart = -1
  for (let at = 0; at < text.length; at++) {
    const meaning = meanings[text.charCodeAt(at)]
    if (meaning === skipped) continue
    if (meaning === lineEnd) {
      lineStart = at + 1
      continue
    }
    if (meaning === formula && cellStart !== -1) positions.push(cellStart)
    if (meaning === formula && lineStart !== -1) positions.push(lineStart)
    cellStart = meaning === semicolon ? at + 1 : -1
    lineStart = -1
  }
  // OWASP also lists a tab and a carriage return at the start of a cell.
  if (positions[0] !== 0 && /^['"]*[\t\r]/.test(text)) positions.unshift(0)
  return positions
}
