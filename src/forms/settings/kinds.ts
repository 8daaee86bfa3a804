import { httpUrlInWords, isHttpUrl, isText, type TextRule, textInWords } from '../../base/text-rules.ts'
import { accepted, type Kind, kind, orNull, refused } from './kind.ts'

// For the document: what `isText` and `isHttpUrl` accept, as far as a regular expression can say it that means the same
// in JavaScript, Python, Java, .NET, PCRE, RE2 and Ruby. All of them know `\x00`, but not all know `\u0000`. Above `\x7f`, it
// is a byte to some: Ruby refuses the expression, and PHP finds the byte inside `ß`.
export const textPattern = '^[^\\x00]*$'
export const visiblePattern = '^\\s*[^\\s\\x00][^\\x00]*$'
const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\x00-\\x1f\\x7f]+$'

/** The beginning of a URL with its host, for such an expression. */
export const hostPattern = '[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\x00-\\x1f\\x7f@/?#\\\\]+'

export const flag: Kind<boolean> = kind({
  isValid: (value) => typeof value === 'boolean',
  inWords: 'true or false',
  input: 'checkbox',
  toText: (value) => (value ? 'on' : ''),
  fromText: (text) => accepted(text === 'on'),
  schema: { type: 'boolean' },
})

interface Range {
  readonly min: number
  readonly max: number
}

