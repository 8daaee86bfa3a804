import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { snippets } from '../../../../src/collect/snippets/snippets.ts'
import { browserTimeout } from '../../../browser/browser.ts'
import { hasFirefox, keys, openFirefox } from '../../../browser/firefox.ts'
import { defaultSettings } from '../../../default-settings.ts'
import {
  afterThisTest,
  type Server,
  serverWithUser,
  sharedServer,
  startServer,
  temporaryFolder,
} from '../../../harness.ts'
import { slowly, until } from '../../../until.ts'
import { owner, password } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)

/** Firefox, signed in, and a form with these submissions. */
const openForm = async (
  submissions: readonly object[],
  starting: Promise<Server> = sharedServer(),
  options: Parameters<typeof openFirefox>[0] = {},
) => {
  const server = await starting
  const ada = await owner(server)
  const id = await ada.api.createForm({ title: 'Contact', description: 'The form on the start page' })
  const ids = []
  for (const data of submissions) ids.push(await server.submit(id, data))
  const firefox = await openFirefox(options)
  const [name = '', value = ''] = ada.cookie()?.split('=') ?? []
  await firefox.setCookie(name, value)
  return { server, ada, firefox, path: `/forms/${id}`, ids }
}

describe.skipIf(!hasFirefox)('in Firefox', () => {
  test.each([
    ['on', true],
    ['off', false],
  ])(
    'a form of another site that is sent with a mistake comes back with the focus on what is wrong, and leads on to the return address; scripts are %s',
    async (_, javaScriptEnabled) => {
      const { server, ada, firefox, path } = await openForm([], undefined, { javaScriptEnabled })
      const page = `<!doctype html><title>Shop</title><form action="${server.url}/s/${path.split('/')[2]}" method="post"><input name="day" value="31.12.2026"><input name="z" value="&lt;z>"><button>Go</button></form>
        <script>document.title = 'Shop with scripts'</script>`
      const headers = { 'content-type': 'text/html' }
      const fetch = ({ url }: Request) =>
        new Response(url.endsWith('/thanks') ? '<title>Thanks</title>' : page, { headers })
      const shop = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
      afterThisTest(() => shop.stop(true))
      const site = `http://localhost:${shop.port}`
      const fields = [{ name: 'day', type: 'date', required: true }]
      expect((await ada.api.call('PATCH', `${path}/settings`, { fields, allowedOrigins: [site] })).status).toBe(200)
      expect((await ada.api.call('PATCH', path, { returnUrl: `${site}/thanks` })).status).toBe(200)
      // While a page is left, there is nothing to ask.
      const ask = (expression: string) => firefox.evaluate(expression).catch(() => undefined)
      const title = (wanted: string) =>
        until(async () => (await ask('document.title')) === wanted, `the page ${wanted} is shown`, slowly)
      await firefox.open(site)
      expect(await firefox.evaluate('document.title')).toBe(javaScriptEnabled ? 'Shop with scripts' : 'Shop')
      await firefox.evaluate('document.querySelector("button").click()')
      await title('Error: Contact')
      const focused = () => ask('document.activeElement.getAttribute("role")')
      await until(async () => (await focused()) === 'alert', 'the focus is on what is wrong', slowly)
      expect(await firefox.evaluate('location.origin')).toBe(server.url)
      expect(await firefox.evaluate('document.querySelector("[name=day]").value')).toBe('31.12.2026')
      await firefox.evaluate('document.querySelector("[name=day]").value = "2026-12-31"')
      await firefox.evaluate('document.querySelector("button").click()')
      await title('Thanks')
      expect(await firefox.evaluate('location.href')).toBe(`${site}/thanks`)
      const { submissions } = (await ada.api.call('GET', `${path}/submissions`)).body
      expect(submissions.map(({ data }: { data: object }) => data)).toEqual([{ z: '<z>', day: '2026-12-31' }])
    },
  )

  test(
    'no page is wider than the window, and all of them have their style',
    async () => {
      const names = ['name', 'email', 'phone', 'company', 'ticket', 'diet', 'arrival', 'notes']
      const { server, firefox, path, ids } = await openForm([
        Object.fromEntries(names.map((name) => [name, 'A text that is longer than its column. '.repeat(9)])),
        { name: '\u202eW'.repeat(300), nested: { list: [{ a: null }] }, emoji: '👩‍👩‍👧🦊'.repeat(40) },
      ])
      const ofForm = [
        '',
        '?select=all',
        '?q=emoji',
        '?q=text',
        '?startDate=x',
        '/embed',
        '/settings',
        '/settings/visitors',
        '/settings/spam',
        '/settings/people',
        '/settings/danger',
        ...ids.map((id) => `/submissions/${id}`),
      ]
      const others = [
        '/',
        '/forms/new',
        '/settings/keys',
        '/settings/account',
        '/settings/account/second-factor',
        '/nowhere',
      ]
      for (const page of [...others, ...ofForm.map((end) => path + end)])
        for (const width of [320, 961, 1440]) {
          await firefox.resize(width)
          await firefox.open(server.url + page)
          const overflow = await firefox.evaluate('document.documentElement.scrollWidth - innerWidth')
          expect(overflow, `${page} at ${width} px`).toBeLessThanOrEqual(0)
          expect(await firefox.evaluate('document.querySelectorAll("h1").length'), page).toBe(1)
          expect(await firefox.evaluate('getComputedStyle(document.body).margin'), page).toBe('0px')
        }
    },
    3 * browserTimeout,
  )

  test('the forms of a key are asked for when it is for some', async () => {
    const { server, firefox } = await openForm([])
    await firefox.open(`${server.url}/settings/keys`)
    const isShown = () => firefox.evaluate('document.querySelector("[name=form]").checkVisibility()')
    expect(await isShown()).toBe(false)
    await firefox.evaluate('document.querySelector("[name=scope]").focus()')
    await firefox.press('\uE015')
    expect(await isShown()).toBe(true)
  })

  test('a script selects ranges with Shift, and closes menus with Escape', async () => {
    const { server, firefox, path } = await openForm(['four', 'three', 'two', 'one'].map((name) => ({ name })))
    await firefox.resize(1280)
    await firefox.open(server.url + path)
    const checked = () => firefox.evaluate('document.querySelectorAll(".check :checked").length')
    /** Clicks beside the box of a row, where only its label is. */
    const click = async (row: number, withShift: boolean): Promise<void> => {
      const box = `document.querySelectorAll('.check')[${row}].getBoundingClientRect()`
      const [x, y] = [await firefox.evaluate(`${box}.left`), await firefox.evaluate(`${box}.top`)] as [number, number]
      await firefox.click(x + 5, y + 5, withShift)
    }
    await click(3, false)
    expect(await checked()).toBe(1)
    await click(1, true)
    expect(await checked()).toBe(3)
    await firefox.evaluate('document.querySelectorAll(".check input")[3].focus()')
    await firefox.press(keys.shift, keys.space)
    expect(await checked()).toBe(0)
    await firefox.evaluate('document.querySelector(".tools summary").focus()')
    await firefox.press(keys.enter)
    expect(await firefox.evaluate('document.querySelectorAll(".menu[open]").length')).toBe(1)
    await firefox.press(keys.tab)
    await firefox.press(keys.escape)
    expect(await firefox.evaluate('document.querySelectorAll(".menu[open]").length')).toBe(0)
    expect(await firefox.evaluate('document.activeElement.textContent')).toStartWith('Filter')
  })

  test('a form closes at a time of the reader', async () => {
    const { server, ada, firefox, path } = await openForm([])
    const stored = async () => (await ada.api.call('GET', `${path}/settings`)).body.closesAt
    await ada.api.call('PATCH', `${path}/settings`, { closesAt: '2100-12-01T08:00:30Z' })
    await firefox.open(`${server.url}${path}/settings/visitors`)
    const input = "document.getElementById('closesAt')"
    expect(await firefox.evaluate(`${input}.value`)).toBe('2100-12-01T03:00:30')
    await firefox.evaluate(`${input}.value = '2100-06-01T09:00'`)
    await firefox.evaluate(`setTimeout(() => document.querySelector('.save .primary').click()), 1`)
    await until(async () => (await stored()) === '2100-06-01T13:00:00.000Z', 'it is stored', slowly)
  })

  test('a submission appears when it arrives, also after a restart of the server', async () => {
    const folder = temporaryFolder()
    const first = await startServer({ folder })
    const { firefox, path } = await openForm([{ name: 'Grace' }], Promise.resolve(first))
    await firefox.open(first.url + path)
    const names = () =>
      firefox.evaluate('[...document.querySelectorAll(".row .open bdi")].map((x) => x.textContent).join()')
    await first.submit(path.split('/')[2] as string, { name: 'Mary' })
    await until(async () => (await names()) === 'Mary,Grace', 'the list shows Mary and Grace', slowly)
    await first.stop()
    const second = await startServer({ folder, settings: { FORMBOX_PORT: new URL(first.url).port } })
    await second.submit(path.split('/')[2] as string, { name: 'Edith' })
    await until(async () => (await names()) === 'Edith,Mary,Grace', 'the list shows Edith, Mary and Grace', slowly)
  })
})

