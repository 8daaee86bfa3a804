import type { Config } from '../../config.ts'
import type { Reporter } from '../../http/error-response.ts'
import { routes } from '../../http/exchange.ts'
import { ownAddress } from '../../http/own-address.ts'
import { type JsonPart, streamedJson } from '../../http/streamed.ts'
import type { Operation } from '../operation.ts'

/** Stands in the code samples for the address until there is a request that shows it. */
const unknownAddress = 'http://address.invalid'

/**
 * `GET /api/v1/openapi.json`: the description of the API, made from its operations when somebody asks for it first. Where
 * the public address is configured all get the same; otherwise it names the host that each client asked, piece by piece.
 */
export const openApiDocument = (config: Config, operations: readonly Operation[], report: Reporter) => {
  const describe = async () => {
    // Loaded when it is needed: most servers are never asked, and would pay at every start.
    const { describeApi } = await import('./describe-api.ts')
    const text = await describeApi(config, operations, config.publicUrl ?? unknownAddress)
    return config.publicUrl === null ? { pieces: toPieces(text) } : { whole: new Blob([text]) }
  }
  let described: ReturnType<typeof describe> | undefined
  const document = () => (described ??= describe())
  return routes('openapi').get('/api/v1/openapi.json', async ({ exchange, request }) => {
    const { whole, pieces } = await document()
    if (!whole) return streamedJson(exchange, joined(pieces, ownAddress(request, null)), { report, minChunkBytes })
    const headers = { 'content-type': 'application/json', 'content-length': String(whole.size) }
    return new Response(whole, { headers })
  })
}

/**
 * A client chooses the address. One that does not read the answer takes 17 kB of memory in this way, 77 kB in pieces of
 * 64 KiB, and 86 kB as a whole.
 */
const minChunkBytes = 4096

/** What is around the address. */
const toPieces = (text: string): readonly Buffer[] => text.split(unknownAddress).map((piece) => Buffer.from(piece))

function* joined(pieces: readonly Buffer[], address: string): Generator<JsonPart, void> {
  for (const [position, piece] of pieces.entries()) {
    if (position > 0) yield address
    yield piece
  }
}
