import { afterAll, describe, expect, test } from 'bun:test'
import { putAddressesBelow } from '../../src/config/addresses.ts'
import { allowed, startReceiver } from '../deliveries/receiver.ts'
import { type Server, startServer, writeTo } from '../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../mail/smtp-server.ts'
import { fillIn, siteRoutes } from '../site-routes.ts'
import { until } from '../until.ts'
import { owner, password, visit } from '../visitor.ts'
import { addForm } from '../world.ts'

const origin = 'https://tools.test'
const base = '/tools/formbox'

afterAll(() => putAddressesBelow(''))

/** How a proxy passes a request on: with the path, or without it. */
const proxies = ['keeps', 'strips'] as const

/** The server as it is seen through a proxy. Paths are those that browsers know, or those of its routes. */
const behind = (server: Server, proxy: (typeof proxies)[number]): Server => ({
  ...server,
  fetch: (path, init) => {
    const inside = path === base || path.startsWith(`${base}/`) ? path.slice(base.length) || '/' : path
    return fetch(server.url + (proxy === 'keeps' ? base : '') + inside, { redirect: 'manual', ...init })
  },
})

/** Addresses of the server in a response or a mail that are outside the path: of its host, or at the root of it. */
const outside = (text: string): string[] =>
  [
    ...text.matchAll(/https?:\/\/(?:tools\.test|localhost)[^\s"'<>\\)&]*/g),
    ...text.matchAll(/(?<=\s(?:href|src|action|formaction|data-(?!key)[a-z]+)=")\/[^"]*/g),
    ...text.matchAll(/(?<=(?:fetch\(|curl \S* ?)['"])\/[^"']*/g),
  ]
    .map(([address]) => address)
    .filter((address) => !`${address}/`.startsWith(`${origin}${base}/`) && !`${address}/`.startsWith(`${base}/`))

const expectInside = (text: string, what: string): void => expect(outside(text), what).toEqual([])

const start = async () => {
  const [smtp, receiver] = [await startSmtp(), startReceiver()]
  const settings = { ...mailSettings(smtp.port), ...allowed, FORMBOX_URL: `${origin}${base}/` }
  const server = await startServer({ settings })
  return { smtp, receiver, server }
}

/** A form with everything that has an address, and what its owner and others see of it. */
const fill = async ({ server, receiver, smtp }: Awaited<ReturnType<typeof start>>) => {
  const ada = await owner(behind(server, 'keeps'))
  const form = { notify: ['team@example.org'], blockedTerms: ['casino'], acceptFiles: true, attachFiles: false }
  writeTo(server.folder, (db) => db.$client.run('UPDATE users SET is_operator = 1 WHERE email = ?', [ada.email]))
  const { formId, change } = await addForm(server, ada.api, { form })
  const at = `/forms/${formId}`
  const create = async (path: string, body: object) => (await ada.api.call('POST', at + path, body)).body
  const { id: webhookId } = await create('/webhooks', { url: receiver.url, format: 'slack' })
  const { id: standardId } = await create('/webhooks', { url: `${receiver.url}/two` })
  const cv = new FormData()
  cv.append('email', 'eve@example.org')
  cv.append('cv', new File(['%PDF-'], 'cv.pdf', { type: 'application/pdf' }))
  const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: cv, headers: { accept: 'application/json' } })
  const { id: submissionId } = (await sent.json()) as { id: string }
  await server.submit(formId, { email: 'eve@example.org', message: 'casino' })
  const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.', copy: false }
  const fields = [{ name: 'email', type: 'email', required: true }]
  expect((await change({ fields, page: {}, reply, address: `path-${formId}`.slice(0, 60), group: 'One' })).status).toBe(
    200,
  )
  await server.submit(formId, { email: 'grace@example.org' })
  const { spam } = (await ada.api.call('GET', `${at}/spam`)).body
  await create('/members', { email: 'grace@example.org', role: 'reader' })
  const { id: sheetId, url: sheetUrl } = await create('/sheets', {})
  const { submissions } = (await ada.api.call('GET', `${at}/submissions`)).body
  const cvField = submissions.find(({ id }: { id: string }) => id === submissionId).data.cv
  expect((await ada.post('/settings/account/address', { address: 'new@example.org', current: password })).status).toBe(
    303,
  )
  // One for the address that was added, one for each submission in the inbox, a reply, the invitation, and the new address.
  await until(() => smtp.mails.length >= 6, 'all mails have arrived')
  await until(() => receiver.arrived.length >= 4, 'both webhooks have arrived')
  const ids = { formId, webhookId, submissionId, fileId: cvField.file as string, sheetId }
  return {
    ada,
    ids,
    standardId,
    spamId: spam[0].id as string,
    sheetUrl: sheetUrl as string,
  }
}

/** The path of an address of the server, as its routes know it. */
const insideOf = (address: string): string => {
  expect(address).toStartWith(`${origin}${base}/`)
  return address.slice(origin.length + base.length)
}

describe('a server below a path', () => {
  test.each(proxies)(
    'names no address outside of it, on no page and in no mail, behind a proxy that %s it',
    async (proxy) => {
      const started = await start()
      const { ada: owned, ids, spamId, sheetUrl } = await fill(started)
      const server = behind(started.server, proxy)
      const ada = visit(server, { origin })
      const signedIn = await ada.signIn(owned.email)
      expect([signedIn.status, signedIn.location]).toEqual([303, `${base}/`])
      for (const cookie of signedIn.cookies)
        expect(cookie).toMatch(
          /^__Secure-formbox_\w+=[^;]+; Max-Age=\d+; Path=\/tools\/formbox; HttpOnly; SameSite=Lax; Secure$/,
        )

      const look = async (path: string, visitor = ada, status?: number) => {
        const page = await visitor.get(path)
        expect(page.status, path).toBeLessThan(500)
        if (status !== undefined) expect(page.status, path).toBe(status)
        if (page.location !== null) expect(page.location, path).toStartWith(`${base}/`)
        expectInside(page.html, path)
        expect(page.html.includes(started.server.url), path).toBe(false)
        for (const [name, value] of page.headers)
          if (name !== 'location') expectInside(` ${value}`, `${name} of ${path}`)
        return page
      }
      const anyone = visit(server, { origin })
      const pages = siteRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path)
      for (const path of pages) {
        const inSpam = path.includes('/spam/')
        await look(fillIn(path, { ...ids, ...(inSpam && { submissionId: spamId }) }))
        await look(fillIn(path, ids), anyone)
      }
      // Every link on the pages that have most, and every file that they load.
      const front = [
        '/',
        `/forms/${ids.formId}`,
        `/forms/${ids.formId}/settings`,
        ...['form', 'answers', 'embed', 'deliveries', 'imports'].map((tab) => `/forms/${ids.formId}/${tab}`),
        ...['visitors', 'spam', 'people', 'danger'].map((page) => `/forms/${ids.formId}/settings/${page}`),
        '/forms',
        '/server',
        '/personal-data',
        '/settings/account',
        '/settings/keys',
        '/docs',
      ]
      const links = new Set<string>()
      for (const path of front)
        for (const [, link = ''] of (await look(path, ada, 200)).html.matchAll(/\s(?:href|src|data-live)="([^"#?]+)/g))
          if (link.startsWith('/')) links.add(link)
      expect(links.size).toBeGreaterThan(20)
      for (const link of links) expect((await ada.get(link)).status, link).toBeLessThan(400)

      for (const path of [`/f/${ids.formId}`, `/f/path-${ids.formId}`, '/challenge.js']) await look(path, anyone, 200)
      for (const path of ['/nowhere', '/s/none', '/f/none', '/api/v1/nowhere', '/unsubscribe/none'])
        await look(path, anyone, path.startsWith('/api') ? 401 : 404)
      const sentTo = await anyone.post(`/s/${ids.formId}`, { email: 'none' })
      expect(sentTo.status).toBe(400)
      expectInside(sentTo.html, 'the form again')

      // What was sent out leads back in.
      const mails = started.smtp.mails.map((mail) => unfolded(mail))
      for (const mail of mails) expectInside(mail, mail)
      const inMails = new Set(mails.flatMap((mail) => mail.match(/https:\/\/tools\.test[^\s"<>]*/g) ?? []))
      for (const address of [...inMails, sheetUrl])
        await look(insideOf(address), /\/(forms|settings)\//.test(address) ? ada : anyone, 200)
      const bodies = started.receiver.arrived.map(({ body }) => body)
      for (const body of bodies) expectInside(body, 'a webhook')
      const file = /https:[^"]*\/files\/[^"]*/.exec(bodies.join('\n'))?.[0] ?? ''
      await look(insideOf(file), anyone, 200)

      const { servers, paths } = await server.fetch('/api/v1/openapi.json').then((answer) => answer.json())
      expect(servers[0].url).toBe(`${origin}${base}/api/v1`)
      expect(paths['/s/{formId}'].post.servers[0].url).toBe(`${origin}${base}`)
      for (const operation of Object.values<Record<string, { 'x-codeSamples': { source: string }[] }>>(paths).flatMap(
        Object.values,
      ))
        for (const { source } of operation['x-codeSamples']) expectInside(source, source)

      // A form whose session has ended is sent where it was meant for.
      const ended = await visit(server, { origin }).post(`/forms/${ids.formId}/settings`, { title: 'A new title' })
      expect(ended.status).toBe(401)
      expectInside(ended.html, 'a session that ended')
      const [, held = ''] = /name="held" value="([^"]+)"/.exec(ended.html) ?? []
      const again = visit(server, { origin })
      const goingOn = await again.post('/sign-in', { email: owned.email, password, held })
      expect([goingOn.status, goingOn.location]).toEqual([307, `${base}/forms/${ids.formId}/settings`])
      const next = await visit(server, { origin }).post('/sign-in', {
        email: owned.email,
        password,
        next: `${base}/settings/account`,
      })
      expect(next.location).toBe(`${base}/settings/account`)
      const foreign = await visit(server, { origin }).post('/sign-in', {
        email: owned.email,
        password,
        next: '/settings/account',
      })
      expect(foreign.location).toBe(`${base}/`)
      expect((await server.fetch('/healthz')).status).toBe(200)
    },
  )

  test('answers at the path itself, and at no path that only begins like it', async () => {
    const { server } = await start()
    const at = async (path: string) => {
      const { status, headers } = await fetch(server.url + path, {
        redirect: 'manual',
        headers: { accept: 'text/html' },
      })
      return [status, headers.get('location')]
    }
    expect(await at(base)).toEqual([303, `${base}/sign-in`])
    expect(await at(`${base}?a=1`)).toEqual([303, `${base}/sign-in?next=${encodeURIComponent(`${base}/?a=1`)}`])
    expect(await at(`${base}s/sign-in`)).toEqual([404, null])
    expect(await at('/tools/sign-in')).toEqual([404, null])
  })
})