describe.skipIf(!hasFirefox)('after the session has ended, in Firefox', () => {
  test('settings come back as they were typed, on their own page', async () => {
    const { server, ada, firefox, path } = await openForm([])
    const type = (id: string, text: string) => firefox.evaluate(`document.getElementById('${id}').value = '${text}'`)
    const press = (button: string) =>
      firefox.evaluate(`setTimeout(() => document.querySelector('${button}').click()), 1`)
    const has = async (element: string) => {
      const found = `document.readyState === 'complete' && document.querySelector('${element}') !== null`
      // While a page is left, there is nothing to ask.
      await until(
        async () => (await firefox.evaluate(found).catch(() => false)) === true,
        'the page has what it waits for',
        slowly,
      )
    }
    await firefox.open(`${server.url}${path}/settings/visitors`)
    await type('thankYou', 'Merci')
    await ada.post('/sign-out')
    await press('.save .primary')
    await has('#password')
    await type('email', ada.email)
    await type('password', password)
    await press('.primary')
    await has('#thankYou')
    expect(await firefox.evaluate('location.pathname')).toBe(`${path}/settings/visitors`)
    expect(await firefox.evaluate('document.querySelector("[role=alert]").textContent')).toBe(
      'Not saved yet. What you typed is below.',
    )
    expect(await firefox.evaluate('document.getElementById("thankYou").value')).toBe('Merci')
    expect((await ada.api.call('GET', `${path}/settings`)).body.thankYou).toBeNull()
    await press('.save .primary')
    await has('.parts > .done')
    expect((await ada.api.call('GET', `${path}/settings`)).body.thankYou).toBe('Merci')
  })
})

