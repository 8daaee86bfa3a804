/**
 * Numbers, times and lists as a language writes them. Created when a text first needs one: that takes 7 ms.
 *
 * @param units whether it writes “megabytes” instead of “MB”
 */
export const formats = (tag: string, units: 'short' | 'long' = 'short') => {
  const inUnit = (unit: string, unitDisplay = units) => {
    let format: Intl.NumberFormat | undefined
    return (amount: number): string => {
      format ??= new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
      return format.format(amount)
    }
  }
  const [megabytes, kilobytes, bytes] = [inUnit('megabyte'), inUnit('kilobyte'), inUnit('byte', 'long')]
  let moments: Intl.DateTimeFormat | undefined
  let lists: Intl.ListFormat | undefined
  let choices: Intl.ListFormat | undefined
  let numbers: Intl.NumberFormat | undefined
  let exactNumbers: Intl.NumberFormat | undefined
  let days: Intl.DateTimeFormat | undefined

  /** `a, b and c` */
  const list = (words: readonly string[]): string => {
    lists ??= new Intl.ListFormat(tag, { type: 'conjunction' })
    return lists.format(words)
  }

  return {
    /** A limit of bytes as people know it, never more than it is: `10 MB` for 10 MiB. */
    size(amount: number): string {
      if (amount >= megabyte) return megabytes(Math.floor((10 * amount) / megabyte) / 10)
      return amount >= kilobyte ? kilobytes(Math.floor(amount / kilobyte)) : bytes(amount)
    },

    /** A date and time in UTC, which it says. @param at Unix time in milliseconds */
    moment(at: number): string {
      moments ??= new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
      return `${moments.format(at)} UTC`
    },

    /** A day in words. @param date such as `2026-12-31` */
    day(date: string): string {
      days ??= new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' })
      return days.format(Date.parse(date))
    },

    list,

    /**
     * Kinds of files: first those with a word of their own, then the names of all others, which share one word for files:
     * `images, PNG and GIF files`.
     */
    kinds(
      kinds: readonly string[],
      groups: Readonly<Record<string, string>>,
      toWords: (name: string, isFirst: boolean, isLast: boolean) => string,
    ): string {
      const names = kinds.filter((one) => groups[one] === undefined)
      const words = names.map((name, position) => toWords(name, position === 0, position === names.length - 1))
      return list([...kinds.flatMap((one) => groups[one] ?? []), ...words])
    },

    /** `a, b or c` */
    either(words: readonly string[]): string {
      choices ??= new Intl.ListFormat(tag, { type: 'disjunction' })
      return choices.format(words)
    },

    number(number: number): string {
      numbers ??= new Intl.NumberFormat(tag)
      return numbers.format(number)
    },

    /** A number with all its digits, as a visitor may type it: a mark between groups would be read as one for decimals. */
    exact(number: number): string {
      exactNumbers ??= new Intl.NumberFormat(tag, { useGrouping: false, maximumFractionDigits: 20 })
      return exactNumbers.format(number)
    },
  }
}

const kilobyte = 1024
const megabyte = 1024 * kilobyte
