import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** A tab that shows a list with four rows: Visitor 3 to Visitor 0. */
const openList = async (list: 'submissions' | 'spam', javaScriptEnabled: boolean) => {
  const server = await sharedServer()
  const tab = await openTab({ javaScriptEnabled })
  const user = addKey(server, await signUp(tab, server), newEmail())
  const id = await user.createForm()
  const submit = (name: string) => server.submit(id, { name, ...(list === 'spam' && { _gotcha: 'x' }) })
  for (let i = 0; i < 4; i++) await submit(`Visitor ${i}`)
  await tab.page.goto(`${server.url}/forms/${id}${list === 'spam' ? '/spam' : ''}`)
  return { ...tab, submit }
}

const ticked = async (page: Page): Promise<string[]> =>
  (await page.locator('.row:has(:checked) :is(.open, .one)').allTextContents()).map(
    (text) => /Visitor \d/.exec(text)?.[0] ?? text,
  )

const cases = (['submissions', 'spam'] as const).flatMap((list) => [
  [list, 'with scripts', true] as const,
  [list, 'without scripts', false] as const,
])

describe.skipIf(!hasChromium)('going back to a list', () => {
  test.each(cases)('ticks no other row when those that were ticked are gone: %s, %s', async (list, _, scripts) => {
    const { page } = await openList(list, scripts)
    await page.getByRole('checkbox', { name: /Visitor 2,/ }).check()
    const button = list === 'spam' ? 'Not spam' : 'Spam'
    await page.locator(':is(.selection, .picked)').getByRole('button', { name: button }).click()
    await page.locator('#notice').waitFor()
    await page.goBack()
    await page.getByRole('checkbox', { name: /Visitor 1,/ }).waitFor()
    expect(await page.locator('.row :is(.open, summary)').count()).toBe(3)
    expect(await ticked(page)).toEqual([])
  })

  test.each(cases)('ticks no other row after one has arrived: %s, %s', async (list, _, scripts) => {
    const { page, submit, complaints } = await openList(list, scripts)
    await page.getByRole('checkbox', { name: /Visitor 2,/ }).check()
    await page.getByRole('checkbox', { name: /Visitor 0,/ }).check()
    await page.getByRole('link', { name: 'Embed' }).click()
    await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
    await submit('Visitor 4')
    await page.goBack()
    await page.getByRole('checkbox', { name: /Visitor 4,/ }).waitFor()
    // A script remembers whose they were.
    expect(await ticked(page)).toEqual(scripts ? ['Visitor 2', 'Visitor 0'] : [])
    if (scripts) expect(await page.locator(':is(.selection, .picked)').isVisible()).toBe(true)
    expect(complaints).toEqual([])
  })
})

describe.skipIf(!hasChromium)('what was just done', () => {
  /** Everything else in the address stays. */
  const expectSaidOnce = async (page: Page, query: string): Promise<void> => {
    await page.locator('#notice:focus').waitFor()
    expect(new URL(page.url()).search).toBe(query)
    await page.reload()
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('#notice').count()).toBe(0)
  }

  test('is said once, and not again when the page is reloaded', async () => {
    const { page } = await openList('submissions', true)
    await page.goto(`${page.url()}?startDate=2020-01-01`)
    await page.getByRole('checkbox', { name: /Visitor 2,/ }).check()
    await page.getByRole('button', { name: 'Spam' }).click()
    await expectSaidOnce(page, '?startDate=2020-01-01&state=open')
    await page.locator('.tabs').getByRole('link', { name: 'Spam' }).click()
    await page.locator('.opens').hover()
    await page.locator('.acts').getByRole('button', { name: 'Not spam' }).click()
    await expectSaidOnce(page, '')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page
      .locator('.rail')
      .getByRole('link', { name: /^Visitors/ })
      .click()
    await page.getByRole('button', { name: 'Save' }).filter({ visible: true }).first().click()
    await expectSaidOnce(page, '')
  })
})