export const integer = ({ min, max }: Range): Kind<number> => {
  const inWords = (most: number) => `a whole number from ${min} to ${most}`
  return kind({
    isValid: (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    inWords: inWords(max),
    input: 'number',
    toText: String,
    fromText(text, most = max) {
      const value = Number(text.trim())
      const isIn = /^\d{1,7}$/.test(text.trim()) && value >= min && value <= most
      return isIn ? accepted(value) : refused(`must be ${inWords(most)}`)
    },
    schema: { type: 'integer', minimum: min, maximum: max },
  })
}

const units = [
  ['MiB', 1024 * 1024],
  ['MB', 1_000_000],
  ['KiB', 1024],
  ['kB', 1000],
  ['bytes', 1],
] as const

/** A number of bytes, typed as `1.5 MiB`. */
export const size = (range: Range): Kind<number> => ({
  ...integer(range),
  input: 'text',
  toText: (bytes) => sizeInWords(bytes),
  fromText(text, most = range.max) {
    const [, digits, written = ''] = /^(\d{1,12}(?:\.\d{1,12})?)\s*([a-z]+)$/i.exec(text.trim()) ?? []
    const [, unit = Number.NaN] = units.find(([name]) => name.toLowerCase() === written.toLowerCase()) ?? []
    const value = Math.round(Number(digits) * unit)
    if (value >= range.min && value <= most) return accepted(value)
    return refused(`must be a size such as 500 KiB or 2 MiB, up to ${sizeInWords(most)}`)
  },
})

/** Bytes in the unit in which they are a whole number: `2 MiB`. */
export const sizeInWords = (bytes: number): string => {
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ['bytes', 1]
  return `${bytes / size} ${unit}`
}

/** Text without NUL and lone surrogates. If it must not be empty, it must not be only white space either. */
export const text = (rule: TextRule, input: 'text' | 'lines' = 'text'): Kind<string> =>
  kind({
    isValid: (value) => typeof value === 'string' && isText(rule, value),
    inWords: textInWords(rule),
    input,
    toText: (value) => value,
    fromText(typed) {
      const value = typed.trim()
      if (isText(rule, value)) return accepted(value)
      return refused(`must be ${textInWords(rule)}`, [...value].length)
    },
    schema: { type: 'string', ...rule, documented: { pattern: rule.minLength ? visiblePattern : textPattern } },
  })

export const textOrNull = (rule: TextRule, input: 'text' | 'lines' = 'text'): Kind<string | null> => ({
  ...orNull(text(rule, input)),
  fromText(typed) {
    const value = typed.trim()
    if (value === '') return accepted(null)
    if (isText(rule, value)) return accepted(value)
    return refused(`must be at most ${rule.maxLength} characters`, [...value].length)
  },
})

/** An absolute `http:` or `https:` URL. */
export const httpUrl = (rule: TextRule): Kind<string> =>
  kind({
    isValid: (value) => typeof value === 'string' && isHttpUrl(rule, value),
    inWords: httpUrlInWords(rule),
    input: 'url',
    toText: (value) => value,
    fromText(typed) {
      const value = typed.trim()
      if (isHttpUrl(rule, value)) return accepted(value)
      return refused(`must be ${httpUrlInWords(rule)}, such as https://example.com/thanks`)
    },
    schema: { type: 'string', format: 'uri', ...rule, documented: { pattern: urlPattern } },
  })

interface Normal {
  /** The text as it is stored; null if it cannot be. */
  readonly normal: (text: string) => string | null
  readonly inWords: string
  readonly schema: Readonly<Record<string, unknown>>
  /** The value that a typed text probably means. */
  readonly meant?: (typed: string) => string
}

/** A text with a rule of its own, and with one way to write it. */
export const normalText = ({ normal, inWords, schema, meant = (typed) => typed.trim() }: Normal): Kind<string> =>
  kind({
    isValid: (value) => typeof value === 'string' && normal(value) !== null,
    inWords,
    toStored: (sent) => normal(sent) ?? sent,
    input: 'text',
    toText: (value) => value,
    fromText(typed) {
      const value = normal(meant(typed))
      return value === null ? refused(`must be ${inWords}`) : accepted(value)
    },
    schema: { type: 'string', ...schema },
  })

/** One of a few words. */
export const choice = <const T extends string>(words: readonly T[]): Kind<T> & { readonly words: readonly T[] } => {
  const inWords = `one of ${words.join(', ')}`
  return {
    words,
    ...kind<T>({
      isValid: (value) => words.includes(value as T),
      inWords,
      input: 'text',
      toText: (value) => value,
      fromText(typed) {
        const value = words.find((word) => word === typed.trim())
        return value === undefined ? refused(`must be ${inWords}`) : accepted(value)
      },
      schema: { type: 'string', enum: [...words] },
    }),
  }
}

interface ListOptions {
  readonly max: number
  /** The name of its items in the API: `origins`. */
  readonly many: string
  /** The names of one item and of several where they are typed. */
  readonly typed: readonly [one: string, several: string]
  /** The problem of all items together: `must be at most 4000 characters in all`. */
  readonly together?: (values: readonly string[]) => string | undefined
}

/** Different texts, one a line. */
export const linesOf = (item: Kind<string>, options: ListOptions): Kind<readonly string[]> => {
  const {
    max,
    many,
    typed: [one, several],
    together = () => undefined,
  } = options
  return {
    problems(value) {
      const whole = { at: '', message: `must be an array of at most ${max} ${many}`, value }
      if (!Array.isArray(value)) return [whole]
      const inside = value.flatMap((text, position) =>
        item.problems(text).map((problem) => ({ ...problem, at: `/${position}${problem.at}` })),
      )
      if (value.length > max) return [whole, ...inside]
      const message = inside.length > 0 ? undefined : together(value)
      return message === undefined ? inside : [{ ...whole, message }]
    },
    toStored: (sent) => [...new Set(sent.map(item.toStored))],
    input: 'lines',
    isOptional: true,
    toText: (values) => values.join('\n'),
    fromText(text) {
      const lines = [...new Set(linesIn(text))].map((line) => ({ line, typed: item.fromText(line) }))
      for (const { line, typed } of lines)
        if (typed.state === 'refused') return refused(`each ${one} ${typed.message}`, quoted(line))
      if (lines.length > max) return refused(`must be at most ${max} ${several}`, lines.length)
      const value = lines.flatMap(({ typed }) => (typed.state === 'accepted' ? typed.value : []))
      const wrong = together(value)
      return wrong === undefined ? accepted(value) : refused(wrong)
    },
    schema: { type: 'array', maxItems: max, items: item.schema },
  }
}

/** The beginning of what was typed. */
export const quoted = (typed: string): string => JSON.stringify(typed.slice(0, 100).toWellFormed())

export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
