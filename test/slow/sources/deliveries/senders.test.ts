import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundReceiver } from '../../../../src/outbox/receivers.ts'
import { openReplyTransport } from '../../../../src/sending/mail/reply-test.ts'
import { startServer, takeReported, temporaryFolder } from '../../../harness.ts'
import { mailConfig } from '../../../mail/mail-config.ts'
import { mailSettings, type Script, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { until } from '../../../until.ts'
import { siteWorld, world } from '../../../world.ts'

/** A server with a sender of its own for a bakery. */
const setUp = async (script?: Script, users = '') => {
  const [usual, own] = [await startSmtp(), await startSmtp(script)]
  const file = join(temporaryFolder(), 'senders.toml')
  const table = `[bakery]\nfrom = "Bakery Ada <hello@bakery.example>"\nurl = "smtp://127.0.0.1:${own.port}"\n${users}\n`
  writeFileSync(file, table)
  const settings = { ...mailSettings(usual.port), FORMBOX_SENDERS_FILE: file }
  const server = await startServer({ settings })
  const { ada, formId } = await world({ server, form: { title: 'Orders' } })
  const change = (changes: object, id = formId) => ada.call('PATCH', `/forms/${id}/settings`, changes)
  const rows = () =>
    rowsOf<{ state: string; attempts: number; log: string }>(
      server.folder,
      'SELECT state, attempts, log FROM deliveries ORDER BY id',
    )
  return { usual, own, server, ada, formId, change, rows, file, table, settings }
}

describe('a sender of the operator', () => {
  test('sends notifications and replies of the forms that chose it, and a form without it goes on as before', async () => {
    const { usual, own, server, ada, formId, change } = await setUp()
    const reply = { field: 'email', subject: 'Thanks', text: 'Hello', copy: false }
    expect(await change({ notify: [ada.email], sender: 'bakery', reply })).toMatchObject({ status: 200 })
    const other = (await ada.call('POST', `/forms/${formId}/duplicate`)).body.id
    await server.submit(formId, { name: 'Grace', email: 'grace@example.org' })
    await server.submit(other, { name: 'Lin' })
    await until(() => own.mails.length === 3, 'the mails have arrived')
    const mails = own.mails.map(unfolded)
    expect(mails.filter((mail) => mail.includes('From: Bakery Ada <hello@bakery.example>'))).toHaveLength(1)
    expect(mails.join()).toContain('From: Grace via Orders <hello@bakery.example>')
    expect(mails.join()).toContain('in its settings on forms.example.com, which sends them as')
    expect(own.lines).toContain('MAIL FROM:<hello@bakery.example>')
    expect(usual.mails).toEqual([])
    expect(await change({ sender: null }, other)).toMatchObject({ status: 200 })
    await server.submit(other, { name: 'Lin' })
    await until(() => usual.mails.length === 1, 'the usual one has sent a mail')
    expect(usual.mails[0]).toContain('<forms@example.com>')
  })

  test('is refused to forms of users that the operator does not name, by API and page', async () => {
    const { ada, change } = await setUp({}, 'users = ["someone@example.com"]')
    for (const sender of ['bakery', 'nowhere'])
      expect(await change({ sender })).toMatchObject({
        status: 400,
        body: { issues: [{ path: '/sender', message: expect.stringContaining('offers to the owner of the form') }] },
      })
    expect(await change({ notify: [ada.email], sender: null })).toMatchObject({ status: 200 })
  })

  test('is a menu among the settings of a form whose owner may choose it, and nothing for others', async () => {
    for (const [users, isOffered] of [
      ['', true],
      ['users = ["someone@example.com"]', false],
    ] as const) {
      const { server } = await setUp({}, users)
      const { ada, formId } = await siteWorld({ server })
      const { html } = await ada.get(`/forms/${formId}/settings`)
      expect(html.includes('<option value="bakery">bakery</option>')).toBe(isOffered)
      expect(html.includes('name="sender"')).toBe(isOffered)
    }
  })

  test('is asked for a test of the automatic reply as for a delivery, and the preview says that replies wait', async () => {
    const { own, server, ada, formId, change, file, settings, table } = await setUp()
    const reply = { field: 'email', subject: 'Thanks', text: 'Hello', copy: false }
    await change({ sender: 'bakery', reply })
    const tested = { status: 200, body: { to: ada.email, status: 250, error: null } }
    expect(await ada.call('POST', `/forms/${formId}/reply/test`)).toMatchObject(tested)
    await server.stop()
    for (const [text, error] of [
      [`${table}\nusers = ["someone@example.com"]`, 'The owner of the form may not use the sender “bakery”'],
      ['', 'The sender “bakery” is not set up on this server'],
    ] as const) {
      writeFileSync(file, text)
      const changed = await startServer({ settings, folder: server.folder })
      const headers = { authorization: `Bearer ${ada.key}` }
      const path = `/api/v1/forms/${formId}/reply/test`
      const response = await changed.fetch(path, { method: 'POST', headers })
      expect(await response.json()).toMatchObject({ status: null, error })
      await changed.stop()
    }
    expect(own.mails).toHaveLength(1)
    const { make } = openReplyTransport({
      ...{ mail: mailConfig(settings.FORMBOX_MAIL_URL), senders: [] },
      ...{ signingKey: async () => new Uint8Array(32), now: Date.now },
    })
    const answered = { written: { reply }, language: 'en', submission: { id: '', data: '{}' } } as const
    const withSettings = (settings: string | null) =>
      ({ id: 'x', title: 'Orders', ownerEmail: ada.email, settings }) as FoundReceiver['form']
    expect(await make({ ...answered, form: withSettings('{"sender":"bakery"}') })).toMatchObject({
      subject: 'Thanks',
      waits: 'The sender “bakery” is not set up on this server',
    })
    expect(await make({ ...answered, form: withSettings(null) })).toMatchObject({ waits: null })
  })

  test('that is gone lets mail wait, and the mail of others goes on', async () => {
    const { usual, server, ada, formId, change, file, settings, own, table } = await setUp()
    await change({ notify: [ada.email], sender: 'bakery' })
    const { body } = await ada.call('POST', '/forms', { title: 'Other' })
    await change({ notify: [ada.email] }, body.id)
    await server.stop()
    writeFileSync(file, '')
    const without = await startServer({ settings, folder: server.folder })
    await without.submit(formId, { name: 'Grace' })
    const rows = () =>
      rowsOf<{ state: string; attempts: number; log: string }>(
        server.folder,
        'SELECT state, attempts, log FROM deliveries',
      )
    await until(
      () => rows()[0]?.log.includes('is not set up on this server') === true && rows()[0]?.attempts === 0,
      'it waits',
    )
    await without.submit(body.id, { name: 'Lin' })
    await until(() => usual.mails.length === 1, 'other mail goes on')
    expect(rows()[0]).toMatchObject({ state: 'pending' })
    await without.stop()
    expect(takeReported().join()).toContain(
      'cannot send mail of bakery: The sender “bakery” is not set up on this server',
    )
    writeFileSync(file, table)
    const again = await startServer({ settings, folder: server.folder })
    const headers = { authorization: `Bearer ${ada.key}` }
    await again.fetch(`/api/v1/forms/${formId}/deliveries/retry`, { method: 'POST', headers })
    await until(() => own.mails.length === 1, 'it has arrived')
  })

  test('that its server refuses pauses its mail alone, until someone tries again', async () => {
    let answer = '550 5.7.1 Sender address rejected: not owned by user'
    const { own, usual, server, ada, formId, change, rows } = await setUp({ MAIL: () => answer })
    await change({ notify: [ada.email], sender: 'bakery' })
    const { body } = await ada.call('POST', '/forms', { title: 'Other' })
    await change({ notify: [ada.email] }, body.id)
    await server.submit(formId, { name: 'Grace' })
    await until(() => rows()[0]?.log !== '[]', 'the attempt is written down')
    await server.submit(body.id, { name: 'Lin' })
    await until(() => usual.mails.length === 1, 'other mail goes on')
    expect(own.mails).toEqual([])
    expect(rows()[0]?.log).toContain('does not accept the address of the sender “bakery”')
    answer = '250 2.1.0 Ok'
    expect((await ada.call('POST', `/forms/${formId}/deliveries/retry`)).status).toBeLessThan(300)
    await until(() => own.mails.length === 1, 'it has arrived without a pause')
    expect(takeReported().join()).toContain('cannot send mail of bakery')
  })
})
