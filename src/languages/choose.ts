import { type Language, languages } from './languages.ts'

interface Wishes {
  /** The language that the visitor's page or link asks for: the field `_language`, or `?lang=`. */
  readonly asked?: Language | undefined
  /** Setting of the form. */
  readonly setting?: Language | null
  /** Says what the browser asks for, if it comes to that. */
  readonly accepted?: () => Language | null
}

/** The language of an answer. */
export const chooseLanguage = ({ asked, setting, accepted }: Wishes): Language =>
  asked ?? setting ?? accepted?.() ?? 'en'

/** The language that the header `Accept-Language` asks for; null if that is none of ours. */
export const acceptedLanguage = (header: string): Language | null => firstLanguage(preferred(header)) ?? null

/** The first of these tags that is one of our languages, among the first 20: anyone may send thousands. */
export const firstLanguage = (tags: readonly string[]): Language | undefined => {
  for (const tag of tags.slice(0, maxEntries)) {
    const language = toLanguage(tag)
    if (language) return language
  }
  return undefined
}

/** The language of a tag such as `pt-BR` or `zh_Hant_TW`. */
const toLanguage = (tag: string): Language | undefined => {
  const [, first] = /^\s*([a-z]{2})(?:[-_].{0,60})?\s*$/is.exec(tag.slice(0, 100)) ?? []
  return languages.find((language) => language === first?.toLowerCase())
}

/** Anyone may send a list of 64 kB. */
const maxCharacters = 1000
const maxEntries = 20

/** The tags of the list, the most wanted first (RFC 9110 section 12.5.4), without those that are not wanted. */
const preferred = (header: string): readonly string[] =>
  header
    .slice(0, maxCharacters)
    .split(',', maxEntries)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0 && weight <= 1)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
