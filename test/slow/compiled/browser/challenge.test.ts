// The script that solves challenges, on a page of another site whose policy allows Formbox and nothing else.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { easiestBits } from '../../../../src/collect/challenges.ts'
import { snippets } from '../../../../src/collect/snippets/snippets.ts'
import { browserTimeout, closeBrowser, hasChromium, openTab, type Tab } from '../../../browser/browser.ts'
import { defaultSettings } from '../../../default-settings.ts'
import { expectBelow } from '../../../expect-below.ts'
import { afterThisTest, type Server, startServer, type User } from '../../../harness.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const policyFor = (formbox: string) =>
  `default-src 'none'; script-src ${formbox}; connect-src ${formbox}; form-action ${formbox}; base-uri 'none'`

interface Site {
  readonly server: Server
  readonly ada: User
  readonly id: string
  readonly page: string
  readonly stored: () => Promise<{ name: string; email: string; message: string }[]>
}

/** A page of another site with the snippet of the form, or with this HTML. */
const startSite = async (toBody = (snippet: string, _address: string) => snippet): Promise<Site> => {
  const server = await startServer()
  const ada = await server.signUp()
  const id = await ada.createForm()
  await ada.call('PATCH', `/forms/${id}/settings`, { challenge: true })
  const address = `${server.url}/s/${id}`
  const [html] = snippets(address, { ...defaultSettings, challenge: true })
  const body = `<!doctype html><html lang="en"><title>Shop</title><h1>Contact</h1>${toBody(html?.code ?? '', address)}`
  const site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response(body, {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policyFor(server.url) },
      }),
  })
  afterThisTest(() => site.stop(true))
  const stored = async () =>
    (await ada.call('GET', `/forms/${id}/submissions`)).body.submissions.map(({ data }: { data: object }) => data)
  return { server, ada, id, page: `http://evil.example:${site.port}/`, stored }
}

const fill = async ({ page }: Tab, message = 'Hello'): Promise<void> => {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Message').fill(message)
}

const typed = (message = 'Hello') => ({ name: 'Ada', email: 'ada@example.com', message })

const send = async ({ page }: Tab): Promise<void> => page.getByRole('button', { name: 'Send' }).click()

const thanked = ({ page }: Tab) => page.getByRole('heading', { name: 'Thank you' }).waitFor()

const proofIn = ({ page }: Tab): Promise<string> =>
  page.evaluate(() => document.querySelector<HTMLInputElement>('input[name=_challenge]')?.value ?? '')

