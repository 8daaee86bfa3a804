// What docs/coming-from.md says of scripts that were written for another server, where no code of others is needed.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { browserTimeout, closeBrowser, hasChromium, openTab, startSite } from '../../../browser/browser.ts'
import { blocksOf, rowsOf } from '../../../guide-parts.ts'
import { serverWithUser } from '../../../harness.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const guide = await Bun.file(join(import.meta.dir, '../../../../docs/coming-from.md')).text()

/** A tab with a page of another site that sends to a form. */
const openPage = async (toHtml: (action: string) => string, isReturning = false) => {
  const { server, ada } = await serverWithUser()
  let action = ''
  const toPage = (path: string): string => (path === '/thanks' ? '<h1>Back on our site</h1>' : toHtml(action))
  const site = `http://evil.example:${startSite(toPage)}`
  const form = await ada.createForm(isReturning ? { returnUrl: `${site}/thanks` } : {})
  action = `${server.url}/s/${form}`
  const { page, complaints } = await openTab()
  await page.goto(site)
  const stored = async (): Promise<unknown[]> =>
    (await ada.call('GET', `/forms/${form}/submissions`)).body.submissions.map(({ data }: { data: unknown }) => data)
  return { page, complaints, action, ada, form, stored }
}

describe.skipIf(!hasChromium)('a page that was written for another server', () => {
  const framed = (action: string): string =>
    `<form method="post" action="${action}" target="hidden"><input name="name" value="Ada"><button>Send</button></form>
     <iframe name="hidden"></iframe>`

  test('shows an error of the browser in a frame, and with a return address its own page', async () => {
    const without = await openPage(framed)
    await without.page.getByRole('button').click()
    await until(
      () => without.complaints.join().includes("frame-ancestors 'none'"),
      'the browser refuses the frame',
      slowly,
    )
    expect(await without.stored()).toEqual([{ name: 'Ada' }])

    const returning = await openPage(framed, true)
    await returning.page.getByRole('button').click()
    await returning.page.frameLocator('iframe').getByRole('heading', { name: 'Back on our site' }).waitFor()
    expect(await returning.stored()).toEqual([{ name: 'Ada' }])
    expect(returning.complaints).toEqual([])
  })

  test('stores nothing that a script sends as JSON without CORS, and all of it with CORS', async () => {
    const { page, action, stored } = await openPage(() => '<h1>A page</h1>')
    const send = (mode: 'no-cors' | 'cors') =>
      page.evaluate(
        ({ url, mode: chosen }) =>
          fetch(url, {
            method: 'POST',
            mode: chosen,
            headers: { 'Content-Type': 'application/json' },
            body: '{"name":"Ada"}',
          }).then(({ status }) => status),
        { url: action, mode },
      )
    expect(await send('no-cors')).toBe(0)
    expect(await stored()).toEqual([])
    expect(await send('cors')).toBe(200)
    expect(await stored()).toEqual([{ name: 'Ada' }])
  })

  test('stores what sendBeacon sends as a form, and nothing that it sends as JSON or text', async () => {
    const { page, action, stored } = await openPage(() => '<h1>A page</h1>')
    const send = (kind: 'JSON' | 'text' | 'form' | 'search') =>
      page.evaluate(
        ({ url, as }) => {
          const form = new FormData()
          form.set('name', as)
          const bodies = {
            JSON: new Blob(['{"name":"JSON"}'], { type: 'application/json' }),
            text: '{"name":"text"}',
            form,
            search: new URLSearchParams({ name: as }),
          }
          return navigator.sendBeacon(url, bodies[as])
        },
        { url: action, as: kind },
      )
    for (const kind of ['JSON', 'text', 'form', 'search'] as const) expect(await send(kind)).toBe(true)
    await until(async () => (await stored()).length === 2, 'both forms are stored', slowly)
    expect(await stored()).toEqual(expect.arrayContaining([{ name: 'form' }, { name: 'search' }]))
  })

  test('stores what a script sends with credentials, and its response stays hidden', async () => {
    const { page, action, stored, complaints } = await openPage(() => '<h1>A page</h1>')
    const sent = page.evaluate(
      (url) => fetch(url, { method: 'POST', credentials: 'include', body: new URLSearchParams({ name: 'Ada' }) }),
      action,
    )
    await expect(sent).rejects.toThrow('Failed to fetch')
    expect(await stored()).toEqual([{ name: 'Ada' }])
    expect(complaints.join()).toContain('CORS policy')
  })

  test('says why a message was refused with the line of the guide', async () => {
    const [line] = blocksOf(guide, 'Templates and scripts', 'js')
    const { page, ada, form } = await openPage(
      (action) => `<form><input name="name" value="Ada"></form><p id="status"></p><script>
        const status = document.getElementById('status')
        const send = async (path = '') => {
          const body = new FormData(document.querySelector('form'))
          const response = await fetch('${action}' + path, { method: 'POST', body, headers: { Accept: 'application/json' } })
          const data = await response.json()
          ${line?.replace('status', "document.getElementById('status')")}
        }</script>`,
    )
    await ada.call('PATCH', `/forms/${form}/settings`, { open: false, closedText: 'Closed until May' })
    await page.evaluate('send()')
    expect(await page.locator('#status').textContent()).toBe('Closed until May')
    await page.evaluate("send('0')")
    expect(await page.locator('#status').textContent()).toBe('Form not found')
  })

  test('comes back under the policy of the guide, and stays where it is without the site of the return address', async () => {
    const collecting = await Bun.file(join(import.meta.dir, '../../../../docs/collecting.md')).text()
    const [[, policy = ''] = []] = rowsOf(collecting, 'Content Security Policy')
    const [, directive = ''] = /^`([^`]+)`/.exec(policy) ?? []
    expect(directive).toBe("form-action https://forms.example.com 'self'")
    const withPolicy = (allowed: string) => (action: string) =>
      `<meta http-equiv="content-security-policy" content="default-src 'self'; ${allowed.replace('https://forms.example.com', new URL(action).origin)}">
       <form method="post" action="${action}"><input name="name" value="Ada"><button>Send</button></form>`

    const allowed = await openPage(withPolicy(directive), true)
    await allowed.page.getByRole('button').click()
    await allowed.page.getByRole('heading', { name: 'Back on our site' }).waitFor()
    expect(allowed.complaints).toEqual([])

    const half = await openPage(withPolicy(directive.replace(" 'self'", '')), true)
    await half.page.getByRole('button').click()
    await until(() => half.complaints.join().includes('form-action'), 'the browser stops at the redirect', slowly)
    expect(await half.page.getByRole('button').isVisible()).toBe(true)
    expect(await half.stored()).toEqual([{ name: 'Ada' }])
  })
})
