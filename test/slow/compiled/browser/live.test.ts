import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  browserTimeout,
  closeBrowser,
  hasChromium,
  inAccountMenu,
  openTab,
  signUp,
  type Tab,
} from '../../../browser/browser.ts'
import {
  addKey,
  afterThisTest,
  newEmail,
  type Server,
  sharedServer,
  startServer,
  temporaryFolder,
} from '../../../harness.ts'
import { until } from '../../../until.ts'
import { visit } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** A tab that shows the submissions of a new form. */
const openList = async (server: Server, submissions = 0, query = '') => {
  const tab = await openTab({ viewport: { width: 1000, height: 700 } })
  const user = addKey(server, await signUp(tab, server), newEmail())
  const id = await user.createForm()
  for (let i = 0; i < submissions; i++) await server.submit(id, { name: `Visitor ${i}` })
  const listening = whenListening(tab)
  await tab.page.goto(`${server.url}/forms/${id}${query}`)
  await listening
  return { ...tab, tab, user, id, submit: (name: string, more = {}) => server.submit(id, { name, ...more }) }
}

const whenListening = ({ page }: Tab): Promise<unknown> =>
  page.waitForResponse((response) => response.url().endsWith('/events') && response.status() === 200)

const names = async (page: Page): Promise<string[]> =>
  (await page.locator('.row .open').allTextContents()).map((text) => text.replace('Unread: ', '*'))

const rowOf = (page: Page, name: string) => page.locator('.row', { hasText: name })

const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

