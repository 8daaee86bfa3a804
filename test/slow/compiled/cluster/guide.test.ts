// Follows docs/cluster.md on the addresses of the loopback network.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { blocks, installFormbox, installPostgres, onLoopback } from '../../../cluster/guide.ts'
import { call, newForm, submit } from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { whyNoRqlite } from '../../../cluster/rqlite.ts'
import { freePort } from '../../../free-port.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(300_000)

const noLinux = process.platform === 'linux' ? null : 'only Linux has all of 127.0.0.0/8'
const noCaddy = Bun.which('caddy') === null ? 'there is no caddy on the PATH' : null
const whyNot = { postgres: noLinux ?? noCaddy ?? whyNoPostgres(), rqlite: noLinux ?? whyNoRqlite() }
for (const reason of Object.values(whyNot))
  if (reason) noteSkipped(`Skipping parts of the guide to several machines: ${reason}.`)

const own = 'PostgreSQL of your own'

type Postgres = Awaited<ReturnType<typeof installPostgres>>

/** The servers take a moment to agree on it, so the guide has its last command repeated. */
const makeSynchronous = async (primary: Postgres, commands: string, standby: string): Promise<void> => {
  const last = commands.trim().split('\n').at(-1) as string
  let shown = await primary.run(commands)
  await until(
    async () => {
      if (new RegExp(`${standby} +\\| sync`).test(shown)) return true
      shown = await primary.run(last)
      return false
    },
    'the standby is synchronous',
    slowly,
  )
}

const startPair = async () => {
  const [roles, copy, synchronous, setting] = blocks(own) as [string, string, string, string]
  const [first, second] = await Promise.all([installPostgres(11), installPostgres(12)])
  await first.start()
  await first.run(roles)
  await first.stop()
  await first.start()
  second.empty()
  await second.run(copy)
  await second.start()
  await makeSynchronous(first, synchronous, 'db2')
  return { first, second, copy, synchronous, setting }
}

const installThree = (setting: string) =>
  [installFormbox(1, 'one', setting), installFormbox(2, 'two', setting), installFormbox(3, 'three', setting)] as const

const alone = { FORMBOX_CLUSTER: '', FORMBOX_NODE: '', FORMBOX_NODE_URL: '' }

const newKey = async (machine: ReturnType<typeof installFormbox>, changes = {}): Promise<string> => {
  await machine.run('formbox user create ada@example.com', changes)
  return (await machine.run('formbox key create --user ada@example.com --name k', changes)).trim()
}

/** Caddy with the file of deploy/, where only names and ports are others. */
const startCaddy = async () => {
  const [http, https] = [await freePort(), await freePort()]
  const folder = temporaryFolder()
  const site = readFileSync(join(import.meta.dir, '../../../../deploy/Caddyfile.cluster'), 'utf8')
  const options = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`
  writeFileSync(join(folder, 'Caddyfile'), options + onLoopback(site).replaceAll('forms.example.com', 'localhost'))
  const environment = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const line = ['caddy', 'run', '--adapter', 'caddyfile', '--config', 'Caddyfile']
  const child = Bun.spawn(line, { cwd: folder, env: environment, stdout: 'ignore', stderr: 'ignore' })
  afterThisTest(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  const url = `https://localhost:${https}`
  const get = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { redirect: 'manual', ...init, tls: { rejectUnauthorized: false } })
  await until(async () => (await get('/readyz').catch(() => null))?.status === 200, 'the machine is ready', slowly)
  return { fetch: get }
}

