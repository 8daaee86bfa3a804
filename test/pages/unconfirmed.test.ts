// What visitors have not confirmed: its tab on the page of the spam, and the record on the page of a submission.
import { describe, expect, test } from 'bun:test'
import { confirmAll, confirmedForm } from '../confirmed.ts'
import { type Server, sharedServer, startServer } from '../harness.ts'
import { mailSettings, startSmtp } from '../mail/smtp-server.ts'
import { readPage } from '../read-page.ts'
import { until } from '../until.ts'
import { siteWorld } from '../world.ts'

const setUp = async (server: Server) => {
  const made = await siteWorld({ server, form: { title: 'Newsletter', ...confirmedForm } })
  const { ada, path } = made
  const waiting = `${path}/spam?reason=unconfirmed`
  const idsOf = async (list: string): Promise<string[]> => {
    const { body } = await ada.api.call('GET', `${path}/${list}`)
    return (body.spam ?? body.submissions).map(({ id }: { id: string }) => id)
  }
  return { ...made, waiting, idsOf }
}

describe('what is not confirmed', () => {
  test('is a tab that says what became of each email, and what of all in 30 days', async () => {
    const smtp = await startSmtp({ RCPT: (line) => (line.includes('typo') ? '550 5.1.1 No such user' : '250 Ok') })
    const server = await startServer({ settings: mailSettings(smtp.port) })
    const { ada, formId, path, submit, waiting, idsOf } = await setUp(server)
    expect(readPage((await ada.get(`${path}/spam`)).html).link('Not confirmed 0')).toBe(waiting)
    expect((await ada.get(waiting)).headings).toContain('Nothing waits')
    const grace = await submit({ email: 'grace@example.org', name: 'Grace', news: 'yes' })
    await until(() => smtp.mails.length === 1, 'Grace is mailed')
    for (const empty of [path, `${path}/embed`])
      expect(readPage((await ada.get(empty)).html).link('1 not confirmed')).toBe(waiting)
    const again = await submit({ email: 'grace@example.org', name: 'Grace again' })
    const typo = await submit({ email: 'typo@example.org', name: 'Typo' })
    const robot = await submit({ email: 'noreply@example.org', name: 'Robot' })
    await until(async () => {
      const { deliveries } = (await ada.api.call('GET', `${path}/deliveries`)).body
      return deliveries.length === 3 && deliveries.every(({ state }: { state: string }) => state !== 'pending')
    }, 'all mails are done')
    const page = await ada.get(waiting)
    const rowOf = (id: string): string => page.html.split('<li class="row opens"').find((row) => row.includes(id)) ?? ''
    expect(page.texts).toContain('1 mailed')
    expect(page.html).toContain('0 confirmed and 0 withdrawn in 30 days')
    expect(rowOf(grace)).toContain('<span class="chip">Mailed</span>')
    expect(rowOf(grace)).toMatch(/Not confirmed\. The email was sent on .*It is deleted on /)
    expect(rowOf(again)).toContain('<span class="chip">No email</span>')
    expect(rowOf(again)).toContain('No email was sent: this form has ')
    expect(rowOf(again)).toMatch(
      /The link in the email of .* to the same address confirms this one, too\. It is deleted/,
    )
    expect(rowOf(robot)).toContain('<span class="chip">No email</span>')
    expect(rowOf(robot)).toContain('No email was sent: the address is one that no reply is sent to')
    for (const id of [robot, typo, grace]) expect(rowOf(id)).not.toContain('confirms this one')
    expect(rowOf(typo)).toContain('The email could not be delivered')
    expect((await ada.get(`${path}/spam`)).headings).toContain('No spam')
    // A search looks only here.
    expect((await ada.get(`${waiting}&q=typo`)).html).toContain(typo)
    expect((await ada.get(`${waiting}&q=typo`)).html).not.toContain(grace)

    await ada.post(`${path}/spam`, [
      ['reason', 'unconfirmed'],
      ['accept', typo],
    ])
    const letIn = await ada.get(`${path}/submissions/${typo}`)
    expect(letIn.html).toMatch(/Not asked to confirm <bdi>typo@example\.org<\/bdi>: nothing waits for it any more/)
    expect(letIn.html).not.toContain('Try again')

    confirmAll(server, formId, grace)
    expect(await idsOf('submissions')).toEqual([typo, again, grace])
    expect((await ada.get(waiting)).html).toContain('2 confirmed and 0 withdrawn in 30 days')
    const record = (await ada.get(`${path}/submissions/${grace}`)).html
    expect(readPage(record).headings).toContain('Confirmed address')
    expect(record).toMatch(/<dt>Confirmed<\/dt><dd><time .*\n.*<dt>Email<\/dt><dd><time /)
    expect(readPage(record).texts).toContain('Please confirm')
    expect(record).toContain('You asked for our news, {name}.')
    expect(readPage(record).texts).toContain('Send me the newsletter')
    expect((await ada.get(`${path}/submissions/${again}`)).html).not.toContain('<dt>Ticked</dt>')
    expect((await ada.get(`${path}/submissions/${again}`)).html).not.toContain('Send anyway')
  })

  test('can be let in and deleted by hand, which the page of the submission says', async () => {
    const { ada, path, submit, waiting, idsOf } = await setUp(await sharedServer(mailSettings(1)))
    const [first, second, third] = [
      await submit({ email: 'a@example.org', name: 'First' }),
      await submit({ email: 'b@example.org', name: 'Second' }),
      await submit({ email: 'c@example.org', name: 'Third' }),
    ]
    const reason: [string, string] = ['reason', 'unconfirmed']
    const { location } = await ada.post(`${path}/spam`, [reason, ['accept', first]])
    expect(location).toBe(`${waiting}&done=accept&count=1#notice`)
    const record = (await ada.get(`${path}/submissions/${first}`)).html
    expect(readPage(record).headings).toContain('Address not confirmed')
    expect(record).toContain(`<dt>Let in</dt><dd>by <bdi>${ada.email}</bdi>, <time `)
    const question = await ada.post(`${path}/spam`, [reason, ['delete', second]])
    expect(question.html).toContain('Delete this submission?')
    expect(question.hidden('reason')).toBe('unconfirmed')
    expect(await idsOf('spam?reason=unconfirmed')).toEqual([third, second])
    await ada.post(`${path}/spam`, [reason, ['ids', second], ['action', 'delete'], ['confirm', 'yes']])
    expect(await idsOf('spam?reason=unconfirmed')).toEqual([third])
    expect(await idsOf('submissions')).toEqual([first])
    // “Empty spam” is not offered, and would leave it.
    expect((await ada.get(waiting)).html).not.toContain('Empty spam')
    await submit({ email: 'd@example.org', _gotcha: 'x' })
    await ada.post(`${path}/spam`, [
      ['action', 'delete-all'],
      ['confirm', 'yes'],
    ])
    expect(await idsOf('spam?reason=unconfirmed')).toEqual([third])
  })

  test('is no tab of a form that asks nobody', async () => {
    const { ada, path } = await siteWorld()
    expect((await ada.get(`${path}/spam`)).html).not.toContain('Not confirmed')
  })
})
