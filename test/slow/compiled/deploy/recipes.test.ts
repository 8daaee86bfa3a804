import { describe, expect, test } from 'bun:test'
import { formbox } from '../../../commands/formbox.ts'
import { startBehind } from '../../../deploy/proxy.ts'
import { blocksOf } from '../../../guide-parts.ts'
import { addKey, newEmail } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { signedIn, visit } from '../../../visitor.ts'

const guide = await Bun.file(new URL('../../../../docs/reverse-proxy.md', import.meta.url)).text()
const kinds = ['nginx', 'caddy'] as const
const languages = { nginx: 'nginx', caddy: 'caddyfile' }

type Kind = (typeof kinds)[number]

const recipeOf = (kind: Kind, heading: string): string => {
  const [block, ...others] = blocksOf(guide, heading, languages[kind])
  expect(others).toEqual([])
  return block as string
}

/** The same, but the proxy takes the path away. */
const stripping = (kind: Kind, block: string): string => {
  const changed =
    kind === 'nginx'
      ? block.replace('proxy_pass http://formbox;', 'proxy_pass http://formbox/;')
      : block.replace('handle /formbox/*', 'handle_path /formbox/*')
  expect(changed).not.toBe(block)
  return changed
}

type Behind = Awaited<ReturnType<typeof startBehind>>

/** Ada, who is signed in through the proxy, with a form. Paths are whole. */
const addForm = async (server: Behind, path: string) => {
  const { origin } = new URL(server.url)
  const fetchAt = (at: string, init: RequestInit = {}) =>
    fetch(origin + at, { redirect: 'manual', ...init, tls: { rejectUnauthorized: false } })
  const target = { folder: server.folder, url: origin, fetch: fetchAt }
  const email = newEmail()
  const ada = await signedIn(
    { ...target, fetch: (at, init) => fetchAt(at.startsWith(path) ? at : path + at, init) },
    email,
  )
  const api = addKey(
    {
      folder: server.folder,
      fetch: (at, init) => fetch(`http://127.0.0.1:${server.port}${at}`, { redirect: 'manual', ...init }),
    },
    ada.userId,
    email,
  )
  const formId = await api.createForm({ title: 'Contact' })
  return { origin, target, fetchAt, ada, api, formId }
}

for (const kind of kinds) {
  const isMissing = ['openssl', kind].some((tool) => Bun.which(tool) === null)
  if (isMissing) noteSkipped(`The recipes for ${kind} are not tried: it is not here.`)

  describe.skipIf(isMissing)(`the guide to proxies, with ${kind}`, () => {
    test.each([false, true])('puts Formbox below a path, which the proxy takes away: %p', async (isStripped) => {
      const block = recipeOf(kind, 'Below a path')
      const recipe = { block: isStripped ? stripping(kind, block) : block, path: '/formbox' }
      const server = await startBehind(kind, {}, recipe)
      const { ada, api, fetchAt, origin, formId } = await addForm(server, '/formbox')

      expect(await (await fetchAt('/')).text()).toBe('the site')
      expect((await fetchAt('/formbox')).status).toBeOneOf([301, 302, 303])
      expect(ada.cookie()).toStartWith('__Secure-formbox_session')
      const list = await ada.get('/formbox/')
      expect(list).toMatchObject({ status: 200, heading: 'Inbox' })
      for (const [, path = ''] of list.html.matchAll(/(?:href|src)="([^"#]+)"/g))
        expect((await ada.get(path)).status, path).toBeLessThan(400)

      // The stream of events is not held back until it ends.
      const events = await ada.get(`/formbox/forms/${formId}/events`)
      expect([events.status, events.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('event-stream'),
      ])
      const sent = await fetchAt(`/formbox/s/${formId}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
      expect(sent.status).toBe(200)
      const { submissions } = (await api.call('GET', `/forms/${formId}/submissions`)).body
      expect(submissions).toMatchObject([{ data: { a: '1' } }])

      const { servers } = (await (await fetchAt('/formbox/api/v1/openapi.json')).json()) as {
        servers: { url: string }[]
      }
      expect(servers[0]?.url).toBe(`${origin}/formbox/api/v1`)
      const check = await formbox(['healthcheck', '--port', String(server.port)])
      expect(check).toMatchObject({ exitCode: 0 })
      const out = await ada.post('/formbox/sign-out')
      expect(out.location).toBe('/formbox/sign-in?done=signed-out')
    })

    test('lets a form send to the domain of the site, and shows no other page there', async () => {
      const block = recipeOf(kind, 'Forms that send to your own domain')
      const server = await startBehind(kind, { FORMBOX_URL: 'https://forms.example.com' }, { block, path: '' })
      const site = new URL(server.siteUrl)
      const fetchAt = (at: string, init: RequestInit = {}) =>
        fetch(site.origin + at, { redirect: 'manual', ...init, tls: { rejectUnauthorized: false } })
      const direct = {
        folder: server.folder,
        url: `http://127.0.0.1:${server.port}`,
        fetch: (at: string, init?: RequestInit) =>
          fetch(`http://127.0.0.1:${server.port}${at}`, { redirect: 'manual', ...init }),
      }
      const ada = await signedIn(direct, newEmail())
      const api = addKey(direct, ada.userId, ada.email)
      const formId = await api.createForm({ title: 'Contact' })
      const settings = { allowedOrigins: [], fields: [{ name: 'email', type: 'email' }], page: {}, challenge: true }
      expect((await api.call('PATCH', `/forms/${formId}/settings`, settings)).status).toBe(200)

      const page = await visit({ url: site.origin, fetch: fetchAt }).get(`/f/${formId}`)
      expect(page.status).toBe(200)
      expect(page.html).toContain(`action="/s/${formId}"`)
      const expectFiles = async (html: string, count: number) => {
        const files = [...html.matchAll(/(?:href|src)="(\/[^"#]+)"/g)].map(([, path]) => path as string)
        expect(files.length).toBeGreaterThanOrEqual(count)
        for (const path of files) expect(await (await fetchAt(path)).text(), path).not.toBe('the site')
      }
      await expectFiles(page.html, 4)
      expect((await fetchAt(`/s/${formId}/challenge`)).status).toBe(200)

      expect((await api.call('PATCH', `/forms/${formId}/settings`, { challenge: false })).status).toBe(200)
      const body = new URLSearchParams({ email: 'grace@example.org' })
      const sent = await fetchAt(`/s/${formId}`, {
        method: 'POST',
        body,
        headers: { origin: site.origin, accept: 'text/html' },
      })
      expect(sent.status).toBe(200)
      await expectFiles(await sent.text(), 3)
      expect((await api.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(1)

      for (const path of ['/', '/sign-in', '/api/v1/forms', '/settings/keys', '/assets/site.css', '/sitemap'])
        expect(await (await fetchAt(path)).text(), path).toBe('the site')
    })
  })
}
