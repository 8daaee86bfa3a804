// The page of a form, as visitors use it: without a script, twice, in a frame, on a phone and on paper.
import { describe, expect, test } from 'bun:test'
import { browserTimeout, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { hasFirefox, openFirefox } from '../../../browser/firefox.ts'
import { slowly, until } from '../../../until.ts'
import { world } from '../../../world.ts'

const fields = [
  { name: 'name', label: 'Your name', required: true, prefill: true },
  { name: 'email', type: 'email' },
  { name: 'diet', type: 'choice', options: ['Meat', 'None'], other: true },
  { name: 'country', type: 'choice', options: [...'abcdefghij'], other: true },
  { name: 'photo', type: 'file' },
]

const paged = async (form: object = {}) => {
  const found = await world({ form: { title: 'Party', fields, page: {}, ...form } })
  return { ...found, url: `${found.server.url}/f/${found.formId}` }
}

describe.skipIf(!hasChromium)('the page of a form', () => {
  test(
    'is sent without a script, with a file, and leads on to another site',
    async () => {
      const site = `http://127.0.0.1:${startSite(() => '<h1>Thanks</h1>')}`
      const { url, server, submissions } = await paged({ returnUrl: `${site}/thanks` })
      const { page, context, hosts, complaints } = await openTab({ javaScriptEnabled: false })
      await page.goto(`${url}?lang=de&name=Ada`)
      expect([...hosts]).toEqual([new URL(server.url).host])
      expect(await page.inputValue('[name=name]')).toBe('Ada')
      await page.setInputFiles('[name=photo]', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
      await page.fill('#field-2-other', 'Cake')
      await page.check('[name=diet][value=""]')
      await page.click('text=Senden')
      await page.getByText('Thanks').waitFor()
      expect(page.url()).toBe(`${site}/thanks`)
      const [sent] = await submissions()
      expect(sent.data).toMatchObject({ name: 'Ada', diet: ['', 'Cake'], photo: { filename: 'a.txt', size: 5 } })
      expect(await context.cookies()).toEqual([])
      expect(complaints).toEqual([])
    },
    browserTimeout,
  )

  test.each([
    ['without a script', false],
    ['with a proof of work', true],
  ])(
    'stores one submission of a double click, of reloads, and of the way back, %s',
    async (_, challenge) => {
      const { url, submissions } = await paged({ challenge })
      const { page } = await openTab({ javaScriptEnabled: challenge })
      await page.goto(url)
      await page.fill('[name=name]', 'Ada')
      await page.dblclick('text=Send')
      await page.getByText('was received').waitFor()
      await page.reload()
      await page.getByText('was received').waitFor()
      await page.goBack()
      expect(await page.inputValue('[name=name]')).toBe('Ada')
      await page.getByText('Send', { exact: true }).click()
      await page.getByText('was received').waitFor()
      expect(await submissions()).toHaveLength(1)
    },
    browserTimeout,
  )

  test(
    'is shown in a frame of an allowed origin, with what it answers, and of no other',
    async () => {
      const { url, change, submissions } = await paged()
      const port = startSite(() => `<iframe src="${url}" width="600" height="900"></iframe>`)
      const allowed = `http://127.0.0.1:${port}`
      await change({ allowedOrigins: [allowed], page: { frame: true } })
      const { page } = await openTab({ javaScriptEnabled: false })
      await page.goto(allowed)
      const frame = page.frameLocator('iframe')
      await frame.locator('[name=email]').fill('ada@example.com')
      await frame.locator('[name=name]').fill(' ')
      await frame.getByText('Send', { exact: true }).click()
      await frame.getByRole('alert').waitFor()
      await frame.locator('[name=name]').fill('Ada')
      await frame.getByText('Send', { exact: true }).click()
      await frame.getByText('was received').waitFor()
      expect(await submissions()).toHaveLength(1)

      await page.goto(`http://evil.example:${port}`)
      // The frame of a page that may not be shown has none of it.
      await page.waitForLoadState()
      expect(await page.frames()[1]?.content()).not.toContain('Your name')
    },
    browserTimeout,
  )

  test(
    'stays in the frame where the owner has an address to return to',
    async () => {
      const { url, change } = await paged({ returnUrl: 'http://evil.example/thanks' })
      const allowed = `http://127.0.0.1:${startSite(() => `<iframe src="${url}" width="600" height="900"></iframe>`)}`
      await change({ allowedOrigins: [allowed], page: { frame: true } })
      const { page } = await openTab()
      await page.goto(allowed)
      const frame = page.frameLocator('iframe')
      await frame.locator('[name=name]').fill('Ada')
      await frame.getByText('Send', { exact: true }).click()
      await frame.getByText('was received').waitFor()
    },
    browserTimeout,
  )

  test(
    'is sent with its proof of work',
    async () => {
      const { url, submissions } = await paged({ challenge: true })
      const { page, complaints } = await openTab()
      await page.goto(url)
      await page.fill('[name=name]', 'Ada')
      await page.click('text=Send')
      await page.getByText('was received').waitFor()
      expect(await submissions()).toHaveLength(1)
      expect(complaints).toEqual([])
    },
    browserTimeout,
  )

  test(
    'fits a narrow screen, and paper',
    async () => {
      const long = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrente'
      const many = Array.from({ length: 40 }, (_, i) => ({ name: `${long}${i}`, type: i % 3 ? 'text' : 'lines' }))
      const { url } = await paged({
        fields: [...fields, ...many],
        page: { text: `${long} https://example.com/${long}`, button: long.slice(0, 40) },
      })
      const { page } = await openTab({ viewport: { width: 320, height: 640 } })
      await page.goto(url)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      expect(await page.isVisible('.printed .qr')).toBe(false)
      const [list, own] = await Promise.all(['#field-3', '#field-3-other'].map((id) => page.locator(id).boundingBox()))
      if (!list || !own) throw new Error('the list of countries or the input beside it is not shown')
      expect(own.y - list.y - list.height, 'room between a list and another answer').toBeGreaterThanOrEqual(4)
      await page.emulateMedia({ media: 'print' })
      expect(await page.isVisible('.printed .qr')).toBe(true)
      expect(await page.isVisible('.visitor > button')).toBe(false)
      expect(await page.isVisible('[name=photo]')).toBe(false)
      // Nothing else says what the line is for.
      const hint = () => getComputedStyle(document.querySelector('#field-3-other') as Element, '::placeholder').color
      expect(await page.evaluate(hint)).not.toContain('0, 0, 0, 0')
      // A list cannot be opened on paper.
      expect(await page.isVisible('select')).toBe(false)
      expect(await page.locator('ul.printed li').allTextContents()).toEqual([...'abcdefghij'])
    },
    browserTimeout,
  )
})

describe.skipIf(!hasFirefox)('Firefox', () => {
  test.each([
    ['on', true],
    ['off', false],
  ])(
    'sends the page of a form, leads on to another site, and stores nothing twice on the way back; scripts are %s',
    async (_, javaScriptEnabled) => {
      const site = `http://localhost:${startSite(() => '<title>Thanks</title>')}`
      const { url, submissions } = await paged({ returnUrl: `${site}/thanks` })
      const tab = await openFirefox({ javaScriptEnabled })
      // While a page is left, there is nothing to ask.
      const ask = (expression: string) => tab.evaluate(expression).catch(() => undefined)
      const title = (wanted: string) =>
        until(async () => (await ask('document.title')) === wanted, `the page ${wanted} is shown`, slowly)
      const send = () => tab.evaluate('document.querySelector(".visitor > button").click()')
      await tab.open(url)
      await tab.evaluate('document.querySelector("[name=name]").value = "Ada"')
      await send()
      await title('Thanks')
      expect(await tab.evaluate('location.href')).toBe(`${site}/thanks`)
      await tab.back()
      await title('Party')
      expect(await tab.evaluate('document.querySelector("[name=name]").value')).toBe('Ada')
      await send()
      await title('Thanks')
      expect((await submissions()).map(({ data }: { data: object }) => data)).toMatchObject([{ name: 'Ada' }])
    },
    2 * browserTimeout,
  )
})
