import type { Config } from '../../config/config.ts'
import type { Reporter } from '../../http/error-response.ts'
import { routes } from '../../http/exchange.ts'
import { ownAddress } from '../../http/host.ts'
import { type JsonPart, streamedJson } from '../../http/streamed.ts'
import type { Operation } from '../operation.ts'

/** Placeholder in the code samples until a request shows the server's address. */
const unknownAddress = 'http://address.invalid'

/**
 * `GET /api/v1/openapi.json`: the description of the API, made from its operations at the first request. If the public
 * URL is configured, all clients get the same text. Otherwise each gets the host of its own request in it, and the text
 * is sent in pieces.
 */
export const openApiDocument = (config: Config, operations: readonly Operation[], report: Reporter) => {
  const describe = async () => {
    // Loaded when it is first needed: most servers never need it, and should start quickly.
    const { describeApi } = await import('./describe-api.ts')
    const text = describeApi(config, operations, config.publicUrl ?? unknownAddress)
    return config.publicUrl === null ? { pieces: toPieces(text) } : { whole: new Blob([text]) }
  }
  let described: ReturnType<typeof describe> | undefined
  const document = () => (described ??= describe())
  const options = { report, minChunkBytes, mayRead: () => true }
  return routes('openapi').get('/api/v1/openapi.json', async ({ exchange, request }) => {
    const { whole, pieces } = await document()
    if (!whole) return streamedJson(exchange, joined(pieces, ownAddress(request, null)), options)
    const headers = { 'content-type': 'application/json', 'content-length': String(whole.size) }
    return new Response(whole, { headers })
  })
}

/**
 * Clients choose the address, so they cannot share one copy. A client that does not read the answer takes 17 kB of
 * memory in this way, 77 kB with pieces of 64 KiB, and 86 kB if the text is sent whole.
 */
const minChunkBytes = 4096

/** The text before, between and after the addresses. */
const toPieces = (text: string): readonly Buffer[] => text.split(unknownAddress).map((piece) => Buffer.from(piece))

function* joined(pieces: readonly Buffer[], address: string): Generator<JsonPart, void> {
  for (const [position, piece] of pieces.entries()) {
    if (position > 0) yield address
    yield piece
  }
}
