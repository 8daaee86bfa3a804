// Two machines whose clock a test sets.
import { expect, test } from 'bun:test'
import { call, newForm, runCommand } from '../../../cluster/machines.ts'
import { startPostgres, whyNoPostgres } from '../../../cluster/postgres.ts'
import { startServer, temporaryFolder } from '../../../harness.ts'
import { startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { isCompiled, testSettings } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { codeFor, secretOn, stateOn } from '../../../totp.ts'
import { slowly, until } from '../../../until.ts'
import { visit } from '../../../visitor.ts'

const reason = isCompiled ? 'the executable has no injected clock' : whyNoPostgres()
if (reason) noteSkipped(`Skipping the tests of two machines with a clock: ${reason}.`)

const minute = 60_000

const startTwo = async (settings: Record<string, string>) => {
  const clock = { now: Date.parse('2026-11-23T12:00:00Z') }
  const postgres = await startPostgres()
  const start = async (name: string) => {
    const all = { FORMBOX_CLUSTER: postgres.urlOf(), FORMBOX_NODE: name, ...settings }
    const folder = temporaryFolder()
    const server = await startServer({ folder, settings: all, now: () => clock.now })
    return { ...server, folder, environment: { ...testSettings, FORMBOX_DATA: folder, ...all } }
  }
  const machines = [await start('one'), await start('two')] as const
  return { clock, machines, postgres }
}

test.skipIf(reason !== null)('two machines send a daily digest once, whichever took the submissions', async () => {
  const smtp = await startSmtp()
  const { clock, machines } = await startTwo({
    FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
    FORMBOX_MAIL_FROM: 'forms@example.com',
    FORMBOX_URL: 'https://forms.example.com',
  })
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
  expect(await change({ notify, timeZone: 'Europe/Berlin' })).toMatchObject({ status: 200 })
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

test.skipIf(reason !== null)('two machines tell of a silence once, whichever looks first', async () => {
  const smtp = await startSmtp()
  const { clock, machines } = await startTwo({
    FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
    FORMBOX_MAIL_FROM: 'forms@example.com',
    FORMBOX_URL: 'https://forms.example.com',
  })
  const [one] = machines
  expect(await runCommand(one.environment, ['user', 'create', 'ada@example.com'])).toMatchObject({ exitCode: 0 })
  const made = await runCommand(one.environment, ['key', 'create', '--user', 'ada@example.com', '--name', 'k'])
  const key = made.output.trim()
  const formId = await newForm(one, key)
  const body = { notify: [{ address: 'ada@example.com', digest: 'day' }], quietDays: 2 }
  expect(await call(one, key, 'PATCH', `/forms/${formId}/settings`, body)).toMatchObject({ status: 200 })
  for (let n = 0; n < 5; n++) await one.submit(formId, { n })
  const told = (folder: string) => rowsOf(folder, "SELECT state FROM deliveries WHERE kind = 'silence'")
  let running: { stop(): Promise<unknown> }[] = [...machines]
  // Each looks when it starts.
  for (let passed = 0; passed < 4; passed++) {
    await Promise.all(running.map((machine) => machine.stop()))
    clock.now += 24 * 60 * minute
    running = await Promise.all(
      machines.map(({ folder, environment }) => startServer({ folder, settings: environment, now: () => clock.now })),
    )
  }
  // On a busy machine an attempt may fail, and is made again: later, so the clock must go on.
  const later = setInterval(() => {
    clock.now += 60 * minute
  }, 20_000)
  for (const { folder } of machines)
    await until(() => Bun.deepEquals(told(folder), [{ state: 'delivered' }]), 'it is told on both machines', slowly)
  clearInterval(later)
  expect(smtp.mails.filter((mail) => mail.includes('Subject: Nothing for 2 days'))).toHaveLength(1)
})

test.skipIf(reason !== null)('two machines take 30 wrong codes a day together, in a row of the log each', async () => {
  const { clock, machines, postgres } = await startTwo({ FORMBOX_TRUST_PROXY: '127.0.0.1' })
  const [one, two] = machines
  const counted = () => postgres.ask("SELECT seq FROM formbox_log WHERE batch LIKE '%countWrongCode%'")
  const { output } = await runCommand(one.environment, ['user', 'create', 'ada@example.com'])
  const password = output.trim()
  let client = 0
  const typePassword = async (machine: (typeof machines)[number], typed = password) => {
    const browser = visit(machine, { 'x-forwarded-for': `192.0.2.${++client}` })
    const asked = await browser.signIn('ada@example.com', typed)
    const send = async (code: string) =>
      (await browser.post('/sign-in/code', { state: stateOn(asked.html), code })).status
    return { ...browser, asked, send }
  }
  await until(async () => (await typePassword(two)).asked.status === 303, 'the other machine knows her', slowly)
  const ada = await typePassword(one)
  const page = '/settings/account/second-factor'
  const secret = secretOn((await ada.get(page)).html)
  const turnedOn = await ada.post(page, { secret, code: codeFor(secret, clock.now - minute / 2), current: password })
  expect(turnedOn.status).toBe(200)
  await until(async () => stateOn((await typePassword(two)).asked.html) !== '', 'the other machine asks for it', slowly)

  const statuses: number[] = []
  for (const machine of [one, two, one, two]) {
    expect((await typePassword(machine, 'not the password')).asked.status).toBe(401)
    const { send } = await typePassword(machine)
    for (let n = 0; n < 8; n++) statuses.push(await send('000000'))
    clock.now += 15 * minute
  }
  expect(statuses).toEqual([...Array(30).fill(401), 429, 429])
  for (const machine of machines) expect(await (await typePassword(machine)).send(codeFor(secret, clock.now))).toBe(429)
  expect(await counted()).toHaveLength(30)
})

test.skipIf(reason !== null)(
  'two machines confirm an address once, whichever is asked, and tell of it once',
  async () => {
    const smtp = await startSmtp()
    const { machines } = await startTwo({
      FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://forms.example.com',
    })
    const [one] = machines
    expect(await runCommand(one.environment, ['user', 'create', 'ada@example.com'])).toMatchObject({ exitCode: 0 })
    const made = await runCommand(one.environment, ['key', 'create', '--user', 'ada@example.com', '--name', 'k'])
    const key = made.output.trim()
    const formId = await newForm(one, key)
    const body = {
      fields: [{ name: 'email', type: 'email', required: true }],
      confirm: { field: 'email', subject: 'Please confirm', text: '{link}' },
      notify: ['ada@example.com'],
    }
    expect(await call(one, key, 'PATCH', `/forms/${formId}/settings`, body)).toMatchObject({ status: 200 })
    for (let n = 0; n < 6; n++) await one.submit(formId, { email: `visitor${n}@example.com` })
    const linkTo = (n: number) =>
      /https:\/\/forms\.example\.com(\/c\/[\w.-]+)/.exec(
        smtp.mails.map(unfolded).find((mail) => mail.includes(`\nTo: visitor${n}@example.com\r\n`)) ?? '',
      )?.[1]
    await until(() => [0, 1, 2, 3, 4, 5].every(linkTo), 'all mails have arrived', slowly)
    const counts = ({ folder }: (typeof machines)[number]) =>
      rowsOf(
        folder,
        'SELECT submission_count + 0 AS inbox, unconfirmed_count AS held, sum(confirmed) AS confirmed, sum(withdrawn) AS withdrawn FROM forms JOIN confirm_days ON form = number',
      )[0] as Record<string, number>
    for (const machine of machines)
      await until(() => counts(machine).held === 6, 'the submissions wait on both machines', slowly)
    // Each on both at once: of half of them, one says that it was not this person.
    await Promise.all(
      [0, 1, 2, 3, 4, 5].flatMap((n) =>
        machines.map((machine, m) =>
          machine.fetch(`${linkTo(n)}${n % 2 === m ? '' : n < 3 ? '/not-me' : ''}`, { method: 'POST' }),
        ),
      ),
    )
    for (const machine of machines) {
      await until(() => counts(machine).held === 0, 'nothing waits on either machine', slowly)
      const { inbox, confirmed, withdrawn } = counts(machine)
      expect(Number(confirmed) + Number(withdrawn)).toBe(6)
      expect(inbox).toBe(confirmed as number)
      expect(confirmed).toBeGreaterThanOrEqual(3)
    }
    expect(counts(machines[0])).toEqual(counts(machines[1]))
    const told = () =>
      smtp.mails.filter((mail) => mail.includes('\nTo: ada@example.com\r\n') && mail.includes('Open the submission'))
    await until(() => told().length === counts(one).confirmed, 'the owner is told of each', slowly)
  },
)
