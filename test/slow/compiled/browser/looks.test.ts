import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import {
  browserTimeout,
  closeBrowser,
  createKey,
  hasChromium,
  inAccountMenu,
  openTab,
  setUp,
  signUp,
} from '../../../browser/browser.ts'
import { addWebhooks } from '../../../browser/webhook-scene.ts'
import { confirmedForm } from '../../../confirmed.ts'
import { freePort } from '../../../free-port.ts'
import { addKey, newEmail, type Server, startServer, writeKey, writeTo } from '../../../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { startProvider } from '../../../oidc-provider.ts'
import { siteRoutes } from '../../../site-routes.ts'
import { png, submitAll } from '../../../stored-files.ts'
import { goodContact, listOf, randomFrom } from '../../../submissions/spam-sets.ts'
import { codeFor } from '../../../totp.ts'
import { until } from '../../../until.ts'
import { createUser, password, visit } from '../../../visitor.ts'
import { addForm } from '../../../world.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const axe = join(import.meta.dir, '../../../../node_modules/axe-core/axe.min.js')
const schemes = ['light', 'dark'] as const
const widths = [360, 1440] as const

interface Result {
  /** A line for each rule that is violated, with the elements. */
  readonly found: readonly string[]
  /** How many rules are not. */
  readonly passes: number
}

interface Scope {
  readonly part?: '.menu[open]'
  /** All if absent. */
  readonly rules?: readonly string[]
  /** What an open menu covers is as small as what is left of it. */
  readonly isCovered?: boolean
}

/**
 * The rules on the page as it is now, with one of WCAG 2.2 that axe leaves out by itself: targets of 24 px, or as much room
 * around them. Whole results, with each element that is as it should be and a selector for each, took longer than to find
 * them.
 */
const runAxe = ({ part, rules, isCovered = false }: Scope = {}): string =>
  `axe.run(${part ? `'${part}', ` : ''}${JSON.stringify({
    ...{ resultTypes: ['violations'], selectors: false, preload: false, runOnly: rules },
    rules: { 'target-size': { enabled: !isCovered } },
  })}).then(
    ({ violations, passes }) => ({
      found: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()),
      passes: passes.length,
    }))`

/** What depends on the scheme. The other rules see the same page in both. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** The lowest contrast of an input's border and the ground around it (WCAG 1.4.11 asks for 3), or 21 without inputs. */
const lowestBorderContrast = (): number => {
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? [])
      .map((part) => Number(part) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const groundOf = (element: Element | null): string => {
    if (!element) return 'rgb(255, 255, 255)'
    const colour = getComputedStyle(element).backgroundColor
    return colour.startsWith('rgba') ? groundOf(element.parentElement) : colour
  }
  const inputs = [...document.querySelectorAll('.field :is(input, textarea)')]
  return Math.min(
    21,
    ...inputs.map((input) => {
      const pair = [getComputedStyle(input).borderTopColor, groundOf(input.parentElement)].map(luminance)
      return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)
    }),
  )
}

/** The fewest pixels between a notice and what stands below it. */
const leastRoomBelowNotices = (): number =>
  Math.min(
    100,
    ...[...document.querySelectorAll('.notice')].flatMap((notice) => {
      const next = notice.nextElementSibling?.getBoundingClientRect()
      return next && next.height > 0 ? [next.top - notice.getBoundingClientRect().bottom] : []
    }),
  )

/** The paths of the pages that were looked at. */
const seen = new Set<string>()

/** Every scheme and width of the page as it is now: no violation, nothing to scroll sideways for. */
const expectGood = async (page: Page, name: string, isFolded = false): Promise<void> => {
  await page.waitForLoadState()
  seen.add(new URL(page.url()).pathname)
  await page.evaluate((open) => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>('.fold, .rest, .share .menu')) fold.open = open
  }, !isFolded)
  expect(await page.locator('h1').count(), `headings of level 1 on ${name}`).toBe(1)
  // Like an extension: the policy of the page lets no script of others in.
  await page.evaluate(await Bun.file(axe).text())
  const isCovered = (await page.locator('.menu[open]').count()) > 0
  for (const colorScheme of schemes)
    for (const width of widths) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const what = `${name}, ${colorScheme}, ${width} px`
      const isFirst = colorScheme === schemes[0]
      const { found, passes } = await page.evaluate<Result>(runAxe(isFirst ? { isCovered } : { rules: rulesOfColour }))
      expect(passes, `rules that axe checked on ${what}`).toBeGreaterThan(isFirst ? 10 : 0)
      expect(found, `violations on ${what}`).toEqual([])
      expect(await sidewaysOverflow(page), `pixels that ${what} is too wide`).toBeLessThanOrEqual(0)
      expect(await page.evaluate(lowestBorderContrast), `contrast of inputs on ${what}`).toBeGreaterThan(3)
      expect(await page.evaluate(leastRoomBelowNotices), `room below notices on ${what}`).toBeGreaterThanOrEqual(8)
      expect(await page.evaluate(() => document.styleSheets.length), `style sheets of ${what}`).toBe(1)
    }
  // A window of 1,280 px at 400 % (WCAG 1.4.10), and text of twice the size (1.4.4).
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await sidewaysOverflow(page), `pixels that ${name} is too wide at 320 px`).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await scaleText(page, 2)
  expect(await sidewaysOverflow(page), `pixels that ${name} is too wide with large text`).toBeLessThanOrEqual(0)
  await scaleText(page, 1)
  await expectGoodMenus(page, name)
}

