// What visitors, receivers and operators notice of several machines.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '../../../../src/storage/cluster/open-log.ts'
import { migrations } from '../../../../src/storage/migrations.ts'
import { appliedOn, caughtUp, dataOf, expectEqual } from '../../../cluster/data-files.ts'
import {
  addUser,
  type Cluster,
  call,
  type Machine,
  newForm,
  runCommand,
  startCluster,
  submit,
} from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { startReceiver } from '../../../deliveries/receiver.ts'
import { freePort } from '../../../free-port.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { codeFor, secretOn, stateOn } from '../../../totp.ts'
import { slowly, until } from '../../../until.ts'
import { password, visit } from '../../../visitor.ts'

setDefaultTimeout(180_000)

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the operation of a cluster: ${reason}.`)

const startThree = async (cluster: Cluster, settings: Record<string, string> = {}) =>
  (await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name, { settings })))) as [
    Machine,
    Machine,
    Machine,
  ]

const all = <T>(machine: Machine, query: string): T[] => {
  const db = dataOf(machine)
  try {
    return db.query<T, []>(query).all()
  } finally {
    db.close()
  }
}

/** The browser of a visitor whom a proxy may lead to another machine. */
const browse = (machine: Machine) => {
  const target = {
    at: machine,
    url: 'http://forms.lan',
    fetch: (path: string, init?: RequestInit) => fetch(target.at.url + path, { redirect: 'manual', ...init }),
  }
  return { target, visitor: visit(target, { host: 'forms.lan' }) }
}

type Browser = ReturnType<typeof visit>

const setupTokenOf = (machine: Machine): string => /\/setup\?token=(\S+)/.exec(machine.output())?.[1] ?? ''

describe.skipIf(reason !== null)('machines of a cluster', () => {
  test('print one link for the first account, which works on each of them, and once', async () => {
    const cluster = await startCluster()
    const [one, two, three] = await startThree(cluster)
    const token = setupTokenOf(one)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect([setupTokenOf(two), setupTokenOf(three)]).toEqual([token, token])
    expect((await browse(two).visitor.get(`/setup?token=${token}`)).html).toContain('Create the first account')
    expect((await browse(two).visitor.get('/setup?token=x')).html).not.toContain('Create the first account')
    const [ada, grace] = [browse(one), browse(two)]
    const pages = await Promise.all(
      [ada, grace].map(({ target, visitor }) =>
        visitor.post('/setup', { token, email: `${target.at.name}@example.com`, password }),
      ),
    )
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 404])
    await expectEqual([one, two, three])
    const first = pages[0]?.status === 303 ? ada : grace
    expect(all(three, 'SELECT email FROM users')).toEqual([{ email: `${first.target.at.name}@example.com` }])
    for (const machine of [one, two, three]) {
      first.target.at = machine
      expect((await first.visitor.get('/settings/keys')).status).toBe(200)
      expect((await browse(machine).visitor.get(`/setup?token=${token}`)).status).toBe(404)
    }
  })

  test('know who is signed in on another one, and who has signed out', async () => {
    const cluster = await startCluster()
    const [one, two, three] = await startThree(cluster)
    const { target, visitor } = browse(one)
    await visitor.post('/setup', { token: setupTokenOf(one), email: 'ada@example.com', password })
    await visitor.post('/sign-out')
    await caughtUp(two, one)
    target.at = two
    expect((await visitor.signIn()).status).toBe(303)
    // Until the third one knows, it shows what it shows to strangers: the way to sign in, and no error.
    target.at = three
    const early = await visitor.get('/forms')
    expect([200, 303]).toContain(early.status)
    await caughtUp(three, two)
    const made = await visitor.post('/forms/new', { title: 'Contact' })
    expect(made.status).toBe(303)
    await caughtUp(one, three)
    target.at = one
    expect((await visitor.get('/forms')).html).toContain('Contact')
    const cookie = visitor.cookie() ?? ''
    await visitor.post('/sign-out')
    await caughtUp(two, one)
    const late = await fetch(two.url, {
      headers: { cookie, accept: 'text/html', host: 'forms.lan' },
      redirect: 'manual',
    })
    expect([late.status, late.headers.get('location')]).toEqual([303, '/sign-in'])
  })

  test('are named on the page of the server while one is behind or off, and it says when the log is away', async () => {
    const cluster = await startCluster()
    const [one, two] = [await cluster.start('one'), await cluster.start('two')]
    const { visitor } = browse(one)
    await visitor.post('/setup', { token: setupTokenOf(one), email: 'ada@example.com', password })
    const says = (text: string) =>
      until(async () => (await visitor.get('/server')).text.includes(text), `the page says ${text}`, slowly)
    await says('Machines 2 machines, all with the same data.')

    // It hangs while rows come in, and has reported until now.
    two.kill('SIGSTOP')
    const seen = (at: string) => cluster.postgres?.ask(`UPDATE formbox_nodes SET seen_at = ${at} WHERE name = 'two'`)
    const log = openLog([cluster.url])
    afterThisTest(() => log.close())
    const row = (n: number) => log.append({ id: `row ${n}`, version: migrations.length, batch: '[]' })
    for (let n = 0; n < 2100; n += 10) await Promise.all(Array.from({ length: 10 }, (_, i) => row(n + i)))
    await seen("now() + interval '1 hour'")
    await until(
      async () => /Machines Look two is 21\d\d rows behind and catches up\./.test((await visitor.get('/server')).text),
      'the page says how far it is behind',
      slowly,
    )
    await seen("now() - interval '130 seconds'")
    await says('two has not reported for 2 minutes: start it, or forget it if it will not return.')
    two.kill('SIGCONT')
    await says('Machines 2 machines, all with the same data.')

    await cluster.postgres?.kill()
    await says('Machines No log The log of the cluster does not answer:')
    const away = await visitor.get('/server')
    expect([away.status, away.html.includes(new URL(cluster.url).password)]).toEqual([200, false])
  })

  test('take a code once, though it comes to two of them at the same moment, and count wrong ones together', async () => {
    const cluster = await startCluster()
    const [one, two, three] = await startThree(cluster)
    const { visitor: ada, target } = browse(one)
    await ada.post('/setup', { token: setupTokenOf(one), email: 'ada@example.com', password })
    const page = '/settings/account/second-factor'
    const secret = secretOn((await ada.get(page)).html)
    const turnedOn = await ada.post(page, { secret, code: codeFor(secret, Date.now()), current: password })
    expect(turnedOn.status).toBe(200)
    for (const machine of [two, three]) await caughtUp(machine, one)

    const machines = [one, two, one, two]
    const browsers = machines.map((machine) => browse(machine).visitor)
    const states: string[] = []
    for (const browser of browsers) states.push(stateOn((await browser.signIn()).html))
    const code = codeFor(secret, Date.now() + 30_000)
    const send = (n: number, typed = code) =>
      (browsers[n] as Browser).post('/sign-in/code', { state: states[n] ?? '', code: typed })
    const answers = await Promise.all(machines.map((_, n) => send(n)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401])
    await expectEqual([one, two, three])
    expect(all(three, 'SELECT count(*) AS count FROM sessions')).toEqual([{ count: 2 }])

    // One of them ends where the other one was begun.
    const [winner] = answers.flatMap(({ status }, n) => (status === 303 ? [n] : []))
    await caughtUp(three, one)
    target.at = three
    const [, session] = /sessions\/(\w+)\/end/.exec((await ada.get('/settings/account')).html) ?? []
    expect((await ada.post(`/settings/account/sessions/${session}/end`)).status).toBe(303)
    for (const machine of [one, two]) await caughtUp(machine, three)
    expect((await (browsers[winner ?? 0] as Browser).get('/settings/keys')).status).toBe(303)

    const loserOn = (machine: Machine) => machines.findIndex((other, n) => other === machine && n !== winner)
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await send(loserOn(one), '000000')).status)
    expect(statuses.at(-1)).toBe(429)
    await caughtUp(two, one)
    expect((await send(loserOn(two), '000000')).status).toBe(429)
  })

  test('tell a webhook of every submission, with one identifier each, though one of them dies', async () => {
    const receiver = startReceiver(async () => {
      await Bun.sleep(100)
      return new Response(null, { status: 204 })
    })
    const cluster = await startCluster()
    const machines = await startThree(cluster, { FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' })
    const [one, two, three] = machines
    const key = await addUser(one)
    const form = await newForm(one, key)
    expect((await call(one, key, 'POST', `/forms/${form}/webhooks`, { url: receiver.url })).status).toBe(200)
    for (const machine of machines) await caughtUp(machine, one)
    const answered = new Set<string>()
    const send = async (machine: Machine, count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        const response = await submit(machine, form, { n }).catch(() => undefined)
        if (response?.status === 200) answered.add((await response.json()).id)
      }
    }
    const sending = Promise.all(machines.map((machine) => send(machine, 60)))
    const claimedBy = (name: string) =>
      all<{ count: number }>(two, `SELECT count(*) AS count FROM deliveries WHERE claimed_by = '${name}'`)[0]?.count ??
      0
    // In the middle of what it does.
    await until(
      () => claimedBy('one') > 0 && receiver.arrived.length > 20,
      'machine one has claims, and some arrive',
      slowly,
    )
    one.kill('SIGKILL')
    await sending
    // What the dead one was answered is in the log, and not necessarily on another machine yet.
    const [head] = (await cluster.postgres?.ask<{ seq: string }>('SELECT seq FROM formbox_log_head')) ?? []
    await until(() => appliedOn(three) >= Number(head?.seq), 'machine three has executed the whole log', slowly)
    const count = (rows: { count: number }[]) => rows[0]?.count
    // What the dead machine had claimed is free again after a minute and a half.
    await until(
      () => count(all(three, "SELECT count(*) AS count FROM deliveries WHERE state <> 'delivered'")) === 0,
      'all are delivered on machine three',
      { seconds: 150 },
    )
    const told = Map.groupBy(receiver.arrived, ({ body }) => JSON.parse(body).data.id as string)
    for (const id of answered) expect(told.has(id)).toBe(true)
    for (const arrived of told.values())
      expect(new Set(arrived.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
    const stored = all<{ id: string }>(three, 'SELECT id FROM submissions')
    expect(told.size).toBe(stored.length)
    // A second time only what the dead one was about to tell.
    expect(receiver.arrived.length - told.size).toBeLessThanOrEqual(64)
    await expectEqual([two, three])
  })

  test('leave what one of them is to do to the same one, and all know to whom', async () => {
    const cluster = await startCluster()
    const machines = await startThree(cluster)
    const leases = (machine: Machine) =>
      all<{ job: string; node: string }>(machine, 'SELECT * FROM job_leases ORDER BY job')
    const retention = (machine: Machine) => leases(machine).find(({ job }) => job.startsWith('remove old submissions'))
    await until(
      () => machines.every((machine) => retention(machine) !== undefined),
      'every machine shows its retention',
      slowly,
    )
    await expectEqual(machines)
    expect(machines.map(({ name }) => name)).toContain(retention(machines[1])?.node ?? '')
  })

  test('take in another one with an empty folder while submissions come in, or with a backup', async () => {
    const cluster = await startCluster()
    // Its log does not begin with nothing, so that a copy is needed.
    const alone = await cluster.start('one', { settings: { FORMBOX_CLUSTER: '', FORMBOX_NODE: '' } })
    await alone.stop()
    const { FORMBOX_CLUSTER: _, FORMBOX_NODE: __, ...environment } = alone.environment
    const key = await addUser({ ...alone, run: (...words) => runCommand(environment, words) })
    const machines = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const folder = temporaryFolder()
        cpSync(join(alone.folder, 'formbox.db'), join(folder, 'formbox.db'))
        const port = String(await freePort())
        const settings = { FORMBOX_PORT: port, FORMBOX_NODE_URL: `http://127.0.0.1:${port}` }
        return await cluster.start(name, { folder, settings })
      }),
    )
    const [one] = machines as [Machine]
    const form = await newForm(one, key)
    for (const machine of machines) await caughtUp(machine, one)
    const answered: string[] = []
    let isOver = false
    const load = machines.map(async (machine) => {
      while (!isOver) {
        const response = await submit(machine, form, { from: machine.name })
        expect(response.status).toBe(200)
        answered.push((await response.json()).id)
      }
    })
    // They have hardly said how far they are.
    await until(() => answered.length > 3, 'some are answered', slowly)
    const four = await cluster.start('four')
    expect(four.errors()).toMatch(/the data of (one|two|three) is here/)
    const seen = answered.length
    for (let n = 0; n < 10; n++) {
      const response = await submit(four, form, { from: 'four' })
      answered.push((await response.json()).id)
    }
    await until(() => answered.length > seen + 30, 'thirty more are answered', slowly)
    isOver = true
    await Promise.all(load)
    await expectEqual([...machines, four])
    const stored = new Set(all<{ id: string }>(four, 'SELECT id FROM submissions').map(({ id }) => id))
    expect(answered.filter((id) => !stored.has(id))).toEqual([])

    // Or with a backup of one of them.
    const folder = temporaryFolder()
    const backup = join(folder, 'backup.db')
    expect((await one.run('backup', backup)).exitCode).toBe(0)
    expect((await submit(four, form, { from: 'four' })).status).toBe(200)
    const restoring = { ...environment, FORMBOX_DATA: folder }
    expect(await runCommand(restoring, ['restore', backup])).toMatchObject({ exitCode: 0 })
    const five = await cluster.start('five', { folder })
    await expectEqual([...machines, four, five])
    expect(five.errors()).toBe('')
    await until(
      async () => JSON.parse((await five.run('cluster', 'status', '--json')).output).length === 5,
      'five machines are listed',
      slowly,
    )
  })
})
