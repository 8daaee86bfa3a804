// Whom a form tells, on the page of its settings, with scripts and without.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, startServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')
/** A folder for pictures, to look at. */
const pictures = process.env.PICTURES

const openSettings = async (options: Parameters<typeof openTab>[0] = {}) => {
  const server = await startServer({
    settings: {
      FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'http://forms.example.com',
    },
  })
  const tab = await openTab(options)
  const ada = addKey(server, await signUp(tab, server), '')
  const settings = `/forms/${await ada.createForm({ title: 'Contact' })}/settings`
  const section = tab.page.locator('#notifications')
  const stored = async () => (await ada.call('GET', settings)).body
  const unfold = async () => {
    if (!(await section.getByRole('group', { name: 'Send to' }).isVisible()))
      await tab.page.locator('summary:has(#notifications-heading)').click()
  }
  return {
    ...tab,
    section,
    stored,
    open: () => tab.page.goto(`${server.url}${settings}`),
    unfold,
    async save() {
      await tab.page.getByRole('button', { name: 'Save' }).click()
      await tab.page.getByText('Saved.').waitFor()
      await unfold()
    },
  }
}
describe.skipIf(!hasChromium)('whom a form tells', () => {
  test.each([true, false])('is chosen in groups, each with its own way, scripts on: %p', async (javaScriptEnabled) => {
    const { page, section, stored, open, unfold, save, complaints } = await openSettings({ javaScriptEnabled })
    await open()
    await unfold()
    await section.getByLabel('Addresses').first().fill('boss@example.org\noffice@example.org')
    await section.getByLabel('How often').first().selectOption('Once a day, at 07:00')
    await save()
    const daily = { only: null, digest: 'day' }
    expect(await stored()).toMatchObject({
      notify: [
        { address: 'boss@example.org', ...daily },
        { address: 'office@example.org', ...daily },
      ],
    })
    await section.getByText('More addresses, in another way').click()
    const others = section.getByRole('group', { name: 'And to' })
    await others.getByLabel('Addresses').fill('sales@example.org')
    await others.getByText('Only some submissions').click()
    await others.getByLabel('If the field').fill('topic')
    await others.getByLabel('Has the value').fill('Sales')
    await save()
    expect((await stored()).notify).toEqual([
      { address: 'boss@example.org', ...daily },
      { address: 'office@example.org', ...daily },
      { address: 'sales@example.org', only: { field: 'topic', equals: 'Sales' }, digest: null },
    ])
    // What is only looked at and saved again stays as it is.
    const before = await stored()
    await save()
    expect(await stored()).toEqual(before)
    if (pictures) await page.screenshot({ path: `${pictures}/notify-${javaScriptEnabled}.png`, fullPage: true })
    await section.getByLabel('Addresses').first().fill('')
    await save()
    expect((await stored()).notify).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  test('can be read and fits, light and dark, narrow and wide', async () => {
    const { page, section, open, unfold, save } = await openSettings()
    await open()
    await unfold()
    await section
      .getByLabel('Addresses')
      .first()
      .fill(`${'long.'.repeat(12)}x@example.org\nb@example.org`)
    await section.getByText('Only some submissions').first().click()
    await section.getByLabel('If the field').first().fill('topic'.repeat(20))
    await section.getByLabel('Has the value').first().fill('W'.repeat(200))
    await save()
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLDetailsElement>('#notifications .fold')) fold.open = true
    })
    await page.evaluate(axe)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1440]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
        const problems = await page.evaluate<string[]>(
          "axe.run('#notifications').then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
        )
        expect(problems).toEqual([])
        if (pictures) await section.screenshot({ path: `${pictures}/notify-${colorScheme}-${width}.png` })
      }
  })
})
