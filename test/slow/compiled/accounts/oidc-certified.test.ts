import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { putAddressesBelow } from '../../../../src/config/addresses.ts'
import { freePort } from '../../../free-port.ts'
import { afterThisTest, startServer } from '../../../harness.ts'
import { visit } from '../../../visitor.ts'

afterAll(() => putAddressesBelow(''))

/** A certified provider, in a process of its own, and a server that signs people in through it. */
const start = async (base = '') => {
  const issuer = `http://127.0.0.1:${await freePort()}`
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}${base}`
  const program = join(import.meta.dir, '../../../certified-provider.ts')
  const child = Bun.spawn([process.execPath, program, issuer, `${url}/sign-in/oidc`], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  afterThisTest(async () => {
    child.kill()
    await child.exited
  })
  let told = ''
  for await (const piece of child.stdout) {
    told += new TextDecoder().decode(piece)
    if (told.includes('listening')) break
  }
  const settings = {
    FORMBOX_PORT: port,
    FORMBOX_URL: url,
    FORMBOX_OIDC_ISSUER: issuer,
    FORMBOX_OIDC_CLIENT_ID: 'formbox',
    FORMBOX_OIDC_CLIENT_SECRET: 'a secret of the client: %+',
    FORMBOX_OIDC_USERS: 'all',
  }
  return startServer({ settings })
}

/** Signs in at the provider and agrees there, as a browser does. Returns the address with which it is sent back. */
const signInThere = async (from: string, login: string): Promise<string> => {
  const cookies = new Map<string, string>()
  const follow = async (start: string, body?: string): Promise<{ url: string; html: string }> => {
    let url = start
    let form = body
    for (;;) {
      const headers = {
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      }
      const method = form === undefined ? 'GET' : 'POST'
      const answer = await fetch(url, {
        redirect: 'manual',
        method,
        headers,
        ...(form !== undefined && { body: form }),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';')
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
      }
      const next = answer.headers.get('location')
      if (next === null) return { url, html: await answer.text() }
      url = new URL(next, url).href
      form = undefined
      if (url.includes('/sign-in/oidc?')) return { url, html: '' }
    }
  }
  const action = ({ url, html }: { url: string; html: string }) => {
    const [, path = ''] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
    return new URL(path, url).href
  }
  const asked = await follow(from)
  const agreed = await follow(action(asked), `prompt=login&login=${login}&password=x`)
  const back = agreed.html === '' ? agreed : await follow(action(agreed), 'prompt=consent')
  const { pathname, search } = new URL(back.url)
  return pathname + search
}

describe('signing in through a certified provider', () => {
  test.each(['', '/tools/formbox'])(
    'works with PKCE, which it demands, and an address that only the user info has, below “%s”',
    async (base) => {
      const server = await start(base)
      const ada = visit(server)
      const begun = await ada.get(`${base}/sign-in/oidc?next=${encodeURIComponent(`${base}/settings/account`)}`)
      const back = await signInThere(begun.location ?? '', 'ada')
      expect(await ada.get(back)).toMatchObject({ status: 303, location: `${base}/settings/account` })
      expect((await ada.get(`${base}/settings/account`)).html).toContain('ada@example.com')
      // The code was used, and so was the state.
      const again = visit(server, { cookie: begun.cookie?.split(';')[0] ?? '' })
      expect((await again.get(back)).status).toBe(400)
    },
  )

  test('gives no account to who has an address that is not verified', async () => {
    const server = await start()
    const eve = visit(server)
    const back = await signInThere((await eve.get('/sign-in/oidc')).location ?? '', 'eve')
    const refused = await eve.get(back)
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('does not confirm that your email address is verified')
  })
})
