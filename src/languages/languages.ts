import { english } from './english.ts'
import type { Texts } from './texts.ts'

type ArgumentsIn<T> = T extends (...given: infer Arguments) => string
  ? { readonly count: Arguments['length'] }
  : T extends object
    ? { [Name in keyof T]: ArgumentsIn<T[Name]> }
    : unknown

/** Compiles only if the texts have the names and arguments of the English ones, and there are no others. */
const load = <T extends Texts>(
  texts: () => Promise<ArgumentsIn<Texts> extends ArgumentsIn<T> ? T : never>,
): (() => Promise<Texts>) => texts

/** The languages of visitors. Each is loaded when the first of them needs it. */
const loaders = {
  en: async (): Promise<Texts> => english,
  de: load(async () => (await import('./german.ts')).german),
  fr: load(async () => (await import('./french.ts')).french),
  es: load(async () => (await import('./spanish.ts')).spanish),
  it: load(async () => (await import('./italian.ts')).italian),
  pt: load(async () => (await import('./portuguese.ts')).portuguese),
  nl: load(async () => (await import('./dutch.ts')).dutch),
  pl: load(async () => (await import('./polish.ts')).polish),
  cs: load(async () => (await import('./czech.ts')).czech),
  sv: load(async () => (await import('./swedish.ts')).swedish),
  uk: load(async () => (await import('./ukrainian.ts')).ukrainian),
  tr: load(async () => (await import('./turkish.ts')).turkish),
  ar: load(async () => (await import('./arabic.ts')).arabic),
  ja: load(async () => (await import('./japanese.ts')).japanese),
  zh: load(async () => (await import('./chinese.ts')).chinese),
}

export type Language = keyof typeof loaders
export const languages = Object.keys(loaders) as Language[]

/** The name of a language in that language: `Deutsch`. */
export const nameOf = (language: Language): string => {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

export const loadTexts = (language: Language): Promise<Texts> => loaders[language]()
