/** Markup that is safe to send. Only `html` makes it. */
export class Html {
  constructor(readonly markup: string) {}
}

type Value = string | number | Html | readonly Html[] | false | null | undefined

/** Template tag that escapes every value except markup that `html` itself made. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(String.raw({ raw: strings }, ...values.map(toMarkup)))

const toMarkup = (value: Value): string => {
  if (value instanceof Html) return value.markup
  if (Array.isArray(value)) return value.map(toMarkup).join('')
  if (value === false || value === null || value === undefined) return ''
  return Bun.escapeHTML(String(value))
}