describe.skipIf(!hasChromium)('the list of submissions in a browser', () => {
  test('shows the first submission and those after it by itself, and tells of them', async () => {
    const { page, submit, complaints, hosts } = await openList(await sharedServer())
    await page.getByText('Nothing yet').waitFor()
    await submit('Grace')
    await rowOf(page, 'Grace').waitFor()
    expect(await page.locator('.foot').textContent()).toContain('1 open, 0 done')
    await page.getByText('1 new submission', { exact: true }).waitFor({ state: 'attached' })
    await page.getByRole('checkbox').check()
    await page.getByText('1 selected', { exact: true }).first().waitFor({ state: 'attached' })
    await page.getByRole('checkbox').uncheck()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.mouse.move(0, 0)
    await submit('Mary')
    await submit('Edith')
    await rowOf(page, 'Edith').waitFor()
    await rowOf(page, 'Mary').waitFor()
    expect(await names(page)).toEqual(['*Edith', '*Mary', '*Grace'])
    expect(await page.locator('.foot').textContent()).toContain('3 open, 0 done')
    expect(await page.locator('.plot').textContent()).toContain('3 submissions in 30 days')
    // Times and days are those of the reader there too.
    expect(await page.locator('.day').allTextContents()).toEqual(['Today'])
    await page.getByRole('link', { name: 'Select these 3' }).first().click()
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(3)
    expect(complaints).toEqual([])
    expect(hosts.size).toBe(1)
  })

  test('leaves what is selected, focused and read as it is, and says how many are new', async () => {
    const { page, submit, complaints } = await openList(await sharedServer(), 20)
    const third = page.getByRole('checkbox', { name: /Visitor 17,/ })
    await third.check()
    await page.getByRole('link', { name: 'Visitor 16' }).focus()
    for (const name of ['Grace', 'Mary']) await submit(name)
    await page.getByRole('link', { name: '2 new', exact: true }).waitFor({ state: 'attached' })
    expect((await names(page))[0]).toBe('*Visitor 19')
    expect(await third.isChecked()).toBe(true)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Visitor 16')
    await third.uncheck()
    await page.getByRole('link', { name: '2 new', exact: true }).click()
    await rowOf(page, 'Mary').waitFor()
    expect(complaints).toEqual([])
  })

  test('moves nothing for someone who has scrolled, or points at a row', async () => {
    const { page, submit } = await openList(await sharedServer(), 30)
    const place = async () => (await rowOf(page, 'Visitor 15').boundingBox())?.y
    await page.mouse.wheel(0, 400)
    await page.waitForFunction(() => scrollY >= 400)
    await page.mouse.move(0, 0)
    const before = await place()
    await submit('Grace')
    await page.getByText('1 new', { exact: true }).waitFor({ state: 'attached' })
    expect(await names(page)).not.toContain('*Grace')
    // The line that says so is above what is read.
    expect(Math.abs(((await place()) ?? 0) - (before ?? 0))).toBeLessThan(1)
    await page.reload()
    await rowOf(page, 'Grace').hover()
    await submit('Mary')
    await page.getByRole('link', { name: '1 new', exact: true }).waitFor()
    expect(await names(page)).not.toContain('*Mary')
  })

  test('on another page, counts what is unread', async () => {
    const { page, submit } = await openList(await sharedServer(), 31, '?page=2')
    await submit('Grace')
    await page.getByRole('link', { name: 'Unread 32' }).waitFor()
  })

  test('of a search, says how many more it finds', async () => {
    const { page, submit } = await openList(await sharedServer(), 1, '?q=visitor')
    await submit('Grace')
    await submit('Visitor after')
    await page.getByRole('link', { name: '1 new', exact: true }).click()
    await rowOf(page, 'Visitor after').waitFor()
    expect(await page.locator('.row').count()).toBe(2)
  })

  test('has no connection while it is hidden, and then catches up', async () => {
    const { page, tab, submit } = await openList(await sharedServer(), 1)
    const disconnected = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'))
    await setHidden(page, true)
    await disconnected
    await submit('Grace')
    expect(await names(page)).toEqual(['*Visitor 0'])
    const listening = whenListening(tab)
    await setHidden(page, false)
    await listening
    await rowOf(page, 'Grace').waitFor()
  })

  test('catches up after a restart of the server', async () => {
    const folder = temporaryFolder()
    const first = await startServer({ folder })
    const { page, tab, id } = await openList(first, 1)
    await first.stop()
    const settings = { FORMBOX_PORT: new URL(first.url).port }
    const listening = whenListening(tab)
    const second = await startServer({ folder, settings })
    await second.submit(id, { name: 'Grace' })
    await listening
    await rowOf(page, 'Grace').waitFor()
  })

  const signOutElsewhere = async ({ page, context }: Tab): Promise<void> => {
    const other = await context.newPage()
    await other.goto(page.url())
    await inAccountMenu(other, 'button', 'Sign out')
    await other.getByText('You have signed out.').waitFor()
    await other.close()
  }
  const signedOut = 'No longer updated: you are signed out.'

  test('says so when the user has signed out elsewhere, asks for nothing more, and leads to sign-in', async () => {
    const { page, tab } = await openList(await sharedServer(), 20)
    // Wherever someone reads.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await signOutElsewhere(tab)
    await page.getByText(signedOut).waitFor()
    expect((await page.getByText(signedOut).boundingBox())?.y).toBeGreaterThanOrEqual(0)
    let requests = 0
    page.on('request', () => requests++)
    await page.waitForTimeout(2500)
    expect(requests).toBe(0)
    const address = new URL(page.url())
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).searchParams.get('next')).toBe(address.pathname)
    expect(tab.complaints).toEqual([])
  })

  test('says so when the session has ended while it was hidden, and goes on after sign-in elsewhere', async () => {
    const server = await sharedServer()
    const { page, tab, submit } = await openList(server, 1)
    await setHidden(page, true)
    await signOutElsewhere(tab)
    await setHidden(page, false)
    await page.getByText(signedOut).waitFor()
    await setHidden(page, true)
    await setHidden(page, false)
    await page.waitForResponse((response) => response.url().endsWith('/embed'))
    expect(await page.getByText(signedOut).count()).toBe(1)
    const visitor = visit(server)
    await visitor.signIn((await page.locator('.account p').textContent()) ?? '')
    const [name = '', value = ''] = visitor.cookie()?.split('=') ?? []
    await tab.context.addCookies([{ name, value, url: server.url }])
    await submit('Grace')
    await setHidden(page, true)
    await setHidden(page, false)
    await rowOf(page, 'Grace').waitFor()
    expect(await page.getByText('No longer updated').count()).toBe(0)
  })

  test('says so when the form was deleted', async () => {
    const { page, user, id } = await openList(await sharedServer(), 1)
    await user.call('DELETE', `/forms/${id}`)
    await page.getByText('No longer updated: the form has been deleted.').waitFor()
  })

  test('says so when newer pages of the user have taken its place', async () => {
    const server = await sharedServer()
    const { page, context, id } = await openList(server, 1)
    const [{ name, value } = { name: '', value: '' }] = await context.cookies()
    const gone = new AbortController()
    afterThisTest(() => gone.abort())
    const headers = { cookie: `${name}=${value}` }
    for (let i = 0; i < 20; i++) await server.fetch(`/forms/${id}/events`, { headers, signal: gone.signal })
    await page.getByText('No longer updated: too many lists are open.').waitFor()
    gone.abort()
    await page.getByRole('link', { name: 'Reload' }).click()
    await rowOf(page, 'Visitor 0').waitFor()
  })
})

