import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { serverWithUser } from '../harness.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from './browser.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** The origin of a site with a page that has the form, and one to come back to. */
const startSiteWithForm = (action: () => string): string => {
  const form = () =>
    `<form method="post" action="${action()}"><input name="name" value="Ada"><button>Send</button></form>`
  return `http://evil.example:${startSite((path) => (path === '/thanks' ? '<h1>Back on our site</h1>' : form()))}`
}

describe.skipIf(!hasChromium)('a form on another site', () => {
  test.each([
    ['to the thank-you page, in the frame of every page', false, 'Thank you'],
    ['back to its own site', true, 'Back on our site'],
  ])('leads %s', async (_name, hasReturnUrl, heading) => {
    const { server, ada } = await serverWithUser()
    let form = ''
    const site = startSiteWithForm(() => `${server.url}/s/${form}`)
    form = await ada.createForm(hasReturnUrl ? { returnUrl: `${site}/thanks` } : {})
    const tab = await openTab()
    await tab.page.goto(site)
    await tab.page.getByRole('button', { name: 'Send' }).click()
    await tab.page.getByRole('heading', { name: heading }).waitFor()
    const { submissions } = (await ada.call('GET', `/forms/${form}/submissions`)).body
    expect(submissions).toHaveLength(1)
    expect(submissions[0].data).toEqual({ name: 'Ada' })
    if (!hasReturnUrl)
      expect(await tab.page.evaluate(() => getComputedStyle(document.querySelector('main') as Element).maxWidth)).toBe(
        '416px',
      )
    expect(tab.complaints).toEqual([])
  })
})
