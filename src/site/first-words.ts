import { oneLine } from '../short-text.ts'
import type { FoundSubmissions, StoredSubmission } from '../submissions/submission-reads.ts'
import { visible } from '../visible.ts'
import { firstFields } from './submitted-fields.ts'

interface FirstWords {
  /** The first text that was sent, which is usually a name. */
  readonly who: string
  /** The longest of the other texts; of those with several words, if there are any. */
  readonly words: string
}

/** What a list shows of a submission in one line. */
export const firstWords = (found: FoundSubmissions): FirstWords => {
  const { fields, isWhole } = firstFields(found, found.submissions[0] as StoredSubmission)
  const texts = fields.filter(({ json }) => json.startsWith('"')).map(({ json }): string => JSON.parse(json))
  const [who, ...others] = texts.filter((text) => text.trim() !== '')
  if (who === undefined && !isWhole) return { who: '', words: 'More than 64 KiB' }
  if (fields.every(({ json }) => isEmpty(json))) return { who: '', words: 'Nothing was filled in' }
  if (who === undefined)
    return { who: '', words: cut(`{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`) }
  const sentences = others.filter((text) => /\s/.test(text.trim()))
  return { who: cut(who), words: cut(longest(sentences.length > 0 ? sentences : others)) }
}

const isEmpty = (json: string): boolean => json === 'null' || /^"\s*"$/.test(json)

const longest = (texts: readonly string[]): string =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), '')

/** More than any screen shows of it. */
const maxCharacters = 200

const cut = (text: string): string =>
  visible(oneLine(text.slice(0, 4 * maxCharacters)).slice(0, maxCharacters)).toWellFormed()