/** The menus that were looked at: of which page, and what opens them. */
const walked = new Set<string>()

/** Each menu of the page when it is open, in every scheme and width. Those of one kind of page are looked at once. */
const expectGoodMenus = async (page: Page, name: string): Promise<void> => {
  const path = new URL(page.url()).pathname.replace(/[0-9a-z]{28}/g, ':id')
  for (const menu of await page.locator('details.menu').all()) {
    const words = ((await menu.locator('summary').textContent()) ?? '').replace(/ for .*/, '').trim()
    const key = `${path} ${await menu.getAttribute('class')} ${words}`
    const isOpen = await menu.evaluate((element: HTMLDetailsElement) => element.open)
    if (isOpen || walked.has(key)) continue
    walked.add(key)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      if (!(await menu.isVisible())) continue
      for (const colorScheme of schemes) {
        const what = `the menu “${words}” of ${name}, ${colorScheme}, ${width} px`
        await page.emulateMedia({ colorScheme })
        await menu.evaluate((element: HTMLDetailsElement) => {
          element.open = true
        })
        const { found, passes } = await page.evaluate<Result>(
          runAxe({ part: '.menu[open]', ...(colorScheme !== schemes[0] && { rules: rulesOfColour }) }),
        )
        expect(passes, `rules that axe checked on ${what}`).toBeGreaterThan(0)
        expect(found, `violations on ${what}`).toEqual([])
        expect(await sidewaysOverflow(page), `pixels that ${what} is too wide`).toBeLessThanOrEqual(0)
      }
      await menu.evaluate((element: HTMLDetailsElement) => {
        element.open = false
      })
    }
  }
}

const sidewaysOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

const scaleText = (page: Page, factor: number): Promise<void> =>
  page.evaluate((percent) => {
    document.documentElement.style.fontSize = `${percent}%`
  }, 100 * factor)

/** The routes of pages that no test of this file has looked at. */
const unseen = (): string[] =>
  siteRoutes
    .filter(
      ({ method, path }) =>
        method === 'GET' &&
        !/\/(events|export|answers\.csv|settings\/file|fields\/:field|files\/:fileId|qr\.svg)$|^\/sheet\//.test(path),
    )
    .map(({ path }) => path)
    .filter((path) => ![...seen].some((one) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(one)))

/** Submissions of every kind, and the list of them. */
const showOdd = async (
  server: Server,
  formId: string,
  open: (path: string, name: string) => Promise<void>,
): Promise<void> => {
  const files = new FormData()
  files.append('name', 'Files')
  for (const name of ['portfolio of the last ten years.pdf', '../../evil\u202egnp.exe', ''])
    files.append('attachments', new File(['x'.repeat(name.length)], name))
  files.append('attachments', new File([png], 'photo.png', { type: 'image/png' }))
  files.append('attachments', new File(['\x7fELF'], 'cv.pdf', { type: 'application/pdf' }))
  const headers = { accept: 'application/json' }
  const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: files, headers })
  const { id } = (await sent.json()) as { id: string }
  await open(`/forms/${formId}/submissions/${id}`, 'a submission with files')
  const kinds = {
    fields: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`field ${i}`, `value ${i}`])),
    text: { name: 'Long', message: 'One MiB. '.repeat(115_000) },
    nested: { name: 'Nested', cart: { items: [{ sku: 'a', price: null }], total: 1e21 }, list: ['a', 'b'], yes: true },
    characters: {
      name: 'bell\u0007 \u202egpj.exe',
      emoji: '👩‍👩‍👧🦊'.repeat(40),
      markup: '<h1>big</h1><script>x</script>',
    },
  }
  for (const [kind, data] of Object.entries(kinds))
    await open(`/forms/${formId}/submissions/${await server.submit(formId, data)}`, `a submission with ${kind}`)
  await open(`/forms/${formId}`, 'submissions of every kind')
}

/** Opens pages of a server, each of which has to be good. */
const opener =
  ({ url }: Pick<Server, 'url'>, first: Page) =>
  async (path: string, name: string, page = first): Promise<void> => {
    await page.goto(url + path)
    await expectGood(page, name)
  }

