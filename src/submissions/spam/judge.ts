import { parseOnce } from '../../base/parse-once.ts'
import { isText } from '../../base/text-rules.ts'
import { type FormSettings, termRule } from '../../forms/settings/settings.ts'
import type { Field, SentSubmission } from '../fields.ts'
import { isFile } from '../files/sent-file.ts'
import { textIn } from '../sent-fields.ts'
import { foldText, termSearch } from './terms.ts'

/**
 * Judges whether what was sent to a form is spam, and by which signal; undefined if it is not. Looks at each character a
 * few times, whatever the rules are. Of control fields, only the subject counts: the page made the others up.
 */
export const judge = (
  { blockedTerms, maxLinks }: Pick<FormSettings, 'blockedTerms' | 'maxLinks'>,
  { fields, control }: SentSubmission,
): 'honeypot' | 'terms' | 'links' | undefined => {
  if (control.isTrapFilled) return 'honeypot'
  if (blockedTerms.length === 0 && maxLinks === null) return undefined
  const texts: string[] = control.subject === undefined ? [] : [foldText(control.subject)]
  for (const { json } of fields) addTexts(json, texts)
  if (blockedTerms.length > 0 && foundIn(texts, blockedTerms) !== -1) return 'terms'
  return maxLinks !== null && hasMoreLinks(texts, maxLinks) ? 'links' : undefined
}

/**
 * A blocked term in fields of a submission, for the owner who asks why it is spam. Undefined if there is none, because it
 * was in the subject, which is not stored, or is no longer blocked.
 */
export const blockedTermIn = (
  { blockedTerms }: Pick<FormSettings, 'blockedTerms'>,
  fields: readonly Pick<Field, 'json'>[],
): string | undefined => {
  if (blockedTerms.length === 0) return undefined
  const texts: string[] = []
  for (const { json } of fields) addTexts(json, texts)
  return blockedTerms[foundIn(texts, blockedTerms)]
}

/** The position of a term that one of the texts has in it, or -1. */
const foundIn = (texts: readonly string[], terms: readonly string[]): number => {
  const search = searchFor(textOf(terms))
  for (const text of texts) {
    const found = search(text)
    if (found !== -1) return found
  }
  return -1
}

/** Settings come from memory, so the list is mostly the same object. To join 200 terms takes 6 µs. */
const textOf = (terms: readonly string[]): string => {
  const text = knownTexts.get(terms) ?? terms.join(separator)
  knownTexts.set(terms, text)
  return text
}
const knownTexts = new WeakMap<readonly string[], string>()

/** No term has one. */
const separator = '\0'

/** Searches take up to 80 bytes for each character: 16 MB, enough for 50 forms with the longest terms. */
const maxRememberedCharacters = 200_000

const searchFor = parseOnce((terms) => termSearch(terms.split(separator).map(foldText)), maxRememberedCharacters)

/** Adds the texts in a value, at any depth, folded. Of a file, its name. */
const addTexts = (json: string, texts: string[]): void => {
  const add = (value: unknown): void => {
    if (typeof value === 'string') texts.push(foldText(value))
    else if (isFile(value)) add(value.filename)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(add)
  }
  if (json[0] === '"' && !json.includes('\\')) add(json.slice(1, -1))
  else if (json.includes('"')) add(JSON.parse(json))
}

/** Links in text in lower case. A pattern for both takes 10 times as long. */
const hasMoreLinks = (texts: readonly string[], maxLinks: number): boolean => {
  let count = 0
  for (const text of texts) {
    for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3))
      if ((text.startsWith('http', at - 4) || text.startsWith('https', at - 5)) && ++count > maxLinks) return true
    for (let at = text.indexOf('www.'); at !== -1; at = text.indexOf('www.', at + 4))
      // After an @, as in `ada@www.example.com`, it begins no link.
      if ((at === 0 || /[^\w./@]/.test(text[at - 1] as string)) && ++count > maxLinks) return true
  }
  return false
}

/** The first e-mail address, or else the host of the first link: people send from the same ones again. */
export const likelyTerm = (fields: readonly Pick<Field, 'json'>[]): string => {
  const texts = fields.flatMap(({ json }) => (json.length < 20_000 ? (textIn(json) ?? []) : []))
  for (const pattern of [/[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/i, /(?<=:\/\/)[a-z0-9.-]{1,100}/i])
    for (const text of texts) {
      const found = pattern.exec(text.slice(0, 2000))?.[0]
      if (found !== undefined && isText(termRule, found)) return found
    }
  return ''
}
