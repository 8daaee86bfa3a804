import { isControlField, subjectField } from '../forms/control-fields.ts'
import { parseOnce } from '../forms/parse-once.ts'
import type { FormSettings } from '../forms/settings.ts'
import { isFile } from '../submissions/sent-file.ts'
import { foldCase, termSearch } from './term-search.ts'

/** A field of a submission. */
interface Sent {
  readonly name: string
  /** The value as JSON. */
  readonly json: string
}

type Rules = Pick<FormSettings, 'blockedTerms' | 'maxLinks' | 'honeypot'>

/**
 * Why what was sent to a form is spam; null if it is none. Looks at each character a few times, whatever the rules are.
 * Of control fields, only the subject counts: the page made the others up, and a proof of work may contain any short term.
 */
export const judge = (
  { blockedTerms, maxLinks, honeypot }: Rules,
  fields: readonly Sent[],
): 'terms' | 'links' | null => {
  if (blockedTerms.length === 0 && maxLinks === null) return null
  const written = fields.filter(({ name }) => name === subjectField || !isControlField(name, honeypot))
  const texts = written.flatMap(({ json }) => textsIn(json)).map(foldCase)
  if (blockedTerms.length > 0 && foundIn(texts, blockedTerms) !== -1) return 'terms'
  return maxLinks !== null && hasMoreLinks(texts, maxLinks) ? 'links' : null
}

/**
 * A blocked term in fields of a submission, for the owner who asks why it is spam. Undefined if there is none, because it
 * was in the subject, which is not kept, or is no longer blocked.
 */
export const blockedTermIn = (
  { blockedTerms }: Pick<FormSettings, 'blockedTerms'>,
  fields: readonly Pick<Sent, 'json'>[],
): string | undefined =>
  blockedTerms.length === 0
    ? undefined
    : blockedTerms[foundIn(fields.flatMap(({ json }) => textsIn(json)).map(foldCase), blockedTerms)]

/** The position of a term that one of the texts has in it, or -1. */
const foundIn = (texts: readonly string[], terms: readonly string[]): number => {
  const search = searchFor(textOf(terms))
  for (const text of texts) {
    const found = search(text)
    if (found !== -1) return found
  }
  return -1
}

/** Few, because the states for a term take about 300 bytes for each character. */
const maxRememberedCharacters = 50_000

const searchFor = parseOnce(
  (json) => termSearch((JSON.parse(json) as string[]).map((term) => foldCase(term))),
  maxRememberedCharacters,
)

/** Settings come from memory, so the list is mostly the same object. To make the text of 200 terms takes 15 µs. */
const textOf = (terms: readonly string[]): string => {
  const text = knownTexts.get(terms) ?? JSON.stringify(terms)
  knownTexts.set(terms, text)
  return text
}
const knownTexts = new WeakMap<readonly string[], string>()

/** The texts in a value, at any depth. Of a file that was sent, its name: its content is no text. */
const textsIn = (json: string): string[] => {
  if (json[0] === '"') return [json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)]
  if (!json.includes('"')) return []
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (isFile(value)) texts.push(value.filename)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  collect(JSON.parse(json))
  return texts
}

/** In text in lower case. A pattern for both takes 10 times as long. */
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
