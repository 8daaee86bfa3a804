import { describe, expect, test } from 'bun:test'
import { newEmail, sharedServer } from '../harness.ts'
import { fillIn, linkRoutes, siteRoutes } from '../site-routes.ts'
import { createUser, password, signedIn, visit } from '../visitor.ts'

type Headers = Record<string, string>

const publicUrl = 'https://forms.example.com'
const posts = siteRoutes
  .filter((route) => route.method === 'POST' && !linkRoutes.includes(route))
  .map(({ path }) => fillIn(path))

describe('a POST to a page', () => {
  test.each(posts)('%s from another origin is 403 and changes nothing', async (path) => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    const fields = { name: 'Forged', email: ada.email, password, current: password, new: 'a forged password' }
    const forged: Headers[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: server.url, 'sec-fetch-site': 'cross-site' },
      { origin: server.url, 'sec-fetch-site': 'same-site' },
      { origin: server.url, 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${server.url}.evil.example` },
      { origin: '' },
    ]
    for (const headers of forged) {
      const refused = await ada.post(path, fields, headers)
      expect(refused.status, JSON.stringify(headers)).toBe(403)
      expect(refused.cookie).toBeNull()
    }
    const nothing = await server.fetch(path, {
      method: 'POST',
      headers: { cookie: ada.cookie() ?? '', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields),
    })
    expect(nothing.status).toBe(403)
    const keys = await ada.get('/settings/keys')
    expect(keys.status).toBe(200)
    expect(keys.html).not.toContain('Forged')
    expect((await visit(server).signIn(ada.email)).status).toBe(303)
  })

  test.each<[string, Headers, string | null, number]>([
    ['the same origin, as the browser says', { 'sec-fetch-site': 'same-origin', origin: 'null' }, null, 303],
    ['our own Host, over plain http', { origin: 'http://forms.lan:8080', host: 'forms.lan:8080' }, null, 303],
    ['our own Host behind a proxy with TLS', { origin: 'https://forms.lan', host: 'forms.lan' }, null, 303],
    ['another port', { origin: 'http://forms.lan:8081', host: 'forms.lan:8080' }, null, 403],
    ['the public address behind a proxy', { origin: publicUrl, host: 'internal:8080' }, publicUrl, 303],
    [
      'the host of the public address over http',
      { origin: 'http://forms.example.com', host: 'forms.example.com' },
      publicUrl,
      403,
    ],
    ['no http origin', { origin: 'file://forms.lan', host: 'forms.lan' }, null, 403],
  ])('from %s is judged by where it comes from', async (_name, headers, url, status) => {
    const server = await sharedServer(url === null ? {} : { FORMBOX_URL: url })
    const email = newEmail()
    await createUser(server, email)
    expect((await visit(server).post('/sign-in', { email, password }, headers)).status).toBe(status)
  })

  test.each<[string, Headers, string | null, string]>([
    [
      'a proxy that passes no Host on',
      { origin: 'http://forms.lan', host: 'upstream:8080' },
      null,
      'The browser says that it comes from http://forms.lan, and the request is for upstream:8080. If you see the first in ' +
        'the address bar, set FORMBOX_URL to it.',
    ],
    [
      'another address than FORMBOX_URL',
      { origin: 'http://forms.example.com', host: 'forms.example.com' },
      publicUrl,
      'The browser says that it comes from http://forms.example.com, and this server is https://forms.example.com (FORMBOX_URL).',
    ],
    [
      'a proxy with a policy for referrers',
      { origin: 'null' },
      null,
      'A proxy or the browser hides where it comes from (Origin: null), for example by Referrer-Policy: no-referrer.',
    ],
    [
      'another site',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      null,
      'The browser says that it comes from https://evil.example, which is another site (Sec-Fetch-Site: cross-site).',
    ],
    ['no page', { origin: '' }, null, 'The browser does not say which page sent it.'],
    [
      'a host that is too long',
      { origin: `http://${'a.'.repeat(200)}b` },
      null,
      'The browser does not say which page sent it.',
    ],
    ['markup', { origin: 'http://<b>x</b>' }, null, 'The browser does not say which page sent it.'],
  ])('is refused with the cause, where that is %s', async (_name, headers, url, cause) => {
    const server = await sharedServer(url === null ? {} : { FORMBOX_URL: url })
    const page = await visit(server).post('/sign-in', { email: 'ada@example.com', password }, headers)
    expect(page.status).toBe(403)
    expect(page.text).toContain(`The request was not sent from a page of this server. ${cause}`)
  })

  test.each(['/sign-in', '/sign-in/code', '/sign-in/go-on', '/setup', '/invite/x'])(
    '%s over http is refused and says where to go, if the cookies are for https',
    async (path) => {
      const server = await sharedServer({ FORMBOX_URL: publicUrl })
      const email = newEmail()
      await createUser(server, email)
      const lan = { origin: 'http://192.168.1.5:8080', host: '192.168.1.5:8080' }
      const page = await visit(server).post(path, { email, password }, lan)
      expect(page).toMatchObject({ status: 400, cookies: [] })
      expect(page.text).toContain(`Sign in at ${publicUrl}: browsers keep the cookies of this server over https only.`)
      for (const origin of [publicUrl, server.url]) {
        const { html } = await visit(server).post(path, { email, password }, { origin })
        expect(html).not.toContain('over https only')
      }
    },
  )

  test.each<[string, number, RequestInit]>([
    ['JSON', 400, { body: '{}', headers: { 'content-type': 'application/json' } }],
    [
      'multipart',
      400,
      {
        body: (() => {
          const form = new FormData()
          form.set('email', 'a')
          return form
        })(),
      },
    ],
    [
      'not UTF-8',
      400,
      { body: new Uint8Array([0xff]), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    [
      'over 64 KiB',
      413,
      { body: `email=${'x'.repeat(65_536)}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
  ])('whose body is %s is %i', async (_name, status, init) => {
    const server = await sharedServer()
    const headers = { ...(init.headers as Headers), origin: server.url, accept: 'text/html' }
    const answer = await server.fetch('/sign-in', { method: 'POST', ...init, headers })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
})

describe('every page', () => {
  test.each(['/sign-in', '/setup?token=x', '/settings/keys', '/settings/account', '/nowhere', '/s/nothing'])(
    '%s is kept out of frames, caches, other sites’ scripts and referrers',
    async (path) => {
      const server = await sharedServer()
      const headers = path.startsWith('/settings')
        ? (await signedIn(server, newEmail())).get(path)
        : visit(server).get(path)
      const page = await headers
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const policy = page.headers.get('content-security-policy') ?? ''
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'"])
        expect(policy).toContain(rule)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('x-content-type-options')).toBe('nosniff')
      expect(page.headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(page.headers.get('referrer-policy')).toMatch(/^(same|strict)-origin$/)
      expect(page.headers.get('access-control-allow-origin')).toBeNull()
      expect(page.html).not.toMatch(/<style|<script>|style="|onclick/)
    },
  )

  test('refers to files that are kept for good and are what they are called', async () => {
    const server = await sharedServer()
    const { html } = await visit(server).get('/sign-in')
    const paths = [...html.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path)
    const types = new Map<string, string | null>()
    for (const path of paths) {
      const file = await server.fetch(path)
      expect(file.status).toBe(200)
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(file.headers.get('x-content-type-options')).toBe('nosniff')
      types.set(path.split('.').pop() ?? '', file.headers.get('content-type'))
    }
    expect(Object.fromEntries(types)).toEqual({
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      svg: 'image/svg+xml; charset=utf-8',
      webmanifest: 'application/manifest+json; charset=utf-8',
    })
  })
})
