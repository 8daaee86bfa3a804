/** The text of a cell. What XML cannot have is escaped in it, such as `_x000D_` (ECMA-376 part 1, 22.4.2.4). */
export const plainText = (written: string): string =>
  written.includes('_x')
    ? written.replaceAll(/_x([0-9a-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : written

/** How a cell shows its number; undefined if it is the number. */
export type NumberStyle = 'date' | 'dateTime' | 'time' | { readonly digits: number }

/** Of a format without a code: ECMA-376 part 1, 18.8.30, with those of Chinese and Japanese. */
export const builtInStyle = (id: number): NumberStyle | undefined => {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'date'
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47)) return 'time'
  return id === 22 ? 'dateTime' : undefined
}

/** Excel's limit. */
const maxCodeCharacters = 255

/** @param code of a format, such as `dd/mm/yyyy hh:mm`; a longer one than Excel's is none */
export const styleOf = (code: string): NumberStyle | undefined => {
  if (code.length > maxCodeCharacters) return undefined
  const [first = ''] = code.replaceAll(/"[^"]*"|\\.|[_*]./g, '').split(';')
  if (/^0{2,20}$/.test(first)) return { digits: first.length }
  if (/^\s*(general|standard)\s*$/i.test(first)) return undefined
  // Colours, languages and currencies, but not `[h]`. It must end at the next `[`: to look for `]` from each takes squared time.
  const letters = first.replaceAll(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '').replaceAll(/am\/pm|a\/p/gi, 'h')
  const [hasDay, hasTime] = [/[yde]/i.test(letters) && !/0e[+-]/i.test(letters), /[hs]/i.test(letters)]
  if (hasDay) return hasTime ? 'dateTime' : 'date'
  if (hasTime) return 'time'
  return /m/i.test(letters) ? 'date' : undefined
}

/**
 * A number as text, as the cell shows it or nearly so: a date as `2026-03-04` or `2026-03-04 14:05:06`.
 *
 * @param written as in the file @param is1904 whether days are counted from 1904
 */
export const shownNumber = (written: string, style: NumberStyle | undefined, is1904: boolean): string => {
  const number = Number(written)
  if (typeof style === 'object' && /^\d+$/.test(written)) return written.padStart(style.digits, '0')
  if (typeof style === 'string') return shownDate(number, style, is1904) ?? shortest(written, number)
  return shortest(written, number)
}

/** Programs write 17 digits of what they show with 15, such as 1.1000000000000001. A long number that is written out stays. */
const shortest = (written: string, number: number): string =>
  /^-?\d+$/.test(written) || !Number.isFinite(number) ? written : String(Number(number.toPrecision(15)))

const dayMilliseconds = 86_400_000
/** 9999-12-31 */
const maxDay = 2_958_466
/** Counted from 1900, the day before 1 March 1900 is one that there was not: in Excel, that year is a leap year. */
const noDay = 60

const shownDate = (days: number, style: Exclude<NumberStyle, object>, is1904: boolean): string | undefined => {
  if (!(days >= 0 && days < maxDay)) return undefined
  const milliseconds = Math.round(days * dayMilliseconds)
  const isWhole = milliseconds % dayMilliseconds === 0
  if (style === 'time' && days < 1000) return clock(milliseconds)
  if (!is1904 && Math.floor(milliseconds / dayMilliseconds) === noDay) return `1900-02-29`
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < noDay ? 31 : 30)
  const iso = new Date(epoch + milliseconds).toISOString()
  if (isWhole && style === 'date') return iso.slice(0, 10)
  return iso.replace('T', ' ').replace(/(?:\.000)?Z$/, '')
}

const clock = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return (parts[2] === 0 ? parts.slice(0, 2) : parts).map((part) => String(part).padStart(2, '0')).join(':')
}
