// Text and ticks are not lost: when the session ends, when one leaves.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'
import { password, signedIn } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const open = async (options: Parameters<typeof openTab>[0] = {}) => {
  const server = await sharedServer()
  const ada = await signedIn(server, newEmail())
  const api = addKey(server, ada.userId, ada.email)
  const form = await api.createForm()
  const tab = await openTab(options)
  const [name = '', value = ''] = ada.cookie()?.split('=') ?? []
  await tab.context.addCookies([{ name, value, url: server.url }])
  const { page } = tab
  const settings = `/forms/${form}/settings`
  return {
    ...tab,
    server,
    api,
    form,
    address: `${server.url}${settings}/visitors`,
    spam: `${server.url}${settings}/spam`,
    stored: async () => (await api.call('GET', settings)).body,
    button: (text: string) => page.getByRole('button', { name: text, exact: true }),
    endSession: () => ada.post('/settings/account/sign-out-everywhere'),
    async signIn() {
      await page.getByLabel('Email address').fill(ada.email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
  }
}

const all = [
  ['with JavaScript', true],
  ['without', false],
] as const

describe.skipIf(!hasChromium)('after the session has ended', () => {
  test.each(all)('settings come back as they were typed, on their own page, %s', async (_name, javaScriptEnabled) => {
    const { page, address, stored, button, endSession, signIn, complaints } = await open({ javaScriptEnabled })
    await page.goto(address)
    await page.getByLabel('Thank-you text').fill('Merci\n"beaucoup"')
    await page.getByLabel('Closes after').fill('3')
    await endSession()
    await button('Save').click()
    expect(await page.getByRole('alert').textContent()).toBe('Your session ended before this was done.')
    await signIn()
    expect(await page.getByRole('alert').textContent()).toBe('Not saved yet. What you typed is below.')
    expect(page.url()).toBe(address)
    expect(await page.getByLabel('Thank-you text').inputValue()).toBe('Merci\n"beaucoup"')
    expect(await stored()).toMatchObject({ thankYou: null, maxSubmissions: null })

    await button('Save').click()
    await page.waitForURL((url) => url.hash === '#notice')
    expect(await stored()).toMatchObject({ thankYou: 'Merci\n"beaucoup"', maxSubmissions: 3 })
    expect(complaints).toEqual([])
  })

  test('settings are still there when the page is loaded again', async () => {
    const { page, address, stored, button, endSession, signIn } = await open()
    page.on('dialog', (dialog) => dialog.accept())
    await page.goto(address)
    await page.getByLabel('Thank-you text').fill('Merci')
    await endSession()
    await button('Save').click()
    await signIn()
    await page.getByText('Not saved yet').waitFor()
    await page.reload()
    expect(await page.getByLabel('Thank-you text').inputValue()).toBe('Merci')
    expect((await stored()).thankYou).toBeNull()
  })

  test.each(all)('ticked submissions are asked about, %s', async (_name, javaScriptEnabled) => {
    const { page, server, api, form, button, endSession, signIn } = await open({ javaScriptEnabled })
    for (const name of ['Grace', 'Alan', 'Mary']) await server.submit(form, { name })
    await page.goto(`${server.url}/forms/${form}`)
    for (const name of ['Grace', 'Mary'])
      await page.getByRole('listitem').filter({ hasText: name }).getByRole('checkbox').check()
    await endSession()
    await button('Spam').click()
    await signIn()
    await page.getByRole('heading', { name: 'Mark 2 submissions as spam?' }).waitFor()
    await button('Mark as spam').click()
    await page.getByText('2 submissions have been marked as spam').waitFor()
    const { submissions } = (await api.call('GET', `/forms/${form}/submissions`)).body
    expect(submissions).toMatchObject([{ data: { name: 'Alan' } }])
  })

  test('a form that another site sends is not kept', async () => {
    const { page, server, context } = await open()
    await context.clearCookies()
    const html = `<form method="post" action="${server.url}/forms/new"><input name="title" value="Forged"><button>Go</button></form>`
    const site = Bun.serve({
      port: 0,
      fetch: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
    })
    await page.goto(`http://evil.example:${site.port}/`)
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor()
    expect(await page.content()).not.toContain('held')
    await site.stop(true)
  })
})

describe.skipIf(!hasChromium)('edits that are not saved', () => {
  test('are saved by Enter in an input that has them', async () => {
    const { page, spam, stored } = await open()
    await page.goto(spam)
    await page.getByText('One by one').click()
    await page.getByLabel('Links allowed').fill('3')
    await page.getByLabel('Links allowed').press('Enter')
    await page.waitForURL((url) => url.hash === '#notice')
    expect((await stored()).maxLinks).toBe(3)
  })

  test('let one leave only after a question, and saving asks none', async () => {
    const { page, server, form, address, button } = await open()
    const asked: string[] = []
    let isLeaving = false
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      return isLeaving ? dialog.accept() : dialog.dismiss()
    })
    for (const [path, label] of [
      [address, 'Thank-you text'],
      [`${server.url}/forms/${form}/settings/told/new?kind=slack`, 'Webhook URL'],
    ] as const) {
      isLeaving = false
      await page.goto(path)
      const input = page.getByLabel(label)
      await input.fill('Typed')
      const leave = page.locator('.account').getByRole('link', { name: 'API keys' })
      await page.locator('.account > summary').click()
      await leave.click()
      expect(asked.splice(0)).toEqual(['beforeunload'])
      expect(await input.inputValue()).toBe('Typed')
      // As it was.
      await input.fill('')
      await leave.click()
      await page.getByRole('heading', { name: 'API keys' }).waitFor()
      expect(asked.splice(0)).toEqual([])
      await page.goto(path)
      await input.fill('Typed')
      await page.locator('.account > summary').click()
      isLeaving = true
      await leave.click()
      await page.getByRole('heading', { name: 'API keys' }).waitFor()
      expect(asked.splice(0)).toEqual(['beforeunload'])
    }
    await page.goto(address)
    await page.getByLabel('Thank-you text').fill('Typed')
    await button('Save').click()
    await page.getByText('Saved.').waitFor()
    expect(asked).toEqual([])
  })
})
