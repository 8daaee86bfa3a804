// Headless Chromium for the tests of pages. A machine without one skips them, and says so.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterThisTest, newEmail, type Server } from '../harness.ts'
import { noteSkipped } from '../skips.ts'
import { password, signedIn } from '../visitor.ts'

const candidates = [process.env.CHROMIUM, Bun.which('chromium'), Bun.which('chromium-browser')]
const executablePath = candidates.find((path) => path && existsSync(path))

export const hasChromium = executablePath !== undefined
if (!hasChromium) noteSkipped('Skipping the tests in a browser: there is no chromium on the PATH, nor in $CHROMIUM.')

/** Milliseconds for a test. If one times out, Bun kills the browser, which the others still need. */
export const browserTimeout = 180_000

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name as in a local network, and another site. Both are this machine, and neither counts as secure.
  '--host-resolver-rules=MAP forms.lan 127.0.0.1, MAP evil.example 127.0.0.1',
]

let browser: Promise<Browser> | undefined

export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** The hosts, with ports, that were requested so far. */
  readonly hosts: Set<string>
  /** The `Referer` headers of the requests. */
  readonly referrers: Set<string>
  /** The errors of the pages, such as violations of their policy. */
  readonly complaints: string[]
}

type Options = Parameters<Browser['newContext']>[0]

/** A time zone in which it is about noon. At midnight, a list would begin another day in the middle of a test. */
const noonZone = (): string => {
  const offset = 12 - new Date().getUTCHours()
  return offset === 0 ? 'Etc/UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

/** A tab in a new, empty browser profile. It closes after the test. */
export const openTab = async (options: Options = {}): Promise<Tab> => {
  browser ??= chromium.launch({ executablePath: executablePath as string, args: flags })
  const context = await (await browser).newContext({ locale: 'en-GB', timezoneId: noonZone(), ...options })
  afterThisTest(() => context.close())
  const page = await context.newPage()
  const hosts = new Set<string>()
  const referrers = new Set<string>()
  const complaints: string[] = []
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:') hosts.add(url.host)
    referrers.add(request.headers().referer ?? '')
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // Chromium writes a line for every 4xx.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  return { page, context, hosts, referrers, complaints }
}

/** Starts another site, also under the name evil.example, until the end of the test. Returns its port. */
export const startSite = (toHtml: (path: string) => string): number => {
  const site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => new Response(toHtml(new URL(url).pathname), { headers: { 'content-type': 'text/html' } }),
  })
  afterThisTest(() => site.stop(true))
  return site.port as number
}

export const closeBrowser = async (): Promise<void> => {
  await (await browser)?.close()
  browser = undefined
}

/** Creates the first account on the setup page, and opens the API keys page. */
export const setUp = async ({ page }: Tab, address: string, setupPath: string | null): Promise<void> => {
  await page.goto(`${address}${setupPath}`)
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Create your first form' }).waitFor()
  await inAccountMenu(page, 'link', 'API keys')
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
}

/** Opens the menu of the account, and clicks on what is in it. */
export const inAccountMenu = async (page: Page, role: 'link' | 'button', name: string): Promise<void> => {
  await page.locator('.account > summary').click()
  await page.locator('.account').getByRole(role, { name }).click()
}

/** Signs in to a new account without using the pages. The tab shows the API keys page. */
export const signUp = async ({ page, context }: Tab, server: Server, email = newEmail()): Promise<string> => {
  const ada = await signedIn(server, email)
  const [name = '', value = ''] = ada.cookie()?.split('=') ?? []
  await context.addCookies([{ name, value, url: server.url }])
  await page.goto(`${server.url}/settings/keys`)
  return ada.userId
}

interface NewKey {
  readonly name: string
  /** `2026-12-31` */
  readonly expires?: string
  readonly isReadOnly?: true
}

/** Creates a key on the API keys page, and returns the value shown. */
export const createKey = async ({ page }: Tab, { name, expires = '', isReadOnly }: NewKey): Promise<string> => {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Valid until').fill(expires)
  await page.getByRole('radio', { name: isReadOnly ? 'Only read' : 'Read and change' }).check()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.locator('#new-key').textContent()
  // The list of keys comes after it.
  await page.waitForLoadState()
  return key ?? ''
}
