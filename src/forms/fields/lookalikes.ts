import { readFileSync } from 'node:fs'
import confusables from 'unhomoglyph/data.json' with { type: 'file' }

// Small capitals, and an omega, that the table has as letters of their own.
const capitals = ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴘʀᴛᴜᴠʏᴢω', 'abcdefghijklmnprtuvyzw'] as const
/** White letters on dark circles and squares, and those of flags: where each alphabet begins. */
const alphabets = [0x1f150, 0x1f170, 0x1f1e6]
const signs: Readonly<Record<string, string>> = { '0': 'o', '@': 'a', $: 's' }

let table: ReadonlyMap<string, string> | undefined

/**
 * Small ASCII letters by what looks like them, from the table of confusable characters of Unicode (UTS 39). It takes some
 * milliseconds to read, so that is left until someone writes such a character.
 */
const lettersBySight = (): ReadonlyMap<string, string> => {
  if (table) return table
  const skeletons: Readonly<Record<string, string>> = JSON.parse(readFileSync(confusables as unknown as string, 'utf8'))
  const letters = new Map<string, string>()
  for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') {
    const skeleton = skeletons[letter] ?? letter
    // A capital I has that of a small l.
    if (!letters.has(skeleton)) letters.set(skeleton, letter === 'I' ? 'l' : letter)
  }
  const bySight = new Map(Array.from(capitals[0], (seen, place) => [seen, capitals[1].charAt(place)]))
  for (const [seen, skeleton] of Object.entries(skeletons)) {
    const letter = letters.get(skeleton.replaceAll(/[^a-z]/gi, ''))
    if (letter !== undefined && seen > '\x7f') bySight.set(seen, letter)
  }
  table = bySight
  return bySight
}

const letterFor = (character: string): string | undefined => {
  const code = character.codePointAt(0) ?? 0
  const start = alphabets.find((first) => code >= first && code < first + 26)
  return start === undefined ? lettersBySight().get(character) : String.fromCharCode(0x61 + code - start)
}

/** What has no letter itself may be made of some that have: `ⅩⅣ`. */
const toLetters = (character: string): string =>
  letterFor(character) ?? Array.from(character.normalize('NFKD'), (part) => letterFor(part) ?? part).join('')

/** Latin letters in words of Cyrillic ones, and what they look like there: `Пapoль`. */
const [latin, cyrillic] = ['aceikmoptxyABCEHIKMOPTXY', 'асеікмортхуАВСЕНІКМОРТХУ']

const toCyrillic = (text: string): string =>
  text.replaceAll(/[\p{L}\p{M}]+/gu, (word) =>
    /\p{Script=Cyrillic}/u.test(word)
      ? word.replaceAll(/[a-z]/gi, (letter) => cyrillic[latin.indexOf(letter)] ?? letter)
      : word,
  )

const isAscii = /^[\0-\x7f]*$/
const lookalike = /[^\0-\x7f\p{M}]|[a-zA-Z][01|@$]|[A-Z]l[A-Z]/u
const signsInWords = /(?<=\p{L})[01|@$]{1,3}(?=\p{L})/gu

/**
 * A text as people see it, in up to five readings: without what no one sees, and in ASCII letters where it has characters
 * that look like them, some of which may be `l` or `i`; the same in small letters, because a word of letters from several
 * alphabets may look as if it began in its middle; and in Cyrillic letters where it has some. None if there is nothing to
 * change.
 */
export const asSeen = (text: string): string[] => {
  if (isAscii.test(text) && !lookalike.test(text)) return []
  const shown = text.normalize('NFD').replaceAll(/[\p{Cf}\p{DI}]/gu, '')
  if (!lookalike.test(shown)) return [shown]
  const readings = ['l', 'i'].map((bar) =>
    shown
      .replaceAll(/[^\0-\x7f]/gu, (character) => {
        const letters = toLetters(character)
        return letters === 'l' ? bar : letters
      })
      .replaceAll(signsInWords, (found) => Array.from(found, (sign) => signs[sign] ?? bar).join(''))
      .replaceAll(/(?<=[A-Z])l(?=[A-Z])/g, bar),
  )
  return [...new Set([...readings.flatMap((one) => [one, one.toLowerCase()]), toCyrillic(shown)])]
}