describe.skipIf(!hasChromium)('a form that asks for a proof of work, on another site with a strict policy', () => {
  test('is solved while the visitor types, and loads nothing from elsewhere', async () => {
    const { server, page, stored } = await startSite()
    const tab = await openTab()
    await tab.page.goto(page)
    expect(await proofIn(tab)).toBe('')
    await fill(tab)
    await until(async () => (await proofIn(tab)) !== '', 'the proof is in the form', slowly)
    await send(tab)
    await thanked(tab)
    expect(await stored()).toEqual([typed()])
    expect([...tab.hosts].sort()).toEqual([new URL(page).host, new URL(server.url).host].sort())
    expect(tab.complaints).toEqual([])
  })

  test('is sent by itself when the visitor is faster than the script, once, with the button that was pressed', async () => {
    const { page, stored } = await startSite((snippet) =>
      snippet.replace('<button>', '<button name="button" value="two">'),
    )
    const tab = await openTab()
    await tab.page.goto(page)
    let asked = 0
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await tab.page.route('**/challenge', async (route) => {
      asked++
      await released
      await route.continue()
    })
    await fill(tab)
    await send(tab)
    await send(tab)
    await tab.page.getByRole('status').filter({ hasText: 'will be sent automatically' }).waitFor()
    expect(await stored()).toEqual([])
    release()
    await thanked(tab)
    expect(asked).toBe(1)
    expect(await stored()).toEqual([{ ...typed(), button: 'two' } as never])
  })

  const german = 'Einen Moment bitte: Ihre Nachricht wird automatisch gesendet.'
  const english = 'One moment: your message will be sent automatically.'
  test.each<[string, (snippet: string) => string, string]>([
    ['that of Austria', (snippet) => `<div lang="de-AT">${snippet}`, german],
    ['the nearest one', (snippet) => `<div lang="de"><div lang="en">${snippet}`, english],
    ['an unknown one', (snippet) => `<div lang="xx">${snippet}`, english],
    ['in words of the page', (snippet) => snippet.replace(' async>', ' async data-wait="Momentle">'), 'Momentle'],
    [
      'that of a form with an input called lang',
      (snippet) => snippet.replace(/<form([^>]*)>/, '<form lang="de"$1><input name="lang" hidden>'),
      german,
    ],
  ])('says in the language of the form that it waits: %s', async (_which, toPage, words) => {
    const { page } = await startSite(toPage)
    const tab = await openTab()
    await tab.page.goto(page)
    await tab.page.route('**/challenge', () => {})
    await fill(tab)
    await send(tab)
    await tab.page.getByRole('status').filter({ hasText: words }).waitFor()
  })

  test('is not in the way of the keyboard, and not in the accessibility tree', async () => {
    const { page, stored } = await startSite()
    const tab = await openTab()
    await tab.page.goto(page)
    const before = await tab.page.locator('body').ariaSnapshot()
    const keys = ['Tab', 'Ada', 'Tab', 'ada@example.com', 'Tab', 'Hello']
    for (const key of keys) await (key === 'Tab' ? tab.page.keyboard.press(key) : tab.page.keyboard.type(key))
    await until(async () => (await proofIn(tab)) !== '', 'the proof is in the form', slowly)
    await tab.page.keyboard.press('Tab')
    expect(await tab.page.evaluate(() => document.activeElement?.textContent)).toBe('Send')
    const withoutTyped = (await tab.page.locator('body').ariaSnapshot()).replaceAll(
      /: (Ada|ada@example\.com|Hello)$/gm,
      '',
    )
    expect(withoutTyped.replace('button "Send" [active]', 'button "Send"')).toBe(before)
    await tab.page.keyboard.press('Enter')
    await thanked(tab)
    expect(await stored()).toEqual([typed()])
  })

  test('can be sent several times by a page that stays', async () => {
    const { page, stored } = await startSite((snippet) => `${snippet.replace('<form', '<form target="sent"')}`)
    const tab = await openTab()
    await tab.page.goto(page)
    for (const message of ['one', 'two', 'three']) {
      await fill(tab, message)
      const [popup] = await Promise.all([tab.page.waitForEvent('popup').catch(() => undefined), send(tab)])
      await popup?.getByRole('heading', { name: 'Thank you' }).waitFor()
      await popup?.close()
      await until(async () => (await stored()).some((data) => data.message === message), `${message} is stored`, slowly)
    }
    expect((await stored()).map(({ message }) => message)).toEqual(['three', 'two', 'one'])
  })

  test('keeps what was typed for the back button, and sends it again', async () => {
    const { page, stored } = await startSite()
    const tab = await openTab()
    await tab.page.goto(page)
    await fill(tab, 'one')
    await send(tab)
    await thanked(tab)
    await tab.page.goBack()
    await tab.page.getByLabel('Message').waitFor()
    await fill(tab, 'two')
    await send(tab)
    await thanked(tab)
    expect((await stored()).map(({ message }) => message)).toEqual(['two', 'one'])
  })

  test('fetches another challenge for a visitor who types for more than an hour', async () => {
    const { page, stored } = await startSite()
    const tab = await openTab()
    await tab.page.clock.install()
    await tab.page.goto(page)
    await fill(tab)
    await until(async () => (await proofIn(tab)) !== '', 'the proof is in the form', slowly)
    const first = await proofIn(tab)
    await tab.page.clock.setSystemTime(Date.now() + 59 * 60_000 + 1)
    await tab.page.getByLabel('Message').fill('Hello again')
    await until(async () => (await proofIn(tab)) !== first, 'another proof is in the form', slowly)
    await send(tab)
    await thanked(tab)
    expect(await stored()).toEqual([typed('Hello again')])
  })

  test('says below the form that the server does not answer, politely, and keeps the message for the next try', async () => {
    const { server, page, stored } = await startSite()
    const tab = await openTab()
    await tab.page.goto(page)
    await tab.page.route('**/challenge', (route) => route.abort())
    await fill(tab)
    await send(tab)
    const status = tab.page.getByRole('status').filter({ hasText: 'was not sent' })
    await status.waitFor()
    expect(await status.textContent()).toBe(
      `Your message was not sent, because ${new URL(server.url).host} did not respond. Please try again.`,
    )
    expect(await stored()).toEqual([])
    await tab.page.unroute('**/challenge')
    await send(tab)
    await thanked(tab)
    expect(await stored()).toEqual([typed()])
  })

  test('has no effect once the form asks for none, and on forms of others', async () => {
    const { ada, id, page, stored } = await startSite(
      (snippet) => `${snippet}<form action="/other"><input name="action" aria-label="Other"></form>`,
    )
    await ada.call('PATCH', `/forms/${id}/settings`, { challenge: false })
    const tab = await openTab()
    await tab.page.goto(page)
    await tab.page.getByLabel('Other').fill('x')
    await fill(tab)
    await send(tab)
    await thanked(tab)
    expect(await stored()).toEqual([typed()])
    expect(tab.complaints).toEqual([])
  })

  test('serves a script of the page that sends the message itself', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const id = await ada.createForm()
    await ada.call('PATCH', `/forms/${id}/settings`, { challenge: true })
    const address = `${server.url}/s/${id}`
    const code = snippets(address, { ...defaultSettings, challenge: true }).find(({ id }) => id === 'fetch')?.code ?? ''
    const site = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response(
          `<script src="${server.url}/challenge.js"></script><script type="module">${code};document.title='sent'</script>`,
          { headers: { 'content-type': 'text/html' } },
        ),
    })
    afterThisTest(() => site.stop(true))
    const tab = await openTab()
    await tab.page.goto(`http://evil.example:${site.port}/`)
    await tab.page.waitForFunction(() => document.title === 'sent')
    const { submissions } = (await ada.call('GET', `/forms/${id}/submissions`)).body
    expect(submissions.map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada', message: 'Hello' }])
    expect(tab.complaints).toEqual([])
  })
})

