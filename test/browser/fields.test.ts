// The fields of a form: on its settings page, and as a visitor sees them.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addKey, newEmail, sharedServer } from '../harness.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from './browser.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** Ada at her browser without scripts, and a form of hers. */
const adasForm = async (options: object = {}) => {
  const server = await sharedServer()
  const tab = await openTab({ javaScriptEnabled: false, ...options })
  const ada = addKey(server, await signUp(tab, server), newEmail())
  return { server, tab, page: tab.page, ada, formId: await ada.createForm({ title: 'Contact' }) }
}

describe.skipIf(!hasChromium)('the fields in the settings', () => {
  test('begin from what the form has received, and change with buttons, without a script and from the keyboard', async () => {
    const { server, page, ada, formId } = await adasForm()
    await server.submit(formId, { name: 'Ada', email: 'ada@example.com', message: 'Hello', date: '', _replyto: '' })
    await page.goto(`${server.url}/forms/${formId}/settings#checks`)
    await page.getByText('This form has received name, email, message (1 more).').waitFor()
    await page.getByRole('button', { name: 'Start from these' }).press('Enter')
    const types = () =>
      page.locator('select[name=field-type]').evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value))
    expect(await types()).toEqual(['text', 'email', 'lines', 'date'])

    // What was typed in other sections stays, too.
    await page.locator('summary').filter({ hasText: 'General' }).click()
    await page.locator('#title').fill('Write to us')
    const row = (number: number) => page.getByRole('group', { name: `Field ${number}`, exact: true })
    await row(2).getByLabel('Label').fill('Your address')
    await row(2).getByLabel('Required', { exact: true }).press('Space')
    await row(2).getByRole('button', { name: 'Up field 2' }).press('Enter')
    expect(await types()).toEqual(['email', 'text', 'lines', 'date'])
    expect(await row(1).getByLabel('Label').inputValue()).toBe('Your address')
    expect(await row(1).getByLabel('Required', { exact: true }).isChecked()).toBe(true)
    expect(await row(1).evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await page.locator('#title').inputValue()).toBe('Write to us')

    await row(4).getByRole('button', { name: 'Remove field 4' }).press('Enter')
    await page.getByRole('button', { name: 'Add a field' }).press('Enter')
    expect(await types()).toEqual(['email', 'text', 'lines', 'text'])
    const name = row(4).getByLabel('Name')
    expect(await name.evaluate((one) => one === document.activeElement)).toBe(true)
    await name.fill('topic')
    expect(await row(4).getByLabel('Options').isVisible()).toBe(false)
    await row(4).getByLabel('Type').selectOption('choice')
    await row(4).getByLabel('Options').fill('Sales')
    await page.getByRole('button', { name: 'Save Fields' }).press('Enter')
    await page.getByText('Saved.').waitFor()
    expect((await ada.call('GET', `/forms/${formId}/settings`)).body.fields).toEqual([
      { name: 'email', type: 'email', label: 'Your address', required: true },
      { name: 'name', type: 'text' },
      { name: 'message', type: 'lines' },
      { name: 'topic', type: 'choice', options: ['Sales'] },
    ])
  })

  test('say what is wrong beside the input, and keep the rest', async () => {
    const { server, page, ada, formId } = await adasForm()
    await page.goto(`${server.url}/forms/${formId}/settings#checks`)
    await page.getByRole('button', { name: 'Add a field' }).click()
    await page.getByLabel('Type', { exact: true }).selectOption('choice')
    await page.getByRole('button', { name: 'Save Fields' }).click()
    await page.getByText('Look at what is marked in field 1.').waitFor()
    await page.getByText('Must have at least one.').waitFor()
    expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('choice')
    await page.getByLabel('Name required').fill('topic')
    await page.getByLabel('Options').fill('a\nb')
    await page.getByRole('button', { name: 'Save Fields' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await ada.call('GET', `/forms/${formId}/settings`)).body.fields).toEqual([
      { name: 'topic', type: 'choice', options: ['a', 'b'] },
    ])
  })

  test.each([3, 50])('fit on a narrow screen, with %i of them', async (count) => {
    const { server, page, ada, formId } = await adasForm({ viewport: { width: 320, height: 800 }, colorScheme: 'dark' })
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
    await page.goto(`${server.url}/forms/${formId}/settings`)
    await page.locator('summary').filter({ hasText: 'Fields' }).click()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/rows-${count}.png`, fullPage: count === 3 })
    // Nothing is changed by saving what is shown.
    await page.getByRole('button', { name: 'Save Fields' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await ada.call('GET', `/forms/${formId}/settings`)).body.fields).toEqual(fields)
  })
})
