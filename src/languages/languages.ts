import { english } from './english.ts'
import { formats } from './formats.ts'
import { packed } from './packed.ts' with { type: 'macro' }
import type { Texts } from './texts.ts'

type ArgumentsIn<T> = T extends (...given: infer Arguments) => string
  ? { readonly count: Arguments['length'] }
  : T extends object
    ? { [Name in keyof T]: ArgumentsIn<T[Name]> }
    : unknown

/** A packed language. Compiles only if its texts have the names and arguments of the English ones, and there are no others. */
type Packed<T extends Texts> = ArgumentsIn<Texts> extends ArgumentsIn<T> ? string | Promise<string> : never

/** Runs a language (see packed.ts), which needs nothing but the formats. */
const load = async <T extends Texts>(program: Packed<T>): Promise<Texts> => {
  const bytes = Buffer.from((await program) as string, 'base64')
  return new Function('formats', Bun.zstdDecompressSync(bytes).toString())(formats)
}

/** The languages of visitors. Each is loaded when the first of them needs it. */
const loaders = {
  en: async (): Promise<Texts> => english,
  de: () => load<typeof import('./german.ts').german>(packed('german')),
  fr: () => load<typeof import('./french.ts').french>(packed('french')),
  es: () => load<typeof import('./spanish.ts').spanish>(packed('spanish')),
  it: () => load<typeof import('./italian.ts').italian>(packed('italian')),
  pt: () => load<typeof import('./portuguese.ts').portuguese>(packed('portuguese')),
  nl: () => load<typeof import('./dutch.ts').dutch>(packed('dutch')),
  pl: () => load<typeof import('./polish.ts').polish>(packed('polish')),
  cs: () => load<typeof import('./czech.ts').czech>(packed('czech')),
  sv: () => load<typeof import('./swedish.ts').swedish>(packed('swedish')),
  uk: () => load<typeof import('./ukrainian.ts').ukrainian>(packed('ukrainian')),
  tr: () => load<typeof import('./turkish.ts').turkish>(packed('turkish')),
  ar: () => load<typeof import('./arabic.ts').arabic>(packed('arabic')),
  ja: () => load<typeof import('./japanese.ts').japanese>(packed('japanese')),
  zh: () => load<typeof import('./chinese.ts').chinese>(packed('chinese')),
}

export type Language = keyof typeof loaders
export const languages = Object.keys(loaders) as Language[]

/** The name of a language in that language: `Deutsch`. */
export const nameOf = (language: Language): string => {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

const loaded = new Map<Language, Promise<Texts>>()

export const loadTexts = (language: Language): Promise<Texts> => {
  const texts = loaded.get(language) ?? loaders[language]()
  loaded.set(language, texts)
  return texts
}