describe.skipIf(!hasChromium)('the list of forms in a browser', () => {
  const openForms = async () => {
    const tab = await openTab({ viewport: { width: 1000, height: 700 } })
    const server = await sharedServer()
    const user = addKey(server, await signUp(tab, server), newEmail())
    const [first, second] = [await user.createForm({ title: 'First' }), await user.createForm({ title: 'Second' })]
    await server.submit(first, { name: 'Grace' })
    await server.submit(second, { name: 'Mary' })
    const { page } = tab
    const listening = whenListening(tab)
    await page.goto(`${server.url}/forms`)
    await listening
    const titles = () => page.locator('.forms .open').allTextContents()
    return { ...tab, tab, user, server, first, second, titles }
  }

  test('shows what arrives, with the form first, and counts it in the title of the tab', async () => {
    const { page, server, first, titles, complaints } = await openForms()
    expect([await titles(), await page.title()]).toEqual([['Second', 'First'], '(2) Forms · Formbox'])
    await server.submit(first, { name: 'Edith' })
    await page.getByText('Edith').waitFor()
    expect([await titles(), await page.title()]).toEqual([['First', 'Second'], '(3) Forms · Formbox'])
    await page.getByText('1 new submission', { exact: true }).waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
  })

  test('moves no form below the pointer, and takes no focus', async () => {
    const { page, server, first, titles } = await openForms()
    await page.locator('.forms > li').first().hover()
    const link = page.getByRole('link', { name: 'Second' })
    await link.focus()
    await server.submit(first, { name: 'Edith' })
    await page.getByText('Edith').waitFor()
    expect(await titles()).toEqual(['Second', 'First'])
    expect(await link.evaluate((one) => one === document.activeElement)).toBe(true)
  })

  test('tells how many have arrived, not how many more the forms of the page have', async () => {
    const { page, user, server, first } = await openForms()
    for (let i = 0; i < 2; i++) await server.submit(first, { name: `Earlier ${i}` })
    for (let i = 0; i < 20; i++) await server.submit(await user.createForm({ title: `Form ${i}` }), { name: 'Once' })
    await page.reload()
    expect(await page.getByRole('link', { name: 'First' }).count()).toBe(0)
    await server.submit(first, { name: 'Edith' })
    await page.getByText('1 new submission', { exact: true }).waitFor({ state: 'attached' })
  })

  test('gives way to the page that is there when the last form was deleted elsewhere', async () => {
    const { page, user, first, second, complaints } = await openForms()
    await user.call('DELETE', '/forms/bulk', { ids: [first, second] })
    await page.getByRole('heading', { name: 'Create your first form' }).waitFor()
    expect(complaints).toEqual([])
  })

  test.each([
    ['does not come', 503],
    ['is of a proxy', 200],
  ])('asks less and less often for a page that %s', async (_, status) => {
    const { page, server, first } = await openForms()
    await page.route(`${server.url}/forms`, (route) => route.fulfill({ status, body: '<h1>Be right back</h1>' }))
    const pauses: number[] = []
    await page.exposeFunction('notePause', (pause: number) => pauses.push(pause))
    await page.evaluate(() => {
      const { setTimeout } = window
      const { notePause } = window as unknown as { notePause: (pause: number) => void }
      Math.random = () => 0.5
      window.setTimeout = ((run: () => void, pause: number) => {
        notePause(pause)
        return setTimeout(run, 0)
      }) as typeof setTimeout
    })
    await server.submit(first, { name: 'Edith' })
    await until(() => pauses.length >= 4, 'the script has tried four times')
    expect(pauses.slice(0, 4)).toEqual([1000, 2000, 4000, 8000])
  })

  test('and that of submissions say in the title of a hidden tab how many are unread', async () => {
    const { page, server, first } = await openForms()
    await page.clock.install()
    for (const path of ['/', `/forms/${first}`]) {
      await page.goto(server.url + path)
      const before = Number(/\((\d+)\)/.exec(await page.title())?.[1])
      await setHidden(page, true)
      await server.submit(first, { name: `Sent to ${path}` })
      await page.clock.fastForward(61_000)
      await page.waitForFunction((title) => document.title.startsWith(title), `(${before + 1}) `)
      expect(await page.getByText(`Sent to ${path}`, { exact: true }).count()).toBe(0)
    }
  })
})
