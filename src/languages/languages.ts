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
}

export type Language = keyof typeof loaders
export const languages = Object.keys(loaders) as Language[]

export const loadTexts = (language: Language): Promise<Texts> => loaders[language]()
