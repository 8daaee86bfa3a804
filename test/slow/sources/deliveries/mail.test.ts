// What a mail server receives from the running service, from the submission to its answer.
import { describe, expect, test } from 'bun:test'
import { startServer, takeReported } from '../../../harness.ts'
import { json, startApi } from '../../../mail/api-server.ts'
import { mailSettings, type Script, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'
import { world } from '../../../world.ts'

/** Its labels are in every mail. */
const form = { title: 'Contact', fields: [{ name: 'message', label: 'Your message' }] }

const setUp = async (script?: Script, credentials = '', url?: string) => {
  const smtp = await startSmtp(script)
  const FORMBOX_MAIL_URL = url ?? `smtp://${credentials}127.0.0.1:${smtp.port}`
  const settings = { ...mailSettings(smtp.port), FORMBOX_MAIL_URL }
  const { server, ada, formId } = await world({ server: await startServer({ settings }), form })
  const notify = (...addresses: string[]) => ada.call('PATCH', `/forms/${formId}/settings`, { notify: addresses })
  const states = () =>
    rowsOf(server.folder, 'SELECT kind, state FROM deliveries ORDER BY id').map((row) => Object.values(row).join(' '))
  return { smtp, settings, server, ada, formId, notify, states }
}

describe('an address in notify', () => {
  test('gets a mail of each submission', async () => {
    const { smtp, server, ada, formId, notify, states } = await setUp()
    expect((await notify(ada.email)).status).toBe(200)
    const id = await server.submit(formId, { email: 'visitor@example.org', message: 'Hello', _subject: 'A question' })
    await until(() => smtp.mails.length === 1, 'the mail has arrived')
    expect(smtp.lines).toContain(`RCPT TO:<${ada.email}>`)
    const mail = unfolded(smtp.mails[0] ?? '')
    for (const line of [
      'Subject: A question',
      'Reply-To: visitor@example.org',
      'From: visitor via Contact <forms@example.com>',
    ])
      expect(mail).toContain(line)
    expect(mail).toContain(`https://forms.example.com/forms/${formId}/submissions/${id}`)
    expect(mail).toContain('Your message')
    await until(() => states()[0] === 'email delivered', 'the mail is delivered')
  })

  test('is told once that it was added, if it is not the owner’s', async () => {
    const { smtp, notify, ada } = await setUp()
    await notify(ada.email, 'grace@example.org')
    await until(() => smtp.mails.length === 1, 'the mail has arrived')
    expect(smtp.mails[0]).toContain('To: grace@example.org')
    expect(smtp.mails[0]).toMatch(/List-Unsubscribe: <https:\/\/forms\.example\.com\/unsubscribe\//)
  })

  test('that the server refuses is not tried again, and one that it puts off is', async () => {
    const { server, ada, formId, notify } = await setUp({ RCPT: '550 5.1.1 No such user' })
    await notify(ada.email)
    await server.submit(formId, { a: '1' })
    const log = () => rowsOf<{ state: string; log: string }>(server.folder, 'SELECT state, log FROM deliveries')[0]
    await until(() => log()?.state === 'failed', 'the delivery has failed')
    expect(JSON.parse(log()?.log ?? '')).toMatchObject([
      { status: 550, answer: expect.stringContaining('No such user') },
    ])
  })

  test('gets its mails later if the password of the mail server is wrong, which the operator reads', async () => {
    const { server, ada, formId, notify } = await setUp({ AUTH: '535 5.7.8 Bad credentials' }, 'ada:secret@')
    await notify(ada.email)
    await server.submit(formId, { a: '1' })
    const row = () => rowsOf(server.folder, 'SELECT state, attempts, log FROM deliveries')[0]
    await until(() => row()?.log !== '[]' && row()?.attempts === 0, 'the attempt is written down, and not counted')
    expect(row()?.state).toBe('pending')
    await server.stop()
    expect(takeReported().join()).toMatch(/cannot send mail: .*; the next try is in 5 minutes/)
  })

  test('says the owner and the operator what a provider misses, and neither of them the key', async () => {
    const api = startApi(() =>
      json({ name: 'validation_error', message: 'The example.com domain is not verified. topsecret' }, 403),
    )
    const { server, ada, formId, notify } = await setUp({}, '', `resend://topsecret?endpoint=${api.url}`)
    await notify(ada.email)
    await server.submit(formId, { a: '1' })
    const row = () => rowsOf(server.folder, 'SELECT state, attempts, log FROM deliveries')[0]
    await until(() => row()?.log !== '[]' && row()?.attempts === 0, 'the attempt is written down, and not counted')
    const { body } = await ada.call('GET', `/forms/${formId}/deliveries`)
    const says = 'Resend has not verified the domain of FORMBOX_MAIL_FROM. Add its records to your DNS'
    expect(body.deliveries[0].lastError).toStartWith(says)
    await server.stop()
    const reported = takeReported().join()
    expect(reported).toContain(says)
    expect(`${reported}${JSON.stringify(body)}${row()?.log}`).not.toContain('topsecret')
  })

  test.each<[string, Script, string]>([
    ['hangs up', { connect: null }, 'The mail server ended the connection'],
    ['names itself in its answer', { RCPT: '550 5.1.1 No such user at 127.0.0.1' }, '550 5.1.1 No such user at ***'],
  ])('does not show the owner which mail server %s', async (_, script, words) => {
    const { smtp, server, ada, formId, notify } = await setUp(script)
    await notify(ada.email)
    await server.submit(formId, { a: '1' })
    const log = () => rowsOf<{ log: string }>(server.folder, 'SELECT log FROM deliveries')[0]?.log ?? ''
    await until(() => log().length > 2, 'the attempt is written down')
    const { body } = await ada.call('GET', `/forms/${formId}/deliveries`)
    const shown = `${log()} ${JSON.stringify(body)}`
    expect(shown).toContain(words)
    for (const secret of ['127.0.0.1', `:${smtp.port}`]) expect(shown).not.toContain(secret)
  })

  test('gets 60 mails in an hour from all forms, and one of all further submissions to a form at its end', async () => {
    const { smtp, server, ada, formId, notify, states } = await setUp()
    await notify(ada.email)
    await Promise.all(Array.from({ length: 40 }, (_, i) => server.submit(formId, { i })))
    const otherId = await ada.createForm({ title: 'Booking' })
    const [name, domain] = ada.email.split('@')
    await ada.call('PATCH', `/forms/${otherId}/settings`, {
      notify: [`${name}+forms@${domain}`],
      fields: [{ name: 'i', label: 'Your number' }],
    })
    await Promise.all(Array.from({ length: 21 }, (_, i) => server.submit(otherId, { i })))
    const single = () => states().filter((state) => state === 'email delivered')
    await until(() => single().length === 60, 'sixty mails are delivered', slowly)
    expect(states().filter((state) => state === 'digest pending')).toHaveLength(1)
    const arrived = smtp.mails.length
    // Instead of waiting for the end of the hour.
    const { body } = await ada.call('GET', `/forms/${otherId}/deliveries?state=pending`)
    const digest = body.deliveries.find(({ kind }: { kind: string }) => kind === 'digest')
    await ada.call('POST', `/forms/${otherId}/deliveries/${digest.id}/retry`)
    await until(() => smtp.mails.length > arrived, 'the mail with the rest has arrived')
    expect(smtp.mails.at(-1)).toContain('Subject: 1 more submission: Booking')
    expect(smtp.mails.at(-1)).toContain('Your number: ')
    expect(smtp.mails.at(-1)).toContain('You get at most 60 emails an hour about single submissions.')
    await until(() => states().every((state) => state.endsWith('delivered')), 'all are delivered')
  })
})
