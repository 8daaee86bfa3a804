// The email that asks visitors to confirm their address on the pages: its section of the settings, a preview and a test.
import { describe, expect, test } from 'bun:test'
import { confirmedForm } from '../confirmed.ts'
import { sharedServer, startServer } from '../harness.ts'
import { mailSettings, startSmtp } from '../mail/smtp-server.ts'
import { siteWorld, type Wanted } from '../world.ts'
import { openSettings, sendSettings } from './settings-form.ts'

const setUp = async ({ server, form = {} }: Wanted = {}) => {
  const made = await siteWorld({ server: server ?? (await sharedServer(mailSettings(1))), form })
  const { ada, path } = made
  const address = `${path}/settings/visitors`
  const page = () => ada.get(address)
  const save = async (typed: Parameters<typeof sendSettings>[3]) =>
    sendSettings(ada, address, await openSettings(ada, address), typed)
  return { ...made, address, page, save }
}

const { confirm, fields } = confirmedForm

describe('the section of the settings', () => {
  test('begins with texts, of which one choice is enough, and is switched off with that', async () => {
    const { page, save, settings } = await setUp({ form: { title: 'News', fields } })
    expect((await page()).html).toContain('<h3 id="confirm-address-heading">Confirm the address</h3>')
    expect((await page()).field('confirm-subject')?.value).toBe('Please confirm your email address')
    // Nothing is chosen, and nothing saved.
    expect((await save({})).status).toBe(303)
    expect((await settings()).confirm).toBeNull()
    expect((await save({ 'confirm-field': 'email' })).status).toBe(303)
    expect((await settings()).confirm).toEqual({
      field: 'email',
      subject: 'Please confirm your email address',
      text: 'You have filled in “{title}”. Please confirm that this address is yours:\n\n{link}',
      days: 7,
    })
    expect((await save({ 'confirm-days': '30', 'confirm-text': 'Hello\r\n{link}' })).status).toBe(303)
    expect((await settings()).confirm).toMatchObject({ days: 30, text: 'Hello\n{link}' })
    expect((await save({})).status).toBe(303)
    expect((await settings()).confirm).toMatchObject({ days: 30, text: 'Hello\n{link}' })
    expect((await save({ 'confirm-field': '' })).status).toBe(303)
    expect((await settings()).confirm).toBeNull()
  })

  test('says what is wrong, and keeps what was typed', async () => {
    const { save, settings } = await setUp({ form: { title: 'News', fields } })
    for (const [more, message] of [
      [{ 'confirm-subject': '' }, 'Must have a subject of 1 to 200 characters, not only white space; got 0'],
      [{ 'confirm-days': '31' }, 'Must wait for 1 to 30 days'],
      [{ 'confirm-field': 'name' }, 'Must name a required field of the type `email`'],
    ] as const) {
      const { status, html } = await save({ 'confirm-field': 'email', 'confirm-text': 'Mine {link}', ...more })
      expect(status).toBe(400)
      expect(html).toContain(`id="confirm-error">${message}`)
      expect(html).toContain('>\nMine {link}</textarea>')
    }
    expect((await settings()).confirm).toBeNull()
  })

  test('asks first for a field that is required, where there is none, and for mail', async () => {
    const { page, formId } = await setUp({ form: { title: 'News' } })
    expect((await page()).link('give the form a field')).toBe(`/forms/${formId}/form`)
    expect((await page()).field('confirm-field')).toBeUndefined()
    const without = await setUp({ server: await sharedServer(), form: { title: 'News', fields } })
    expect((await without.page()).html).toContain('Nobody can be asked to confirm an address.')
    expect((await without.page()).field('confirm-field')).toBeUndefined()
  })
})

describe('the preview', () => {
  test('is the mail that is sent, and can be sent to oneself, with a link that confirms nothing', async () => {
    const smtp = await startSmtp()
    const server = await startServer({ settings: mailSettings(smtp.port) })
    const { ada, path, address, page } = await setUp({ server, form: { title: 'News', fields, confirm } })
    const { html } = await page()
    const link = `https://forms.example.com${address}`
    expect(html).toContain('<strong>Please confirm</strong>')
    expect(html).toContain(`You asked for our news, .\n${link}`)
    const inputs = [...(await openSettings(ada, address))] as [string, string][]
    const sent = await ada.post(`${path}/confirm/test`, inputs)
    expect(sent.status).toBe(200)
    expect(sent.html).toContain(`The email to ${ada.email} was accepted with 250`)
    expect(sent.html).toContain(`formaction="${path}/confirm/test#test-result"`)
    expect(sent.html).not.toContain('Not saved yet')
    expect(smtp.lines.filter((line) => line.startsWith('RCPT'))).toEqual([`RCPT TO:<${ada.email}>`])
    expect(smtp.mails[0]).toContain('Subject: Please confirm')
    const { status, body } = await ada.api.call('POST', `${path}/confirm/test`)
    expect([status, body.text]).toEqual([200, expect.stringContaining(link)])
    await ada.api.call('PATCH', `${path}/settings`, { confirm: null })
    expect((await ada.post(`${path}/confirm/test`, [])).location).toBe(address)
    expect((await ada.api.call('POST', `${path}/confirm/test`)).status).toBe(400)
  })
})