describe.skipIf(whyNot.postgres !== null)('docs/cluster.md', () => {
  test('leads to three machines on PostgreSQL behind Caddy, through a fail-over, a lost log, and back to one', async () => {
    const { first, second, copy, synchronous, setting } = await startPair()
    const machines = installThree(setting)
    const [one, two, three] = machines

    // The data of one machine moves into the cluster.
    const before = await one.start(alone)
    const key = await newKey(one, alone)
    const form = await newForm(before, key)
    expect((await submit(before, form, { name: 'Ada' })).status).toBe(200)
    await before.stop()
    const [backUp, restore] = blocks('Bring existing data') as [string, string]
    const restoreOn = async (machine: ReturnType<typeof installFormbox>, name: string): Promise<void> => {
      copyFileSync(join(one.workingFolder, name), join(machine.workingFolder, name))
      await machine.run(restore.replace('seed.db', name))
    }
    await one.run(backUp, alone)
    await restoreOn(two, 'seed.db')
    await restoreOn(three, 'seed.db')

    let running = await Promise.all(machines.map((machine) => machine.start()))
    const [status] = blocks('The machines').slice(1) as [string]
    await until(async () => (await two.follow(status)).exitCode === 0, 'the cluster is well on machine two', slowly)
    const shape = (text: string) => text.trim().replaceAll(/\d+/g, '0').replaceAll(/ +/g, ' ')
    const [shown] = blocks('The machines', 'text')
    expect(shape(await three.run(status))).toBe(shape(shown))

    const proxy = await startCaddy()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const send = () => proxy.fetch(`/s/${form}`, { method: 'POST', headers, body: '{"name":"Grace"}' })
    const total = async () => {
      const response = await proxy.fetch(`/api/v1/forms/${form}/submissions`, { headers })
      return [response.status, response.status === 200 && (await response.json()).pagination.total]
    }
    for (let n = 2; n <= 20; n++) {
      expect((await send()).status).toBe(200)
      // A machine that is slow to say that it is ready has its visitors led to another one for a second.
      await until(async () => (await total())[1] === n, `the second machine has ${n} submissions`, slowly)
    }
    expect((await proxy.fetch('/cluster/copy')).status).toBe(404)
    expect((await proxy.fetch('/healthz')).headers.get('strict-transport-security')).toBe('max-age=31536000')

    // Without a machine, the others take its visitors.
    for (const [index, machine] of machines.entries()) {
      running[index]?.kill('SIGKILL')
      await running[index]?.exited
      await until(async () => (await send()).status === 200, 'a submission is stored', slowly)
      await until(async () => (await total())[0] === 200, 'the first machine counts 200', slowly)
      running[index] = await machine.start()
    }

    // Without PostgreSQL, all can be read, and Formbox answers what is written.
    const [promote] = blocks('When the primary fails')
    await first.stop()
    await until(
      async () =>
        (await Promise.all(running.map(({ url }) => fetch(`${url}/readyz`)))).every(({ status }) => status === 503),
      'no machine is ready',
      slowly,
    )
    await until(async () => (await total())[0] === 200, 'the first machine counts 200', slowly)
    const refused = await send()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    for (const { url } of running) expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await second.run(promote)
    await until(async () => (await send()).status === 200, 'a submission is stored', slowly)
    const complaint = await one.follow(status)
    expect(complaint).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('synchronous_standby_names is empty'),
    })

    // The old primary becomes the standby.
    const swapped = (commands: string) =>
      commands.replaceAll('db2', 'db1').replaceAll(onLoopback('host=10.0.0.11'), onLoopback('host=10.0.0.12'))
    first.empty()
    await first.run(swapped(copy))
    await first.start()
    await makeSynchronous(second, swapped(synchronous), 'db1')
    await until(async () => (await one.follow(status)).exitCode === 0, 'the cluster is well on machine one', slowly)

    // A fourth machine joins, and one leaves the list.
    const four = installFormbox(4, 'four', setting)
    const fourth = await four.start()
    expect(fourth.errors()).toContain('the data of ')
    expect((await submit(fourth, form, { name: 'Hedy' })).status).toBe(200)
    await expectEqual([...machines, four])
    await fourth.stop()
    await one.run('formbox cluster forget four')
    expect(await one.run(`${status} --json`)).not.toContain('four')

    // The log is lost, and begun again.
    const stored = (await total())[1] as number
    await Promise.all(running.map((machine) => machine.stop()))
    const [begin, drop] = blocks('When the log was lost') as [string, string]
    expect(await one.run(begin)).toMatch(/^This machine has everything up to row \d+ of the log/)
    await second.run(drop)
    await restoreOn(two, 'newest.db')
    await restoreOn(three, 'newest.db')
    running = await Promise.all(machines.map((machine) => machine.start()))
    await until(async () => (await send()).status === 200, 'a submission is stored', slowly)
    await expectEqual(machines)
    const begun = (await total())[1] as number
    expect(begun).toBeGreaterThan(stored)

    // Back to one.
    await Promise.all(running.map((machine) => machine.stop()))
    const [leave] = blocks('Changing the cluster')
    await three.run(leave)
    const last = await three.start(alone)
    expect((await submit(last, form, { name: 'Joan' })).status).toBe(200)
    const { body } = await call(last, key, 'GET', `/forms/${form}/submissions`)
    expect(body.pagination.total).toBe(begun + 1)
  })
})

describe.skipIf(whyNot.rqlite !== null)('docs/cluster.md', () => {
  test('leads to three machines on rqlite, of which one may fail', async () => {
    const [accounts] = blocks('rqlite', 'json')
    const [command, setting] = blocks('rqlite') as [string, string]
    const servers = [1, 2, 3].map((number) => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'accounts.json'), accounts)
      const address = (last: number) => onLoopback(`10.0.0.${last}`)
      const [start, rest] = command.split('-auth') as [string, string]
      const line = `exec ${start.replaceAll(address(1), address(number)).replace('-node-id 1', `-node-id ${number}`)}-auth${rest}`
      const child = Bun.spawn(['sh', '-c', line], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
      afterThisTest(() => {
        child.kill('SIGKILL')
        return child.exited
      })
      return child
    })
    const machines = installThree(setting)
    const [one, two, three] = machines
    const running = await Promise.all(machines.map((machine) => machine.start()))
    const [first, second] = running
    if (!first || !second) throw new Error('there are three')
    const key = await newKey(one)
    for (const machine of machines) await caughtUp(machine, one)
    const form = await newForm(second, key)
    await until(async () => (await one.follow('formbox cluster status')).exitCode === 0, 'the cluster is well', slowly)
    servers[0]?.kill('SIGKILL')
    first.kill('SIGKILL')
    await until(
      async () => (await submit(second, form, { name: 'Ada' })).status === 200,
      'the second machine takes a submission',
      slowly,
    )
    await expectEqual([two, three])
    const complaint = await two.follow('formbox cluster status')
    expect(complaint).toMatchObject({ exitCode: 1, errors: expect.stringContaining('is not reachable') })
  })
})
