import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startServer, writeKey } from '../harness.ts'
import { password } from '../visitor.ts'
import { browserTimeout, closeBrowser, createKey, hasChromium, openTab, setUp, signUp } from './browser.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const axe = join(import.meta.dir, '../../node_modules/axe-core/axe.min.js')
const schemes = ['light', 'dark'] as const
const widths = [360, 1440] as const

interface Result {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
  readonly passes: readonly unknown[]
}

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

/** Every scheme and width of the page as it is now: no violation, nothing to scroll sideways for. */
const expectGood = async (page: Page, name: string): Promise<void> => {
  // As an extension would: the policy of the page lets no script of others in.
  await page.evaluate(await Bun.file(axe).text())
  for (const colorScheme of schemes)
    for (const width of widths) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const what = `${name}, ${colorScheme}, ${width} px`
      const { violations, passes } = await page.evaluate<Result>('axe.run()')
      expect(passes.length, `rules that axe checked on ${what}`).toBeGreaterThan(10)
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)
      expect(found, `violations on ${what}`).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow, `pixels that ${what} is too wide`).toBeLessThanOrEqual(0)
      expect(await page.evaluate(lowestBorderContrast), `contrast of inputs on ${what}`).toBeGreaterThan(3)
      expect(await page.evaluate(() => document.styleSheets.length), `style sheets of ${what}`).toBe(1)
    }
}

describe.skipIf(!hasChromium)('every page, in both schemes, at 360 and 1440 px', () => {
  test('has no violation, and makes no request to another host', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const open = async (path: string, name: string) => {
      await page.goto(server.url + path)
      await expectGood(page, name)
    }
    await open('/setup?token=x', 'set-up with a wrong token')
    await open('/sign-in', 'sign-in before the first account')
    await open(server.setupPath ?? '', 'set-up')
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('got 5').waitFor()
    await expectGood(page, 'set-up with a fault')
    await setUp(tab, server.url, server.setupPath)
    await expectGood(page, 'no keys')
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
    await open('/settings/account?done=password', 'account with a notice')
    await page.getByLabel('Current password').fill('not it')
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('got 5').waitFor()
    await expectGood(page, 'account with a fault')
    await open('/nowhere', 'not found')

    const answer = await server.fetch('/api/v1/forms', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Contact' }),
    })
    const { id } = (await answer.json()) as { id: string }
    for (const [form, heading] of [
      [id, 'Thank you'],
      ['unknown', 'Not found'],
    ] as const) {
      await page.setContent(
        `<form method="post" action="${server.url}/s/${form}"><input name="a"><button>Send</button></form>`,
      )
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: heading }).waitFor()
      await expectGood(page, heading)
    }

    for (const data of [
      { a: 'Björn Ångström', email: 'bjorn@example.com', topic: 'Quote', message: 'A long text. '.repeat(40) },
      { a: 'نورا الحسيني', email: 'noura@example.com', topic: '', message: 'مرحبًا، أكتب مقالًا عن الاستوديوهات' },
      { a: '', email: 'W'.repeat(300), topic: ['a', 'b'], message: { nested: [{ open: null }] } },
    ])
      await server.submit(id, data)
    await open(`/forms/${id}`, 'submissions')
    await open(`/forms/${id}?select=all`, 'selected submissions')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Delete 4 submissions?' }).waitFor()
    await expectGood(page, 'deleting submissions')
    await open(`/forms/${id}?endDate=2020-01-01`, 'no submission on these dates')
    await open(`/forms/${id}?startDate=x`, 'submissions with a fault')
    for (const name of ['Björn', 'نورا']) {
      await page.goto(`${server.url}/forms/${id}`)
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name }).waitFor()
      await expectGood(page, `the submission of ${name}`)
    }

    await page.goto(`${server.url}/settings/keys`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You have signed out.').waitFor()
    await expectGood(page, 'sign-in')
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill(`${password}!`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await expectGood(page, 'sign-in with a fault')
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  }, 120_000)

  test('has no violation on the pages of forms, whatever people wrote', async () => {
    const server = await startServer()
    const tab = await openTab()
    const { page } = tab
    const open = async (path: string, name: string) => {
      await page.goto(server.url + path)
      await expectGood(page, name)
    }
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
    await createForm({ title: 'Empty' })
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
    await open('/?done=deleted', 'forms')
    for (const form of [id, long]) {
      await open(`/forms/${form}/embed?done=created`, 'embed')
      await page.getByText('JavaScript', { exact: true }).click()
      await expectGood(page, 'embed with another snippet')
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('It works.').waitFor()
      await expectGood(page, 'a test that was sent')
      await open(`/forms/${form}/settings?done=saved`, 'settings')
    }
    await page.getByLabel('Columns of the list').fill('a\na')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByRole('alert').waitFor()
    await expectGood(page, 'settings with a fault')
    await page.locator('#confirm').fill('W')
    await page.getByRole('button', { name: 'Delete form' }).click()
    await page.getByText('This is not the title').waitFor()
    await expectGood(page, 'a deletion with a fault')
    for (let i = 0; i < 20; i++) await createForm({ title: `Form ${i}` })
    await open('/?page=2', 'the second page of forms')
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  }, 180_000)
})
