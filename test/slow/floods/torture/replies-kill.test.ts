import { expect, test } from 'bun:test'
import { temporaryFolder, writeKey, writeUser } from '../../../harness.ts'
import { startSmtp } from '../../../mail/smtp-server.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { caller, faultsOf, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

/** A form answers so many within an hour. */
const visitors = 30
const rounds = isLong ? 30 : 6

const states = (folder: string) =>
  rowsOf<{ target: string; state: string }>(folder, "SELECT target, state FROM deliveries WHERE kind = 'reply'")

test(
  'SIGKILL again and again while visitors are answered sends nobody more than two mails, and forgets no visitor',
  async () => {
    const folder = temporaryFolder()
    const { key } = writeKey(folder, writeUser(folder, 'ada@example.com'))
    let isSilent = true
    // Takes a mail, and says nothing of it: the worst moment for a kill.
    const smtp = await startSmtp({ '.': () => (isSilent ? '' : '250 Ok') })
    const settings = {
      FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://forms.example.com',
    }
    let formId = ''
    for (let round = 0; round < rounds; round++) {
      const before = smtp.mails.length
      const server = await startProcess({ folder, settings })
      if (round === 0) {
        const call = caller(server.url, key)
        formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
        const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.' }
        expect((await call('PATCH', `/forms/${formId}/settings`, { reply })).status).toBe(200)
        for (let i = 0; i < visitors; i++) {
          const body = new URLSearchParams({ email: `visitor${i}@example.org` })
          expect((await fetch(`${server.url}/s/${formId}`, { method: 'POST', body })).status).toBe(200)
        }
      }
      // Formbox never learns that it was.
      await until(() => smtp.mails.length > before, 'another mail was taken', slowly)
      server.kill('SIGKILL')
      expect((await server.ended()).signal).toBe('SIGKILL')
      expect(faultsOf(folder)).toEqual([])
    }
    isSilent = false
    await startProcess({ folder, settings })
    await until(() => states(folder).every(({ state }) => state !== 'pending'), 'nobody waits', slowly)

    const to = (address: string) => smtp.mails.filter((mail) => mail.includes(`To: ${address}\r\n`)).length
    const all = states(folder)
    expect(all).toHaveLength(visitors)
    const counts = all.map(({ target }) => to(target))
    expect(counts.filter((count) => count > 2)).toEqual([])
    expect(counts.filter((count) => count === 0)).toEqual([])
    expect(smtp.mails).toHaveLength(counts.reduce((sum, count) => sum + count, 0))
    expect(new Set(smtp.lines.filter((line) => line.startsWith('RCPT'))).size).toBe(visitors)
    tell(`${rounds} kills, ${visitors} visitors, ${counts.filter((count) => count === 2).length} of them got two mails`)
    expect(faultsOf(folder)).toEqual([])
  },
  timeout,
)
