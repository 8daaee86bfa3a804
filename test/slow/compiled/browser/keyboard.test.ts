import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp, type Tab } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'
import { createUser, password } from '../../../visitor.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

/** The element with the focus: its text or its label, and whether one sees that it has it. */
const focused = (page: Page): Promise<{ name: string; isVisible: boolean }> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement
    const [label] = element.labels ?? []
    const name = (label ?? element).textContent.replaceAll(/\s+/g, ' ').trim()
    const box = element.getBoundingClientRect()
    const isInWindow = box.bottom > 0 && box.top < innerHeight
    // The row of a list has the outline of its link.
    const outlined = [element, element.closest('tr'), element.closest('li'), label]
    const isOutlined = outlined.some((one) => one && getComputedStyle(one).outlineStyle === 'solid')
    // The browser marks the parts of a date itself.
    return { name, isVisible: isInWindow && (isOutlined || element.type === 'date') }
  })

/** The element with the focus on a page that was just opened: the browser moves it there a moment later. */
const focusedFirst = async (page: Page): ReturnType<typeof focused> => {
  await page.waitForFunction(() => document.activeElement !== document.body)
  return focused(page)
}

/** Presses Tab until something with that name has the focus. Each stop on the way must be seen. */
const tabTo = async (page: Page, name: string, key = 'Tab'): Promise<void> => {
  const passed: string[] = []
  while (passed.length < 60) {
    await page.keyboard.press(key)
    const now = await focused(page)
    if (now.name !== '') expect(now, `after ${passed.at(-1)}`).toEqual({ ...now, isVisible: true })
    if (now.name.startsWith(name)) return
    passed.push(now.name)
  }
  throw new Error(`${key} never reached ${name}, but: ${passed.join(' | ')}`)
}

const selected = (page: Page): Promise<string[]> =>
  page.locator('.row:has(:checked) .open bdi').evaluateAll((all) => all.map(({ textContent }) => textContent))

/** A list of five submissions, of a new user who is signed in. */
const openList = async (tab: Tab) => {
  const server = await sharedServer()
  const ada = addKey(server, await signUp(tab, server), newEmail())
  const id = await ada.createForm()
  for (const name of ['five', 'four', 'three', 'two', 'one']) await server.submit(id, { name })
  await tab.page.goto(`${server.url}/forms/${id}`)
}

