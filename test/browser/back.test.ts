import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addKey, newEmail, sharedServer } from '../harness.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from './browser.ts'

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
  (await page.locator('tr:has(:checked) .who-cell').allTextContents()).map(
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
    const button = list === 'spam' ? 'Not spam' : 'Mark as spam'
    await page.locator('.selection').getByRole('button', { name: button }).click()
    await page.locator('#notice').waitFor()
    await page.goBack()
    await page.getByRole('checkbox', { name: /Visitor 1,/ }).waitFor()
    expect(await page.locator('tbody :is(.open, summary)').count()).toBe(3)
    expect(await ticked(page)).toEqual([])
  })

  test.each(cases)('ticks no other row after one has arrived: %s, %s', async (list, _, scripts) => {
    const { page, submit, complaints } = await openList(list, scripts)
    await page.getByRole('checkbox', { name: /Visitor 2,/ }).check()
    await page.getByRole('checkbox', { name: /Visitor 0,/ }).check()
    await page.getByRole('link', { name: 'Embed' }).click()
    await page.getByRole('heading', { name: 'Put it on your page' }).waitFor()
    await submit('Visitor 4')
    await page.goBack()
    await page.getByRole('checkbox', { name: /Visitor 4,/ }).waitFor()
    // A script remembers whose they were.
    expect(await ticked(page)).toEqual(scripts ? ['Visitor 2', 'Visitor 0'] : [])
    if (scripts) expect(await page.locator('.selection').isVisible()).toBe(true)
    expect(complaints).toEqual([])
  })
})
