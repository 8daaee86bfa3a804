// The link of a mail that confirms an address, in real browsers, on a server below a path: where the cookie goes, and what a
// page of another site gets.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { putAddressesBelow } from '../../../../src/config/addresses.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { freePort } from '../../../free-port.ts'
import { startServer } from '../../../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { until } from '../../../until.ts'
import { addForm } from '../../../world.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)
afterAll(() => putAddressesBelow(''))

describe.skipIf(!hasChromium)('the link that confirms an address', () => {
  test('is one click in the browser that sent the form, a button in another one, and nothing in a frame', async () => {
    const smtp = await startSmtp()
    const port = String(await freePort())
    const home = `http://127.0.0.1:${port}/tools/formbox`
    const server = await startServer({
      settings: { ...mailSettings(smtp.port), FORMBOX_PORT: port, FORMBOX_URL: home },
    })
    const { formId, submissions } = await addForm(server, await server.signUp(), {
      form: {
        title: 'News',
        fields: [{ name: 'email', type: 'email', required: true }],
        confirm: { field: 'email', subject: 'Please confirm', text: 'Open this: {link}' },
      },
    })
    const inbox = async (): Promise<number> => (await submissions()).length
    const linkOf = async (address: string): Promise<string> => {
      const found = () => smtp.mails.map(unfolded).find((mail) => mail.includes(`\nTo: ${address}\r\n`))
      await until(() => found() !== undefined, 'the mail has arrived')
      return /Open this: (\S+)/.exec(found() ?? '')?.[1] ?? ''
    }
    const site = startSite(
      () => `<form method="post" action="${home}/s/${formId}"><input name="email"><button>Send</button></form>`,
    )
    const send = async (page: Page, address: string): Promise<void> => {
      await page.goto(`http://evil.example:${site}/`)
      await page.locator('input').fill(address)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: 'One more step' }).waitFor()
    }

    const own = await openTab()
    await send(own.page, 'ada@example.com')
    const cookies = await own.context.cookies()
    expect(cookies).toMatchObject([{ path: '/tools/formbox/c/', httpOnly: true, sameSite: 'Lax' }])
    const link = await linkOf('ada@example.com')
    expect(link).toStartWith(`${home}/c/`)

    // A page of another site that has the link: its frame shows nothing, and its script may not read it.
    const other = startSite(() => `<iframe src="${link}"></iframe><img src="${link}">`)
    await own.page.goto(`http://evil.example:${other}/`)
    await own.page.evaluate((url) => fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => {}), link)
    expect(await inbox()).toBe(0)

    await own.page.goto(link)
    await own.page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
    expect(await inbox()).toBe(1)
    await own.page.reload()
    await own.page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()

    await send(own.page, 'eve@example.com')
    const elsewhere = await openTab({ javaScriptEnabled: false })
    await elsewhere.page.goto(await linkOf('eve@example.com'))
    await elsewhere.page.getByRole('button', { name: 'This was not me' }).click()
    await elsewhere.page.getByRole('heading', { name: 'Everything is deleted' }).waitFor()
    await send(own.page, 'zoe@example.com')
    await elsewhere.page.goto(await linkOf('zoe@example.com'))
    expect(await inbox()).toBe(1)
    await elsewhere.page.getByRole('button', { name: 'Confirm' }).click()
    await elsewhere.page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
    expect(await inbox()).toBe(2)
    expect(await elsewhere.context.cookies()).toEqual([])
  })
})