describe.skipIf(!hasChromium)('with nothing but a keyboard', () => {
  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('from sign-in over a form and its settings to the end of a submission, %s', async (_name, javaScriptEnabled) => {
    const server = await sharedServer()
    const email = newEmail()
    await createUser(server, email)
    const tab = await openTab({ javaScriptEnabled, viewport: { width: 1280, height: 720 } })
    const { page } = tab
    const { keyboard } = page
    await page.goto(server.url)
    expect(await focusedFirst(page)).toEqual({ name: 'Email address', isVisible: true })
    await keyboard.type(email)
    await tabTo(page, 'Password')
    await keyboard.type('not it')
    await keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await focusedFirst(page)).toEqual({ name: 'Password', isVisible: true })
    await keyboard.type(password)
    await keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Create your first form' }).waitFor()
    expect((await focusedFirst(page)).name).toBe('Title')
    await keyboard.type('Contact')
    await keyboard.press('Enter')
    await page.getByText('Contact is ready.').waitFor()
    expect((await focusedFirst(page)).name).toStartWith('Contact is ready.')
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await tabTo(page, 'Send a test')
    await keyboard.press('Enter')
    await page.getByText('It works.').waitFor()
    expect((await focusedFirst(page)).name).toStartWith('It works.')

    await tabTo(page, 'Settings', 'Shift+Tab')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Where should messages go?' }).waitFor()
    await tabTo(page, 'Visitors')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Words' }).waitFor()
    await tabTo(page, 'Title')
    await keyboard.type('Contact us')
    await keyboard.press('Enter')
    await page.getByText('Saved.').waitFor()
    expect((await focusedFirst(page)).name).toBe('Saved.')

    await tabTo(page, 'Submissions', 'Shift+Tab')
    await keyboard.press('Enter')
    await page.locator('ol.rows').first().waitFor()
    await tabTo(page, 'Filter')
    await keyboard.press('Enter')
    await tabTo(page, 'Today')
    await keyboard.press('Escape')
    expect(await page.locator('.menu[open]').count()).toBe(javaScriptEnabled ? 0 : 1)
    if (javaScriptEnabled) expect((await focused(page)).name).toStartWith('Filter')
    await tabTo(page, 'Unread: Test')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Test', exact: true }).waitFor()
    await tabTo(page, '⋯More')
    await keyboard.press('Enter')
    await tabTo(page, 'Delete')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Delete this submission?' }).waitFor()
    await tabTo(page, 'Delete')
    await keyboard.press('Enter')
    await page.getByText('The submission has been deleted.').waitFor()
    expect((await focusedFirst(page)).name).toBe('The submission has been deleted.')
    expect(tab.complaints).toEqual([])
  })

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('a person is found, read and deleted, %s', async (_name, javaScriptEnabled) => {
    const server = await sharedServer()
    const email = newEmail()
    const ada = addKey(server, await createUser(server, email), email)
    const formId = await ada.createForm()
    await server.submit(formId, { name: 'Zoë', email: 'zoe@example.com' })
    const tab = await openTab({ javaScriptEnabled, viewport: { width: 320, height: 640 } })
    const { page } = tab
    const { keyboard } = page
    await page.goto(`${server.url}/personal-data`)
    expect((await focusedFirst(page)).name).toBe('Email address')
    await keyboard.type(email)
    await tabTo(page, 'Password')
    await keyboard.type(password)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Data about a person' }).waitFor()
    await focusedFirst(page)
    await keyboard.type('ZOE@example.com')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: '1 submission in 1 form' }).waitFor()
    expect(page.url()).not.toContain('zoe')
    expect((await focusedFirst(page)).name).toBe('1 submission in 1 form')
    await tabTo(page, 'Contact')
    await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Zoë' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: '1 submission in 1 form' }).waitFor()
    await tabTo(page, 'Type 1 to delete it')
    await keyboard.type('1')
    await keyboard.press('Enter')
    await page.getByText('1 submission has been deleted.').waitFor()
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(0)
    expect(tab.complaints).toEqual([])
  })

  test.each([
    ['Shift+Space', true],
    ['Shift and a click on the box', false],
    ['Shift and a click beside the box', false],
  ])('a script selects all submissions up to one with %s', async (how, byKeyboard) => {
    const tab = await openTab()
    const { page } = tab
    await openList(tab)
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name},` })
    const position = how.includes('beside') ? { x: 36, y: 36 } : { x: 20, y: 20 }
    const check = async (name: string, withShift: boolean): Promise<void> => {
      if (byKeyboard) {
        await box(name).focus()
        await page.keyboard.press(withShift ? 'Shift+Space' : 'Space')
      } else {
        const label = page.locator('label.check', { has: box(name) })
        await label.click({ position, modifiers: withShift ? ['Shift'] : [] })
      }
    }
    await check('four', false)
    await check('two', true)
    expect(await selected(page)).toEqual(['two', 'three', 'four'])
    const status = page.locator('.selectable [role=status]')
    expect(await status.textContent()).toBe('3 selected')
    await check('three', true)
    expect(await selected(page)).toEqual(['four'])
    expect(await page.evaluate(() => String(getSelection()))).toBe('')
    await page.reload()
    await page.getByRole('button', { name: 'Select none' }).click()
    await page.locator('.tools > .pick').click()
    expect(await selected(page)).toEqual(['one', 'two', 'three', 'four', 'five'])
    await page.getByRole('button', { name: 'Select none' }).click()
    await page.getByText('0 selected').waitFor({ state: 'attached' })
    expect(await selected(page)).toEqual([])
    expect(tab.complaints).toEqual([])
  })

  test('Enter on a check box asks before anything is deleted or moved, in the list and among spam', async () => {
    const tab = await openTab()
    const { page } = tab
    await openList(tab)
    const list = page.url()
    await page.locator('.check [type=checkbox]').first().press('Space')
    await page.getByRole('button', { name: 'Spam' }).press('Enter')
    await page.getByText('The submission has been marked as spam').waitFor()
    for (const path of [list, `${list}/spam`]) {
      await page.goto(path)
      await page.locator('.check [type=checkbox]').first().press('Space')
      await page.locator('.check [type=checkbox]').first().press('Enter')
      await page.getByRole('heading', { name: 'Delete this submission?' }).waitFor()
    }
    expect(tab.complaints).toEqual([])
  })

  test('a menu closes on a click elsewhere, and not on one inside it', async () => {
    const tab = await openTab()
    const { page } = tab
    await openList(tab)
    const open = page.locator('.menu[open]')
    await page.getByText('Filter', { exact: true }).click()
    await page.getByText('Received').click()
    expect(await open.count()).toBe(1)
    await page.locator('.more > summary').click()
    expect(await open.count()).toBe(1)
    await page.getByRole('heading', { name: 'Contact' }).click()
    expect(await open.count()).toBe(0)
  })
})
