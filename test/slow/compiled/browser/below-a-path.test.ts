// A server below a path, in a browser: scripts, the stream of events, cookies and the proof of work know where it is.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Request } from 'playwright-core'
import { putAddressesBelow } from '../../../../src/config/addresses.ts'
import {
  browserTimeout,
  closeBrowser,
  hasChromium,
  inAccountMenu,
  openTab,
  startSite,
} from '../../../browser/browser.ts'
import { serve } from '../../../commands/formbox.ts'
import { freePort } from '../../../free-port.ts'
import { addKey, afterThisTest, newEmail, startServer, temporaryFolder } from '../../../harness.ts'
import { createUser, password } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)
afterAll(() => putAddressesBelow(''))

describe.skipIf(!hasChromium)('a server below a path', () => {
  test('works with all its scripts, and loads nothing from outside of it', async () => {
    const port = String(await freePort())
    const origin = `http://127.0.0.1:${port}`
    const home = `${origin}/tools/formbox`
    const server = await startServer({ settings: { FORMBOX_PORT: port, FORMBOX_URL: home } })
    const email = newEmail()
    const ada = addKey(server, await createUser(server, email), email)
    const id = await ada.createForm()
    const fields = [{ name: 'message', type: 'text', label: 'Message' }]
    const settings = { fields, page: {}, challenge: true }
    expect((await ada.call('PATCH', `/forms/${id}/settings`, settings)).status).toBe(200)

    const tab = await openTab()
    const { page } = tab
    const outside: string[] = []
    const watch = (request: Request): void => {
      const url = request.url()
      if (url.startsWith(origin) && !url.startsWith(`${home}/`)) outside.push(url)
    }
    page.on('request', watch)
    await page.goto(`${home}/forms/${id}`)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    const listening = page.waitForResponse((response) => response.url().endsWith('/events'))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await listening
    expect(page.url()).toBe(`${home}/forms/${id}`)

    // From the page of the form, and from a page of another site with the snippet.
    const visitor = await openTab()
    visitor.page.on('request', watch)
    await visitor.page.goto(`${home}/f/${id}`)
    await visitor.page.getByLabel('Message').fill('From its page')
    await visitor.page.getByRole('button', { name: 'Send' }).click()
    await visitor.page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.getByText('From its page').first().waitFor()

    const embed = await tab.context.newPage()
    embed.on('request', watch)
    await embed.goto(`${home}/forms/${id}/embed`)
    const snippet = (await embed.locator('pre code').first().textContent()) ?? ''
    expect(snippet).toContain(`action="${home}/s/${id}"`)
    expect(snippet).toContain(`src="${home}/challenge.js"`)
    const site = startSite(() => `<!doctype html><html lang="en"><title>Shop</title>${snippet}`)
    await visitor.page.goto(`http://evil.example:${site}/`)
    await visitor.page.getByLabel('Message').fill('From a snippet')
    await visitor.page.getByRole('button', { name: 'Send' }).click()
    await visitor.page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.getByText('From a snippet').first().waitFor()

    await embed.goto(`${home}/docs`)
    await embed.getByText('List all forms').first().click()
    await embed
      .locator('.code-samples code')
      .filter({ hasText: `${home}/api/v1/forms` })
      .first()
      .waitFor()

    expect(outside).toEqual([])
    expect([...tab.complaints, ...visitor.complaints]).toEqual([])
    const cookies = await tab.context.cookies()
    expect(cookies.map(({ path }) => path)).toEqual(cookies.map(() => '/tools/formbox'))
    expect(cookies.length).toBeGreaterThan(0)
  })

  test('has its own session beside another Formbox on the same host', async () => {
    const paths = ['/one', '/two'] as const
    const inner = new Map<string, string>()
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url)
        const target = inner.get(`/${pathname.split('/')[1]}`)
        return fetch(new Request(target + pathname + search, request), { redirect: 'manual' })
      },
    })
    afterThisTest(() => proxy.stop(true))
    const email = newEmail()
    for (const path of paths) {
      const folder = temporaryFolder()
      const data = join(folder, 'data')
      await createUser({ folder: data }, email)
      const environment = { FORMBOX_URL: `http://127.0.0.1:${proxy.port}${path}`, FORMBOX_DATA: data }
      inner.set(path, (await serve([], { folder, environment })).url)
    }
    const { page } = await openTab()
    const homeOf = (path: string): string => `http://127.0.0.1:${proxy.port}${path}/`
    const signIn = async (path: string): Promise<void> => {
      await page.goto(homeOf(path))
      expect(page.url()).toBe(`${homeOf(path)}sign-in`)
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL(homeOf(path))
    }
    for (const path of paths) await signIn(path)
    for (const path of paths) {
      await page.goto(homeOf(path))
      expect(page.url()).toBe(homeOf(path))
    }
    await inAccountMenu(page, 'button', 'Sign out')
    await page.waitForURL(/\/two\/sign-in/)
    await page.goto(homeOf('/one'))
    expect(page.url()).toBe(homeOf('/one'))
  })
})
