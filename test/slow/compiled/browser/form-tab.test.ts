// The tab “Form” in a browser: from an empty form to its page.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** Ada at her browser without scripts, and a form of hers. */
const adasForm = async (options: object = {}) => {
  const server = await sharedServer()
  const tab = await openTab({ javaScriptEnabled: false, ...options })
  const ada = addKey(server, await signUp(tab, server), newEmail())
  const formId = await ada.createForm({ title: 'Contact' })
  const settings = async () => (await ada.call('GET', `/forms/${formId}/settings`)).body
  return { server, tab, page: tab.page, ada, formId, settings, at: `${server.url}/forms/${formId}/form` }
}

const valuesOf = (page: Page, inputs: string): Promise<string[]> =>
  page.locator(inputs).evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
const labels = (page: Page) => valuesOf(page, '[name^=field-label]')
const types = (page: Page) => valuesOf(page, 'select.type')
const isFocused = (page: Page, input: string): Promise<boolean> =>
  page.locator(input).evaluate((one) => one === document.activeElement)

const save = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
}

describe.skipIf(!hasChromium)('from the list of forms to a page with three fields', () => {
  const three = [
    { name: 'name', type: 'text', label: 'Name', required: true },
    { name: 'email', type: 'email', label: 'Email', required: true },
    { name: 'message', type: 'lines', label: 'Message', required: true },
  ]

  test.each([false, true])('takes 4 clicks from a template, with scripts: %p', async (javaScriptEnabled) => {
    const { server, page, formId, settings } = await adasForm({ javaScriptEnabled })
    await page.goto(`${server.url}/forms`)
    await page.getByRole('link', { name: 'Contact' }).first().click()
    await page.getByRole('link', { name: 'Form', exact: true }).click()
    await page.getByRole('button', { name: 'Contact Name, Email, Message' }).click()
    await save(page)
    expect(await settings()).toMatchObject({ fields: three, page: { title: null } })
    await page.goto(`${server.url}/f/${formId}`)
    expect(await page.getByRole('textbox').count()).toBe(3)
  })

  test.each([false, true])('takes 8 clicks from nothing, with scripts: %p', async (javaScriptEnabled) => {
    const { server, page, settings } = await adasForm({ javaScriptEnabled })
    await page.goto(`${server.url}/forms`)
    await page.getByRole('link', { name: 'Contact' }).first().click()
    await page.getByRole('link', { name: 'Form', exact: true }).click()
    await page.getByText('Add a field').click()
    for (const kind of ['Name', 'Email', 'Message']) await page.getByRole('button', { name: kind, exact: true }).click()
    await page.getByLabel('Show it at').click()
    await save(page)
    expect(await settings()).toMatchObject({ fields: three, page: { title: null } })
  })
})

