import { Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler, type ValueError } from '@sinclair/typebox/compiler'
import { invalid } from '../base/errors.ts'
import { optionalBulkBody } from './json-body.ts'
import { NamedObject } from './kind-schema.ts'
import type { QueryParameters } from './operation.ts'
import { repeated } from './schema-check.ts'

const maxIds = 1000

/** The identifiers of what a bulk deletion deletes. */
export const IdsInBody = NamedObject('IdSelection', {
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 64, error: 'must be an identifier of 1 to 64 characters' }), {
    minItems: 1,
    maxItems: maxIds,
    error: `must be an array of 1 to ${maxIds} identifiers`,
    description: 'The identifiers; one that is repeated counts once',
    example: ['01kahp5x2r00v7m3k9qd4tznwe8c'],
  }),
})

/** The identifiers in the query, for clients and proxies that drop the body of a DELETE. */
const IdsInQuery = Type.Object({
  ids: Type.Optional(
    Type.Array(Type.String({ documented: { pattern: '^[^,]{1,64}(,[^,]{1,64})*$' } }), {
      description:
        '1 to 1,000 identifiers: repeat the parameter, or separate them with commas. They must not be in the body as well.',
      example: ['01kahp5x2r00v7m3k9qd4tznwe8c'],
      documented: { minItems: 1, maxItems: maxIds },
    }),
  ),
})

export const idsBody = optionalBulkBody(IdsInBody)

export const idsQuery: QueryParameters<string[]> = {
  schema: IdsInQuery,
  parse: (_, url) => repeated(url, 'ids').flatMap((given) => given.split(',')),
}

let compiled: TypeCheck<typeof IdsInBody> | undefined

/**
 * The identifiers in the query or in the body. The body is null if it is absent. Beside a query, it may also be an object
 * without `ids`: generated clients send `{}` or `{"ids":null}` for a body that was left out.
 *
 * @throws AppError `invalid` unless exactly one of the two has 1 to 1,000 of them
 */
export const parseIdsToDelete = (inQuery: readonly string[], body: { readonly ids?: unknown } | null): string[] => {
  const isInQuery = inQuery.length > 0
  if (isInQuery && body?.ids != null)
    throw invalid({ field: 'ids', message: 'must be in the body or in the query, not in both' })
  if (!isInQuery && body === null) throw invalid({ field: 'ids', message: 'must be in the body or in the query' })
  const given: unknown = isInQuery ? { ids: inQuery } : body
  compiled ??= TypeCompiler.Compile(IdsInBody)
  if (compiled.Check(given)) return given.ids
  const { path, schema } = compiled.Errors(given).First() as ValueError
  throw invalid({ field: path.slice(1).replace('/', '.'), message: String(schema.error), ...(!isInQuery && { path }) })
}
