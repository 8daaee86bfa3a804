import { describe, expect, test } from 'bun:test'
import { type AnyElysia, Elysia } from 'elysia'
import { LatePlugin } from '../../src/http/late-plugin.ts'
import { afterThisTest } from '../harness.ts'

/** A server with a route that is there from the start, and one that comes with the plugin. */
const start = (basePath: string) => {
  let loads = 0
  const late = new LatePlugin(async () => {
    loads++
    return (app: AnyElysia) => app.get('/late/:id', ({ params }) => `late ${params.id}`)
  }, basePath)
  const app = new Elysia({ serve: late.serve as object })
  app
    .get('/early/:id', ({ params, query }) => `early ${params.id} ${query.a ?? ''}`)
    .use(late.plugin)
    .listen({ hostname: '127.0.0.1', port: 0 })
  afterThisTest(() => app.stop(true))
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${app.server?.port}${path}`)).text()
  return { get, loads: () => loads }
}

describe('a late plugin', () => {
  test.each(['', '/tools/formbox'])(
    'is loaded by what no other route answers, and by nothing else, below “%s”',
    async (base) => {
      const { get, loads } = start('/tools/formbox')
      expect(await get(`${base}/early/1?a=b`)).toBe('early 1 b')
      expect(loads()).toBe(0)
      expect(await get(`${base}/late/2`)).toBe('late 2')
      expect(await get(`${base}/late/3`)).toBe('late 3')
      expect(await get(`${base}/early/4`)).toBe('early 4 ')
      expect(loads()).toBe(1)
    },
  )
})