describe.skipIf(!hasChromium)('the tab Form', () => {
  test('begins from what the form has received, and changes from the keyboard, without a script', async () => {
    const { server, page, formId, at, settings } = await adasForm()
    await server.submit(formId, { name: 'Ada', email: 'ada@example.com', message: 'Hello', date: '', _replyto: '' })
    await page.goto(at)
    await page.getByRole('button', { name: 'Start from these four' }).press('Enter')
    expect(await types(page)).toEqual(['text', 'email', 'lines', 'date'])
    expect(await isFocused(page, '[name=field-label-0]')).toBe(true)

    await page.getByLabel('Label of field 2').fill('Your address')
    await page.getByLabel('email is required').press('Space')
    await page.getByRole('group', { name: 'Move email' }).getByLabel('Up').press('Enter')
    expect(await types(page)).toEqual(['email', 'text', 'lines', 'date'])
    expect(await labels(page)).toEqual(['Your address', '', '', ''])
    expect(await page.getByLabel('Your address is required').isChecked()).toBe(true)
    // It is at the top, so that only the way back is left.
    expect(await isFocused(page, '#field-0 [aria-label=Down]')).toBe(true)

    await page.getByLabel('More about date').press('Enter')
    await page.getByRole('button', { name: 'Remove date' }).press('Enter')
    await page.getByText('Add a field').press('Enter')
    await page.getByRole('button', { name: 'One option' }).press('Enter')
    expect(await types(page)).toEqual(['email', 'text', 'lines', 'choice'])
    expect(await isFocused(page, '[name=field-label-3]')).toBe(true)
    await page.keyboard.type('Topic')
    // Enter saves: the first button of the page does, which no one sees.
    await page.keyboard.press('Enter')
    await page.getByText('Must have at least one.').waitFor()
    expect(await page.title()).toStartWith('Error: ')
    expect(await isFocused(page, '[name=field-options-3]')).toBe(true)
    await page.keyboard.type('Sales')
    await save(page)
    expect((await settings()).fields).toEqual([
      { name: 'email', type: 'email', label: 'Your address', required: true },
      { name: 'name', type: 'text' },
      { name: 'message', type: 'lines' },
      { name: 'topic', type: 'choice', label: 'Topic', options: ['Sales'] },
    ])
  })

  test.each([3, 50])('fits on a narrow screen, with %i fields and one of them open', async (count) => {
    const viewport = { width: 320, height: 800 }
    const { page, ada, formId, at, settings } = await adasForm({ viewport, colorScheme: 'dark' })
    const kinds = [
      { type: 'email' },
      { type: 'choice', options: ['x'.repeat(200)], other: true },
      { type: 'file', fileTypes: ['.pdf'] },
    ]
    const fields = Array.from({ length: count }, (_, i) => ({
      name: `${'n'.repeat(60)}${i}`,
      label: 'L'.repeat(100),
      ...kinds[i % 3],
    }))
    expect((await ada.call('PATCH', `/forms/${formId}/settings`, { fields })).status).toBe(200)
    await page.goto(at)
    await page.getByText('QR code').click()
    const code = (await page.locator('.share .panel').boundingBox()) ?? { x: -1, width: 0 }
    expect(code.x).toBeGreaterThanOrEqual(0)
    expect(code.x + code.width).toBeLessThanOrEqual(320)
    await page.getByText('QR code').click()
    for (const position of [0, 1, 2]) {
      await page.locator(`#field-${position} .rest > button`).click()
      await page.locator(`#field-${position} .rest[open]`).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    }
    // Nothing is changed by saving what is shown.
    await save(page)
    expect((await settings()).fields).toEqual(fields)
  })

  test('draws what is typed, orders rows by dragging and by keys, and opens them, all with a script', async () => {
    const { page, ada, formId, at, settings } = await adasForm({ javaScriptEnabled: true })
    const fields = ['One', 'Two', 'Three'].map((label) => ({ name: label.toLowerCase(), label }))
    await ada.call('PATCH', `/forms/${formId}/settings`, { fields })
    await page.goto(at)
    await page.evaluate(() => Object.assign(window, { isSame: true }))
    await page.getByLabel('Label of field 1').fill('First')
    await page.locator('.seen').getByText('First').waitFor()
    await page.getByText('1 change').waitFor()
    expect(await page.getByLabel('Type of One').locator('option').count()).toBe(12)

    await page.getByLabel('Label of field 1').press('Alt+ArrowDown')
    await page.locator('.seen .field:nth-child(2)').getByText('First').waitFor()
    expect(await labels(page)).toEqual(['Two', 'First', 'Three'])
    expect(await isFocused(page, '[name=field-label-1]')).toBe(true)
    await page.getByLabel('Label of field 1').press('Alt+ArrowUp')

    const box = async (position: number) =>
      (await page.locator(`#field-${position} .move`).boundingBox()) ?? { x: 0, y: 0, height: 0 }
    const [from, to] = [await box(2), await box(0)]
    await page.mouse.move(from.x + 10, from.y + 12)
    await page.mouse.down()
    await page.mouse.move(to.x + 10, to.y + 4, { steps: 5 })
    await page.mouse.up()
    await page.locator('.seen .field:nth-child(1)').getByText('Three').waitFor()
    expect(await labels(page)).toEqual(['Three', 'Two', 'First'])

    await page.getByLabel('More about Two').click()
    await page.locator('#field-1 .rest[open]').waitFor()
    await page.getByLabel('Help below the label').fill('Help')
    await page.getByLabel('Type of Two').selectOption('Number')
    await page.getByLabel('At least').fill('1')
    expect(await page.getByLabel('Help below the label').inputValue()).toBe('Help')
    // The page was never left until now.
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
    await save(page)
    expect((await settings()).fields).toEqual([
      { name: 'three', type: 'text', label: 'Three' },
      { name: 'two', type: 'number', label: 'Two', help: 'Help', min: 1 },
      { name: 'first', type: 'text', label: 'First' },
    ])
  })
})