describe.skipIf(!hasChromium)('without JavaScript', () => {
  test('the form says what to do, and so does the answer; the back button brings back what was typed', async () => {
    const { page, stored } = await startSite()
    const tab = await openTab({ javaScriptEnabled: false })
    await tab.page.goto(page)
    expect(await tab.page.locator('noscript p').textContent()).toStartWith('This form works only with JavaScript')
    await fill(tab)
    await send(tab)
    await tab.page.getByRole('heading', { name: 'Your message was not sent' }).waitFor()
    await tab.page.getByText('If JavaScript is off in your browser').waitFor()
    await tab.page.goBack()
    expect(await tab.page.getByLabel('Message').inputValue()).toBe('Hello')
    expect(await stored()).toEqual([])
  })
})

describe.skipIf(!hasChromium)('the work of a challenge', () => {
  test('costs the script at most twice as much as a loop with as many steps', async () => {
    const { server, id, page } = await startSite()
    const tab = await openTab()
    await tab.page.goto(page)
    await expectBelow(2, () => solvingBesideLoop(tab, `${server.url}/s/${id}`))
  })

  test('rises for an address that asks for many challenges, and the script does it', async () => {
    const { server, id, page, stored } = await startSite()
    for (let i = 0; i < 45; i++) await server.fetch(`/s/${id}/challenge`)
    const tab = await openTab()
    await tab.page.goto(page)
    await fill(tab)
    await send(tab)
    await thanked(tab)
    expect(await stored()).toEqual([typed()])
    expect((await (await server.fetch(`/s/${id}/challenge`)).json()).bits).toBe(easiestBits + 2)
  })
})

/**
 * The time for a challenge, over that of a loop in the same page with as many steps as its hashes have: both are as slow as
 * the machine is. A block of SHA-256 is 64 rounds of about 24 steps, and 48 words of about 14 (FIPS 180-4).
 */
const solvingBesideLoop = ({ page }: Tab, address: string): Promise<number> =>
  page.evaluate(async (to) => {
    const { formboxChallenge } = window as unknown as { formboxChallenge: (address: string) => Promise<string> }
    const begun = performance.now()
    const solution = await formboxChallenge(to)
    const solved = performance.now()
    // A nonce is the number of those that were tried before.
    const nonces = solution.split('.').slice(4)
    const hashes = nonces.reduce((sum, nonce) => sum + Number.parseInt(nonce, 36) + 1, 0)
    let word = hashes
    for (let i = 0; i < hashes * 550; i++) word = (Math.imul(word, 31) ^ (word >>> 7)) + i
    document.title = String(word)
    return (solved - begun) / (performance.now() - solved)
  }, address)
