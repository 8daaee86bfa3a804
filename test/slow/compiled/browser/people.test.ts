import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const longestWay = 100

/** Presses Tab until the focus is on what this selects. */
const tabTo = async (page: Page, selector: string): Promise<void> => {
  for (let i = 0; i < longestWay; i++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return
  }
  throw new Error(`Tab does not lead to ${selector}`)
}

const press = async (page: Page, selector: string, key = 'Enter'): Promise<void> => {
  await tabTo(page, selector)
  await page.keyboard.press(key)
}

describe.skipIf(!hasChromium)('people who share a form, with the keyboard alone,', () => {
  test.each([
    ['with scripts', true, 1280],
    ['without scripts, on a phone', false, 320],
  ] as const)('invite, make a key for it, accept and leave, %s', async (_name, javaScriptEnabled, width) => {
    const server = await sharedServer()
    const options = { javaScriptEnabled, viewport: { width, height: 640 } }
    const tab = await openTab(options)
    const { page } = tab
    const ada = addKey(server, await signUp(tab, server), newEmail())
    const form = await ada.createForm({ title: 'Guest list' })
    const other = await ada.createForm({ title: 'Other' })

    await page.goto(`${server.url}/forms/${form}/settings/people`)
    await tabTo(page, '#share-email')
    await page.keyboard.type(newEmail())
    await press(page, 'select[name=role]', 'ArrowDown')
    await press(page, 'form.inline button.primary')
    await page.getByRole('heading', { name: 'The invitation' }).waitFor()
    const link = (await page.locator('#invitation').textContent()) ?? ''
    expect(await page.locator('.things .chip').allTextContents()).toEqual(['Owner', 'Editor'])

    await page.goto(`${server.url}/settings/keys`)
    expect(await page.locator(`[value="${form}"]`).isVisible()).toBe(false)
    await tabTo(page, '#name')
    await page.keyboard.type('Website')
    await press(page, '[name=scope]', 'ArrowDown')
    await press(page, `[value="${form}"]`, 'Space')
    await press(page, 'form button.primary')
    const key = (await page.locator('#new-key').textContent()) ?? ''
    await page.getByText('Reads and changes Guest list').waitFor()
    const statuses = [form, other].map(async (id) => {
      const answer = await server.fetch(`/api/v1/forms/${id}`, { headers: { authorization: `Bearer ${key}` } })
      return answer.status
    })
    expect(await Promise.all(statuses)).toEqual([200, 403])

    const guest = await openTab(options)
    await guest.page.goto(new URL(link, server.url).href)
    expect(await guest.page.evaluate(() => document.activeElement?.id)).toBe('password')
    await guest.page.keyboard.type('a long enough one')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('heading', { name: 'Guest list' }).waitFor()
    await guest.page.goto(`${server.url}/forms`)
    await guest.page.getByRole('heading', { name: 'Forms' }).waitFor()
    expect(await guest.page.getByRole('link', { name: 'New form' }).count()).toBe(0)
    await press(guest.page, `a[href="/forms/${form}"]`)
    await guest.page.getByRole('heading', { name: 'Nothing yet' }).waitFor()
    await press(guest.page, '.as-link')
    await guest.page.getByRole('heading', { name: 'Leave this form?' }).waitFor()
    await press(guest.page, 'main button')
    await guest.page.getByText('You have left the form.').waitFor()
    await guest.page.goto(`${server.url}/`)
    await guest.page.getByRole('heading', { name: 'No forms of your own' }).waitFor()

    await page.goto(`${server.url}/forms/${form}/settings/people`)
    await page.getByText('removed ').waitFor()
    expect([...tab.complaints, ...guest.complaints]).toEqual([])
  })

  test('a form is shared with a colleague with four clicks from the list of forms, without scripts', async () => {
    const server = await sharedServer()
    const tab = await openTab({ javaScriptEnabled: false })
    const { page } = tab
    const ada = addKey(server, await signUp(tab, server), newEmail())
    await ada.createForm({ title: 'Guest list' })
    const grace = await server.signUp()
    await page.goto(`${server.url}/forms`)
    for (const name of ['Guest list', 'Settings', 'People and data'])
      await page.getByRole('link', { name }).filter({ visible: true }).first().click()
    await page.getByLabel('Share with').fill(grace.email)
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByText('The form is shared, and is on their list of forms.').waitFor()
    expect(await page.locator('.things .chip').allTextContents()).toEqual(['Owner', 'Reader'])
  })
})
