// What a form has, as TOML 1.0: texts, whole numbers, booleans, lists and tables. The parser has a writer, too, but none
// that keeps long texts readable.

/** A table with its values, a line or more for each. */
export const tomlTable = (path: readonly string[], values: Values): string[] => [
  `[${path.map(tomlKey).join('.')}]`,
  ...linesOf(values),
]

/** The TOML of one of a list of tables. */
export const tomlItem = (path: readonly string[], values: Values): string[] => [
  `[[${path.map(tomlKey).join('.')}]]`,
  ...linesOf(values),
]

type Values = Readonly<Record<string, unknown>>

const linesOf = (values: Values): string[] => Object.entries(values).map(([name, value]) => tomlLine(name, value))

export const tomlLine = (name: string, value: unknown): string => `${tomlKey(name)} = ${toToml(value, true)}`

const tomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : quoted(name))

const toToml = (value: unknown, isOutermost = false): string => {
  if (typeof value === 'string') return isOutermost && value.includes('\n') ? inLines(value) : quoted(value)
  if (Array.isArray(value)) return listOf(value.map((item) => toToml(item)))
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([name, inside]) => `${tomlKey(name)} = ${toToml(inside)}`)
    .join(', ')} }`
}

const lineLength = 100

const listOf = (items: readonly string[]): string => {
  const line = `[${items.join(', ')}]`
  return line.length <= lineLength ? line : `[\n${items.map((item) => `  ${item},\n`).join('')}]`
}

const quoted = (text: string): string => `"${escaped(text).replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

/** Three quotation marks would end it. One or two before the end are part of the text. */
const inLines = (text: string): string => `"""\n${escaped(text).replaceAll(/"(?="")/g, '\\"')}"""`

/** Also what cannot be seen, or reorders the text around it. Line breaks stay. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(/(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) => {
      if (character === '\t') return '\\t'
      if (character === '\r') return '\\r'
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
