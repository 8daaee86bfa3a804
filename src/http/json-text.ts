import type { Exchange } from './exchange.ts'

/** Answers with JSON that is text already, with the content type that Elysia would not guess. */
export const jsonText = ({ headers }: Exchange, text: string): string => {
  headers['content-type'] = 'application/json'
  return text
}
