import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer, startServer } from '../../../harness.ts'
import { until } from '../../../until.ts'
import { password } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

describe.skipIf(!hasChromium)('forms in a browser', () => {
  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('from the first run to a form, its test, a copy and their ends, %s', async (_name, javaScriptEnabled) => {
    const server = await startServer()
    const tab = await openTab({ javaScriptEnabled })
    const { page } = tab
    await page.goto(`${server.url}${server.setupPath}`)
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByLabel('Title').fill('Contact')
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
    await page.getByText('Nothing yet.').waitFor()
    await page.getByRole('link', { name: 'curl' }).click()
    await page.locator('#snippet', { hasText: 'curl -H' }).waitFor()
    expect(await page.getByRole('button', { name: 'Copy command' }).count()).toBe(javaScriptEnabled ? 1 : 0)
    await page.getByRole('textbox', { name: 'message' }).fill('Hello <b>you')
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('It works.').waitFor()
    expect(await page.locator('.things').textContent()).toContain('Hello <b>you')
    await page.getByRole('link', { name: 'Test', exact: true }).click()
    await page.getByText('Hello <b>you').waitFor()

    // The page is shown before it is remembered that it was.
    await until(async () => {
      await page.getByRole('link', { name: 'Forms' }).click()
      await page.getByRole('heading', { name: 'Forms', exact: true }).waitFor()
      return (await page.locator('.forms .is-unread').count()) === 0
    }, 'nothing is unread')
    await page.getByText('Hello <b>you').waitFor()

    const path = await page.getByRole('link', { name: 'Contact', exact: true }).getAttribute('href')
    await page.goto(`${server.url}${path}/settings/danger`)
    await page.getByRole('button', { name: 'Copy this form' }).click()
    await page.getByText('This is the copy.').waitFor()
    await page.getByLabel('Title').fill('Newsletter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.locator('.rail').getByText('Move or delete').click()
    await page.locator('#confirm').fill('Contact')
    await page.getByRole('button', { name: 'Delete form' }).click()
    await page.getByText('This is not the title of the form.').waitFor()
    await page.locator('#confirm:focus').waitFor()
    // The typed text is still there.
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Newsletter')
    await page.keyboard.press('Enter')
    await page.getByText('The form has been deleted.').waitFor()
    expect(await page.getByRole('link', { name: 'Newsletter' }).count()).toBe(0)
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  })

  test('a script sends once what is sent with a double click', async () => {
    const server = await sharedServer()
    const tab = await openTab()
    const { page } = tab
    await signUp(tab, server)
    await page.goto(`${server.url}/forms/new`)
    await page.getByLabel('Title').fill('Contact')
    // As fast as a person, but slow enough for the browser to send both.
    let both = Promise.withResolvers<void>()
    const clickTwice = async (name: string) => {
      both = Promise.withResolvers()
      await page.getByRole('button', { name }).evaluate(async (button: HTMLButtonElement) => {
        button.click()
        await new Promise((resolve) => setTimeout(resolve, 100))
        button.click()
      })
      both.resolve()
    }
    // The first response comes after the second click.
    await page.route('**', async (route) => {
      if (route.request().method() === 'POST') await both.promise
      await route.continue()
    })
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
    })
    await clickTwice('Create form')
    await page.getByText('Contact is ready.').waitFor()
    const path = new URL(page.url()).pathname.replace('/embed', '')
    await page.goto(`${server.url}${path}/settings/danger`)
    await page.locator('#confirm').fill('Contact')
    await clickTwice('Delete form')
    await page.getByText('The form has been deleted.').waitFor()
    expect(sent).toEqual(['/forms/new', `${path}/delete`])

    // Not once for ever: the next one may be meant.
    await page.goto(`${server.url}/personal-data`)
    await page.getByLabel('Email address, name or phone number').fill('nobody@example.com')
    for (const count of [3, 4]) {
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
      await until(() => sent.length === count, 'it was sent again')
    }
    expect(tab.complaints).toEqual([])
  })

  test('a script copies a snippet, and what is on a page of another site then works', async () => {
    const server = await sharedServer()
    const tab = await openTab({ permissions: ['clipboard-read', 'clipboard-write'], timezoneId: 'Asia/Kathmandu' })
    const { page } = tab
    await signUp(tab, server)
    await page.goto(`${server.url}/forms/new`)
    await page.getByLabel('Title').fill('Contact')
    expect(await page.locator('[name=timeZone]').inputValue()).toMatch(/^Asia\/Kat[hm]/)
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByRole('button', { name: 'Copy HTML' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const snippet = await page.evaluate(() => navigator.clipboard.readText())
    expect(tab.complaints).toEqual([])
    const visitor = (await openTab()).page
    await visitor.setContent(`<!doctype html>${snippet}`)
    await visitor.getByLabel('Name').fill('Grace')
    await visitor.getByLabel('Email').fill('grace@example.com')
    await visitor.getByLabel('Message').fill('Hello')
    await visitor.getByRole('button', { name: 'Send' }).click()
    await visitor.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.goto(server.url)
    await page.getByText('Grace', { exact: true }).waitFor()
  })

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'the kinds of files are chosen, and the snippet sends one from another site, %s',
    async (_name, javaScriptEnabled) => {
      const server = await sharedServer()
      const tab = await openTab({ javaScriptEnabled })
      const { page } = tab
      const ada = addKey(server, await signUp(tab, server), newEmail())
      const id = await ada.createForm()
      await page.goto(`${server.url}/forms/${id}/settings/visitors`)
      await page.getByLabel('PDF').check()
      await page.getByLabel('Documents').check()
      await page.getByText('Other kinds').click()
      await page.getByRole('textbox', { name: 'Others' }).fill('txt, EPUB')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
      const { fileTypes } = (await ada.call('GET', `/forms/${id}/settings`)).body
      expect(fileTypes).toEqual(['application/pdf', '.doc', '.docx', '.odt', '.rtf', '.txt', '.epub'])
      await page.getByRole('link', { name: 'code with files' }).click()
      const snippet = await page.locator('#snippet').textContent()
      const visitor = (await openTab()).page
      await visitor.setContent(`<!doctype html>${snippet}`)
      await visitor.getByLabel('Name').fill('Grace')
      await visitor.getByLabel('Email').fill('grace@example.com')
      await visitor.getByLabel('Message').fill('Hello')
      const cv = { name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }
      await visitor.getByLabel('File').setInputFiles(cv)
      await visitor.getByRole('button', { name: 'Send' }).click()
      await visitor.getByRole('heading', { name: 'Thank you' }).waitFor()
      const { submissions } = (await ada.call('GET', `/forms/${id}/submissions`)).body
      expect(submissions[0].data.file).toMatchObject({ filename: 'cv.pdf', type: 'application/pdf', size: 8 })
      await page.goto(`${server.url}/forms/${id}/submissions/${submissions[0].id}`)
      await page.getByRole('link', { name: 'cv.pdf' }).waitFor()
      expect(tab.complaints).toEqual([])
    },
  )

  test('the first message appears on the page with the code by itself', async () => {
    const server = await sharedServer()
    const tab = await openTab()
    const { page } = tab
    await signUp(tab, server)
    await page.goto(`${server.url}/forms/new`)
    await page.getByLabel('Title').fill('Contact')
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByText('Nothing yet.').waitFor()
    await server.submit(new URL(page.url()).pathname.split('/')[2] as string, { name: 'Grace', message: 'Hello' })
    await page.getByRole('link', { name: 'Grace' }).waitFor()
    await page.locator('#arrived', { hasText: 'A message has arrived' }).waitFor({ state: 'attached' })
    expect(tab.complaints).toEqual([])
  })

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'a submission is deleted from the keyboard, and the list is where it was, %s',
    async (_name, javaScriptEnabled) => {
      const server = await sharedServer()
      const tab = await openTab({ javaScriptEnabled })
      const { page } = tab
      await signUp(tab, server)
      await page.goto(`${server.url}/forms/new`)
      await page.getByLabel('Title').fill('Contact')
      await page.getByRole('button', { name: 'Create form' }).click()
      await page.getByRole('heading', { name: 'Put it on your website' }).waitFor()
      const formId = new URL(page.url()).pathname.split('/')[2] as string
      for (let i = 0; i < 32; i++) await server.submit(formId, { name: `Visitor ${i}` })
      await page.goto(`${server.url}/forms/${formId}?startDate=2020-01-01&page=2`)
      await page.getByRole('checkbox', { name: /Visitor 1,/ }).focus()
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: 'Delete' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Delete this submission?' }).waitFor()
      await page.getByRole('button', { name: 'Delete' }).focus()
      await page.keyboard.press('Enter')
      await page.locator(':focus', { hasText: /^The submission has been deleted\.$/ }).waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Select these 1')
      expect(await page.getByRole('link', { name: /Visitor/ }).allTextContents()).toEqual([
        expect.stringContaining('Visitor 0'),
      ])
      expect(tab.complaints).toEqual([])
    },
  )
})
