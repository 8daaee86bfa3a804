import { type AppError, collecting, type Issue } from '../base/errors.ts'
import type { InputErrors } from '../html/labelled-input.ts'

type Parsers = Readonly<Record<string, () => unknown>>
type Parsed<P extends Parsers> = { [Name in keyof P]: ReturnType<P[Name]> }

export type Inputs<Values> =
  | { readonly state: 'valid'; readonly values: Values }
  | { readonly state: 'invalid'; readonly errors: InputErrors }

/** Parses each input of a form. Returns all values, or the error of each input, to be shown next to it. */
export const parseInputs = <P extends Parsers>(parsers: P): Inputs<Parsed<P>> => {
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const [name, parse] of Object.entries(parsers)) {
    const issues: Issue[] = []
    values[name] = collecting(issues, parse)
    if (issues.length > 0) errors[name] = issues.map(toSentence).join(' ')
  }
  return Object.keys(errors).length > 0 ? { state: 'invalid', errors } : { state: 'valid', values: values as Parsed<P> }
}

/** The errors that a store found in the inputs. */
export const errorsOf = ({ issues }: AppError): InputErrors =>
  Object.fromEntries(issues.map((issue) => [issue.field ?? '', toSentence(issue)]))

/** Does not name the field, which stands above the message. */
const toSentence = ({ message }: Issue): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
