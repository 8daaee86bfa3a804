import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import {
  browserTimeout,
  closeBrowser,
  createKey,
  hasChromium,
  openTab,
  setUp,
  signUp,
} from '../../../browser/browser.ts'
import { formbox } from '../../../commands/formbox.ts'
import { addKey, newEmail, type Server, sharedServer, startServer, temporaryFolder } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** A form with a submission for each time, whose field has that time as its value. */
const formWith = async (server: Server, userId: string, times: readonly string[]): Promise<string> => {
  const id = await addKey(server, userId, newEmail()).createForm()
  const lines = times.map((createdAt) => JSON.stringify({ createdAt, data: { name: createdAt } }))
  const folder = temporaryFolder()
  await Bun.write(join(folder, 'all.ndjson'), lines.join('\n'))
  const imported = await formbox(['import', id, 'all.ndjson', '--data', server.folder], { folder })
  expect(imported.exitCode, imported.stderr).toBe(0)
  return id
}

const textsOf = async (page: Page, selector: string): Promise<string[]> =>
  (await page.locator(selector).allTextContents()).map((text) => text.trim())

const minute = 60_000
const noon = Date.parse('2026-11-20T12:00:00Z')
const ago = (minutes: number): string => new Date(noon - minutes * minute).toISOString()

describe.skipIf(!hasChromium)('times in a browser', () => {
  test.each([
    // In New York, 01:30 comes twice on 1 November: first at 05:30 UTC.
    ['with scripts', true, ['2026-11-01T01:30', '2026-12-01T03:00:30'], '2026-11-02T09:00', '2026-11-02T14:00:00.000Z'],
    [
      'without scripts',
      false,
      ['2026-11-01T06:30', '2026-12-01T08:00:30'],
      '2026-11-02T09:00',
      '2026-11-02T09:00:00.000Z',
    ],
  ])(
    'a form opens and closes at times of the reader, or in UTC, and what nobody changed stays: %s',
    async (_name, javaScriptEnabled, shown, typed, stored) => {
      const server = await sharedServer()
      const tab = await openTab({ timezoneId: 'America/New_York', javaScriptEnabled })
      const { page } = tab
      const ada = addKey(server, await signUp(tab, server), newEmail())
      const id = await ada.createForm()
      const opensAt = '2026-11-01T06:30:00.000Z'
      const settings = `/forms/${id}/settings`
      await ada.call('PATCH', settings, { opensAt, closesAt: '2026-12-01T08:00:30Z' })
      await page.goto(`${server.url}${settings}/visitors#opening`)
      const [opens, closes] = [page.locator('#opensAt'), page.locator('#closesAt')]
      expect([await opens.inputValue(), await closes.inputValue()]).toEqual(shown)
      const zone = javaScriptEnabled ? 'In your time zone.' : 'In UTC.'
      expect(await page.locator('#opensAt-hint').textContent()).toStartWith(zone)
      await closes.fill(typed)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.').waitFor()
      expect((await ada.call('GET', settings)).body).toMatchObject({ opensAt, closesAt: stored })
      // A fault leaves what was typed on the page.
      await closes.fill('2026-10-01T00:00')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Must be later than when the form opens').waitFor()
      expect([await opens.inputValue(), await closes.inputValue()]).toEqual([shown[0] as string, '2026-10-01T00:00'])
      await closes.fill('')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.').waitFor()
      expect((await ada.call('GET', settings)).body).toMatchObject({ opensAt, closesAt: null })
      expect(tab.complaints).toEqual([])
    },
  )

  test.each([
    [
      'America/New_York',
      'en-US',
      ['Sat Nov 21', '8:30 PM', '8:15 PM', '2:00 PM', '12:00 AM', 'Earlier', 'Fri Nov 20'],
      ['Sat Nov 21', '8:30 PM', '8:15 PM', '2:00 PM', '12:00 AM'],
      '2026-11-21T00:00:00.000-05:00',
      '2026-11-21T23:59:59.999-05:00',
    ],
    [
      'Asia/Kolkata',
      'de-DE',
      ['Sun 22 Nov', '7:00', '6:45', '0:30', 'Earlier', 'Sat 21 Nov', 'Sat 21 Nov'],
      ['Sat 21 Nov', 'Sat 21 Nov'],
      '2026-11-21T00:00:00.000+05:30',
      '2026-11-21T23:59:59.999+05:30',
    ],
  ])('days and hours are those of %s', async (timezoneId, locale, shown, ofDay, startDate, endDate) => {
    const server = await sharedServer()
    const tab = await openTab({ timezoneId, locale })
    const { page } = tab
    const userId = await signUp(tab, server)
    const times = ['22T01:30:00', '22T01:15:00', '21T19:00:00', '21T05:00:00', '21T04:59:59']
    const id = await formWith(
      server,
      userId,
      times.map((time) => `2026-11-${time}Z`),
    )
    await page.clock.install({ time: Date.parse('2026-11-25T12:00:00Z') })
    await page.goto(`${server.url}/forms/${id}`)
    expect(await textsOf(page, ':is(.day, .row time)')).toEqual(shown)
    expect(await page.locator('.row time').first().getAttribute('title')).toBe('2026-11-22 01:30 UTC')
    const label = await page.getByRole('checkbox').first().getAttribute('value')
    expect(await page.locator(`.check:has([value="${label}"])`).textContent()).toEndWith(shown[1] as string)

    await page.getByText('Filter', { exact: true }).click()
    await page.getByLabel('From').fill('2026-11-21')
    await page.getByLabel('To').fill('2026-11-21')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/startDate/)
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ startDate, endDate, state: 'open' })
    expect(await textsOf(page, ':is(.day, .row time)')).toEqual(ofDay)
    expect(await textsOf(page, '.is-on > summary')).toEqual(['2026-11-21'])
    expect(await page.getByLabel('From').inputValue()).toBe('2026-11-21')
    expect(tab.complaints).toEqual([])
  })

  test('without scripts, they are those of UTC, and say so', async () => {
    const server = await sharedServer()
    const tab = await openTab({ javaScriptEnabled: false, timezoneId: 'Asia/Kolkata' })
    const { page } = tab
    const id = await formWith(server, await signUp(tab, server), ['2026-11-22T01:30:00Z', '2026-11-21T05:00:00Z'])
    await page.goto(`${server.url}/forms/${id}?startDate=2026-11-22`)
    expect((await textsOf(page, '.row time'))[0]).toMatch(/^(Sun 22 Nov|22 Nov 2026|today 1:30|yesterday)$/)
    expect(await page.locator('.foot').textContent()).toContain('Times in UTC')
    expect(await textsOf(page, '.is-on > summary')).toEqual(['From 2026-11-22, UTC'])
  })

  test('today is the day of the reader', async () => {
    const server = await sharedServer()
    const tab = await openTab({ timezoneId: 'Pacific/Kiritimati' })
    const { page } = tab
    const id = await formWith(server, await signUp(tab, server), [ago(1)])
    await page.clock.install({ time: noon })
    await page.goto(`${server.url}/forms/${id}`)
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('link', { name: 'Today' }).click()
    await page.waitForURL(/startDate/)
    expect(new URL(page.url()).searchParams.get('startDate')).toBe('2026-11-21T00:00:00.000+14:00')
    await page.locator('.is-on > summary').click()
    expect(await page.locator('.panel [aria-current]').filter({ visible: true }).allTextContents()).toEqual(['Today'])
  })

  test('a key that expires today is refused tomorrow, and says so', async () => {
    let now = Date.now()
    const server = await startServer({ now: () => now })
    const tab = await openTab()
    await setUp(tab, server.url, server.setupPath)
    const today = new Date(now).toISOString().slice(0, 10)
    const key = await createKey(tab, { name: 'Website', expires: today })
    const headers = { authorization: `Bearer ${key}` }
    expect((await server.fetch('/api/v1/forms', { headers })).status).toBe(200)
    now = Date.parse(`${today}T00:00:00Z`) + 24 * 60 * minute
    expect((await server.fetch('/api/v1/forms', { headers })).status).toBe(401)
    await tab.page.goto(`${server.url}/settings/keys`)
    expect(await tab.page.getByRole('list', { name: 'Your keys' }).textContent()).toContain('Website Ended')
  })

  test('a script copies the key and shows times where the reader is', async () => {
    const now = Date.parse('2026-11-21T23:30:00Z')
    const server = await startServer({ now: () => now })
    const tab = await openTab({ permissions: ['clipboard-read', 'clipboard-write'], timezoneId: 'Europe/Berlin' })
    await setUp(tab, server.url, server.setupPath)
    const key = await createKey(tab, { name: 'Website' })
    await tab.page.getByRole('button', { name: 'Copy key' }).click()
    await tab.page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await tab.page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    const created = tab.page.locator('time').first()
    // The browser has its own clock.
    expect(await created.textContent()).toMatch(/^(Sun 22 Nov|22 Nov 2026) 0:30$/)
    expect(await created.getAttribute('title')).toBe('21 Nov 2026, 23:30 UTC')
    expect(tab.complaints).toEqual([])
  })

  test('the list of forms says when the newest one came', async () => {
    const server = await startServer({ now: () => noon })
    const tab = await openTab()
    const { page } = tab
    await formWith(server, await signUp(tab, server), [ago(0), ago(58.1), ago(61)])
    await page.clock.install({ time: noon })
    await page.clock.runFor(2 * minute)
    await page.goto(`${server.url}/forms`)
    const latest = page.locator('.row time')
    expect(await latest.textContent()).toMatch(/^(today \d+:\d\d|yesterday)$/)
    expect(tab.complaints).toEqual([])
  })
})
