import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, afterThisTest, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

describe.skipIf(!hasChromium)('webhooks', () => {
  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('are added, tested, changed, switched off and deleted, %s', async (_name, javaScriptEnabled) => {
    const server = await sharedServer({ FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' })
    const permissions = ['clipboard-read', 'clipboard-write']
    const tab = await openTab({ javaScriptEnabled, permissions })
    const { page } = tab
    const receiver = Bun.serve({ port: 0, fetch: () => new Response('Got it') })
    afterThisTest(() => receiver.stop(true))
    const ada = addKey(server, await signUp(tab, server), newEmail())
    const form = await ada.createForm()
    const webhooks = async () => (await ada.call('GET', `/forms/${form}/webhooks`)).body.webhooks

    await page.goto(`${server.url}/forms/${form}/settings#webhooks`)
    await page.getByRole('link', { name: 'Add a webhook' }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill(`http://127.0.0.1:${receiver.port}/hook`)
    await page.getByLabel('Description').fill('Calendar')
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByRole('heading', { name: 'Secret of “Calendar”' }).waitFor()
    const secret = (await page.locator('#secret').textContent()) ?? ''
    expect(secret).toMatch(/^whsec_/)
    if (javaScriptEnabled) {
      await page.locator('#new-secret:focus').waitFor()
      await page.getByRole('button', { name: 'Copy secret' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    }
    await page.reload()
    expect(await page.content()).not.toContain('whsec_')
    await page.getByRole('heading', { name: 'Webhooks' }).click()

    await page.getByRole('button', { name: 'Send a test to Calendar' }).click()
    await page.getByText('The test arrived: accepted with 200').waitFor()
    expect(await page.getByText('Got it').isVisible()).toBe(true)

    await server.submit(form, { name: 'Grace' })
    await page.getByRole('link', { name: 'Edit Calendar' }).click()
    await page.getByLabel('Description').fill('Diary')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByText('Last deliveries').click()
    await page.getByRole('link', { name: /^Submission of / }).click()
    await page.getByRole('heading', { name: 'Where it went' }).waitFor()
    await page.locator('.sent summary', { hasText: 'Diary' }).click()
    await page.getByRole('button', { name: /: webhook Diary$/ }).click()
    await page.getByText('It is being sent now.').waitFor()
    if (javaScriptEnabled) await page.locator('#notice:focus').waitFor()

    await page.goto(`${server.url}/forms/${form}/settings#webhooks`)
    await page.getByRole('link', { name: 'New secret for Diary' }).click()
    await page.getByRole('button', { name: 'Create new secret' }).click()
    expect(await page.locator('#secret').textContent()).not.toBe(secret)
    await page.getByRole('button', { name: 'Switch off Diary' }).click()
    await page.getByText('The webhook is switched off.').waitFor()
    expect(await webhooks()).toMatchObject([{ description: 'Diary', enabled: false }])
    await page.getByRole('link', { name: 'Delete Diary' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('The webhook has been deleted.').waitFor()
    expect(await webhooks()).toEqual([])
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  })
})
