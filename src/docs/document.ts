import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config.ts'
import { jsonText } from '../http/answers.ts'
import { ownAddress } from '../http/own-address.ts'

/** Stands in the code samples for the address until there is a request that shows it. */
const unknownAddress = 'http://address.invalid'

/** `GET /api/v1/openapi.json`: the description of the API, made from its routes when somebody asks for it first. */
export const openApiDocument = (config: Config, api: AnyElysia) => {
  let document: Promise<string> | undefined
  return new Elysia({ name: 'openapi' }).get(
    '/api/v1/openapi.json',
    async ({ set, request }) => {
      // Loaded when it is needed: most servers are never asked, and would pay at every start.
      document ??= import('./describe-api.ts').then(({ describeApi }) => describeApi(config, api, unknownAddress))
      return jsonText(set, (await document).replaceAll(unknownAddress, ownAddress(request, config.publicUrl)))
    },
    { detail: { hide: true } },
  )
}
