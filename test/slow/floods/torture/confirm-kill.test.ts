// The server is killed while people open the links of their mails, each twice at once, and some say that it was not they.
import { expect, test } from 'bun:test'
import { confirmLink } from '../../../../src/sending/mail/confirm-link.ts'
import { temporaryFolder } from '../../../harness.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { caller, createUser, faultsOf, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const people = 120
const rounds = isLong ? 20 : 2
const settings = {
  FORMBOX_SUBMIT_LIMIT: '0',
  FORMBOX_RATE_LIMIT: '1000000',
  FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'http://127.0.0.1',
}

test(
  'SIGKILL while links are opened confirms and deletes each submission once, or not yet',
  async () => {
    const folder = temporaryFolder()
    const key = createUser(folder)
    let server = await startProcess({ folder, settings })
    const call = (method: string, path: string, body?: unknown) => caller(server.url, key)(method, path, body)
    const untilAnswered = async (ask: () => Promise<{ status: number }>): Promise<void> => {
      for (;;) {
        const answer = await ask().catch(() => undefined)
        if (answer) return expect(answer.status).toBe(200)
        await Bun.sleep(5)
      }
    }
    let midway = 0
    for (let round = 0; round < rounds; round++) {
      const formId: string = (await call('POST', '/forms', { title: 'News' })).body.id
      const path = `/forms/${formId}`
      const fields = [{ name: 'email', type: 'email', required: true }]
      const confirm = { field: 'email', subject: 'Please confirm', text: '{link}' }
      expect((await call('PATCH', `${path}/settings`, { fields, confirm })).status).toBe(200)
      const webhook = (await call('POST', `${path}/webhooks`, { url: 'https://hooks.example.com/' })).body.id
      expect(webhook).toBeString()
      const sent = await Promise.all(
        Array.from({ length: people }, async (_, n) => {
          const headers = { 'content-type': 'application/json' }
          const body = JSON.stringify({ email: `${n}@example.com` })
          return (await (await fetch(`${server.url}/s/${formId}`, { method: 'POST', headers, body })).json()) as {
            id: string
          }
        }),
      )
      const [secret] = rowsOf<{ value: string }>(folder, "SELECT value FROM secrets WHERE name = 'signing'")
      const pathOf = (submissionId: string) =>
        confirmLink('', Buffer.from(secret?.value ?? '', 'base64'), { formId, submissionId })
      const click = (id: string, more = '') =>
        untilAnswered(() => fetch(`${server.url}${pathOf(id)}${more}`, { method: 'POST' }))
      const moved = () =>
        rowsOf<{ n: number }>(
          folder,
          'SELECT coalesce(sum(confirmed + withdrawn), 0) AS n FROM confirm_days JOIN forms ON number = form WHERE id = ?',
          formId,
        )[0]?.n as number

      const clicked = Promise.all(
        sent.flatMap(({ id }, n) => [click(id), n % 3 === 0 ? click(id, '/not-me') : click(id)]),
      )
      const goal = 1 + Math.floor(Math.random() * people)
      await until(() => moved() >= goal, 'it is time to kill', slowly)
      server.kill('SIGKILL')
      await server.ended()
      expectSound(folder)
      if (moved() < people) midway++
      server = await startProcess({ folder, settings })
      await clicked
      await Promise.all(sent.map(({ id }) => click(id)))

      const [counted] = rowsOf<{ inbox: number; held: number; confirmed: number; withdrawn: number }>(
        folder,
        `SELECT submission_count AS inbox, unconfirmed_count AS held, sum(confirmed) AS confirmed, sum(withdrawn) AS withdrawn
        FROM forms JOIN confirm_days ON form = number WHERE id = ?`,
        formId,
      )
      expect(counted?.held).toBe(0)
      expect(counted?.inbox).toBe(counted?.confirmed as number)
      expect((counted?.confirmed ?? 0) + (counted?.withdrawn ?? 0)).toBe(people)
      // Each that was confirmed is told of once.
      const told = rowsOf(
        folder,
        `SELECT submission, count(*) AS n FROM deliveries JOIN forms ON number = form
        WHERE forms.id = ? AND kind = 'webhook' GROUP BY 1`,
        formId,
      )
      expect(told).toHaveLength(counted?.inbox as number)
      expect(told.filter(({ n }) => n !== 1)).toEqual([])
    }
    expectSound(folder)
    expect(faultsOf(folder)).toEqual([])
    tell(`${rounds} kills, ${rounds * people} people, ${midway} kills before the last link was opened`)
  },
  timeout,
)
