import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { browserTimeout, closeBrowser, hasChromium, openTab, signUp } from '../../../browser/browser.ts'
import { addKey, newEmail, sharedServer } from '../../../harness.ts'

setDefaultTimeout(browserTimeout)
afterAll(closeBrowser)

const openList = async () => {
  const server = await sharedServer()
  const tab = await openTab()
  const user = addKey(server, await signUp(tab, server), newEmail())
  const id = await user.createForm()
  const ids: string[] = []
  for (let i = 0; i < 4; i++) ids.push(await server.submit(id, { name: `Visitor ${i}` }))
  const { page } = tab
  await page.goto(`${server.url}/forms/${id}`)
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
  return { ...tab, server, user, id, ids, heading, press: (key: string) => page.keyboard.press(key) }
}

describe.skipIf(!hasChromium)('single keys', () => {
  test('lead through the submissions, mark them, and back to the row', async () => {
    const { page, press, heading, ids, user, id, complaints } = await openList()
    await press('j')
    await press('j')
    await press('k')
    await press('j')
    await press('Enter')
    await heading('Visitor 2')
    await press('j')
    await heading('Visitor 1')
    await press('ArrowLeft')
    await heading('Visitor 2')
    await press('e')
    await heading('Visitor 1')
    await page.getByText('The submission has been marked as done.').waitFor()
    await press('s')
    await heading('Visitor 0')
    await press('u')
    await page.locator(`[id="${ids[0]}"]:focus`).waitFor()
    expect(await page.locator('.row .open').count()).toBe(2)
    expect((await user.call('GET', `/forms/${id}/submissions/${ids[2]}/handling`)).body.state).toBe('done')
    expect(complaints).toEqual([])
  })

  test('do the same with rows of a list: two as spam are five presses', async () => {
    const { page, press, heading, user, id, ids } = await openList()
    for (const key of ['j', 'x', 'j', 'x', 's']) await press(key)
    await page.getByText('2 submissions have been marked as spam').waitFor()
    expect(await page.locator('.row .open').allTextContents()).toEqual(['Unread: Visitor 1', 'Unread: Visitor 0'])
    // Without a tick, the one that has the focus.
    await press('j')
    await press('e')
    await page.getByText('The submission has been marked as done.').waitFor()
    expect((await user.call('GET', `/forms/${id}/submissions/${ids[1]}/handling`)).body.state).toBe('done')
    await press('j')
    await press('o')
    await heading('Visitor 0')
    await press('g')
    await press('f')
    await heading('Forms')
  })

  test('mark as read, and what is read as unread', async () => {
    const { page, press, complaints } = await openList()
    const unread = () => page.locator('.row.is-unread').count()
    await press('j')
    await press('u')
    await page.getByText('The submission has been marked as read.').waitFor()
    expect(await unread()).toBe(3)
    await press('j')
    await press('x')
    const bar = page.locator('.picked')
    expect(await bar.getByRole('button', { name: 'Read', exact: true }).count()).toBe(0)
    await press('u')
    await page.getByText('The submission has been marked as unread.').waitFor()
    expect(await unread()).toBe(4)
    expect(complaints).toEqual([])
  })

  test('go from row to row in the spam, too', async () => {
    const { page, press, server, id } = await openList()
    for (let i = 0; i < 3; i++) await server.submit(id, { name: `Robot ${i}`, _gotcha: 'x' })
    await page.goto(`${server.url}/forms/${id}/spam`)
    const focused = () => page.locator('.row:has(summary:focus)').textContent()
    for (const [key, name] of [
      ['j', 'Robot 2'],
      ['j', 'Robot 1'],
      ['j', 'Robot 0'],
      ['k', 'Robot 1'],
    ] as const) {
      await press(key)
      expect(await focused()).toContain(name)
    }
  })

  test('do something once, however long they are held', async () => {
    const { page, heading, user, id, ids } = await openList()
    await page.getByRole('link', { name: /Visitor 3/ }).click()
    await heading('Visitor 3')
    await page.keyboard.down('e')
    await heading('Visitor 2')
    await page.keyboard.down('e')
    await page.keyboard.up('e')
    await page.keyboard.press('j')
    await heading('Visitor 1')
    const handling = `/forms/${id}/submissions/${ids[2]}/handling`
    expect((await user.call('GET', handling)).body.state).toBe('open')
  })

  test('do nothing in a field, with another key, or when they are turned off', async () => {
    const { page, press, heading, server } = await openList()
    await page.getByRole('link', { name: /Visitor 3/ }).click()
    await heading('Visitor 3')
    await page.getByRole('textbox', { name: 'Note' }).fill('')
    await press('j')
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('j')
    await page.getByRole('textbox', { name: 'Note' }).fill('')
    await page.getByRole('heading', { name: 'Visitor 3' }).click()
    await press('Alt+j')
    await press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    expect(await dialog.locator('dt').allTextContents()).toContain('e ')
    await dialog.getByRole('checkbox').uncheck()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await press('j')
    await press('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await heading('Visitor 3')
    await page.goto(`${server.url}/settings/account`)
    await page.getByRole('checkbox', { name: 'Keys are on, in this browser' }).check()
    await page.goBack()
    await press('j')
    await heading('Visitor 2')
  })
})
