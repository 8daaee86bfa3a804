// A daily digest on two machines, whose clock a test sets.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { startServer, temporaryFolder } from '../harness.ts'
import { startSmtp } from '../mail/smtp-server.ts'
import { isCompiled, testSettings } from '../program.ts'
import { noteSkipped } from '../skips.ts'
import { rowsOf } from '../storage/sound.ts'
import { slowly, until } from '../until.ts'
import { call, newForm, runCommand } from './machines.ts'
import { startPostgres, whyNoPostgres } from './postgres.ts'

setDefaultTimeout(120_000)

const reason = isCompiled ? 'the executable has no injected clock' : whyNoPostgres()
if (reason) noteSkipped(`Skipping the test of a digest on two machines: ${reason}.`)

test.skipIf(reason !== null)('two machines send a daily digest once, whichever took the submissions', async () => {
  const clock = { now: Date.parse('2026-11-23T12:00:00Z') }
  const smtp = await startSmtp()
  const postgres = await startPostgres()
  const start = async (name: string) => {
    const settings = {
      FORMBOX_CLUSTER: postgres.urlOf(),
      FORMBOX_NODE: name,
      FORMBOX_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://forms.example.com',
    }
    const folder = temporaryFolder()
    const server = await startServer({ folder, settings, now: () => clock.now })
    return { ...server, folder, environment: { ...testSettings, FORMBOX_DATA: folder, ...settings } }
  }
  const machines = [await start('one'), await start('two')] as const
  const [one, two] = machines
  expect(await runCommand(one.environment, ['user', 'create', 'ada@example.com'])).toMatchObject({ exitCode: 0 })
  const made = await runCommand(one.environment, ['key', 'create', '--user', 'ada@example.com', '--name', 'k'])
  const key = made.output.trim()
  const formId = await newForm(one, key)
  const states = ({ folder }: (typeof machines)[number]) =>
    rowsOf(folder, 'SELECT kind, state, count FROM deliveries ORDER BY id')
  const settings = `/forms/${formId}/settings`
  const change = (body: object) => call(one, key, 'PATCH', settings, body)
  const notify = [{ address: 'ada@example.com', digest: 'day' }]
  expect(await change({ notify, digestZone: 'Europe/Berlin' })).toMatchObject({ status: 200 })
  await until(
    async () => (await call(two, key, 'GET', settings)).body.notify.length === 1,
    'the other one knows it',
    slowly,
  )
  for (let n = 0; n < 10; n++) await machines[n % 2]?.submit(formId, { n })
  const waiting = [{ kind: 'digest', state: 'pending', count: 10 }]
  for (const machine of machines)
    await until(() => Bun.deepEquals(states(machine), waiting), 'it waits on both machines', slowly)
  clock.now = Date.parse('2026-11-24T06:00:00Z')
  // Both look what is due, at the same time.
  await Promise.all(machines.map((machine, n) => machine.submit(formId, { n: 10 + n })))
  for (const machine of machines)
    await until(() => states(machine)[0]?.state === 'delivered', 'it is delivered on both machines', slowly)
  for (const machine of machines) expect(states(machine)[1]).toEqual({ kind: 'digest', state: 'pending', count: 2 })
  expect(smtp.mails).toHaveLength(1)
  expect(smtp.mails[0]).toContain('Subject: 10 submissions: A form')
})
