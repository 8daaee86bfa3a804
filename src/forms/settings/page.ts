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
const texts = ['title', 'text', 'button'] as const

const kindOf = (name: keyof PageSettings): Kind<unknown> => members[name].kind as Kind<unknown>

const inWords = 'null, or an object with `title`, `text`, `button` (texts, or null) and `frame` (true or false)'

/** The typed texts. */
export interface TypedPage {
  readonly on: boolean
  readonly title: string
  readonly text: string
  readonly button: string
  readonly frame: boolean
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
    pageAsText({
      on: value !== null,
      title: value?.title ?? '',
      text: value?.text ?? '',
      button: value?.button ?? '',
      frame: value?.frame ?? false,
    }),
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

/** The text form of what was typed. */
export const pageAsText = ({ on, title, text, button, frame }: TypedPage): string =>
  JSON.stringify({
    on,
    title: title.trim(),
    text: text.replaceAll(/\r\n?/g, '\n').trim(),
    button: button.trim(),
    frame,
  })

/** The first text that the page cannot have; undefined if it is none of them that is wrong. */
export const wrongTextOf = (typed: TypedPage): (typeof texts)[number] | undefined =>
  texts.find((name) => members[name].kind.fromText(typed[name]).state === 'refused')

const fromTyped = (typed: TypedPage): Typed<PageSettings | null> => {
  if (!typed.on) return accepted(null)
  const values = { title: null, text: null, button: null, frame: typed.frame } as {
    -readonly [Name in keyof PageSettings]: PageSettings[Name]
  }
  for (const name of texts) {
    const parsed = members[name].kind.fromText(typed[name])
    if (parsed.state === 'refused') return parsed
    values[name] = parsed.value
  }
  return accepted(values)
}
