import { Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { invalid } from '../errors.ts'
import { optionalBulkBody } from './bulk-body.ts'
import type { QueryParameters } from './operation.ts'

const maxIds = 1000

/** What a bulk deletion deletes. */
const IdsInBody = Type.Object({
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: maxIds,
    description: 'The identifiers; one that is named twice counts once',
    example: ['01kahp5x2r00v7m3k9qd4tznwe8c'],
  }),
})

/** The same in the query, for clients and proxies that drop the body of a DELETE. */
const IdsInQuery = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ documented: { pattern: '^[^,]{1,64}(,[^,]{1,64})*$' } }), {
        description:
          'The identifiers, 1 to 1,000, repeated or separated by commas. They must not be in the body too. ' +
          'An address that has more than 64 KiB together with the headers gets an empty 431.',
        example: ['01kahp5x2r00v7m3k9qd4tznwe8c'],
        documented: { minItems: 1, maxItems: maxIds },
      }),
    ),
  },
  { additionalProperties: true },
)

export const idsBody = optionalBulkBody(IdsInBody)

export const idsQuery: QueryParameters<string[]> = {
  schema: IdsInQuery,
  // Elysia's parser would drop all but the last of what is repeated.
  parse(_, url) {
    const start = url.indexOf('?')
    if (start === -1) return []
    return new URLSearchParams(url.slice(start)).getAll('ids').flatMap((given) => given.split(','))
  },
}

let compiled: TypeCheck<typeof IdsInBody> | undefined

/**
 * The identifiers in the query or in the body, which is null where there is none.
 *
 * @throws AppError `invalid` unless exactly one of the two has 1 to 1,000 of them
 */
export const parseIdsToDelete = (inQuery: readonly string[], body: object | null): string[] => {
  const isInQuery = inQuery.length > 0
  if (isInQuery && body !== null)
    throw invalid({ field: 'ids', message: 'must be in the body or in the query, not in both' })
  if (!isInQuery && body === null) throw invalid({ field: 'ids', message: 'must be in the body or in the query' })
  const given: unknown = isInQuery ? { ids: inQuery } : body
  compiled ??= TypeCompiler.Compile(IdsInBody)
  if (compiled.Check(given)) return given.ids
  const path = compiled.Errors(given).First()?.path ?? '/ids'
  const message =
    path === '/ids' ? `must be an array of 1 to ${maxIds} identifiers` : 'must be an identifier of 1 to 64 characters'
  throw invalid({ field: path.slice(1).replace('/', '.'), message, ...(!isInQuery && { path }) })
}
