import type { Context } from 'elysia'

/** Answers with JSON that is text already: `set` gets the content type that Elysia would not guess. */
export const jsonText = (set: Context['set'], text: string): string => {
  set.headers['content-type'] = 'application/json'
  return text
}
