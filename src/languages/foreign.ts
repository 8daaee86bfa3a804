/** First strong isolate, and pop directional isolate: what is between them has its own direction. */
const [begin, end] = ['\u2068', '\u2069']

/** A text of someone else that may be part of a sentence of ours: the title of a form, the name of a file, an address. */
export type Foreign = string & { readonly isForeign: true }

/** Marks such a text, so that it is shown in its own direction. */
export const foreign = (text: string): Foreign => `${begin}${text.replaceAll(/[\u2066-\u2069]/g, '')}${end}` as Foreign

/** The parts of a sentence, in turn ours and someone else's. */
export const partsOf = (sentence: string): readonly string[] =>
  sentence.includes(begin) ? sentence.replaceAll(end, begin).split(begin) : [sentence]
