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
import { addKey, newEmail, sharedServer } from '../../../harness.ts'
import { until } from '../../../until.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const text = 'The rhubarb tart made my week. When is it back, and could I have one for Saturday? '

/** An inbox of three forms with this many submissions. */
const openInbox = async (tab: Tab, count: number) => {
  const server = await sharedServer()
  const ada = addKey(server, await signUp(tab, server), newEmail())
  const titles = ['Contact', 'Cake orders', 'Sourdough workshop in December']
  const forms = []
  for (const title of titles) forms.push(await ada.createForm({ title }))
  for (let i = 0; i < count; i++)
    await server.submit(forms[i % 3] as string, { name: `Visitor ${i}`, topic: 'Feedback', message: text + i })
  const listening = tab.page.waitForResponse((response) => response.url().endsWith('/inbox/events')).catch(() => {})
  await tab.page.goto(`${server.url}/`)
  return { server, ada, forms, listening }
}

/** Where the first row begins, and how many are whole within the window. */
const measured = (page: Page) =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.rows > .row')].map((row) => row.getBoundingClientRect())
    return { first: boxes[0]?.top ?? Infinity, inSight: boxes.filter(({ bottom }) => bottom <= innerHeight).length }
  })

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

const senders = (page: Page): Promise<string[]> => page.locator('.row .open bdi').allTextContents()

describe.skipIf(!hasChromium)('the inbox in a browser', () => {
  test.each([
    { width: 1440, height: 900, top: 150, rows: 15 },
    { width: 390, height: 844, top: 195, rows: 7 },
  ])(
    'has $rows rows in sight at $width × $height, the first one from $top on',
    async ({ width, height, top, rows }) => {
      const tab = await openTab({ viewport: { width, height } })
      await openInbox(tab, 32)
      const { first, inSight } = await measured(tab.page)
      expect(first).toBeLessThanOrEqual(top)
      expect(inSight).toBeGreaterThanOrEqual(rows)
      for (const other of [width, 320]) {
        await tab.page.setViewportSize({ width: other, height })
        expect(await sideways(tab.page), `at ${other} px`).toBe(0)
      }
      expect(tab.complaints).toEqual([])
    },
  )

  test('finds a word in all forms with one click and Enter, leads back, and has no scripts to do so', async () => {
    const tab = await openTab({ javaScriptEnabled: false })
    const { page } = tab
    await openInbox(tab, 4)
    await page.getByRole('searchbox').click()
    await page.keyboard.type('rhubarb 2')
    await page.keyboard.press('Enter')
    await page.getByText('1 found for').waitFor()
    expect(await senders(page)).toEqual(['Visitor 2'])
    await page.getByRole('link', { name: 'Clear' }).click()
    expect(await senders(page)).toHaveLength(4)
  })

  test('marks what is selected in several forms as done, and takes it back, with scripts and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const tab = await openTab({ javaScriptEnabled })
      const { page } = tab
      await openInbox(tab, 4)
      for (const sender of ['Visitor 3', 'Visitor 1']) await page.getByLabel(`Select ${sender}`).check()
      await page.locator('.picked').getByRole('button', { name: 'Done' }).click()
      await page.getByText('2 done.').waitFor()
      expect(await senders(page)).toEqual(['Visitor 2', 'Visitor 0'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('2 opened again.').waitFor()
      expect(await senders(page)).toHaveLength(4)
      expect(tab.complaints).toEqual([])
    }
  })

  test('marks two as spam with five keys, and without scripts with at most 26 presses', async () => {
    const tab = await openTab()
    await openInbox(tab, 3)
    for (const key of ['j', 'x', 'j', 'x', 's']) await tab.page.keyboard.press(key)
    await tab.page.getByText('2 marked as spam.').waitFor()
    expect(await senders(tab.page)).toEqual(['Visitor 0'])

    const { page } = await openTab({ javaScriptEnabled: false })
    await openInbox({ ...tab, page, context: page.context() }, 32)
    let presses = 0
    const press = async (key: string): Promise<void> => {
      presses++
      await page.keyboard.press(key)
    }
    const tabTo = async (name: string): Promise<void> => {
      for (let i = 0; i < 30; i++) {
        await press('Tab')
        if ((await page.locator(':focus').and(page.getByLabel(name)).count()) > 0) return
        if (
          (await page
            .locator(':focus')
            .and(page.getByText(name, { exact: true }))
            .count()) > 0
        )
          return
      }
    }
    await tabTo('Select Visitor 31')
    await press('Space')
    await tabTo('Select Visitor 30')
    await press('Space')
    await tabTo('To the actions')
    await press('Enter')
    await tabTo('Spam')
    await press('Enter')
    await page.getByText('2 marked as spam.').waitFor()
    expect(presses).toBeLessThanOrEqual(26)
  })

  test('shows what arrives in any form', async () => {
    const tab = await openTab()
    const { page } = tab
    const { server, forms, listening } = await openInbox(tab, 2)
    await listening
    await server.submit(forms[2] as string, { name: 'Grace', message: text })
    await until(async () => (await page.title()).startsWith('(3)'), 'the title to count it', { seconds: 20 })
    expect(await senders(page)).toEqual(['Grace', 'Visitor 1', 'Visitor 0'])
    expect(await page.locator('.top .count').textContent()).toBe('3 unread')
    // Someone who selects is not disturbed.
    await page.getByLabel('Select Visitor 1').check()
    await server.submit(forms[0] as string, { name: 'Edith', message: text })
    await page.getByRole('link', { name: '1 new' }).click()
    await page.getByRole('link', { name: 'Edith' }).waitFor()
    const other = await tab.context.newPage()
    await other.goto(page.url())
    await inAccountMenu(other, 'button', 'Sign out')
    await other.close()
    await page.getByText('No longer updated: you are signed out.').waitFor()
    expect(tab.complaints).toEqual([])
  })
})
