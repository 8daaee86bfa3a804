// The pages that visitors of any form may get, in every language.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { languages, loadTexts } from '../../../../src/languages/languages.ts'
import { everyForm, unsubscribeLink } from '../../../../src/sending/mail/unsubscribe.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab } from '../../../browser/browser.ts'
import { sharedServer } from '../../../harness.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { world } from '../../../world.ts'

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

/** A field of every type. */
const fields = [
  { name: 'name', label: 'الاسم', required: true, help: 'See https://example.com/names.' },
  { name: 'text', type: 'lines', minLength: 9 },
  { name: 'email', type: 'email', required: true },
  ...['tel', 'url', 'number', 'date'].map((type) => ({ name: type, type, help: 'As you like' })),
  { name: 'size', type: 'choice', options: ['S', 'M'], other: true, required: true },
  { name: 'country', type: 'choice', options: [...'abcdefghij'], other: true },
  { name: 'tags', type: 'choices', options: ['a', 'b', 'c'], other: true, min: 2 },
  { name: 'agree', type: 'checkbox', required: true, help: 'See https://example.com/privacy.' },
  { name: 'cv', type: 'file', fileTypes: ['.pdf'] },
  { name: 'from', type: 'hidden', value: 'page' },
]

/** Something wrong in each. */
const mistakes = (): FormData => {
  const sent = new FormData()
  for (const [name, value] of [
    ...['text', 'email', 'tel', 'url', 'number', 'date', 'country', 'tags'].map((name) => [name, 'x'] as const),
    ...[['number', '2'] as const, ['size', 'S'] as const, ['size', 'XXL'] as const, ['other', 'x'] as const],
  ])
    sent.append(name, value)
  sent.append('cv', new File(['MZ'], 'cv.exe'))
  sent.append('photo', new File(['x'], 'photo.png'))
  return sent
}

/** The page of a form in each state, by its settings. */
const states: { readonly [state: string]: object } = {
  open: { challenge: true },
  closed: { open: false, closedText: 'Come back\nin spring.' },
  early: { opensAt: '2100-01-01T00:00Z' },
  over: { opensAt: '2000-01-01T00:00Z', closesAt: '2001-01-01T00:00Z' },
  full: { maxSubmissions: 1 },
}

// From left to right and from right to left, with and without plurals, in short words and long ones.
describe.skipIf(!hasChromium).each(['en', 'de', 'ar', 'pl', 'zh'] as const)('a form for visitors in %s', (language) => {
  const look = async (page: Page, what: string) => {
    expect(await page.evaluate(() => document.documentElement.lang), what).toBe(language)
    await page.evaluate(await axe.text())
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await page.evaluate(violations), `${what}, ${colorScheme}`).toEqual([])
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth), what).toBeLessThanOrEqual(320)
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/${language}-${what}.png`, fullPage: true })
  }

  test.each(Object.entries(states))('has no findings of axe on its page while it is %s', async (state, settings) => {
    const { server, formId, change } = await world({ sent: [{ name: 'Ada' }] })
    expect((await change({ fields, page: { text: 'Come!' }, ...settings })).status).toBe(200)
    const { page } = await openTab({ viewport: { width: 320, height: 640 } })
    await page.goto(`${server.url}/f/${formId}?lang=${language}`)
    await look(page, state)
  })

  test('has no findings of axe when it comes back with mistakes', async () => {
    const { server, formId } = await world({ form: { fields, otherFields: 'refuse', challenge: true } })
    const headers = { accept: 'text/html', 'accept-language': language }
    const response = await server.fetch(`/s/${formId}`, { method: 'POST', body: mistakes(), headers })
    const body = await response.text()
    const { page } = await openTab({ viewport: { width: 320, height: 640 } })
    await page.route('**/shown', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }))
    await page.goto(`${server.url}/shown`)
    expect(await page.getByRole('alert').getByRole('listitem').count()).toBe(13)
    await look(page, 'again')
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
