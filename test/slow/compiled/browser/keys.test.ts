import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
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
import { sharedServer, startServer } from '../../../harness.ts'

const statusWith = async (url: string, key: string): Promise<string> => {
  const command = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Authorization: Bearer ${key}`]
  return new Response(Bun.spawn([...command, `${url}/api/v1/forms`]).stdout).text()
}

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

describe.skipIf(!hasChromium)('keys in a browser', () => {
  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('from the first run to a key that curl uses, and to its end, %s', async (_name, javaScriptEnabled) => {
    const server = await startServer()
    const tab = await openTab({ javaScriptEnabled })
    await setUp(tab, server.url, server.setupPath)
    // Style, script and form of the page whose address holds the token told from which host, and no more.
    expect(tab.referrers).toContain(`${server.url}/`)
    expect([...tab.referrers].filter((referrer) => referrer.includes('setup'))).toEqual([])
    const key = await createKey(tab, { name: 'Website' })
    expect(await statusWith(server.url, key)).toBe('200')
    const buttons = await tab.page.getByRole('button', { name: 'Copy key' }).count()
    expect(buttons).toBe(javaScriptEnabled ? 1 : 0)

    await tab.page.getByRole('link', { name: 'Revoke Website' }).click()
    expect(await statusWith(server.url, key)).toBe('200')
    await tab.page.getByRole('button', { name: 'Revoke key' }).click()
    await tab.page.getByText('The key has been revoked.').waitFor()
    expect(await statusWith(server.url, key)).toBe('401')
    expect(await tab.page.getByRole('list', { name: 'Your keys' }).count()).toBe(0)

    await inAccountMenu(tab.page, 'button', 'Sign out')
    await tab.page.getByText('You have signed out.').waitFor()
    await tab.page.goto(`${server.url}/settings/account`)
    expect(new URL(tab.page.url()).pathname).toBe('/sign-in')
    expect([...tab.hosts]).toEqual([new URL(server.url).host])
    expect(tab.complaints).toEqual([])
  })

  test('a value is gone after a reload, and behind the back button, and no second key is made', async () => {
    const tab = await openTab()
    await signUp(tab, await sharedServer())
    const { page } = tab
    for (const leave of [
      async () => void (await page.reload()),
      async () => {
        await inAccountMenu(page, 'link', 'Account')
        await page.getByRole('heading', { name: 'Account' }).waitFor()
        await page.goBack()
      },
    ]) {
      const key = await createKey(tab, { name: 'Website' })
      const rows = await page.locator('.things > li').count()
      await leave()
      await page.getByRole('heading', { name: 'API keys' }).waitFor()
      expect(await page.content()).not.toContain(key)
      expect(await page.locator('.things > li').count()).toBe(rows)
    }
  })

  test('what was typed stays when the server refuses it, with the fault beside its field', async () => {
    const tab = await openTab()
    await signUp(tab, await sharedServer())
    const { page } = tab
    await page.getByLabel('Name').fill('x'.repeat(101))
    await page.getByRole('radio', { name: 'Only read' }).check()
    await page.getByRole('button', { name: 'Create key' }).click()
    const name = page.getByLabel('Name')
    await page.getByText('Must be 1 to 100 characters').waitFor()
    expect(await name.inputValue()).toBe('x'.repeat(101))
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    const described = (await name.getAttribute('aria-describedby'))?.split(' ') ?? []
    expect(await page.locator(`#${described[0]}`).textContent()).toContain('got 101')
    await name.and(page.locator(':focus')).waitFor()
    expect(await page.getByRole('radio', { name: 'Only read' }).isChecked()).toBe(true)
  })

  test('names are text, whatever they hold', async () => {
    const tab = await openTab()
    await signUp(tab, await sharedServer())
    for (const name of [
      '<script>document.title = "owned"</script>',
      '<img src=x onerror=alert(1)>',
      '🦊'.repeat(100),
    ]) {
      await createKey(tab, { name })
      expect(await tab.page.locator('.things bdi').first().textContent()).toBe(name)
    }
    expect(await tab.page.title()).toBe('API keys · Formbox')
    expect(tab.complaints).toEqual([])
  })

  test('everything can be done from the keyboard', async () => {
    const tab = await openTab()
    await signUp(tab, await sharedServer())
    const { page } = tab
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
    await press('Tab')
    expect(await focused()).toBe('Skip to content')
    await press('Enter')
    await page.getByLabel('Name').focus()
    await page.keyboard.type('Website')
    // To the permission, with an arrow to its second choice, and over the three parts of the date and its calendar.
    while (!(await page.evaluate(() => (document.activeElement as HTMLInputElement).type === 'radio')))
      await press('Tab')
    await press('ArrowDown')
    while ((await focused()) !== 'Create key') await press('Tab')
    expect(await focused()).toBe('Create key')
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe('solid')
    await press('Enter')
    await page.getByRole('heading', { name: 'Your new key: copy it now' }).waitFor()
    expect(await page.getByRole('list', { name: 'Your keys' }).textContent()).toContain('Only reads all forms')
  })
})
