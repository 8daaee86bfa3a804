import { visible } from './visible.ts'

/** `1 link`, `2 links`. */
export const amount = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** A text in one line: runs of white space become one space, and none is left at the ends. */
export const oneLine = (text: string): string =>
  // Most texts are one line. To look takes a fifth of the time, and a list of 20 submissions has 60 of them.
  /\s\s|[^\S ]|^ | $/.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text

/** A text, or its beginning and `…` if it has more UTF-16 units than this. */
export const atMost = (text: string, maxUnits: number): string =>
  text.length > maxUnits ? `${text.slice(0, maxUnits).toWellFormed()}…` : text

/** A text of someone else for a place among our own words: one line, without what could reorder the text around it. */
export const shownLine = (text: string, maxCharacters = 120): string => {
  const characters = [...visible(oneLine(text.slice(0, 8 * maxCharacters).toWellFormed()))]
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : characters.join('')
}
