// The pages that visitors of any form may get, in every language.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { languages, loadTexts } from '../../src/languages/languages.ts'
import { everyForm, unsubscribeLink } from '../../src/sending/mail/unsubscribe.ts'
import { sharedServer } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { world } from '../world.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab } from './browser.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const axe = Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir))
const violations =
  "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()))"

/** A page for a visitor, by what the request sends. */
const pages = {
  thanks: { body: 'a=1' },
  full: { body: 'a=1', settings: { maxSubmissions: 1 } },
  early: { body: 'a=1', settings: { opensAt: '2100-01-01T00:00Z', closedText: 'Come back\nin spring.' } },
  'other page': { body: 'a=1', settings: { allowedOrigins: ['https://bakery.example'] } },
  unsolved: { body: 'a=1', settings: { challenge: true } },
  empty: { body: '' },
  'no form': { body: 'a=1', path: '/s/unknown' },
  'long name': {
    body: `--b\r\nContent-Disposition: form-data; name="cv"; filename="${'x'.repeat(200)}.exe"\r\n\r\nMZ\r\n--b--`,
    type: 'multipart/form-data; boundary=b',
    settings: { fileTypes: ['image/*', 'application/pdf', '.docx', '.odt'] },
  },
} as const

describe.skipIf(!hasChromium).each(languages)('pages for visitors who read %s', (language) => {
  test('have no findings of axe, and fit into 320 pixels', async () => {
    const texts = await loadTexts(language)
    const tab = await openTab({ viewport: { width: 320, height: 640 } })
    for (const [name, { body, ...rest }] of Object.entries(pages)) {
      const { path, type, settings } = { path: undefined, type: undefined, settings: {}, ...rest }
      const { server, formId } = await world({ form: settings, sent: name === 'full' ? [{ a: 1 }] : [] })
      const headers = {
        accept: 'text/html',
        'accept-language': language,
        'content-type': type ?? 'application/x-www-form-urlencoded',
        referer: 'https://bakery.example/contact',
        ...(name === 'other page' && { origin: 'https://evil.example' }),
      }
      const response = await server.fetch(path ?? `/s/${formId}`, { method: 'POST', body, headers })
      const html = await response.text()
      await tab.page.route('**/shown', (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }),
      )
      await tab.page.goto(`${server.url}/shown`)
      await tab.page.evaluate(await axe.text())
      expect(await tab.page.evaluate(violations), name).toEqual([])
      expect(await tab.page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(320)
      expect(await tab.page.getByRole('link', { name: 'bakery.example' }).textContent(), name).toContain('bakery')
      expect(await tab.page.evaluate(() => getComputedStyle(document.body).direction), name).toBe(texts.dir)
      if (process.env.PICTURES) await tab.page.screenshot({ path: `${process.env.PICTURES}/${language}-${name}.png` })
      await tab.page.unroute('**/shown')
    }
  })
})

describe.skipIf(!hasChromium)('inputs of a form in Arabic', () => {
  test('begin on the right, and follow what is typed', async () => {
    const fields = [
      { name: 'text' },
      { name: 'lines', type: 'lines' },
      { name: 'c', type: 'choice', options: ['1'], other: true },
    ]
    const { server, formId } = await world({ form: { fields, page: {} } })
    const { page } = await openTab({ viewport: { width: 320, height: 640 } })
    await page.goto(`${server.url}/f/${formId}?lang=ar`)
    for (const name of ['text', 'lines', 'c']) {
      const input = page.locator(`:is(input:not([type]), input[type=text], textarea)[name=${name}]`)
      const direction = () => input.evaluate((one) => getComputedStyle(one).direction)
      const found = [await direction()]
      for (const typed of ['Hello', 'مرحبا', '']) {
        await input.fill(typed)
        found.push(await direction())
      }
      expect(found, name).toEqual(['rtl', 'ltr', 'rtl', 'rtl'])
    }
    await page.goto(`${server.url}/f/${formId}?lang=de`)
    expect(await page.locator('textarea').evaluate((one) => getComputedStyle(one).direction)).toBe('ltr')
  })
})

describe.skipIf(!hasChromium)('the page that stops mails', () => {
  test.each(languages)('has no findings of axe in %s, and keeps its language', async (language) => {
    const server = await sharedServer()
    await server.fetch(`/s/${(await world({ server, form: { challenge: true } })).formId}/challenge`)
    const [row] = rowsOf<{ value: string }>(server.folder, "SELECT value FROM secrets WHERE name = 'signing'")
    if (!row) throw new Error('there is no key')
    const link = unsubscribeLink(
      server.url,
      Buffer.from(row.value, 'base64'),
      { receiver: everyForm, address: 'ada@example.com' },
      language,
    )
    const tab = await openTab({ viewport: { width: 320, height: 640 } })
    await tab.page.goto(link)
    for (const click of [true, true, false]) {
      await tab.page.evaluate(await axe.text())
      expect(await tab.page.evaluate(violations)).toEqual([])
      expect(await tab.page.evaluate(() => document.documentElement.lang)).toBe(language)
      if (click) await Promise.all([tab.page.waitForNavigation(), tab.page.getByRole('button').click()])
    }
  })
})
