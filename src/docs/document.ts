import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../config.ts'
import { jsonText } from '../http/answers.ts'

/** `GET /api/v1/openapi.json`: the description of the API, made from its routes when somebody asks for it first. */
export const openApiDocument = (config: Config, api: AnyElysia) => {
  let document: Promise<string> | undefined
  return new Elysia({ name: 'openapi' }).get(
    '/api/v1/openapi.json',
    async ({ set }) => {
      // Loaded when it is needed: most servers are never asked, and would pay at every start.
      document ??= import('./describe-api.ts').then(({ describeApi }) => describeApi(config, api))
      return jsonText(set, await document)
    },
    { detail: { hide: true } },
  )
}
