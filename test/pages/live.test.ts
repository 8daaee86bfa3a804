import { describe, expect, test } from 'bun:test'
import { formbox } from '../commands/formbox.ts'
import { afterThisTest, sharedServer, startServer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

type Owner = Awaited<ReturnType<typeof owner>>
type Server = Awaited<ReturnType<typeof startServer>>

/** Connects as a page does. `next` is the next event, and undefined after the end. */
const connect = async (server: Server, ada: Owner, path: string) => {
  const gone = new AbortController()
  afterThisTest(() => gone.abort())
  const response = await server.fetch(`${path}/events`, {
    headers: { cookie: ada.cookie() as string },
    signal: gone.signal,
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const next = async () => {
    const { value } = await reader.read()
    return value && Buffer.from(value).toString()
  }
  return { response, next }
}

const over = 'event: end\ndata:\n\n'

describe('/forms/:formId/events', () => {
  test('tells the page that shows submissions when there are others', async () => {
    const { server, ada, formId: id, path } = await siteWorld()
    const stateOf = async () => `data: ${/data-state="([^"]*)"/.exec((await ada.get(path)).html)?.[1]}\n\n`
    const { response, next } = await connect(server, ada, path)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    expect(await next()).toBe(await stateOf())
    const submission = await server.submit(id, { name: 'Grace' })
    expect(await next()).toBe(`data: ${submission}-1-1\n\n`)
    expect(await stateOf()).toBe(`data: ${submission}-1-1\n\n`)
    await server.submit(await ada.api.createForm(), { name: 'Elsewhere' })
    await ada.api.call('DELETE', `/forms/${id}/submissions/${submission}`)
    expect(await next()).toBe(await stateOf())
  })

  test.each([
    ['signs out', ({ ada }) => ada.post('/sign-out')],
    ['deletes the form', ({ ada, path }) => ada.api.call('DELETE', path)],
    [
      'is disabled by another process',
      ({ server, ada }) => formbox(['user', 'disable', ada.email, '--data', server.folder]),
    ],
  ] satisfies [string, (on: Awaited<ReturnType<typeof siteWorld>>) => Promise<unknown>][])(
    'ends when the user %s',
    async (_, act) => {
      const on = await siteWorld()
      const { next } = await connect(on.server, on.ada, on.path)
      expect(await next()).toStartWith('data: ')
      await act(on)
      expect([await next(), await next()]).toEqual([over, undefined])
    },
  )

  test.skipIf(isCompiled)('ends when the session has expired', async () => {
    let now = Date.now()
    const { server, ada, path } = await siteWorld({ server: await startServer({ now: () => now }) })
    const { next } = await connect(server, ada, path)
    expect(await next()).toStartWith('data: ')
    now += 31 * 24 * 3_600_000
    // Any write is a reason to look.
    await server.submit(await ada.api.createForm(), { a: 1 })
    expect(await next()).toBe(over)
  })

  test('is told to at most 20 pages of a user, the newest', async () => {
    const { server, ada, formId: id, path } = await siteWorld()
    const first = await connect(server, ada, path)
    expect(await first.next()).toStartWith('data: ')
    // A HEAD takes no place.
    for (let i = 0; i < 20; i++)
      await server.fetch(`${path}/events`, { method: 'HEAD', headers: { cookie: ada.cookie() as string } })
    for (let i = 0; i < 19; i++) await connect(server, ada, path)
    await server.submit(id, { name: 'Grace' })
    expect(await first.next()).toStartWith('data: ')
    await connect(server, ada, path)
    expect(await first.next()).toBe(over)
  })

  test('ends first when the server stops', async () => {
    const { server, ada, formId: id, path } = await siteWorld({ server: await startServer() })
    const { next } = await connect(server, ada, path)
    expect(await next()).toStartWith('data: ')
    // A request that is under way has more time.
    const { hostname, port } = new URL(server.url)
    const { promise: closed, resolve: close } = Promise.withResolvers<string>()
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: { data() {}, close: () => close('the request'), error: () => close('the request') },
    })
    socket.write(`POST /s/${id} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na=`)
    await ada.get('/forms')
    const stopped = server.stop()
    expect(await Promise.race([next().then((event) => event ?? 'the events'), closed])).toBe('the events')
    await stopped
  })
})

describe('/forms/events', () => {
  test('tells the pages that list forms, of their forms alone, until the user is signed out', async () => {
    const server = await sharedServer()
    const [ada, grace] = [await owner(server), await owner(server)]
    const id = await ada.api.createForm()
    await ada.api.call('POST', `/forms/${id}/members`, { email: grace.email, role: 'reader' })
    const stateOf = async (visitor: typeof ada, path: string) =>
      `data: ${/data-state="([^"]*)"/.exec((await visitor.get(path)).html)?.[1]}\n\n`
    const own = await connect(server, ada, '/forms')
    const shared = await connect(server, grace, '/forms')
    const [first, firstShared] = [await own.next(), await shared.next()]
    expect([first, firstShared]).toEqual([await stateOf(ada, '/forms'), await stateOf(grace, '/forms')])
    await server.submit(id, { name: 'Grace' })
    const [second, secondShared] = [await own.next(), await shared.next()]
    expect([second, secondShared]).toEqual([await stateOf(ada, '/forms'), await stateOf(grace, '/forms')])
    expect(second).not.toBe(first)
    expect(secondShared).not.toBe(firstShared)
    expect((await ada.get('/forms')).title).toBe('(1) Forms · Formbox')
    expect((await ada.get(`/forms/${id}`)).html).toMatch(/<title>\(1\) /)
    await ada.post('/sign-out')
    expect([await own.next(), await own.next()]).toEqual([over, undefined])
  })
})
