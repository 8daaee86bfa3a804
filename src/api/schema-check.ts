import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler, type ValueError } from '@sinclair/typebox/compiler'
import { type Issue, invalid } from '../base/errors.ts'
import { isCleanText } from '../base/text-rules.ts'
import { problemsWith } from './kind-schema.ts'
import type { QueryParameters } from './operation.ts'

/**
 * A function that returns a value that matches the schema, and throws the AppError `invalid` for any other. Members that
 * the schema does not name are ignored, so that a client can send back a form that it has read. The schema is compiled
 * when it is first needed, because most servers never need all of them and should start quickly.
 */
export const schemaCheck = <T extends TSchema>(schema: T, part: 'query' | 'body'): ((value: unknown) => Static<T>) => {
  let compiled: TypeCheck<T> | undefined
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema)
    if (compiled.Check(value)) return value
    throw invalid(...toIssues(compiled.Errors(value), part))
  }
}

/**
 * Checks a query against the schema, and refuses a parameter that is given twice.
 *
 * @param parse turns the valid parameters into what the operation takes
 * @param mayRepeat names of parameters of which the last value counts, or that `parse` is given whole
 */
export const checkedQuery = <S extends TObject, T>(
  schema: S,
  parse: (given: Static<S>) => T,
  mayRepeat: readonly string[] = [],
): QueryParameters<T> => {
  const check = schemaCheck(schema, 'query')
  const single = Object.keys(schema.properties).filter((name) => !mayRepeat.includes(name))
  return {
    schema,
    parse: (given, url) => {
      if (single.length > 0) refuseRepeated(url, single)
      return parse(check(given))
    },
  }
}

/** The query of a list of the contract, which takes the last value of each parameter. */
export const contractQuery = <S extends TObject, T>(schema: S, parse: (given: Static<S>) => T): QueryParameters<T> =>
  checkedQuery(schema, parse, Object.keys(schema.properties))

/** All values of a parameter. Elysia's parser keeps only the last one. */
export const repeated = (url: string, name: string): string[] => parametersIn(url).getAll(name)

const parametersIn = (url: string): URLSearchParams => {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** @throws AppError `invalid` */
const refuseRepeated = (url: string, names: readonly string[]): void => {
  const found = parametersIn(url)
  const twice = names.filter((name) => found.getAll(name).length > 1)
  if (twice.length > 0) throw invalid(...twice.map((field) => ({ field, message: 'must be given once' })))
}

/** A bulk body may have thousands of errors. Only the first 64 are looked at, and at most 20 fields are reported. */
const maxErrors = 64
const maxIssues = 20

const toIssues = (errors: Iterable<ValueError>, part: 'query' | 'body'): Issue[] => {
  const issues = new Map<string, Issue>()
  let seen = 0
  for (const error of errors) {
    for (const one of precise(error)) {
      if (issues.size === maxIssues) break
      if (!issues.has(one.path)) issues.set(one.path, toIssue(one, part))
    }
    if (++seen === maxErrors || issues.size === maxIssues) break
  }
  return [...issues.values()]
}

/** The error, or each of the problems that the kind of its schema finds in the value. */
const precise = (error: ValueError): readonly ValueError[] =>
  problemsWith(error.schema, error.value)?.map(({ at, message, value }) => ({
    ...error,
    path: error.path + at,
    value,
    schema: { ...error.schema, error: message },
  })) ?? [error]

const toIssue = ({ path, message, value, schema }: ValueError, part: 'query' | 'body'): Issue => {
  const { error } = schema as { readonly error?: string }
  const field = path.slice(1).replaceAll('/', '.') || part
  const isUnreadable = typeof value === 'string' && !isCleanText(value)
  const expected = isUnreadable && part === 'body' ? 'must be well-formed Unicode without NUL' : error
  const issue = { field, message: expected ?? message.charAt(0).toLowerCase() + message.slice(1) }
  return part === 'body' ? { ...issue, path } : issue
}
