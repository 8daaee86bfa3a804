// A spreadsheet runs a cell as a formula that begins with one of = + - @ (OWASP, "CSV Injection"), or with their
// full-width forms, also behind white space and quotation marks, which some programs strip first. A cell begins where
// our text begins, and inside of it after a semicolon, a tab or a line break: in half of Europe a spreadsheet cuts a CSV
// file that was opened by a double click at semicolons, and takes the quotation marks of our cells for text. So an
// apostrophe is put at each of these places, and the spreadsheet shows text.
//
// Apostrophes are quotation marks in this rule. Text that has one at such a place already gets another, so
// `withFormulas` takes away exactly what `withoutFormulas` has put there.

/** The text of a cell in which no spreadsheet finds a formula. */
export const withoutFormulas = (text: string): string => {
  if (isHarmless(text)) return text
  const places = formulaPlaces(text)
  if (places.length === 0) return text
  const parts = places.map((place, i) => text.slice(place, places[i + 1]))
  return `${text.slice(0, places[0])}'${parts.join("'")}`
}

/** Undoes `withoutFormulas`. */
export const withFormulas = (text: string): string => {
  if (!text.includes("'")) return text
  const places = formulaPlaces(text).filter((place) => text[place] === "'")
  return text.slice(0, places[0]) + places.map((place, i) => text.slice(place + 1, places[i + 1])).join('')
}

/** True for most cells, in a moment. A negative number is one for a spreadsheet, too. */
const isHarmless = (text: string): boolean => !suspicious.test(text) || /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)
const suspicious = /^['"\s\u200b-\u200f=+\-@＝＋－＠]|[;\t\r\n]/

const [skipped, lineEnd, semicolon, formula] = [1, 2, 3, 4] as const

/** What each character means for the rule; 0 for most. */
const toMeanings = (): Uint8Array => {
  const meanings = new Uint8Array(0x10000)
  for (let code = 0; code < meanings.length; code++)
    if (/['"\s\u200b-\u200f]/.test(String.fromCharCode(code))) meanings[code] = skipped
  for (const character of '\t\r\n') meanings[character.charCodeAt(0)] = lineEnd
  for (const character of '=+-@＝＋－＠') meanings[character.charCodeAt(0)] = formula
  meanings[0x3b] = semicolon
  return meanings
}

// Made when it is first needed: it takes 10 ms, which every command would pay.
let known: Uint8Array | undefined

/**
 * Where a spreadsheet could find a formula: of several line breaks only behind the last, for the others end empty lines.
 * By character codes: 1 MiB of line breaks took 0.3 s with patterns.
 */
const formulaPlaces = (text: string): number[] => {
  known ??= toMeanings()
  const meanings = known
  const places: number[] = []
  // Nothing but skipped characters has come since.
  let cellStart = 0
  let lineStart = -1
  for (let at = 0; at < text.length; at++) {
    const meaning = meanings[text.charCodeAt(at)]
    if (meaning === skipped) continue
    if (meaning === lineEnd) {
      lineStart = at + 1
      continue
    }
    if (meaning === formula && cellStart !== -1) places.push(cellStart)
    if (meaning === formula && lineStart !== -1) places.push(lineStart)
    cellStart = meaning === semicolon ? at + 1 : -1
    lineStart = -1
  }
  // OWASP names these two by themselves.
  if (places[0] !== 0 && /^['"]*[\t\r]/.test(text)) places.unshift(0)
  return places
}
