import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from '../../config.ts'
import { withCodeSamples } from './code-samples.ts'
import { toOpenApi303 } from './to-openapi-303.ts'

const path = '/openapi.json'

/**
 * What `@elysiajs/swagger` makes of the routes, mended to be valid. The plugin has an application of its own: in ours it
 * would also serve a page that loads scripts from another host.
 *
 * @param address of the server, for the code samples
 */
export const describeApi = async (config: Config, api: AnyElysia, address: string): Promise<string> => {
  const describer = new Elysia().use(swagger({ specPath: path, documentation: documentation(config) })).use(api)
  const answer = await describer.handle(new Request(`http://localhost${path}`))
  return JSON.stringify(withCodeSamples(toOpenApi303(await answer.json()), address))
}

const documentation = ({ publicUrl }: Config) => ({
  info: {
    title: 'Formbox',
    version: '1.0.0',
    description:
      'Manages forms and the submissions that they collect. Every operation needs an API key, sent as ' +
      '`Authorization: Bearer api_…`. 100 requests a minute and key unless the operator set another limit; ' +
      'the `X-RateLimit-*` headers tell what is left.',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    contact: { name: 'The operator of this server', url: publicUrl ?? 'http://localhost' },
  },
  servers: [{ url: `${publicUrl ?? ''}/api/v1`, description: 'This server' }],
  tags: [
    { name: 'Forms', description: 'What collects submissions' },
    { name: 'Submissions', description: 'What was collected' },
  ],
  security: [{ bearer: [] }],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        bearerFormat: 'api_…',
        description: 'A key from the page `/settings/keys`: `api_…`, without the word Bearer before it.',
      },
    },
  },
})
