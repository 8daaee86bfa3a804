import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { serverWithUser, temporaryFolder } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const readme = await Bun.file(join(import.meta.dir, '../../../../README.md')).text()
const [, htmlForm = ''] = /```html\n( *<form[\s\S]*?<\/form>\n) *```/.exec(readme) ?? []

describe.skipIf(!hasChromium)('the HTML form of README.md in a browser', () => {
  test('sends what was typed, which is read back with a key, and thanks', async () => {
    const { ada, id, page } = await openForm({ title: 'Guest <book>' })

    await page.getByLabel('Name').fill('Zoë 日本 👋')
    await page.getByLabel('Email').fill('zoe@example.com')
    await page.getByLabel('Message').fill('Two\nlines & "quotes" + 100%')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()

    expect(await page.textContent('main p')).toBe('Your message to “Guest <book>” was received.')
    const { body } = await ada.call('GET', `/forms/${id}/submissions`)
    // A browser ends the lines of a text area with CR and LF.
    const data = { name: 'Zoë 日本 👋', email: 'zoe@example.com', message: 'Two\r\nlines & "quotes" + 100%' }
    expect(body.submissions).toEqual([expect.objectContaining({ formId: id, data })])
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({
      keys: ['name', 'email', 'message'],
      submissionCount: 1,
    })
  })

  test('lands at the return URL of a form that has one', async () => {
    const site = `http://127.0.0.1:${startSite(() => '<title>Back home</title>')}`
    const { ada, id, page } = await openForm({ returnUrl: `${site}/thanks?from=contact#top` })

    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Message').fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.waitForURL(`${site}/**`)

    expect(page.url()).toBe(`${site}/thanks?from=contact#top`)
    expect(await page.title()).toBe('Back home')
    expect((await ada.call('GET', `/forms/${id}`)).body.submissionCount).toBe(1)
  })

  test('shows a page, not JSON, when there is no such form', async () => {
    const { ada, id, page } = await openForm()
    await ada.call('DELETE', `/forms/${id}`)

    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Message').fill('Hello')
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button', { name: 'Send' }).click(),
    ])
    await page.getByRole('heading', { name: 'This form does not exist' }).waitFor()

    expect(answer.status()).toBe(404)
    expect(await page.textContent('main p')).toBe('It may have been deleted.')
  })
})

describe.skipIf(!hasChromium)('a script on a page of another origin', () => {
  test('posts JSON and reads the answer', async () => {
    const { server, ada, id, page } = await openForm()
    await page.goto(`http://127.0.0.1:${startSite(() => '<title>Elsewhere</title>')}`)

    const answer = await page.evaluate(postJson, {
      url: `${server.url}/s/${id}`,
      data: { name: 'Ada', tags: [1, null] },
    })

    const { body } = await ada.call('GET', `/forms/${id}/submissions`)
    expect(body.submissions).toEqual([expect.objectContaining({ data: { name: 'Ada', tags: [1, null] } })])
    expect(answer).toEqual({
      status: 200,
      body: { id: body.submissions[0].id, formId: id, ok: true },
      requestId: expect.stringMatching(/\S/),
    })
  })

  test('reads why its submission was refused', async () => {
    const { server, ada, id, page } = await openForm()
    await page.goto(`http://127.0.0.1:${startSite(() => '<title>Elsewhere</title>')}`)

    const answer = await page.evaluate(postJson, { url: `${server.url}/s/${id}`, data: {} })

    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    expect((await ada.call('GET', `/forms/${id}`)).body.submissionCount).toBe(0)
  })

  test('is kept from the API, also with a key', async () => {
    const { server, ada, page } = await openForm()
    await page.goto(`http://127.0.0.1:${startSite(() => '<title>Elsewhere</title>')}`)

    const headers = { authorization: `Bearer ${ada.key}` }
    const answer = page.evaluate(({ url, headers }) => fetch(url, { headers }), {
      url: `${server.url}/api/v1/forms`,
      headers,
    })

    expect(answer).rejects.toThrow('Failed to fetch')
    await answer.catch(() => undefined)
  })
})

/** A form, and the page with it that a reader of README.md saves and opens. */
const openForm = async (fields: object = {}) => {
  const { server, ada } = await serverWithUser()
  const id = await ada.createForm(fields)
  const file = join(temporaryFolder(), 'contact.html')
  await Bun.write(file, htmlForm.replace('https://forms.example.com', server.url).replace('FORM_ID', id))
  const { page } = await openTab()
  await page.goto(pathToFileURL(file).href)
  return { server, ada, id, page }
}

/** Runs in the page. */
const postJson = async ({ url, data }: { url: string; data: object }) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(data),
  })
  return { status: response.status, body: await response.json(), requestId: response.headers.get('x-request-id') }
}
