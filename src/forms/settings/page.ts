import { isObject } from '../../base/json.ts'
import { accepted, type Kind, type Typed } from './kind.ts'
import { flag, textOrNull } from './kinds.ts'
import type { PageSettings } from './settings.ts'

/** The members, with their rules and defaults. */
const members = {
  title: { kind: textOrNull({ minLength: 1, maxLength: 255 }), preset: null, description: 'Null for that of the form' },
  text: {
    kind: textOrNull({ minLength: 1, maxLength: 2000 }, 'lines'),
    preset: null,
    description: 'Plain text above the form. An empty line begins a paragraph, and an `https://…` becomes a link.',
  },
  button: { kind: textOrNull({ minLength: 1, maxLength: 40 }), preset: null, description: 'Null for “Send”' },
  frame: {
    kind: flag,
    preset: false,
    description: 'Whether pages of `allowedOrigins`, which must not be empty then, may have it in an iframe',
  },
} as const

const names = Object.keys(members) as (keyof PageSettings)[]

const kindOf = (name: keyof PageSettings): Kind<unknown> => members[name].kind as Kind<unknown>

const inWords = 'null, or an object with `title`, `text`, `button` (texts, or null) and `frame` (true or false)'

/** Whether there is a page, and what was typed: the text of an input, or whether it is ticked. */
export type TypedPage = { readonly on: boolean } & {
  readonly [Name in keyof PageSettings]: PageSettings[Name] extends boolean ? boolean : string
}

/** The page of a form, or null. The text form is JSON of what was typed. */
export const page: Kind<PageSettings | null, Partial<PageSettings> | null> = {
  problems(value) {
    if (value === null) return []
    if (!isObject(value)) return [{ at: '', message: `must be ${inWords}`, value }]
    return names.flatMap((name) =>
      value[name] === undefined
        ? []
        : kindOf(name)
            .problems(value[name])
            .map((problem) => ({ ...problem, at: `/${name}${problem.at}` })),
    )
  },
  /** Without other members that a client sent. */
  toStored: (sent) =>
    sent && (Object.fromEntries(names.map((name) => [name, sent[name] ?? members[name].preset])) as never),
  input: 'own',
  isOptional: true,
  toText: (value) =>
    JSON.stringify(
      typedPage((name) =>
        name === 'on' ? flag.toText(value !== null) : kindOf(name).toText(value?.[name] ?? members[name].preset),
      ),
    ),
  fromText: (text) => fromTyped(JSON.parse(text)),
  schema: {
    name: 'FormPage',
    type: 'object',
    nullable: true,
    documented: {
      properties: Object.fromEntries(
        names.map((name) => {
          const { kind, description } = members[name]
          return [name, { ...kind.schema, description }]
        }),
      ),
    },
  },
}

/** What was typed, in the order of the text form. @param textOf the text of an input; `on` if it is ticked */
export const typedPage = (textOf: (name: keyof TypedPage) => string): TypedPage =>
  Object.fromEntries(
    (['on', ...names] as const).map((name) => {
      const text = textOf(name).replaceAll(/\r\n?/g, '\n').trim()
      return [name, name === 'on' || kindOf(name).input === 'checkbox' ? text === 'on' : text]
    }),
  ) as TypedPage

/** The first text that the page cannot have; undefined if it is none of them that is wrong. */
export const wrongTextOf = (typed: TypedPage): keyof PageSettings | undefined =>
  names.find((name) => valueIn(typed, name).state === 'refused')

const valueIn = (typed: TypedPage, name: keyof PageSettings): Typed<unknown> => {
  const value = typed[name]
  return typeof value === 'string' ? kindOf(name).fromText(value) : accepted(value)
}

const fromTyped = (typed: TypedPage): Typed<PageSettings | null> => {
  if (!typed.on) return accepted(null)
  const values: Partial<Record<keyof PageSettings, unknown>> = {}
  for (const name of names) {
    const parsed = valueIn(typed, name)
    if (parsed.state === 'refused') return parsed
    values[name] = parsed.value
  }
  return accepted(values as PageSettings)
}
