// Files of services, from the page of a form to the report, and back. With a folder in PICTURES, the file of each service that
// the guide explains, with pictures of it; otherwise one for each way in which the page has to be told something.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'
import { serviceFiles } from '../../../import/service-files.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const usual = ['Typeform', 'Formbase', 'Drupal', 'LimeSurvey']
const pictures = process.env.PICTURES
const tried = Object.entries(serviceFiles).filter(([service]) => pictures !== undefined || usual.includes(service))

const prepare = async () => {
  const server = await sharedServer()
  const tab = await openTab()
  const user = addKey(server, await signUp(tab, server), newEmail())
  const formId = await user.createForm()
  const { page } = tab
  const submissions = async () => (await user.call('GET', `/forms/${formId}/submissions`)).body.submissions

  /** Chooses a file on the page to which the form's page leads. */
  const choose = async (name: string, text: string) => {
    await page.goto(`${server.url}/forms/${formId}`)
    // An empty form says it in its middle, any other in its menu.
    const link = page.getByRole('link', { name: 'Import from another service…' })
    if (!(await link.isVisible())) await page.locator('summary', { hasText: 'More' }).click()
    await page.getByRole('link', { name: /^Import/ }).click()
    await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.getByRole('button', { name: 'Look at it' }).click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
  }
  const removing = (count: number) => page.getByRole('button', { name: `Remove these ${count}` })
  const submit = (data: object): Promise<string> => server.submit(formId, data)
  return { tab, page, choose, removing, submit, submissions }
}

describe.skipIf(!hasChromium)('an import in the browser', () => {
  test.each(tried)(
    'of %s, and what it brought is removed again',
    async (service, { text, time = {}, format = 'csv', rows }) => {
      const { tab, page, choose, removing, submissions } = await prepare()
      await choose(`export.${format}`, text)
      const isSaid = time.isOff || time.order !== undefined || time.timeZone !== undefined
      if (isSaid) {
        const fold = page.locator('summary', { hasText: 'Time' })
        if (await fold.count()) await fold.first().click()
        if (time.isOff)
          await page.locator('[name=date]').selectOption({ label: 'No column: all get the time of the import' })
        if (time.order) await page.getByLabel('Dates').selectOption(time.order)
        if (time.timeZone) await page.getByLabel('Time zone').fill(time.timeZone)
        await page.getByRole('button', { name: 'Read the file again' }).click()
        await page.waitForLoadState()
      }
      const picture = pictures && `${pictures}/${service.replaceAll(/\W+/g, '-')}`
      if (picture) await page.screenshot({ path: `${picture}-1.png`, fullPage: true })
      const count = rows.length
      expect(await submissions()).toEqual([])
      await page.getByRole('button', { name: `Import ${count} message${count === 1 ? '' : 's'}` }).click()
      await removing(count).waitFor()
      if (picture) await page.screenshot({ path: `${picture}-2.png`, fullPage: true })
      const times = (await submissions()).map(({ createdAt }: { createdAt: string }) => createdAt).toSorted()
      const expected = rows.flatMap(([at]) => at ?? []).toSorted()
      expect(times.filter((at: string) => expected.includes(at))).toEqual(expected)
      expect(times).toHaveLength(count)
      await removing(count).click()
      await page.getByText(`Removed ${count} message`).first().waitFor()
      expect(await submissions()).toEqual([])
      expect(tab.complaints).toEqual([])
      expect(tab.hosts.size).toBe(1)
    },
  )

  test('is cancelled before anything is stored', async () => {
    const { tab, page, choose, submit, submissions } = await prepare()
    await submit({ name: 'Bo' })
    await choose('export.csv', 'name,createdAt\nAnn,2026-03-04T14:05:06Z\n')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('File').waitFor()
    expect(await page.getByRole('link', { name: /Imported/ }).count()).toBe(0)
    expect(await submissions()).toMatchObject([{ data: { name: 'Bo' } }])
    expect(tab.complaints).toEqual([])
  })
})
