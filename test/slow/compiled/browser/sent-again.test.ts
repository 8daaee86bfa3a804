// The snippets of the Embed page on another site: what a visitor sends twice is one submission.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { snippets } from '../../../../src/collect/snippets/snippets.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, type Tab } from '../../../browser/browser.ts'
import { defaultSettings } from '../../../default-settings.ts'
import { afterThisTest, serverWithUser } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

interface Options {
  readonly challenge?: boolean
  /** Content-Security-Policy of the page. */
  readonly policy?: (formbox: string) => string
  readonly javaScriptEnabled?: boolean
}

/** A page with the snippet, filled in. */
const openForm = async ({ challenge = false, policy, javaScriptEnabled = true }: Options = {}) => {
  const { server, ada } = await serverWithUser()
  const id = await ada.createForm()
  await ada.call('PATCH', `/forms/${id}/settings`, { challenge })
  const [snippet] = snippets(`${server.url}/s/${id}`, { ...defaultSettings, challenge })
  const site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><html lang="en"><title>Shop</title>${snippet?.code}`, {
        headers: { 'content-type': 'text/html', ...(policy && { 'content-security-policy': policy(server.url) }) },
      }),
  })
  afterThisTest(() => site.stop(true))
  const tab = await openTab({ javaScriptEnabled })
  await tab.page.goto(`http://evil.example:${site.port}/`)
  await fill(tab)
  const messages = async (): Promise<string[]> =>
    (await ada.call('GET', `/forms/${id}/submissions`)).body.submissions.map(
      ({ data }: { data: { message: string } }) => data.message,
    )
  return { ...tab, tab, messages }
}

const fill = async ({ page }: Tab, message = 'Hello'): Promise<void> => {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Message').fill(message)
}

const send = ({ page }: Tab): Promise<void> => page.getByRole('button', { name: 'Send' }).click()

const thanked = ({ page }: Tab): Promise<void> => page.getByRole('heading', { name: 'Thank you' }).waitFor()

/** Sends it, loses the answer, and sends it again, as an impatient visitor on a slow connection does. */
const sendTwice = async (tab: Tab): Promise<void> => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  let count = 0
  await tab.page.route(/\/s\/\w+$/, async (route) => {
    if (++count > 1) return route.continue()
    expect((await route.fetch()).status()).toBe(200)
    resolve()
  })
  await tab.page.getByRole('button', { name: 'Send' }).focus()
  // A click would wait for the answer.
  await tab.page.keyboard.press('Enter')
  await arrived
  await tab.page.keyboard.press('Enter')
  await thanked(tab)
  expect(count).toBe(2)
}

describe.skipIf(!hasChromium)('the snippet', () => {
  test('makes one submission of what is sent twice', async () => {
    const { tab, messages, complaints } = await openForm()
    await sendTwice(tab)
    expect(await messages()).toEqual(['Hello'])
    expect(complaints).toEqual([])
  })

  test('makes one of a double click', async () => {
    const { tab, page, messages } = await openForm()
    await page.getByRole('button', { name: 'Send' }).dblclick()
    await thanked(tab)
    expect(await messages()).toEqual(['Hello'])
  })

  test('makes one of a thank-you page that is loaded again, and two of a text that was changed after going back', async () => {
    const { tab, page, messages } = await openForm()
    await send(tab)
    await thanked(tab)
    await page.reload()
    await thanked(tab)
    expect(await messages()).toEqual(['Hello'])
    await page.goBack()
    await fill(tab, 'Hello again')
    await send(tab)
    await thanked(tab)
    expect(await messages()).toEqual(['Hello again', 'Hello'])
  })

  test('makes two of the same text that was typed twice', async () => {
    const { tab, page, messages } = await openForm()
    const address = page.url()
    await send(tab)
    await thanked(tab)
    await page.goto(address)
    await fill(tab)
    await send(tab)
    await thanked(tab)
    expect(await messages()).toEqual(['Hello', 'Hello'])
  })

  test.each([
    ['without JavaScript', { javaScriptEnabled: false }],
    ['under a policy that forbids its script', { policy: () => "script-src 'none'" }],
  ])('works %s, as if the field was not there', async (_how, options) => {
    const { tab, messages } = await openForm(options)
    await sendTwice(tab)
    expect(await messages()).toEqual(['Hello', 'Hello'])
  })

  test('with the script of Formbox makes one of them under a strict policy', async () => {
    const policy = (formbox: string) =>
      `default-src 'none'; script-src ${formbox}; connect-src ${formbox}; form-action ${formbox}`
    const { tab, messages, complaints } = await openForm({ challenge: true, policy })
    await sendTwice(tab)
    expect(await messages()).toEqual(['Hello'])
    expect(complaints).toEqual([])
  })
})