describe.skipIf(!hasFirefox)('a form of another site, in Firefox', () => {
  test('comes with a proof of work, under a strict policy', async () => {
    const { server, ada } = await serverWithUser()
    const id = await ada.createForm()
    await ada.call('PATCH', `/forms/${id}/settings`, { challenge: true })
    const [html] = snippets(`${server.url}/s/${id}`, { ...defaultSettings, challenge: true })
    const policy = `default-src 'none'; script-src ${server.url}; connect-src ${server.url}; form-action ${server.url}`
    const headers = { 'content-type': 'text/html', 'content-security-policy': policy }
    const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(html?.code, { headers }) })
    afterThisTest(() => site.stop(true))
    const firefox = await openFirefox()
    await firefox.open(`http://127.0.0.1:${site.port}/`)
    await firefox.evaluate(
      `for (const [name, value] of Object.entries({ name: 'Ada', email: 'ada@example.com', message: 'Hello' }))
        document.querySelector('[name=' + name + ']').value = value
      document.querySelector('button').click()`,
    )
    const stored = async () => (await ada.call('GET', `/forms/${id}/submissions`)).body.submissions
    await until(async () => (await stored()).length > 0, 'the submission is stored', slowly)
    expect(await stored()).toMatchObject([{ data: { name: 'Ada', email: 'ada@example.com', message: 'Hello' } }])
  })
})
