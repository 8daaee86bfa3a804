import { sha256 } from '../../base/hash.ts'
import { lazily } from '../../base/lazily.ts'
import { openApiPath } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import { routes } from '../../http/exchange.ts'
import { sameForAll } from '../../http/same-for-all.ts'
import type { Operation } from '../operation.ts'

/**
 * `GET /api/v1/openapi.json`: the description of the API, made from its operations at the first request. It depends on the
 * configuration alone, so all machines of a cluster have the same.
 */
export const openApiDocument = (config: Config, operations: readonly Operation[]) => {
  const document = lazily(async () => {
    // Loaded when it is first needed: most servers never need it, and should start quickly.
    const { describeApi } = await import('./describe-api.ts')
    const text = describeApi(config, operations)
    return { hash: sha256(text, 'hex').slice(0, 12), body: new Blob([text]) }
  })
  const answer = sameForAll({
    type: 'application/json',
    hash: async () => (await document()).hash,
    read: async () => (await document()).body,
    headers: { 'cache-control': 'no-cache' },
  })
  return routes('openapi').get(openApiPath.route, ({ request }) => answer(request))
}