describe.skipIf(!hasChromium)('every page, in both schemes, at 360 and 1440 px', () => {
  test('has no violation, and makes no request to another host', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const open = opener(server, page)
    await open('/setup?token=x', 'set-up with a wrong token')
    await open('/sign-in', 'sign-in before the first account')
    await open(server.setupPath ?? '', 'set-up')
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('got 5').waitFor()
    await expectGood(page, 'set-up with a fault')
    await setUp(tab, server.url, server.setupPath)
    await expectGood(page, 'no keys')
    await open('/server', 'a server that is to be set up')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('A backup was made').waitFor()
    await expectGood(page, 'a server with a backup')
    await open('/settings/keys', 'no keys again')
    await createKey(tab, { name: 'Website', expires: '2100-01-31', isReadOnly: true })
    await expectGood(page, 'a new key')
    const key = await createKey(tab, { name: `${'W'.repeat(50)}${'🦊'.repeat(50)}` })
    await page.getByLabel('Name').fill('x'.repeat(101))
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('got 101').waitFor()
    await expectGood(page, 'keys with a fault')
    await page.getByRole('link', { name: 'Revoke W' }).last().click()
    await page.getByRole('button', { name: 'Revoke key' }).waitFor()
    await expectGood(page, 'revoke')
    await open('/settings/keys?done=revoked', 'keys with a notice')
    await visit(server, { 'user-agent': 'Firefox/140.0 (Linux)' }).signIn()
    await open('/settings/account?done=password', 'account with a notice')
    await page.getByLabel('Current password').fill('not it')
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('got 5').waitFor()
    await expectGood(page, 'account with a fault')
    await open('/settings/account/second-factor', 'two-step sign-in that is off')
    const secret = await page.locator('[name=secret]').inputValue()
    const turnOn = async (code: string): Promise<void> => {
      await page.getByLabel('6-digit code').fill(code)
      await page.getByLabel('Current password').fill(password)
      await page.getByRole('button', { name: 'Turn on' }).click()
    }
    await turnOn('000000')
    await page.getByText('This code is wrong.').waitFor()
    await expectGood(page, 'two-step sign-in with a fault')
    await turnOn(codeFor(secret, Date.now()))
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    await expectGood(page, 'recovery codes')
    const recoveryCode = ((await page.locator('#recovery-codes').textContent()) ?? '').split('\n')[0] ?? ''
    await open('/settings/account/second-factor', 'two-step sign-in that is on')
    await page.getByLabel('Code').last().fill('000000')
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('neither the current code').waitFor()
    await expectGood(page, 'two-step sign-in that is on, with a fault')
    await open('/settings/account/address/x', 'a link that proves nothing')
    await open('/nowhere', 'not found')
    await open('/guides', 'the guides')
    for (const name of ['spam', 'webhooks']) await open(`/guides/${name}`, `the guide ${name}`)
    await open('/sign-in/oidc', 'single sign-on that is not set up')
    await open('/unsubscribe/x', 'a link that does not work')
    await open('/c/x', 'a link that confirms nothing')

    const answer = await server.fetch('/api/v1/forms', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Contact' }),
    })
    const { id } = (await answer.json()) as { id: string }
    for (const [form, heading] of [
      [id, 'Thank you'],
      ['unknown', 'This form does not exist'],
    ] as const) {
      await page.setContent(
        `<form method="post" action="${server.url}/s/${form}"><input name="a"><button>Send</button></form>`,
      )
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: heading }).waitFor()
      await expectGood(page, heading)
    }

    await page.setContent(`<form action="${server.url}/s/${id}"><input name="a" value="b"><button>Send</button></form>`)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByLabel('What you typed').waitFor()
    await expectGood(page, 'a form without method="post"')

    const ownPage = await server.fetch(`/api/v1/forms/${id}/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        fields: [
          { name: 'name', required: true, help: 'See https://example.com' },
          { name: 'size', type: 'choice', options: ['S', 'M'], other: true },
          { name: 'cv', type: 'file' },
        ],
        page: { text: 'Come to the party.' },
      }),
    })
    expect(ownPage.status).toBe(200)
    await open(`/f/${id}`, 'the page of a form')
    await open(`/f/${id}?lang=ar`, 'the page of a form from right to left')
    await server.fetch(`/api/v1/forms/${id}/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ page: null, fields: [] }),
    })

    for (const data of [
      { name: 'Björn Ångström', email: 'bjorn@example.com', topic: 'Quote', message: 'A long text. '.repeat(40) },
      { name: 'نورا الحسيني', email: 'noura@example.com', topic: '', message: 'مرحبًا، أكتب مقالًا عن الاستوديوهات' },
      { name: '', email: 'W'.repeat(300), topic: ['a', 'b'], message: { nested: [{ open: null }] } },
    ])
      await server.submit(id, data)
    await open(`/forms/${id}`, 'submissions')
    await open(`/forms/${id}?q=a`, 'found submissions')
    await open(`/forms/${id}?q=norway`, 'nothing found')
    await open(`/forms/${id}/answers`, 'answers without fields')
    const asked = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const created = await server.fetch('/api/v1/forms', { method: 'POST', headers: asked, body: '{"title":"Asked"}' })
    const { id: askedId } = (await created.json()) as { id: string }
    const body = JSON.stringify({
      fields: [
        { name: 'wood', type: 'choices', options: ['Oak', 'W'.repeat(100), 'Nobody'], label: 'Wood\u202e' },
        { name: 'price', type: 'number' },
        { name: 'by', type: 'date' },
        { name: 'agree', type: 'checkbox' },
        { name: 'photo', type: 'file' },
        { name: 'note', type: 'lines' },
      ],
    })
    await server.fetch(`/api/v1/forms/${askedId}/settings`, { method: 'PATCH', headers: asked, body })
    await server.submit(askedId, {
      wood: ['Oak', 'W'.repeat(100)],
      price: '3,5',
      by: '2026-11-03',
      agree: 'yes',
      note: 'a',
    })
    await server.submit(askedId, { wood: 'Oak', price: '41000', by: '2027-02-03' })
    await open(`/forms/${askedId}/answers`, 'answers')
    await open(`/forms/${askedId}/answers?q=x`, 'no answers')
    await open(`/forms/${askedId}/answers?startDate=x`, 'answers with a fault')
    await open(`/forms/${id}?select=all`, 'selected submissions')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Delete 4 submissions?' }).waitFor()
    await expectGood(page, 'deleting submissions')
    await page.goto(`${server.url}/forms/${id}`)
    for (const menu of ['Filter', 'More']) {
      await page.locator('summary', { hasText: menu }).click()
      await expectGood(page, `submissions with the menu ${menu}`)
    }
    await open(`/forms/${id}?done=delete&count=2`, 'submissions with a notice')
    await open(`/forms/${id}/settings/people`, 'the people of a form')
    await page.getByLabel('Share with').fill('grace@example.com')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('heading', { name: 'The invitation' }).waitFor()
    await expectGood(page, 'a new invitation')
    await open(/\/invite\/[\w-]{32}/.exec(await page.content())?.[0] ?? '', 'an invitation')
    await page.goto(`${server.url}/forms/${id}/settings/people`)
    await page.getByRole('button', { name: 'Make an address' }).click()
    await page.locator('.things summary', { hasText: 'More for the spreadsheet' }).click()
    await expectGood(page, 'a new address of a spreadsheet, with its menu')
    await open(`/forms/${id}/imports`, 'a file to import')
    const text = 'a;topic;message;Timestamp\nAda;Quote;Tea, with milk;3/4/2026 14:05\n'
    const chosen = { name: 'contact.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.getByLabel('File').setInputFiles(chosen)
    await page.getByRole('button', { name: 'Look at it' }).click()
    await page.getByLabel('Dates').selectOption('dmy')
    await expectGood(page, 'an import whose dates are not clear')
    await page.getByRole('button', { name: 'Read the file again' }).click()
    await page.getByRole('button', { name: 'Import 1 message' }).waitFor()
    await expectGood(page, 'what an import will do')
    await page.getByRole('button', { name: 'Import 1 message' }).click()
    await page.getByRole('button', { name: 'Remove these 1' }).waitFor()
    await expectGood(page, 'an import that is done')
    await page.getByRole('button', { name: 'Remove these 1' }).click()
    await page.getByRole('heading', { name: 'Removed 1 message' }).waitFor()
    await open(`/forms/${id}/spam`, 'no spam')
    let spam = ''
    for (const data of [
      { name: 'Лучшие Цены', message: 'Доставка по всему миру, скидка 70 % только сегодня. '.repeat(20) },
      { W: 'W'.repeat(300), message: `http://${'a'.repeat(300)}.example` },
      {},
    ])
      spam = await server.submit(id, { ...data, _gotcha: 'x' })
    await open(`/forms/${id}/spam?done=accept&count=2`, 'spam')
    await open(`/forms/${id}/spam/${spam}/block`, 'a word to block')
    await open(`/forms/${id}/spam/learned`, 'what was learned')
    await open(`/forms/${id}/spam?select=page`, 'selected spam')
    await page.goto(`${server.url}/forms/${id}/spam`)
    for (const row of await page.locator('.opens summary').all()) await row.click()
    await expectGood(page, 'spam that is open')
    await open(`/forms/${id}?endDate=2020-01-01`, 'no submission on these dates')
    await open(`/forms/${id}?startDate=x`, 'submissions with a fault')
    for (const name of ['Björn', 'نورا']) {
      await page.goto(`${server.url}/forms/${id}`)
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name }).waitFor()
      await expectGood(page, `the submission of ${name}`)
    }

    await open('/personal-data', 'looking for a person')
    await page.getByLabel('Email address, name').fill('quote')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('heading', { name: '1 submission in 1 form' }).waitFor()
    await expectGood(page, 'what a person has sent')
    await page.getByLabel('to delete it').fill('one')
    await page.getByRole('button', { name: 'Delete 1 submission' }).click()
    await page.getByText('Must be the number').waitFor()
    await expectGood(page, 'what a person has sent, with a fault')
    await page.getByLabel('to delete it').fill('1')
    await page.getByRole('button', { name: 'Delete 1 submission' }).click()
    await page.getByRole('heading', { name: 'Receipt' }).waitFor()
    await expectGood(page, 'a receipt')

    await page.goto(`${server.url}/settings/keys`)
    await inAccountMenu(page, 'button', 'Sign out')
    await page.getByText('You have signed out.').waitFor()
    await expectGood(page, 'sign-in')
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password').fill(`${password}!`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await expectGood(page, 'sign-in with a fault')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await expectGood(page, 'the code')
    await page.getByLabel('Recovery code', { exact: true }).fill('none')
    await page.getByRole('button', { name: 'Sign in with a recovery code' }).click()
    await page.getByText('not one of your recovery codes').waitFor()
    await expectGood(page, 'the code with a fault')
    await page.getByLabel('Recovery code', { exact: true }).fill(recoveryCode)
    await page.getByRole('button', { name: 'Sign in with a recovery code' }).click()
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await open('/settings/account', 'account with two-step sign-in')
    expect(unseen().filter((path) => path !== '/' && !path.startsWith('/forms'))).toEqual([])
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  }, 600_000)

  test('has no violation on the pages that confirm an address', async () => {
    const smtp = await startSmtp()
    const port = String(await freePort())
    const settings = { ...mailSettings(smtp.port), FORMBOX_PORT: port, FORMBOX_URL: `http://127.0.0.1:${port}` }
    const server = await startServer({ settings })
    const { formId, submit } = await addForm(server, await server.signUp(), {
      form: {
        title: 'W'.repeat(100),
        thankYou: 'Thank you!',
        fields: [{ name: 'email', type: 'email', required: true }],
        confirm: { field: 'email', subject: 'Please confirm', text: '{link}' },
      },
    })
    const { page } = await openTab()
    await page.setContent(
      `<form method="post" action="${server.url}/s/${formId}"><input name="email" value="a@example.com"><button>Send</button></form>`,
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Open the link').waitFor()
    await expectGood(page, 'the page that says that a mail comes')
    await submit({ email: 'a@example.com' })
    const linkIn = (nth: number) => /http\S+\/c\/[\w.-]+/.exec(unfolded(smtp.mails[nth] ?? ''))?.[0] ?? ''
    await until(() => linkIn(0) !== '', 'the mail has arrived')
    await page.goto(linkIn(0))
    await page.getByRole('heading', { name: 'Confirm your address?' }).waitFor()
    await expectGood(page, 'the page that asks to confirm an address')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor()
    await expectGood(page, 'an address that is confirmed')
    await submit({ email: 'b@example.com' })
    await until(() => linkIn(1) !== '', 'the second mail has arrived')
    await page.goto(linkIn(1))
    await page.getByRole('button', { name: 'This was not me' }).click()
    await page.getByRole('heading', { name: 'Everything is deleted' }).waitFor()
    await expectGood(page, 'what is deleted by its link')
    await page.goto(linkIn(1))
    await page.getByRole('heading', { name: 'There is nothing to confirm' }).waitFor()
    await expectGood(page, 'a link that confirms nothing any more')
  })

  test('has no violation on the pages of single sign-on, through which one gets in', async () => {
    const [provider, smtp] = [await startProvider(), await startSmtp()]
    const port = String(await freePort())
    const settings = {
      ...{ ...mailSettings(smtp.port), ...provider.settings },
      ...{ FORMBOX_PORT: port, FORMBOX_URL: `http://127.0.0.1:${port}` },
    }
    const server = await startServer({ settings: { ...settings, FORMBOX_OIDC_NAME: 'W'.repeat(50) } })
    await createUser(server)
    const tab = await openTab()
    const { page } = tab
    await page.goto(`${server.url}/sign-in`)
    await expectGood(page, 'sign-in with a button of a provider')
    await page.getByRole('link', { name: 'Sign in with W' }).click()
    await page.getByRole('heading', { name: 'Connect your account first' }).waitFor()
    await expectGood(page, 'single sign-on that is not connected')
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Create your first form' }).waitFor()
    await page.goto(`${server.url}/settings/account`)
    await expectGood(page, 'an account that is not connected')
    await page.getByLabel('New address').fill(`${'w'.repeat(60)}@example.com`)
    await page.locator('#address-password').fill('not it')
    await page.getByRole('button', { name: 'Email a link' }).click()
    await page.getByText('This is not your current password.').waitFor()
    await expectGood(page, 'another address with a fault')
    await page.locator('#address-password').fill(password)
    await page.getByRole('button', { name: 'Email a link' }).click()
    await page.getByText('A link was emailed').waitFor()
    await page.goto(/http\S+account\/address\/[\w.-]+/.exec(unfolded(smtp.mails[0] ?? ''))?.[0] ?? '')
    await expectGood(page, 'the link to another address')
    await page.getByRole('button', { name: 'Use this address' }).click()
    await page.getByText('Your address has been changed.').waitFor()
    await expectGood(page, 'an account with another address')
    await page.locator('#provider-password').fill(password)
    await page.getByRole('button', { name: 'Connect with W' }).click()
    await page.getByRole('heading', { name: 'Connect with W' }).waitFor()
    await expectGood(page, 'connecting an account')
    await page.getByRole('link', { name: 'Continue to W' }).click()
    await page.getByRole('button', { name: 'Disconnect from W' }).waitFor()
    await expectGood(page, 'an account that is connected')
    await inAccountMenu(page, 'button', 'Sign out')
    await page.getByRole('link', { name: 'Sign in with W' }).click()
    await page.getByRole('heading', { name: 'Create your first form' }).waitFor()
    await page.getByLabel('Title').fill('Kept')
    await tab.context.clearCookies()
    await page.getByRole('button', { name: 'Create form' }).click()
    const [other] = await Promise.all([
      tab.context.waitForEvent('page'),
      page.getByRole('link', { name: 'in a new tab' }).click(),
    ])
    await other.getByRole('heading', { name: 'Create your first form' }).waitFor()
    await expectGood(page, 'sign-in that holds a form')
    await page.getByRole('button', { name: 'I have signed in there' }).click()
    await page.getByRole('heading', { name: 'New form' }).waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept')
    expect(tab.complaints).toEqual([])
  })

  test('has no violation on the pages of people who share forms', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const open = opener(server, page)
    const email = newEmail()
    const ada = addKey(server, await signUp(tab, server, email), email)
    const [grace, bob] = [await server.signUp(), await server.signUp()]
    const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.example`
    const form = await ada.createForm({ title: 'W'.repeat(255) })
    for (const [to, role] of [
      [grace.email, 'manager'],
      [long, 'reader'],
    ])
      await ada.call('POST', `/forms/${form}/members`, { email: to, role })
    const [shared = '', removed = '', gone = ''] = await Promise.all(
      ['Guests', 'W'.repeat(255), 'Gone'].map((title) => bob.createForm({ title })),
    )
    for (const id of [shared, removed, gone]) await bob.call('POST', `/forms/${id}/members`, { email, role: 'reader' })
    const { members } = (await bob.call('GET', `/forms/${removed}/members`)).body
    await bob.call('DELETE', `/forms/${removed}/members/${members[0].id}`)
    await bob.call('DELETE', `/forms/${gone}`)
    await until(async () => (await ada.call('GET', '/shared/forms')).body.ended.length === 2, 'the form is gone')

    await open('/forms', 'what others share, and what they do not share any more')
    await page.goto(`${server.url}/forms/${shared}`)
    await page.locator('.jump summary').click()
    await expectGood(page, 'a shared form with the menu of forms')
    await page.locator('.jump summary').click()
    await page.getByRole('link', { name: 'Embed' }).click()
    await page.goBack()
    await page.getByRole('button', { name: 'Leave this form' }).click()
    await page.getByRole('heading', { name: 'Leave this form?' }).waitFor()
    await expectGood(page, 'leaving a form')
    await open(`/forms/${form}/settings/people`, 'people of a form')
    await page.locator('.things summary', { hasText: grace.email }).click()
    await expectGood(page, 'the menu of a person')
    await page.getByRole('button', { name: 'Make the owner…' }).click()
    await page.getByRole('heading', { name: 'Hand this form over?' }).waitFor()
    await expectGood(page, 'handing a form over')
    await ada.call('POST', `/forms/${form}/sheets`, { description: 'Bookkeeping' })
    await open(`/forms/${form}/settings/people`, 'people and what was done with a form')
    await page.goto(`${server.url}/settings/keys`)
    await page.getByRole('radio', { name: 'Only some' }).check()
    await expectGood(page, 'choosing the forms of a key')
    await page.getByLabel('Name').fill('Website')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('choose at least one form').waitFor()
    await expectGood(page, 'no forms of a key')
    await page.getByRole('checkbox', { name: 'W' }).check()
    await page.getByRole('checkbox', { name: 'Guests' }).check()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('#new-key').waitFor()
    await expectGood(page, 'a key for some forms')

    const inviteTo = async (id: string, email: string): Promise<string> =>
      (await ada.call('POST', `/forms/${id}/members`, { email, role: 'editor' })).body.inviteUrl
    const invited = newEmail()
    const inviteUrl = await inviteTo(form, invited)
    await open(new URL(inviteUrl).pathname, 'an invitation for somebody else')
    const guest = await openTab()
    await guest.page.goto(inviteUrl)
    await guest.page.getByLabel('Choose a password').fill(password)
    await guest.page.getByRole('button', { name: 'Create account' }).click()
    await guest.page.getByRole('heading', { name: 'W' }).waitFor()
    await open('/forms', 'the forms of a guest', guest.page)
    await open('/forms/new', 'no new form for a guest', guest.page)
    await open(`/forms/${form}/settings`, 'a role that is not enough', guest.page)
    await open('/settings/account', 'an account whose address is not proved', guest.page)
    await open(`/forms/${form}/settings/people`, 'a member whose address is not proved')
    const again = new URL(await inviteTo(await ada.createForm(), invited)).pathname
    const stranger = await openTab()
    await open(again, 'an invitation of an account that is not proved', stranger.page)
    writeTo(server.folder, (db) =>
      db.$client.run('UPDATE members SET is_mailed = 1 WHERE email = ? AND invite_hash IS NOT NULL', [invited]),
    )
    await open(again, 'an invitation that proves an address', stranger.page)
    expect([...tab.complaints, ...guest.complaints]).toEqual([])
  }, 400_000)

  test('has no violation on the pages of webhooks and deliveries', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const open = opener(server, page)
    const ada = addKey(server, await signUp(tab, server), newEmail())
    const form = await ada.createForm()
    await open(`/forms/${form}/deliveries`, 'no deliveries')
    const webhook = await addWebhooks(server, ada, form)
    const { submissions } = (await ada.call('GET', `/forms/${form}/submissions`)).body
    await open(`/forms/${form}`, 'a form of which something failed')
    await open('/forms', 'forms of which something failed')
    await open(`/forms/${form}/settings?done=retried`, 'settings with webhooks')
    for (const kind of ['email', 'slack', 'telegram', 'program'])
      await open(`/forms/${form}/settings/told/new?kind=${kind}`, `a new receiver: ${kind}`)
    await open(`/forms/${form}/settings/told/${webhook}`, 'a receiver')
    for (const question of ['/rotate', '/delete'])
      await open(`/forms/${form}/webhooks/${webhook}${question}`, `a webhook${question}`)
    await open(`/forms/${form}/deliveries?done=retried`, 'deliveries')
    await open(`/forms/${form}/deliveries?state=failed`, 'deliveries that failed')
    await open(`/forms/${form}/submissions/${submissions.at(-1).id}`, 'a submission with deliveries')
    await page.goto(`${server.url}/forms/${form}/webhooks/${webhook}/rotate`)
    await page.getByRole('button', { name: 'Create new secret' }).click()
    await page.locator('#secret').waitFor()
    await expectGood(page, 'a new secret')
    await page
      .getByRole('button', { name: /^Send a test.*Booking calendar/, includeHidden: true })
      .dispatchEvent('click')
    await page.getByText('the test failed').waitFor()
    await expectGood(page, 'a test that failed')
    expect(tab.complaints).toEqual([])
  }, 400_000)

  test('has no violation on the pages of what a form has learned', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const ada = addKey(server, await signUp(tab, server), newEmail())
    const { formId, path, submit } = await addForm(server, ada, { form: { learnSpam: true } })
    const random = randomFrom(3)
    const weekAgo = Date.now() - 8 * 86_400_000
    submitAll(server, formId, listOf(60, goodContact, random), weekAgo)
    const mark = async (ids: readonly string[]) => {
      for (const id of ids) expect((await ada.call('POST', `${path}/submissions/${id}/spam`)).status).toBe(200)
    }
    const spam = (i: number) => ({
      name: 'شهرت',
      message: `casino jackpot https://${'a'.repeat(60)}.${'b'.repeat(30)}.xyz ${[...'abcdefgh'].map((letter) => letter.repeat(2) + 'qrstuvwxyz'[i]).join(' ')}`,
    })
    await mark(submitAll(server, formId, [0, 1, 2, 3, 4, 5].map(spam), weekAgo))
    const copied = {
      name: 'Max',
      message: 'Buy 500 followers today, they are real: https://followers.biz/now and cheap',
    }
    submitAll(server, formId, [copied, spam(8)], weekAgo)
    await mark(submitAll(server, formId, [copied], weekAgo))
    await submit(spam(9))
    await submit(copied)
    const open = async (place: string, what: string): Promise<void> => {
      await page.goto(`${server.url}${path}${place}`)
      await expectGood(page, what)
    }
    await open('/settings/spam', 'the setting with what it would have done')
    await open('/spam', 'spam with the words that it is like')
    await page.getByText('Like marked: ').first().waitFor()
    await page.locator('summary', { hasText: 'A copy of what was marked' }).click()
    await page.getByRole('link', { name: /^marked on / }).click()
    await page.locator('.row:target .chip', { hasText: 'By hand' }).waitFor()
    await expectGood(page, 'spam that is a copy')
    await open('/spam/learned', 'what looks like spam in the inbox')
    await page.getByRole('heading', { name: '2 in the inbox look like spam' }).waitFor()
    await page.locator('.learned .more > summary').click()
    await page.getByRole('button', { name: 'Forget what was learned' }).click()
    await page.getByRole('heading', { name: 'Forget what was learned?' }).waitFor()
    await expectGood(page, 'whether to forget it')
    expect(tab.complaints).toEqual([])
  })

  test('has no violation on the pages of addresses that visitors confirm', async () => {
    const smtp = await startSmtp({ RCPT: (line) => (line.includes('typo') ? '550 5.1.1 No such user' : '250 Ok') })
    const port = String(await freePort())
    const local = { FORMBOX_PORT: port, FORMBOX_URL: `http://127.0.0.1:${port}` }
    const server = await startServer({ settings: { ...mailSettings(smtp.port), ...local } })
    const tab = await openTab()
    const { page } = tab
    const ada = addKey(server, await signUp(tab, server), newEmail())
    const { fields, confirm } = confirmedForm
    const { path, submit, change } = await addForm(server, ada, { form: { title: 'W'.repeat(100), fields } })
    const open = opener(server, page)
    await open(`${path}/settings/visitors`, 'settings in which nobody has to confirm')
    await change({ confirm: { ...confirm, text: `${'w'.repeat(300)} {link}` } })
    await open(`${path}/spam?reason=unconfirmed`, 'nothing that waits')
    const grace = await submit({ email: 'grace@example.org', name: 'W'.repeat(100), news: 'yes' })
    await submit({ email: 'typo@example.org' })
    await until(async () => {
      const { deliveries } = (await ada.call('GET', `${path}/deliveries`)).body
      return deliveries.length === 2 && deliveries.every(({ state }: { state: string }) => state !== 'pending')
    }, 'both mails are done')
    await open(`${path}/spam?reason=unconfirmed`, 'what waits to be confirmed')
    await open(`${path}/spam`, 'no spam beside what waits')
    await open(`${path}/settings/visitors`, 'settings with the email that asks to confirm')
    await open(/http:\/\/[\d.:]+(\/c\/[\w.-]+)/.exec(unfolded(smtp.mails[0] ?? ''))?.[1] ?? '', 'the link of the email')
    await page.getByRole('button').first().click()
    await page.getByText('W'.repeat(50)).waitFor()
    await expectGood(page, 'an address that was confirmed')
    await open(`${path}/submissions/${grace}`, 'a submission with a confirmed address')
    expect(tab.complaints).toEqual([])
  })

  test('has no violation on the pages of forms, whatever people wrote', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const open = opener(server, page)
    const { key } = writeKey(server.folder, await signUp(tab, server))
    const createForm = async (form: object): Promise<string> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await server.fetch('/api/v1/forms', { method: 'POST', headers, body: JSON.stringify(form) })
      return ((await answer.json()) as { id: string }).id
    }
    await open('/', 'no forms')
    await open('/forms/new', 'a new form')
    await page.getByLabel('Title').fill('x'.repeat(256))
    await page.getByRole('button', { name: 'Create form' }).click()
    await page.getByText('got 256').waitFor()
    await expectGood(page, 'a new form with a fault')
    await open(`/forms/${await createForm({ title: 'Empty' })}`, 'no submissions')
    const long = await createForm({ title: 'W'.repeat(255), description: 'x'.repeat(1000) })
    await server.submit(long, {
      ['w'.repeat(900)]: 'x'.repeat(5000),
      '\u202eright to left': '<b>',
      c: 'c'.repeat(1000),
    })
    const id = await createForm({
      title: 'Contact',
      description: 'Two\nlines',
      returnUrl: 'https://example.com/thanks',
    })
    await server.submit(id, { name: 'נועה בן־דוד', message: 'נשמח להגיע' })
    await open('/', 'the inbox')
    await open('/?state=done', 'an inbox of nothing')
    await open('/?state=all&select=page', 'the inbox with selected rows')
    await open('/?q=nowhere', 'an inbox in which nothing was found')
    await open('/?q=x', 'the inbox with what was found')
    await page.locator('.finds + details > summary').click()
    await expectGood(page, 'the filter of the inbox')
    await page.locator('details.more > summary').click()
    await expectGood(page, 'the menu of the inbox')
    await page.goto(`${server.url}/?state=open&select=page`)
    await page.locator('.picked').getByRole('button', { name: 'Done' }).click()
    await page.getByText('2 done.').waitFor()
    await expectGood(page, 'an inbox with a notice')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.goto(`${server.url}/?state=open&select=page`)
    await page.locator('.picked').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Delete 2 submissions?' }).waitFor()
    await expectGood(page, 'the question before submissions of the inbox are deleted')
    await open('/forms?done=deleted', 'forms')
    for (const form of [id, long]) {
      await open(`/forms/${form}/embed?done=created`, 'embed')
      await page.getByRole('link', { name: 'React', exact: true }).click()
      await expectGood(page, 'embed with another code')
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('It works.').waitFor()
      await expectGood(page, 'a test that was sent')
      await open(`/forms/${form}/form`, 'a form without fields')
      await page.getByRole('button', { name: 'Application' }).click()
      await page.getByText('Add a field').click()
      await expectGood(page, 'a form with fields')
      await page.getByLabel('More about CV').click()
      await expectGood(page, 'a form with an open field')
      await page.getByText('Add a field').click()
      await page.getByRole('button', { name: 'One option', exact: true }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').waitFor()
      await expectGood(page, 'a form with a fault')
      for (const part of ['', '/visitors', '/spam', '/people', '/danger'])
        await open(`/forms/${form}/settings${part}?saved=yes`, `settings${part}`)
      await page.goto(`${server.url}/forms/${form}/settings/spam`)
      await expectGood(page, 'folded settings', true)
    }
    await page.getByText('One by one').click()
    await page.getByLabel('Links allowed').fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    await expectGood(page, 'settings with a fault')
    await page.goto(`${server.url}/forms/${id}/settings/danger`)
    await page.locator('#confirm').fill('W')
    await page.getByRole('button', { name: 'Delete form' }).click()
    await page.getByText('This is not the title').waitFor()
    await expectGood(page, 'a deletion with a fault')
    await showOdd(server, id, open)
    await open(`/forms/${id.replace(/./g, '0')}`, 'a form that is not there')
    for (let i = 0; i < 20; i++) await createForm({ title: `Form ${i}` })
    await open('/forms?page=2', 'the second page of forms')
    await page.goto(`${server.url}/forms/${id}/spam`)
    await page.locator('.jump summary').click()
    await expectGood(page, 'the menu of other forms')
    const group = async (form: string): Promise<void> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ group: 'Green Bakery' })
      await server.fetch(`/api/v1/forms/${form}/settings`, { method: 'PATCH', headers, body })
    }
    for (const form of [id, long]) await group(form)
    await open('/forms', 'forms in groups')
    await open('/forms?group=Green+Bakery', 'a group of forms')
    for (let i = 0; i < 10; i++) await createForm({ title: `Form ${i} with a long title for a narrow window` })
    await page.goto(`${server.url}/forms`)
    for (const name of ['Green Bakery', 'Other']) await page.getByRole('heading', { name }).click()
    await expectGood(page, 'more forms in groups than fit')
    expect(unseen().filter((path) => path === '/' || path.startsWith('/forms'))).toEqual([])
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  }, 600_000)
})
