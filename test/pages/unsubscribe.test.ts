import { describe, expect, test } from 'bun:test'
import { forThisFile, newEmail, startServer } from '../harness.ts'
import { mailSettings, startSmtp } from '../mail/smtp-server.ts'
import { until } from '../until.ts'
import { visit } from '../visitor.ts'

const multipart = new FormData()
multipart.set('List-Unsubscribe', 'One-Click')

const startMailing = async () => {
  const smtp = await startSmtp()
  const server = await startServer({ settings: mailSettings(smtp.port) })
  return { smtp, server }
}
let starting: ReturnType<typeof startMailing> | undefined

/** A form that tells an address that is not the owner's. `path` is that of the link in the mail that it got. */
const setUp = async () => {
  starting ??= forThisFile(startMailing)
  const { smtp, server } = await starting
  const ada = await server.signUp()
  const formId = await ada.createForm({ title: 'Contact & <b>more</b>' })
  const address = newEmail()
  const others = [ada.email]
  await ada.call('PATCH', `/forms/${formId}/settings`, { notify: [...others, address] })
  const mailsTo = (receiver: string) => smtp.mails.filter((mail) => mail.includes(`To: ${receiver}\r\n`))
  await until(() => mailsTo(address).length === 1, 'the first mail has arrived')
  const link = /^List-Unsubscribe: <https:\/\/forms\.example\.com(\/[^>]+)>\r$/m.exec(mailsTo(address)[0] ?? '')
  const notify = async () => (await ada.call('GET', `/forms/${formId}/settings`)).body.notify
  return { smtp, mailsTo, server, ada, formId, address, others, path: link?.[1] ?? '', notify }
}

describe('the link that stops mails', () => {
  test('asks first, then takes the address out, once and for all', async () => {
    const { smtp, mailsTo, server, ada, formId, address, others, path, notify } = await setUp()
    const visitor = visit(server)
    const page = await visitor.get(path)
    expect(page.status).toBe(200)
    expect(page.button('Stop emails')).toBeDefined()
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.cookies).toEqual([])
    expect(await notify()).toEqual([...others, address])

    for (let i = 0; i < 2; i++) {
      const done = await visitor.post(path)
      expect(done.status).toBe(200)
      expect(done.text).toContain(`${address} gets no more emails about submissions to “Contact & <b>more</b>”.`)
      expect(done.isolated).toContain('Contact & <b>more</b>')
      expect(await notify()).toEqual(others)
    }

    await server.submit(formId, { message: 'After that' })
    await until(() => mailsTo(ada.email).length === 1, 'the second mail has arrived')
    expect(smtp.lines.filter((line) => line === `RCPT TO:<${address}>`)).toHaveLength(1)
  })

  test.each<[string, RequestInit]>([
    [
      'as RFC 8058 says, urlencoded',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'List-Unsubscribe=One-Click' },
    ],
    ['as RFC 8058 says, multipart', { body: multipart }],
    ['without a body', {}],
    ['from another origin', { headers: { origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' } }],
  ])('works with one click of a mail program, %s', async (_, init) => {
    const { server, others, path, notify } = await setUp()
    const answer = await server.fetch(path, { method: 'POST', ...init })
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await notify()).toEqual(others)
  })

  test('works for a form that was deleted', async () => {
    const { server, ada, formId, address, path } = await setUp()
    await ada.call('DELETE', `/forms/${formId}`)
    const { status, text } = await visit(server).post(path)
    expect(status).toBe(200)
    expect(text).toContain(`${address} gets no more emails about this form`)
  })

  test('does nothing if a character of it is wrong', async () => {
    const { server, address, others, path, notify } = await setUp()
    const wrong = [
      path.slice(0, -1),
      `${path}A`,
      path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      path.replace(/\/([^/])([^/]+)$/, (_, first, rest) => `/${first === '0' ? '1' : '0'}${rest}`),
      path.replace(/\.[^.]+$/, ''),
      '/unsubscribe/%00',
      `/unsubscribe/${'x'.repeat(10_000)}`,
    ]
    for (const bad of wrong)
      for (const method of ['GET', 'POST']) {
        const answer = await server.fetch(bad, { method })
        expect([bad, method, answer.status]).toEqual([bad, method, 404])
      }
    expect(await notify()).toEqual([...others, address])
  })
})
