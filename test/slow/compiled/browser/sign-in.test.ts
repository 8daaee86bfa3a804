import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  browserTimeout,
  closeBrowser,
  createKey,
  hasChromium,
  inAccountMenu,
  openTab,
  setUp,
  startSite,
  type Tab,
} from '../../../browser/browser.ts'
import { newEmail, type Server, sharedServer, startServer } from '../../../harness.ts'
import { createUser, password, visit } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const fillIn = async ({ page }: Tab, typed: string, email = 'ada@example.com'): Promise<void> => {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(typed)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in to a new account on the page for that. */
const signIn = async (tab: Tab, server: Server, email?: string): Promise<void> => {
  await createUser(server, email)
  await tab.page.goto(`${server.url}/sign-in`)
  await fillIn(tab, password, email)
  await tab.page.getByRole('heading', { name: 'Create your first form' }).waitFor()
}

describe.skipIf(!hasChromium)('signing in in a browser', () => {
  test('a wrong password says so and keeps the address; the right one leads to the page asked for', async () => {
    const server = await startServer()
    await createUser(server)
    const tab = await openTab()
    await tab.page.goto(`${server.url}/settings/account`)
    await fillIn(tab, 'not the password')
    expect(await tab.page.getByRole('alert').textContent()).toBe('The email address or password is wrong.')
    expect(await tab.page.getByLabel('Email address').inputValue()).toBe('ada@example.com')
    expect(await tab.page.getByLabel('Password').inputValue()).toBe('')
    // Reloading sends the form again; it is still our own.
    expect((await tab.page.reload())?.status()).toBe(401)
    await fillIn(tab, password)
    await tab.page.getByRole('heading', { name: 'Account' }).waitFor()
    expect(tab.page.url()).toBe(`${server.url}/settings/account`)
    expect(tab.complaints).toEqual([])
  })

  test('works over plain http on an address of the local network, from the first run on', async () => {
    const server = await startServer()
    const address = `http://forms.lan:${new URL(server.url).port}`
    const tab = await openTab()
    await setUp(tab, address, server.setupPath)
    expect(await tab.page.evaluate(() => window.isSecureContext)).toBe(false)
    expect(await createKey(tab, { name: 'Website' })).toMatch(/^api_/)
    expect(await tab.page.locator('#new-command').textContent()).toContain(`${address}/api/v1/forms`)
    await tab.page.getByRole('button', { name: 'Copy key' }).click()
    await tab.page.getByRole('button', { name: 'Copied' }).waitFor()
    await inAccountMenu(tab.page, 'button', 'Sign out')
    await fillIn(tab, password)
    await tab.page.getByRole('heading', { name: 'Create your first form' }).waitFor()
  })

  test('a change of the password signs the other browser out', async () => {
    const server = await startServer()
    const here = await openTab()
    await setUp(here, server.url, server.setupPath)
    const there = await openTab()
    await there.page.goto(server.url)
    await fillIn(there, password)
    await there.page.getByRole('heading', { name: 'Create your first form' }).waitFor()
    await inAccountMenu(here.page, 'link', 'Account')
    await here.page.getByText('2 browsers are signed in').waitFor()
    await here.page.getByLabel('Current password').fill(password)
    await here.page.getByLabel('New password').fill('another long password')
    await here.page.getByRole('button', { name: 'Change password' }).click()
    await here.page.getByText('Your password has been changed.').waitFor()
    await there.page.reload()
    expect(new URL(there.page.url()).pathname).toBe('/sign-in')
  })

  test('goes on where one has signed in before, while wrong passwords of others keep strangers out', async () => {
    const server = await startServer({ settings: { FORMBOX_TRUST_PROXY: '127.0.0.1' } })
    const owner = await openTab()
    await signIn(owner, server)
    await inAccountMenu(owner.page, 'button', 'Sign out')
    const tries = Array.from({ length: 10 }, (_, i) =>
      visit(server, { 'x-forwarded-for': `192.0.2.${i}` }).signIn('ada@example.com', 'not the password'),
    )
    for (const { status } of await Promise.all(tries)) expect(status).toBe(401)
    const stranger = await openTab()
    await stranger.page.goto(`${server.url}/sign-in`)
    await fillIn(stranger, password)
    expect(await stranger.page.getByRole('alert').textContent()).toStartWith('Too many failed attempts.')
    await fillIn(owner, password)
    await owner.page.getByRole('heading', { name: 'Create your first form' }).waitFor()
  })

  test.each([
    ['another site', 'evil.example'],
    ['another port of this host', '127.0.0.1'],
  ])('a form on %s can neither create a key nor sign out', async (_name, host) => {
    const server = await sharedServer()
    const tab = await openTab()
    await signIn(tab, server, newEmail())
    const port = startSite(
      () => `<form method="post" action="${server.url}/settings/keys"><input name="name" value="Forged"><button>Create</button></form>
           <form method="post" action="${server.url}/sign-out"><button>Leave</button></form>`,
    )
    for (const button of ['Create', 'Leave']) {
      await tab.page.goto(`http://${host}:${port}/`)
      await tab.page.getByRole('button', { name: button }).click()
      await tab.page.getByRole('heading', { name: 'Not allowed' }).waitFor()
    }
    await tab.page.goto(`${server.url}/settings/keys`)
    await tab.page.getByRole('heading', { name: 'Create a key' }).waitFor()
  })

  test('no other site reads our pages, or shows them in a frame', async () => {
    const server = await sharedServer()
    const tab = await openTab()
    await signIn(tab, server, newEmail())
    const port = startSite(() => `<iframe src="${server.url}/settings/keys"></iframe>`)
    await tab.page.goto(`http://127.0.0.1:${port}/`)
    const read = (url: string) =>
      fetch(url, { credentials: 'include' }).then(
        () => 'read',
        () => 'refused',
      )
    expect(await tab.page.evaluate(read, `${server.url}/settings/keys`)).toBe('refused')
    expect(await tab.page.frames()[1]?.content()).not.toContain('API keys')
  })
})
