import { english } from './english.ts'
import type { Texts } from './texts.ts'

/** A language whose texts have the names and arguments of the English ones, and no others. */
const complete = <T extends Texts>(texts: ArgumentsIn<Texts> extends ArgumentsIn<T> ? T : never): Texts => texts

type ArgumentsIn<T> = T extends (...given: infer Arguments) => string
  ? { readonly count: Arguments['length'] }
  : T extends object
    ? { [Name in keyof T]: ArgumentsIn<T[Name]> }
    : unknown

/** The languages of visitors. Each is loaded when the first of them needs it. */
const loaders = {
  en: async () => english as Texts,
  de: async () => complete((await import('./german.ts')).german),
  fr: async () => complete((await import('./french.ts')).french),
  es: async () => complete((await import('./spanish.ts')).spanish),
  it: async () => complete((await import('./italian.ts')).italian),
  pt: async () => complete((await import('./portuguese.ts')).portuguese),
  nl: async () => complete((await import('./dutch.ts')).dutch),
  pl: async () => complete((await import('./polish.ts')).polish),
  cs: async () => complete((await import('./czech.ts')).czech),
  sv: async () => complete((await import('./swedish.ts')).swedish),
  uk: async () => complete((await import('./ukrainian.ts')).ukrainian),
  tr: async () => complete((await import('./turkish.ts')).turkish),
  ar: async () => complete((await import('./arabic.ts')).arabic),
  ja: async () => complete((await import('./japanese.ts')).japanese),
  zh: async () => complete((await import('./chinese.ts')).chinese),
}

export type Language = keyof typeof loaders
export const languages = Object.keys(loaders) as Language[]

export const loadTexts = (language: Language): Promise<Texts> => loaders[language]()
