import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { invalid } from '../errors.ts'

const maxIds = 1000

/** Which items a bulk deletion is about. */
const Selection = Type.Object({
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: maxIds,
    description: 'The identifiers; one that is named twice counts once',
    example: ['01kahp5x2r00v7m3k9qd4tznwe8c'],
  }),
})

/** The same in the query, for clients and proxies that drop the body of a DELETE. */
export const SelectionQuery = Type.Object(
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

/** What the OpenAPI document says of the body: Elysia can't, since it is optional. */
export const selectionBody = { required: false, content: { 'application/json': { schema: Selection as object } } }

const selection = TypeCompiler.Compile(Selection)

/**
 * The identifiers in the query or in the body, which is null where there is none.
 *
 * @throws AppError `invalid` unless exactly one of the two selects 1 to 1,000 of them.
 */
export const parseSelection = ({ url }: { readonly url: string }, body: unknown): string[] => {
  const ids = idsInQuery(url)
  const inQuery = ids.length > 0
  if (inQuery && body !== null)
    throw invalid({ field: 'ids', message: 'must be in the body or in the query, not in both' })
  if (!inQuery && body === null) throw invalid({ field: 'ids', message: 'must be in the body or in the query' })
  const selected: unknown = inQuery ? { ids } : body
  if (selection.Check(selected)) return selected.ids
  const path = selection.Errors(selected).First()?.path ?? '/ids'
  const message =
    path === '/ids' ? `must be an array of 1 to ${maxIds} identifiers` : 'must be an identifier of 1 to 64 characters'
  throw invalid({ field: path.slice(1).replace('/', '.'), message, ...(!inQuery && { path }) })
}

/** Elysia would take `[a,b]`, and `[abX` as well, for a list without its first and last character. */
const idsInQuery = (url: string): string[] => {
  const start = url.indexOf('?')
  if (start === -1) return []
  return new URLSearchParams(url.slice(start)).getAll('ids').flatMap((given) => given.split(','))
}
