import { filterPaths, registerSchemaPath } from '@elysiajs/swagger/utils'
import { apiPath, keysPath, serverUrl } from '../../config/addresses.ts'
import type { Config } from '../../config/config.ts'
import type { Operation } from '../operation.ts'
import { withCodeSamples } from './code-samples.ts'
import { collecting } from './collecting.ts'
import { withSharedParameters } from './parameters.ts'
import { tagWords } from './tags.ts'
import { toOpenApi303 } from './to-openapi-303.ts'
import { schemasIn } from './to-schema.ts'
import { webhookCallbacks } from './webhook-message.ts'

/** In the code samples while no public URL is configured. The page at `/docs` puts its own address there. */
const unknownAddress = 'https://YOUR_SERVER'

/**
 * The document that `@elysiajs/swagger` makes of the operations, corrected to be valid. The plugin itself is left out: it
 * would also serve a page that loads scripts from another host, and bring the themes of that page into the executable.
 */
export const describeApi = (config: Config, operations: readonly Operation[]): string => {
  const registered = {}
  for (const { method, path, query, tags, operationId, summary, description } of operations)
    registerSchemaPath({
      schema: registered,
      method,
      path: `${apiPath.route}${path}`,
      hook: { ...(query && { query: query.schema }), detail: { tags: [...tags], operationId, summary, description } },
      models: {},
    })
  const paths = filterPaths(registered, { excludeStaticFile: true, exclude: [] })
  const document = toOpenApi303({ openapi: '3.0.3', ...documentation(config), paths }, operations)
  Object.assign(document.paths, collecting(config.publicUrl))
  document.paths['/forms/{formId}/webhooks'].post.callbacks = webhookCallbacks
  document.components.schemas = schemasIn(document)
  return JSON.stringify(withSharedParameters(withCodeSamples(document, config.publicUrl ?? unknownAddress)))
}

/** Read before the operations, on the page `/docs`, and in every file of some generated clients: so it is short. */
const overview = `Collects what visitors send with your forms, and manages it.

**Keys.** Operations under \`${apiPath.route}\` need an API key, sent as \`Authorization: Bearer api_…\`. Keys are made on the page
\`${keysPath.route}\`. A key may be read-only, or limited to some forms; for anything else it gets 403.

**Errors.** Every error has the same body. \`code\` is one of six words, \`message\` a sentence, and each of the \`issues\` names a
field and its limit. Every response has an \`X-Request-Id\`, which the log of the server has too.

**Pages.** Lists are newest first. \`page\` counts from 1, \`perPage\` is 1 to 100, and \`pagination\` has the totals. A search goes
on with its \`next\` as the \`cursor\`.

**Once only.** With an \`Idempotency-Key\`, what creates something can be sent again: within 24 hours, the same request gets the
first response, and nothing is created twice.

**Limits.** Each key may make 100 requests a minute, unless the operator has set another limit. The \`X-RateLimit-*\` headers say
how many are left. After that, and when the server is busy (429, 503), \`Retry-After\` says how many seconds to wait.

**Changes.** A later version may add fields to responses and words to enums. The server ignores fields that it does not know.`

const documentation = ({ publicUrl }: Config) => ({
  info: {
    title: 'Formbox',
    description: overview,
    version: '1.0.0',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    contact: { name: 'The operator of this server', ...(publicUrl !== null && { url: serverUrl(publicUrl) }) },
  },
  servers: [{ url: `${publicUrl ?? ''}${apiPath()}`, description: 'This server' }],
  tags: Object.entries(tagWords).map(([name, description]) => ({ name, description })),
  security: [{ bearer: [] }],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        bearerFormat: 'api_…',
        description: `An API key from the page \`${keysPath.route}\`: \`api_…\`, without the word \`Bearer\` before it.`,
      },
    },
  },
})
