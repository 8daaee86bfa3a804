import { describe, expect, test } from 'bun:test'
import jsQR from 'jsqr'
import { newEmail, serverWithClock, sharedServer, startServer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { readPage } from '../read-page.ts'
import { secretOn } from '../totp.ts'
import { createUser, password, signedIn, visit } from '../visitor.ts'

const hour = 3_600_000

const agents = {
  'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Chrome on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Edge on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  'Opera on Mac':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36 OPR/124.0.0.0',
  'Safari on Mac':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Safari on iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Firefox on iPad':
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/141.0 Mobile/15E148 Safari/605.1.15',
  'Chrome on Android':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Samsung Internet on Android':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  'Chrome on ChromeOS':
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Unknown browser': 'curl/8.14.1',
  'Unknown browser on Windows': '<b>Windows</b>',
} as const

/** The browsers in the list, in its order. */
const listed = (page: string): string[] =>
  [...page.matchAll(/<li class="is-\w+">\s*<div class="what"><p><strong>([^<]*)<\/strong>/g)].map(
    ([, browser]) => browser as string,
  )

const ends = (page: string): string[] => page.match(/\/settings\/account\/sessions\/\w+\/end/g) ?? []

describe('the list of browsers that are signed in', () => {
  test('names each in a few words, and takes no others from what a browser says', async () => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    for (const agent of Object.values(agents)) await visit(server, { 'user-agent': agent }).signIn(ada.email)
    const { html } = await ada.get('/settings/account')
    expect(
      listed(html)
        .filter((name) => name in agents)
        .toSorted(),
    ).toEqual([...Object.keys(agents), 'Unknown browser'].toSorted())
    expect(html).toContain('13 browsers are signed in, including this one.')
    expect(ends(html)).toHaveLength(12)
  })

  test('marks this one, and ends a single other one', async () => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    const [phone, laptop] = [
      visit(server, { 'user-agent': agents['Chrome on Android'] }),
      visit(server, { 'user-agent': agents['Firefox on Linux'] }),
    ]
    await phone.signIn(ada.email)
    await laptop.signIn(ada.email)
    const { html } = await laptop.get('/settings/account')
    expect(readPage(html).text).toContain('Firefox on Linux This browser')
    const ofPhone = /action="([^"]+)">\s*<button aria-label="Sign out Chrome on Android/.exec(html)?.[1] ?? ''
    const ended = await laptop.post(ofPhone)
    expect(ended.location).toBe('/settings/account?done=signed-out-one#notice')
    expect((await phone.get('/settings/keys')).status).toBe(303)
    expect((await ada.get('/settings/keys')).status).toBe(200)
    expect(listed((await laptop.get('/settings/account')).html)).toEqual(['Firefox on Linux', 'Unknown browser'])
  })

  test('ends none of another user, and nothing that is not there', async () => {
    const server = await sharedServer()
    const [ada, eve] = [await signedIn(server, newEmail()), await signedIn(server, newEmail())]
    await visit(server).signIn(ada.email)
    const [other = ''] = ends((await ada.get('/settings/account')).html)
    for (const path of [other, '/settings/account/sessions/x/end']) expect((await eve.post(path)).status).toBe(303)
    expect((await ada.get('/settings/account')).html).toContain('2 browsers are signed in')
  })

  test.skipIf(isCompiled)('says when each was last used, to the hour, and begins with the latest', async () => {
    const { clock, server } = await serverWithClock(Date.parse('2026-11-21T10:00:00Z'))
    const ada = await signedIn(server, newEmail())
    const other = visit(server, { 'user-agent': agents['Safari on iPhone'] })
    await other.signIn(ada.email)
    clock.now += 30 * hour
    await other.get('/')
    clock.now += 3 * hour
    const first = await ada.get('/settings/account')
    expect(first.text).toMatch(/Safari on iPhone Signed in .*3 hours ago/)
    expect(listed(first.html)).toEqual(['Safari on iPhone', 'Unknown browser'])
    expect(listed((await ada.get('/settings/account')).html)).toEqual(['Unknown browser', 'Safari on iPhone'])
  })

  test('is cut at 50, and says so', async () => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    for (let i = 0; i < 50; i++) await visit(server).signIn(ada.email)
    const { html } = await ada.get('/settings/account')
    expect(listed(html)).toHaveLength(50)
    expect(html).toContain('51 browsers are signed in')
    expect(html).toContain('Only those used last are listed.')
  })
})

describe('the QR code', () => {
  /** Its modules as a picture, as a browser draws them: 4 pixels for each. */
  const toPicture = (page: string) => {
    const [, width = ''] = /<svg class="qr" viewBox="0 0 (\d+) \1"/.exec(page) ?? []
    const size = 4 * Number(width)
    const pixels = new Uint8ClampedArray(4 * size * size).fill(255)
    const path = /<path d="([^"]+)"/.exec(page)?.[1] ?? ''
    let end = 0
    let y = 0
    for (const [, kind, step, line, length] of path.matchAll(/([Mm])(\d+) (\d+)(?:\.5)?h(\d+)/g)) {
      if (kind === 'M') y = Number(line)
      const begin = (kind === 'M' ? 0 : end) + Number(step)
      end = begin + Number(length)
      for (let row = 4 * y; row < 4 * y + 4; row++)
        pixels.fill(0, 16 * begin + 4 * row * size, 16 * end + 4 * row * size)
    }
    for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255
    return { pixels, size }
  }

  test.each([
    ['an address', 'https://forms.example.com', 'ada.%C3%A9%26secret%3Da@example.com'],
    ['a long address', `https://${'forms.'.repeat(9)}example.com:8443`, `${'a'.repeat(242)}@example.com`],
  ])('says to an app what the page says, with %s', async (_name, url, encoded) => {
    const server = await startServer({ settings: { FORMBOX_URL: url } })
    const email = decodeURIComponent(encoded)
    await createUser(server, email)
    const ada = visit(server, { origin: url })
    await ada.signIn(email)
    const { html, headers } = await ada.get('/settings/account/second-factor')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const { pixels, size } = toPicture(html)
    const uri = new URL(jsQR(pixels, size, size)?.data ?? '')
    expect(uri.protocol).toBe('otpauth:')
    const secret = secretOn(html)
    expect(secret).toHaveLength(32)
    expect(Object.fromEntries(uri.searchParams)).toEqual({ secret, issuer: `Formbox ${new URL(url).host}` })
    expect(decodeURIComponent(uri.pathname)).toEndWith(`Formbox ${new URL(url).host}:${email}`)
    expect(html).toContain(secret.match(/.{4}/g)?.join(' ') ?? 'none')
  })

  test('is shown to who is signed in alone', async () => {
    const server = await sharedServer()
    expect((await visit(server).get('/settings/account/second-factor')).status).toBe(303)
    expect((await visit(server).post('/settings/account/second-factor', { current: password })).status).toBe(401)
  })
})
