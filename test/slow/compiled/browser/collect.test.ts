import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { serverWithUser } from '../../../harness.ts'

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

  test.each([
    ['the page, with what was typed', true, '/contact', 'Ada Lovelace'],
    ['the start page of the site, without JavaScript', false, '/', 'Ada'],
  ])('has on the page of an error a way back to %s', async (_where, javaScriptEnabled, path, value) => {
    const { server, ada } = await serverWithUser()
    const form = await ada.createForm()
    await ada.call('PATCH', `/forms/${form}/settings`, { open: false })
    const site = startSiteWithForm(() => `${server.url}/s/${form}`)
    const { page } = await openTab({ javaScriptEnabled })
    await page.goto(`${site}/contact`)
    await page.getByRole('textbox').fill('Ada Lovelace')
    await page.getByRole('button', { name: 'Send' }).click()
    // By default, browsers name the site alone to other sites.
    const link = page.getByRole('link', { name: `Back to ${new URL(site).host}` })
    expect(await link.getAttribute('href')).toBe(`${site}/`)
    await link.click()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect([page.url(), await page.getByRole('textbox').inputValue()]).toEqual([`${site}${path}`, value])
  })

  test('that is sent too often tells a visitor what to do, and the back button brings back what was typed', async () => {
    const { server, ada } = await serverWithUser()
    const form = await ada.createForm()
    await ada.call('PATCH', `/forms/${form}/settings`, { submitLimit: 1 })
    const site = startSiteWithForm(() => `${server.url}/s/${form}`)
    await server.submit(form, { name: 'Grace' })
    // Without JavaScript, as in the strictest browser.
    const tab = await openTab({ javaScriptEnabled: false })
    await tab.page.goto(site)
    await tab.page.getByRole('textbox').fill('Ada Lovelace')
    await tab.page.getByRole('button', { name: 'Send' }).click()
    await tab.page.getByRole('heading', { name: 'Your message was not sent' }).waitFor()
    const sentences = await tab.page.locator('main p').allTextContents()
    expect(sentences.slice(0, 2)).toEqual([
      'Too many messages have come from your network in a short time.',
      'Go back with your browser’s back button, and send it again in a minute. What you typed is still there.',
    ])
    await tab.page.goBack()
    expect(await tab.page.getByRole('textbox').inputValue()).toBe('Ada Lovelace')
    await ada.call('PATCH', `/forms/${form}/settings`, { submitLimit: null })
    await tab.page.getByRole('button', { name: 'Send' }).click()
    await tab.page.getByRole('heading', { name: 'Thank you' }).waitFor()
    const { submissions } = (await ada.call('GET', `/forms/${form}/submissions`)).body
    expect(submissions.map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada Lovelace' }, { name: 'Grace' }])
  })
})

test.skipIf(!hasChromium)('a large file that Formbox refuses while it arrives: the visitor sees why', async () => {
  const { server, ada } = await serverWithUser()
  const form = await ada.createForm()
  await ada.call('PATCH', `/forms/${form}/settings`, { fileTypes: ['.pdf'] })
  const fields = '<input type="file" name="cv"><button>Send</button>'
  const site = startSite(
    () => `<form method="post" enctype="multipart/form-data" action="${server.url}/s/${form}">${fields}</form>`,
  )
  const { page } = await openTab()
  await page.goto(`http://evil.example:${site}`)
  const buffer = Buffer.alloc(8 * 1024 * 1024)
  await page.locator('input').setInputFiles({ name: 'cv.exe', mimeType: 'application/octet-stream', buffer })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('This form takes only').waitFor()
  expect(await page.locator('main p').first().textContent()).toBe(
    'This form takes only PDFs, and “cv.exe” is not one of them.',
  )
  expect((await ada.call('GET', `/forms/${form}/submissions`)).body.submissions).toEqual([])
})

describe.skipIf(!hasChromium)('a form with allowed origins', () => {
  /** Two pages of a site: one that sends with a plain form, and one with a script that reads the answer. */
  const prepare = async (policy = '') => {
    const { server, ada } = await serverWithUser()
    const id = await ada.createForm()
    const address = `${server.url}/s/${id}`
    const plain = `<meta name="referrer" content="${policy}"><form method="post" action="${address}"><input name="a" value="1"><button>Send</button></form>`
    const script = `<p id="answer"></p><script>
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' }
      fetch('${address}', init).then((r) => r.json()).then((body) => body.formId, String)
        .then((text) => { document.querySelector('p').textContent = text })</script>`
    const port = startSite((path) => (path === '/script' ? script : plain))
    const site = `http://evil.example:${port}`
    const allow = (allowedOrigins: string[]) => ada.call('PATCH', `/forms/${id}/settings`, { allowedOrigins })
    const count = async () => (await ada.call('GET', `/forms/${id}`)).body.submissionCount
    return { id, site, allow, count, ...(await openTab()) }
  }

  test('takes what a script of such a page sends, and lets it read the answer; another page gets neither', async () => {
    const { page, site, id, allow, count, complaints } = await prepare()
    const answer = async () => {
      await page.goto(`${site}/script`)
      return page.locator('#answer:not(:empty)').textContent()
    }
    await allow([site])
    expect(await answer()).toBe(id)
    await allow([site.replace('evil', '*')])
    expect(await answer()).toBe(id)
    expect(complaints).toEqual([])
    await allow(['http://shop.example'])
    expect(await answer()).toBe('TypeError: Failed to fetch')
    expect(complaints.join()).toContain('blocked by CORS policy')
    expect(await count()).toBe(2)
  })

  test.each([
    ['', ''],
    ['origin', ''],
    ['no-referrer', 'your browser did not say which page you used'],
    ['same-origin', 'your browser did not say which page you used'],
  ])('takes a plain form, unless its page keeps its origin secret with the policy “%s”', async (policy, problem) => {
    const { page, site, allow, count } = await prepare(policy)
    await allow([site])
    await page.goto(site)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: problem ? 'Your message was not sent' : 'Thank you' }).waitFor()
    if (problem) expect(await page.locator('main').textContent()).toContain(problem)
    expect(await count()).toBe(problem ? 0 : 1)
  })
})
