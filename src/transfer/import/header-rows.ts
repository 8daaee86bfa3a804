import { readDate } from './read-date.ts'
import { type Row, textsOf } from './row.ts'
import { folded, rankOfTime } from './time-names.ts'

/** The names of all columns, from the rows above the data. */
export interface HeaderRows {
  /** How many rows they are. */
  readonly count: number
  readonly names: readonly string[]
  /** What stands there and is no name. */
  readonly left: readonly string[]
}

/** How many rows a header may have. */
export const maxHeaderRows = 3

/**
 * The header of a table: its first row, unless it is known that more belong to it, as in exports of Nextcloud, Qualtrics and
 * SurveyMonkey, or unless most columns have their names in the second row.
 *
 * @param rows the first rows that are not blank, up to `maxHeaderRows`
 */
export const readHeader = (rows: readonly Row[]): HeaderRows => {
  const [first = [], second = [], third = []] = rows.map(textsOf)
  if (isNextcloud(second)) return { count: 2, names: nextcloudNames(first, second), left: [] }
  if (isQualtrics(third)) return { count: 3, names: joined(first, second), left: ['ImportId'] }
  if (isSurveyMonkey(first, second)) return { count: 2, names: joined(carried(first, second), second), left: [] }
  // In XLSX, empty cells are not written.
  const isWide = rows[0]?.positions !== undefined || first.length >= second.length
  if (!isWide || !isMostlyBelow(first, second)) return { count: 1, names: first, left: [] }
  const [title = '', ...others] = first
  const isTitle = isFilled(title) && !others.some(isFilled)
  return { count: 2, names: isTitle ? second : joined(carried(first, second), second), left: isTitle ? [title] : [] }
}

const isFilled = (text: string): boolean => text.trim() !== ''

/** Under the names, it has the identifiers of the columns: in a spreadsheet, that row is hidden. */
const isNextcloud = (second: readonly string[]): boolean =>
  second.includes('submission_id') &&
  second.every((id) => /^(submission_id|user_id|user_display_name|timestamp|question-id-[\d-]+)$/.test(id))

/** The names are in the language of whoever exports. */
const nextcloudNames = (first: readonly string[], second: readonly string[]): string[] =>
  second.map((id, i) => (id === 'timestamp' ? 'Timestamp' : (first[i] ?? '')))

/** Under the names and the questions, it has the identifiers by which it would import the file. */
const isQualtrics = (third: readonly string[]): boolean => {
  const filled = third.filter(isFilled)
  return filled.length > 0 && filled.every((text) => text.startsWith('{"ImportId":'))
}

/** A question has a column for each answer, whose names are in the second row; every respondent has an identifier. */
const isSurveyMonkey = (first: readonly string[], second: readonly string[]): boolean => {
  const ids = ['respondentid', 'collectorid'].map((name) => first.findIndex((text) => folded(text) === name))
  return ids.every((at) => at !== -1 && !isFilled(second[at] ?? '')) && second.some(isFilled)
}

/**
 * Whether the second row has a name for each column, and the first one for less than half of them. What is a name is no
 * number, date, address or the like.
 */
const isMostlyBelow = (first: readonly string[], second: readonly string[]): boolean =>
  second.length >= 3 &&
  second.length >= first.length &&
  second.length === new Set(second).size &&
  2 * first.filter(isFilled).length < second.length &&
  second.every((text) => /\p{L}|^#$/u.test(text) && !/@|:\/\//.test(text) && readDate(text) === undefined)

/** Each question once more for each of its answers. The time is none. */
const carried = (first: readonly string[], second: readonly string[]): string[] => {
  let last = ''
  return second.map((name, i) => {
    const text = first[i] ?? ''
    if (isFilled(text) || rankOfTime(name, undefined) !== undefined) last = text
    return last
  })
}

/** What SurveyMonkey writes where a question has one answer. */
const noNames = ['response', 'openendedresponse']

const joined = (first: readonly string[], second: readonly string[]): string[] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, i) => {
    const [one = '', two = ''] = [first[i], second[i]]
    if (!isFilled(one)) return two
    const isSame = !isFilled(two) || folded(two) === folded(one) || noNames.includes(folded(two))
    return isSame ? one : `${one} – ${two}`
  })
