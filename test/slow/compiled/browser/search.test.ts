import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')

const openList = async (options: Parameters<typeof openTab>[0] = {}) => {
  const tab = await openTab(options)
  const server = await sharedServer()
  const ada = addKey(server, await signUp(tab, server), newEmail())
  const id = await ada.createForm({ title: 'Contact' })
  const sent = (data: object): Promise<string> => server.submit(id, data)
  await sent({ name: 'Bo', message: 'From Sweden' })
  await sent({ name: 'Åse', message: 'From Tromsø, Norway. '.repeat(20) })
  await sent({ name: 'Eva', email: 'eva@example.com', town: 'Oslo', land: 'Norge', more: 'It is in Norway' })
  await tab.page.goto(`${server.url}/forms/${id}`)
  const names = (): Promise<string[]> => tab.page.locator('.row .open bdi').allTextContents()
  return { ...tab, server, id, sent, names }
}

describe.skipIf(!hasChromium)('the search above a list', () => {
  test.each([true, false])('finds by keyboard, in a window of 320 px, with scripts: %s', async (javaScriptEnabled) => {
    const { page, server, id, names, complaints } = await openList({
      javaScriptEnabled,
      viewport: { width: 320, height: 640 },
    })
    const field = page.getByRole('searchbox', { name: 'Search' })
    if (javaScriptEnabled) await page.keyboard.press('/')
    else await field.focus()
    await page.keyboard.type('norway')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'All 2', exact: true }).waitFor()
    expect(await names()).toEqual(['Eva', 'Åse'])
    expect(new Set(await page.locator('mark').allTextContents())).toEqual(new Set(['Norway']))
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    if (javaScriptEnabled) {
      await page.keyboard.press('/')
      await page.keyboard.press('Escape')
      expect(await field.inputValue()).toBe('')
      await page.keyboard.press('Escape')
      await page.waitForURL(`${server.url}/forms/${id}`)
    }
    expect(complaints).toEqual([])
  })

  test('says by itself how many arrived that match, and shows them', async () => {
    const { page, server, id, sent, names } = await openList()
    await page.goto(`${server.url}/forms/${id}?q=norway`)
    await sent({ name: 'Per', message: 'Denmark' })
    await sent({ name: 'Ida', message: 'Also Norway' })
    await page.getByRole('link', { name: '1 new', exact: true }).waitFor()
    await sent({ name: 'Ola', message: 'NORWAY' })
    await page.getByRole('link', { name: '2 new', exact: true }).click()
    await page.locator('.open', { hasText: 'Ola' }).waitFor()
    expect(await names()).toEqual(['Ola', 'Ida', 'Eva', 'Åse'])
  })

  test('offers what arrives and matches where nothing was found before', async () => {
    const { page, server, id, sent, names } = await openList()
    await page.goto(`${server.url}/forms/${id}?q=iceland`)
    await page.getByText('Nothing found').waitFor()
    await sent({ name: 'Jón', message: 'Iceland' })
    await page.getByRole('link', { name: '1 new', exact: true }).click()
    await page.locator('.open', { hasText: 'Jón' }).waitFor()
    expect(await names()).toEqual(['Jón'])
  })

  test('is accessible, with and without anything found', async () => {
    const { page, server, id } = await openList()
    for (const [query, text] of [
      ['norway', '3 submissions searched'],
      ['iceland', 'Nothing found'],
    ] as const) {
      await page.goto(`${server.url}/forms/${id}?q=${query}`)
      await page.getByText(text, { exact: true }).waitFor()
      await page.evaluate(axe)
      const { violations } = await page.evaluate<{ violations: object[] }>('axe.run()')
      expect(violations).toEqual([])
      if (process.env.SHOTS) {
        for (const [width, height] of [
          [1280, 800],
          [360, 740],
        ] as const) {
          await page.setViewportSize({ width, height })
          await page.screenshot({ path: `${process.env.SHOTS}/${query}-${width}.png` })
        }
        await page.setViewportSize({ width: 1280, height: 800 })
      }
    }
  })
})
