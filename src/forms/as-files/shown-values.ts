import { atMost } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'

const maxCharacters = 200

/** A value of a file as the operator sees it, in one line. */
export const shown = (value: unknown): string =>
  value === null || value === undefined ? 'none' : visible(atMost(JSON.stringify(value), maxCharacters))

export const difference = (before: unknown, after: unknown): string => `${shown(before)} → ${shown(after)}`

/** Where a webhook leads, as far as that is no secret: some services have one in the path. */
export const shownPlace = (url: string): string => {
  const { origin, href } = new URL(url)
  return href === `${origin}/` ? origin : `${origin}/…`
}

/** `title`, or with quotation marks where the name cannot stand by itself. */
export const pathOf = (...names: readonly (string | number)[]): string =>
  names
    .map((name) => (/^[\w-]+$/.test(String(name)) ? name : visible(atMost(JSON.stringify(name), maxCharacters))))
    .join('.')

/** A rule of the API in words for a file. TOML has no null: what is to have none is left out. */
export const withoutNull = (message: string): string =>
  message.replace(/, or null$/, ', or be left out').replace(/^must be null(?=, or |: )/, 'must be left out')
