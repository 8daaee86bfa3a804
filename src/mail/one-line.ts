import { visible } from '../visible.ts'

/** A text of somebody else for a place among our own words: one line, without what could reorder the text around it. */
export const oneLine = (text: string, maxCharacters = 120): string => {
  const cut = text
    .slice(0, 8 * maxCharacters)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = [...visible(cut)]
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : characters.join('')
}
