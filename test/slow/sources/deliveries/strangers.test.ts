// What people get who never asked for mail of this server, whatever its users do.
import { describe, expect, test } from 'bun:test'
import { newEmail, startServer, type User } from '../../../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { until } from '../../../until.ts'
import { visit } from '../../../visitor.ts'

const setUp = async () => {
  const smtp = await startSmtp()
  const server = await startServer({ settings: mailSettings(smtp.port) })
  const notify = async (user: User, form: string, ...addresses: string[]) =>
    await user.call('PATCH', `/forms/${form}/settings`, { notify: addresses })
  const notified = async (user: User, form: string): Promise<string[]> =>
    (await user.call('GET', `/forms/${form}/settings`)).body.notify
  /** Nothing more will be sent. */
  const settled = () =>
    until(
      () => rowsOf(server.folder, "SELECT 1 FROM deliveries WHERE state = 'pending'").length === 0,
      'nothing is left to deliver',
    )
  const mailsTo = (address: string): string[] => smtp.mails.filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`))
  const linkIn = (mail = ''): string =>
    /^List-Unsubscribe: <https:\/\/forms\.example\.com(\/[^>]+)>\r$/m.exec(mail)?.[1] ?? ''
  return { smtp, server, ada: await server.signUp(), notify, notified, settled, mailsTo, linkIn }
}

const strangers = (count: number): string[] => Array.from({ length: count }, newEmail)

describe('one user', () => {
  test('tells at most 50 strangers a day that they were added, and is told when the next one can be', async () => {
    const { smtp, server, ada, notify, notified, settled } = await setUp()
    const forms = await Promise.all(Array.from({ length: 12 }, () => ada.createForm()))
    const from = Date.now()
    const answers = []
    for (const form of forms) answers.push(await notify(ada, form, ...strangers(10)))
    expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill(200), ...Array(7).fill(400)])
    const [issue] = answers[5]?.body.issues ?? []
    expect(issue).toEqual({
      path: '/notify',
      message: expect.stringMatching(
        /^notify: must not have new addresses before [-\d]{10} [:\d]{5} UTC: a user can add 50 within 24 hours/,
      ),
    })
    const at = Date.parse(issue.message.replace(/.*before (.*) UTC.*/, '$1Z').replace(' ', 'T'))
    expect(at).toBeWithin(from + 86_400_000, Date.now() + 86_400_000 + 60_001)
    // Who could not be told is not added, and gets no submissions either.
    expect(await notified(ada, forms[5] as string)).toEqual([])
    await settled()
    expect(smtp.mails).toHaveLength(50)
    // The user's own address, and others who were told today.
    expect((await notify(ada, forms[6] as string, ada.email)).status).toBe(200)
    expect((await notify(ada, forms[7] as string, ...(await notified(ada, forms[0] as string)))).status).toBe(200)
    const grace = await server.signUp()
    expect((await notify(grace, await grace.createForm(), ...strangers(2))).status).toBe(200)
    await settled()
    expect(smtp.mails).toHaveLength(52)
  })
})

describe('an address', () => {
  test('is told once a day that it was added, whoever adds it and however it is written', async () => {
    const { server, ada, notify, settled, mailsTo } = await setUp()
    const grace = await server.signUp()
    const stranger = newEmail()
    for (const user of [ada, grace, ada])
      for (const address of [stranger, stranger.replace('example', 'EXAMPLE'), stranger.replace('e.com', 'ｅ。com')]) {
        const form = await user.createForm()
        expect((await notify(user, form, address)).status).toBe(200)
        await settled()
        await notify(user, form)
        await notify(user, form, address)
        await user.call('POST', `/forms/${form}/duplicate`)
      }
    await settled()
    expect(mailsTo(stranger)).toHaveLength(1)
    // It is told of submissions nevertheless, and each of those mails has the link that stops them all.
    const form = await grace.createForm()
    await notify(grace, form, stranger)
    await server.submit(form, { message: 'Hello' })
    await settled()
    expect(mailsTo(stranger)).toHaveLength(2)
  })

  test('is told in at most 60 characters of the title, none of them a link', async () => {
    const { ada, notify, settled, mailsTo } = await setUp()
    const stranger = newEmail()
    await notify(ada, await ada.createForm({ title: `Win at https://evil.com now ${'x'.repeat(200)}` }), stranger)
    await settled()
    const [mail = ''] = mailsTo(stranger)
    expect(mail).toContain('Win at https:// evil. com now xxx')
    expect(unfolded(mail)).not.toMatch(/evil\.com|\/\/evil|x{40}/)
  })

  test('stops the mails of all forms with one link, for good, and may allow them again', async () => {
    const { server, ada, notify, notified, settled, mailsTo, linkIn } = await setUp()
    const grace = await server.signUp()
    const stranger = newEmail()
    const forms = [await ada.createForm(), await ada.createForm()] as const
    const other = await grace.createForm()
    await notify(ada, forms[0], stranger)
    await notify(ada, forms[1], 'a@example.com', stranger.replace('example', 'Example'))
    await notify(grace, other, stranger, 'a@example.com')
    await settled()
    const link = linkIn(mailsTo(stranger)[0])
    const visitor = visit(server)
    const asked = await visitor.get(link)
    expect(asked.html).toContain(`formaction="${link}/all"`)
    expect(asked.isolated).toContain(stranger)

    const done = await visitor.post(`${link}/all`)
    expect([done.status, done.html]).toEqual([200, expect.stringContaining('gets no more emails from this server')])
    expect(await notified(ada, forms[0])).toEqual([])
    expect(await notified(ada, forms[1])).toEqual(['a@example.com'])
    expect(await notified(grace, other)).toEqual(['a@example.com'])
    // A mail program of RFC 5890 sends all of these to one host.
    for (const same of [
      stranger.toUpperCase(),
      ...['ｅxample', 'exa\u034fmple'].map((host) => stranger.replace('example', host)),
    ]) {
      const refused = await notify(grace, other, same)
      expect([refused.status, refused.body.issues?.[0]?.message]).toEqual([
        400,
        `notify: must not have ${stranger}, whose recipient wants no email from this server`,
      ])
    }

    expect((await visitor.post(`${link}/allow`)).status).toBe(200)
    expect((await notify(grace, other, stranger)).status).toBe(200)
    for (const wrong of [`${link}x/all`, `${link}x/allow`, '/unsubscribe/x/all'])
      expect((await visitor.post(wrong)).status).toBe(404)
  })

  test('stops them also by a link about a form that was deleted', async () => {
    const { server, ada, notify, settled, mailsTo, linkIn } = await setUp()
    const stranger = newEmail()
    const form = await ada.createForm()
    await notify(ada, form, stranger)
    await settled()
    await ada.call('DELETE', `/forms/${form}`)
    await until(() => rowsOf(server.folder, 'SELECT 1 FROM receivers').length === 0, 'the receivers are gone')
    const link = linkIn(mailsTo(stranger)[0])
    expect((await visit(server).post(`${link}/all`)).status).toBe(200)
    expect((await notify(ada, await ada.createForm(), stranger)).status).toBe(400)
  })
})
