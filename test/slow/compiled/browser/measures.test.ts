import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'
import { submitAll } from '../../../stored-files.ts'

// What an owner sees and does at once, in numbers: the first row, the rows in sight, presses, clicks and bytes.

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** A form of a user who has another one, with forty messages like those of a shop. */
const openForm = async (options: Parameters<typeof openTab>[0] = {}) => {
  const server = await sharedServer()
  const tab = await openTab(options)
  const user = addKey(server, await signUp(tab, server), newEmail())
  await user.createForm({ title: 'Newsletter' })
  const id = await user.createForm({ title: 'Contact' })
  const message = 'Could you write “Happy 80th, Nan” on a lemon cake, and keep it until Friday at noon?'
  submitAll(
    server,
    id,
    Array.from({ length: 40 }, (_, i) => ({
      name: `Visitor ${i}`,
      email: `v${i}@x.example`,
      topic: 'Orders',
      message,
    })),
  )
  await tab.page.goto(`${server.url}/forms/${id}`)
  return { ...tab, server, user, id, list: `${server.url}/forms/${id}` }
}

describe.skipIf(!hasChromium)('the list of one form', () => {
  test.each([
    [1440, 900, 195, 15],
    [390, 844, 285, 7],
  ])('at %d × %d px begins at %d px at the latest, and has %d rows in sight', async (width, height, top, rows) => {
    const { page } = await openForm({ viewport: { width, height } })
    const boxes = await page
      .locator('.row')
      .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().toJSON()))
    expect(boxes[0].top).toBeLessThanOrEqual(top)
    expect(boxes.filter(({ bottom }) => bottom <= height).length).toBeGreaterThanOrEqual(rows)
  })

  test('is a page of at most 35 KiB, and so are answers, the inbox, the forms and a message', async () => {
    const { page, server, list } = await openForm()
    const message = (await page.locator('.row .open').first().getAttribute('href')) ?? ''
    for (const url of [list, `${list}/answers`, `${server.url}/`, `${server.url}/forms`, server.url + message]) {
      const body = await (await page.goto(url))?.body()
      expect(body?.byteLength, url).toBeLessThanOrEqual(35 * 1024)
    }
  })

  test('has answers that a menu prints, with a script, and downloads', async () => {
    const { page, list } = await openForm()
    await page.goto(`${list}/answers`)
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', '')
    })
    await page.locator('.more > summary').click()
    await page.getByRole('button', { name: 'Print' }).click()
    await page.locator('[data-printed]').waitFor()
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    await page.locator('.more > summary').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download these figures as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Contact answers.csv')
  })

  test('leads to an answer with two clicks, which quotes the message', async () => {
    const { page, server } = await openForm({ javaScriptEnabled: false })
    await page.goto(server.url)
    await page.locator('.row .open').first().click()
    const reply = (await page.getByRole('link', { name: 'Reply' }).getAttribute('href')) ?? ''
    expect(reply).toStartWith('mailto:v')
    expect(decodeURIComponent(reply)).toContain('> Could you write “Happy 80th, Nan” on a lemon cake')
  })

  test('takes at most 12 presses of keys for two as spam, and 26 with Tab alone', async () => {
    const withKeys = await openForm()
    const keys = ['j', 'x', 'j', 'x', 's']
    for (const key of keys) await withKeys.page.keyboard.press(key)
    await withKeys.page.getByText('2 submissions have been marked as spam').waitFor()
    expect(keys.length).toBeLessThanOrEqual(12)

    const { page } = await openForm({ javaScriptEnabled: false })
    let presses = 0
    const press = async (key: string): Promise<void> => {
      presses++
      await page.keyboard.press(key)
    }
    const tabTo = async (selector: string): Promise<void> => {
      do await press('Tab')
      while ((await page.locator(`${selector}:focus`).count()) === 0 && presses < 60)
    }
    await tabTo('.skip[href="#rows"]')
    await press('Enter')
    await tabTo('.row:nth-of-type(1) .check input')
    await press('Space')
    await tabTo('.row:nth-of-type(2) .check input')
    await press('Space')
    await tabTo('.to-bar')
    await press('Enter')
    await tabTo('.picked [data-key=s]')
    await press('Enter')
    await page.getByText('2 submissions have been marked as spam').waitFor()
    expect(presses).toBeLessThanOrEqual(26)
  })

  test('saves the last month as CSV with five clicks from the start', async () => {
    const { page, server, user, id } = await openForm()
    await user.call('PATCH', `/forms/${id}`, { title: 'Contact us' })
    await page.goto(server.url)
    await page.locator('header a', { hasText: 'Forms' }).click()
    let clicks = 0
    const click = async (selector: string): Promise<void> => {
      clicks++
      await page.locator(selector).filter({ visible: true }).first().click()
    }
    await click('a.open:has-text("Contact us")')
    await click('.tools summary:has-text("Filter")')
    // The messages came today: the last month has none, and the last 30 days have the same clicks.
    await click('a:has-text("30 days")')
    await click('.more > summary')
    const download = page.waitForEvent('download')
    await click('a:has-text("as CSV")')
    expect((await download).suggestedFilename()).toEndWith('.csv')
    expect(clicks).toBeLessThanOrEqual(5)
  })
})
