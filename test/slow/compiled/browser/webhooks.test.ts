import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, afterThisTest, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

describe.skipIf(!hasChromium)('receivers', () => {
  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'are added with a test in five clicks, changed, switched off and removed, %s',
    async (_name, javaScriptEnabled) => {
      const server = await sharedServer({ FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' })
      const tab = await openTab({ javaScriptEnabled })
      const { page } = tab
      const receiver = Bun.serve({ port: 0, fetch: () => new Response('Got it') })
      afterThisTest(() => receiver.stop(true))
      const ada = addKey(server, await signUp(tab, server), newEmail())
      const form = await ada.createForm({ title: 'Orders' })
      const webhooks = async () => (await ada.call('GET', `/forms/${form}/webhooks`)).body.webhooks

      await page.goto(`${server.url}/forms`)
      let clicks = 0
      const click = async (role: 'link' | 'button', name: string | RegExp): Promise<void> => {
        clicks++
        await page.getByRole(role, { name }).first().click()
      }
      await click('link', 'Orders')
      await click('link', 'Settings')
      await click('link', /^Slack/)
      await page.getByLabel('Webhook URL').fill(`http://127.0.0.1:${receiver.port}/hooks/key`)
      await click('button', 'Add and send a test')
      await page.getByText('the test arrived: accepted with 200').waitFor()
      expect(await page.getByText('Got it').isVisible()).toBe(true)
      expect(clicks).toBeLessThanOrEqual(5)
      if (javaScriptEnabled) await page.locator('#test-result:focus').waitFor()

      await page.locator('.things .more > summary').click()
      await page.getByRole('link', { name: /^Change/ }).click()
      await page.locator('summary', { hasText: 'More:' }).click()
      await page.getByLabel('Name').fill('#orders')
      await page.getByRole('button', { name: 'Save and send a test' }).click()
      await page.getByText('Chat #orders: the test arrived').waitFor()
      await page.locator('.things .more > summary').click()
      await page.getByRole('button', { name: /^Switch off/ }).click()
      await page.getByText('It is switched off.').waitFor()
      expect(await webhooks()).toMatchObject([{ description: '#orders', enabled: false }])
      await page.locator('.things .more > summary').click()
      await page.getByRole('link', { name: /^Remove/ }).click()
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('Nothing more is sent there.').waitFor()
      expect(await webhooks()).toEqual([])
      expect([...tab.hosts]).toEqual([new URL(server.url).host])
      expect(tab.complaints).toEqual([])
    },
  )
})
