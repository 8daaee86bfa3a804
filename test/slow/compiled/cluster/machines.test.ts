import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../src/base/id.ts'
import { openCommandWrites } from '../../../../src/storage/cluster/command-writes.ts'
import { createLogExecutor } from '../../../../src/storage/cluster/execute.ts'
import { lockFolder } from '../../../../src/storage/folder-lock.ts'
import { migrations } from '../../../../src/storage/migrations.ts'
import { connect, dataFile, emptyWal, walFile } from '../../../../src/storage/open.ts'
import { joinWrites } from '../../../../src/upkeep/all-writes.ts'
import { appliedOn, caughtUp, expectEqual } from '../../../cluster/data-files.ts'
import { failure, open } from '../../../cluster/log-calls.ts'
import { addUser, call, type Machine, newForm, runCommand, startCluster, submit } from '../../../cluster/machines.ts'
import { whyNoPostgres } from '../../../cluster/postgres.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { listedMetrics } from '../../../listed-metrics.ts'
import { startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { testSettings } from '../../../program.ts'
import { parseMetrics, sampleOf } from '../../../prometheus.ts'
import { noteSkipped } from '../../../skips.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(180_000)

/** How a machine answers this key. One that sees that others have written more says so, with 503, in place of 401. */
const statusOf = async (machine: Machine, key: string): Promise<number> => {
  let status = 503
  await until(async () => {
    status = (await call(machine, key, 'GET', '/forms')).status
    return status !== 503
  }, 'the machine is not behind')
  return status
}

const reason = whyNoPostgres()
if (reason) noteSkipped(`Skipping the tests of machines of a cluster: ${reason}.`)

describe.skipIf(reason !== null)('machines of a cluster', () => {
  test('each take any request, and hold the same', async () => {
    const cluster = await startCluster()
    const settings = { FORMBOX_METRICS_ALLOW: '127.0.0.0/8' }
    const machines = await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name, { settings })))
    const [one, two] = machines as [Machine, Machine, Machine]
    const key = await addUser(one)
    await caughtUp(two, one)
    const form = await newForm(two, key)
    for (const machine of machines) await caughtUp(machine, two)
    await Promise.all(
      machines.map(async (machine) => {
        for (let n = 0; n < 10; n++)
          expect((await submit(machine, form, { name: `${machine.name} ${n}` })).status).toBe(200)
      }),
    )
    await expectEqual(machines)
    const totals = await Promise.all(machines.map((machine) => call(machine, key, 'GET', `/forms/${form}/submissions`)))
    expect(totals.map(({ body }) => body.pagination.total)).toEqual([30, 30, 30])
    const before = appliedOn(one)
    const measured = parseMetrics(await (await fetch(`${one.url}/metrics`)).text())
    expect([...measured.keys()]).toEqual(await listedMetrics())
    expect(sampleOf(measured, 'formbox_cluster_ready', {})).toBe(1)
    expect(sampleOf(measured, 'formbox_writer_batch_size_sum')).toBeGreaterThan(30)
    expect(sampleOf(measured, 'formbox_writer_commit_duration_seconds_count')).toBeGreaterThan(0)
    expect(sampleOf(measured, 'formbox_cluster_applied', {})).toBeWithin(before, appliedOn(one) + 1)
    const { exitCode, output } = await one.run('cluster', 'status', '--json')
    expect(exitCode).toBe(1)
    expect(await one.run('cluster', 'status', '--managed')).toMatchObject({
      exitCode: 0,
      errors: expect.stringContaining('synchronous_standby_names is empty'),
    })
    expect(JSON.parse(output).map(({ name, problem }: Record<string, string>) => [name, problem])).toEqual([
      ['one', null],
      ['three', null],
      ['two', null],
    ])
  })

  test('take together as many submissions as a form may have, and answer a repeat wherever it comes', async () => {
    const cluster = await startCluster()
    const machines = await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name)))
    const [one, two] = machines as [Machine, Machine, Machine]
    const key = await addUser(one)
    await caughtUp(two, one)
    const form = await newForm(two, key)
    expect((await call(two, key, 'PATCH', `/forms/${form}/settings`, { maxSubmissions: 37 })).status).toBe(200)
    for (const machine of machines) await caughtUp(machine, two)
    const send = async (n: number, machine: Machine) => {
      const response = await submit(machine, form, { n }, { 'idempotency-key': `key-${n}` })
      return { status: response.status, id: ((await response.json()) as { id?: string }).id }
    }
    /** Each submission is sent to two machines. */
    const sendAll = () =>
      Promise.all(Array.from({ length: 256 }, (_, n) => send(n >> 1, machines[(n % 3) as 0 | 1 | 2] as Machine)))
    const idsOf = (answers: readonly { status: number; id?: string | undefined }[]) =>
      new Set(answers.flatMap(({ status, id }) => (status === 200 ? [id] : [])))
    const first = await sendAll()
    expect(first.filter(({ status }) => ![200, 403, 503].includes(status))).toEqual([])
    expect(idsOf(first).size).toBe(37)
    await expectEqual(machines)
    const again = await sendAll()
    expect(idsOf(again)).toEqual(idsOf(first))
    expect(again.filter(({ status }) => status === 200)).toHaveLength(2 * 37)
    const counts = await Promise.all(machines.map((machine) => call(machine, key, 'GET', `/forms/${form}`)))
    expect(counts.map(({ body }) => body.submissionCount)).toEqual([37, 37, 37])
  })

  test('give an address that is asked for on all of them at once to one form', async () => {
    const cluster = await startCluster()
    const machines = await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name)))
    const [one] = machines as [Machine, Machine, Machine]
    const key = await addUser(one)
    const forms: string[] = []
    for (let n = 0; n < 12; n++) forms.push(await newForm(one, key))
    for (const machine of machines) await caughtUp(machine, one)
    for (const address of ['summer-party', 'autumn-fair', 'winter-ball']) {
      const asked = await Promise.all(
        forms.map(async (form, n) => {
          const machine = machines[n % 3] as Machine
          const { status, body } = await call(machine, key, 'PATCH', `/forms/${form}/settings`, { address })
          return { form, status, issues: body.issues }
        }),
      )
      const [given, ...others] = asked.filter(({ status }) => status === 200)
      expect(others).toEqual([])
      for (const { status, issues } of asked.filter(({ form }) => form !== given?.form))
        expect([status, issues]).toEqual([400, [{ path: '/address', message: 'address: is taken' }]])
      await expectEqual(machines)
      for (const machine of machines) {
        expect((await submit(machine, address, { machine: machine.name })).status).toBe(200)
        const { body } = await call(machine, key, 'GET', `/forms/${given?.form}/settings`)
        expect(body.address).toBe(address)
      }
      await expectEqual(machines)
      const { body } = await call(one, key, 'GET', `/forms/${given?.form}/submissions`)
      expect(body.pagination.total % 3).toBe(0)
      expect(body.pagination.total).toBeGreaterThan(0)
    }
  })

  test('give no place twice and take no value twice, whichever of them people send to, and after one was killed', async () => {
    const cluster = await startCluster()
    const machines = await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name)))
    const [one, two] = machines as [Machine, Machine, Machine]
    const key = await addUser(one)
    const form = await newForm(one, key)
    const shift = { name: 'shift', type: 'choice', options: ['Day', 'Night'], places: { Day: 25, Night: 7 } }
    const fields = [shift, { name: 'email', type: 'email', once: 'refuse' }]
    expect((await call(one, key, 'PATCH', `/forms/${form}/settings`, { fields })).status).toBe(200)
    for (const machine of machines) await caughtUp(machine, one)
    const sendAll = async (shifts: readonly string[], emailOf: (n: number) => string) => {
      const sent = await Promise.all(
        Array.from({ length: 120 }, (_, n) =>
          submit(machines[n % 3] as Machine, form, { shift: shifts[n % shifts.length], email: emailOf(n) }),
        ),
      )
      await expectEqual(machines)
      return sent.filter(({ status }) => status === 200).length
    }
    // Each address comes three times: once to each machine.
    expect(await sendAll(['Night'], (n) => `${n % 3}@example.com`)).toBe(3)
    two.kill('SIGKILL')
    await two.ended()
    machines[1] = await cluster.start('two', { folder: two.folder })
    await caughtUp(machines[1], one)
    expect(await sendAll(['Day', 'Night'], (n) => `visitor-${n}@example.com`)).toBe(25 + 4)
    const { body } = await call(one, key, 'GET', `/forms/${form}/submissions`)
    expect(body.pagination.total).toBe(32)
    const newest = body.submissions[0]
    expect((await call(machines[1], key, 'DELETE', `/forms/${form}/submissions/${newest.id}`)).status).toBe(200)
    for (const machine of machines) await caughtUp(machine, machines[1])
    expect(await sendAll([newest.data.shift], (n) => `late-${n}@example.com`)).toBe(1)
  })

  test('refuse a key that was revoked on another one, by a server or without one', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const second = (await one.run('key', 'create', '--user', 'ada@example.com', '--name', 'second')).output.trim()
    const list = JSON.parse((await one.run('key', 'list', '--json')).output) as { id: string; name: string }[]
    const idOf = (wanted: string) => list.find(({ name }) => name === wanted)?.id as string
    expect(await one.run('key', 'revoke', idOf('k'))).toMatchObject({ exitCode: 0, errors: '' })
    await caughtUp(two, one)
    expect(await statusOf(two, key)).toBe(401)
    expect(await statusOf(two, second)).toBe(200)
    await one.stop()
    expect(await one.run('key', 'revoke', idOf('second'))).toMatchObject({ exitCode: 0, errors: '' })
    await caughtUp(two, one)
    expect(await statusOf(two, second)).toBe(401)
    expect(await one.run('user', 'create', 'ada@example.com')).toMatchObject({ exitCode: 1 })
  })

  test('have the forms that a file was applied for on one of them, beside its server and without one', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    await addUser(one)
    const file = join(temporaryFolder(), 'forms.toml')
    const hook = '[forms.contact.webhooks.crm]\nurl = "https://crm.example.com/"\n'
    const apply = async (machine: Machine, text: string, ...flags: string[]) => {
      await Bun.write(file, text)
      return await machine.run('apply', file, '--user', 'ada@example.com', ...flags)
    }
    expect((await apply(one, `[forms.contact]\ntitle = "One"\n${hook}`, '--check')).exitCode).toBe(3)
    expect(await apply(one, `[forms.contact]\ntitle = "One"\n${hook}`)).toMatchObject({ exitCode: 0, errors: '' })
    await expectEqual([one, two])
    const changed = await apply(two, '[forms.contact]\ntitle = "Two"\nspamDays = 3')
    expect(changed.output).toContain('    title: "One" → "Two"\n    spamDays: 30 → 3\n')
    await expectEqual([one, two])
    await one.stop()
    // It has what the others did before it compares anything.
    await apply(two, '[forms.contact]\ntitle = "Three"')
    const without = await apply(one, '[forms.contact]\ntitle = "Four"')
    expect(without.output).toContain('    title: "Three" → "Four"\n')
    expect(await apply(one, '[forms.contact]\ntitle = "Four"', '--check')).toMatchObject({ exitCode: 0, errors: '' })
    await caughtUp(two, one)
    expect(await apply(two, '[forms.contact]\ntitle = "Four"', '--check')).toMatchObject({ exitCode: 0, errors: '' })
  })

  test('go on reading without the engine, refuse writes with 503, and go on writing when it is back', async () => {
    const cluster = await startCluster()
    const one = await cluster.start('one', { settings: { FORMBOX_METRICS_ALLOW: '127.0.0.0/8' } })
    const key = await addUser(one)
    const form = await newForm(one, key)
    await cluster.postgres?.kill()
    const refused = await submit(one, form, { name: 'Ada' })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect((await call(one, key, 'GET', `/forms/${form}`)).status).toBe(200)
    await until(async () => !(await one.isReady()), 'machine one is not ready', slowly)
    // Others may have made it, and this one does not know yet.
    const unknown = form.replace(/.{5}$/, 'zzzzz')
    const unknowns = async () => [
      await submit(one, unknown, { name: 'Ada' }),
      await fetch(`${one.url}/s/${unknown}/challenge`),
      await fetch(`${one.url}/sheet/${'a'.repeat(32)}.csv`),
      await fetch(`${one.url}/api/v1/forms/${unknown}`, { headers: { authorization: `Bearer ${key}` } }),
      await fetch(`${one.url}/api/v1/forms/${form}`, { headers: { authorization: `Bearer api_${'0'.repeat(32)}` } }),
    ]
    const late = await unknowns()
    expect(late.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(Array(5).fill([503, '5']))
    expect(await late[0]?.json()).toMatchObject({
      message: 'This machine has not caught up yet, retry after 5 seconds',
    })
    expect((await fetch(`${one.url}/nowhere`)).status).toBe(404)
    expect((await fetch(`${one.url}/api/v1/forms`)).status).toBe(401)
    // The machine itself is well, and its disk.
    const measured = parseMetrics(await (await fetch(`${one.url}/metrics`)).text())
    expect(sampleOf(measured, 'formbox_writer_failing')).toBe(0)
    expect(sampleOf(measured, 'formbox_cluster_ready')).toBe(0)
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
    expect(await one.run('healthcheck', '--port', new URL(one.url).port)).toMatchObject({ exitCode: 0 })
    await cluster.postgres?.start()
    await until(one.isReady, 'machine one is ready', slowly)
    expect((await submit(one, form, { name: 'Ada' })).status).toBe(200)
    expect((await unknowns()).map(({ status }) => status)).toEqual([404, 404, 404, 404, 401])
    const { body } = await call(one, key, 'GET', `/forms/${form}/submissions`)
    expect(body.pagination.total).toBe(1)
    await until(
      () => /writes are refused until it works again\n.*works again\n$/.test(one.errors()),
      'machine one says that the log works again',
      slowly,
    )
  })

  test('stop while the engine hangs before their writes would have ended, and answer what waits', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const form = await newForm(one, key)
    await caughtUp(two, one)
    cluster.postgres?.freeze()
    let isTwoAnswered = false
    const other = submit(two, form, { name: 'Ada' }).finally(() => (isTwoAnswered = true))
    const waiting = Array.from({ length: 20 }, () => submit(one, form, { name: 'Ada' }))
    // It has arrived behind them.
    expect((await call(one, key, 'GET', `/forms/${form}`)).status).toBe(200)
    one.kill('SIGTERM')
    const answers = await Promise.all(waiting)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    const { exitCode } = await one.ended()
    expect(exitCode).toBe(0)
    expect(isTwoAnswered).toBe(false)
    cluster.postgres?.thaw()
    await other
  })

  test('copy the data of a neighbour when the log no longer has what they need', async () => {
    const cluster = await startCluster()
    const one = await cluster.start('one')
    const two = await cluster.start('two')
    const key = await addUser(one)
    const form = await newForm(one, key)
    await caughtUp(two, one)
    await two.stop()
    await submit(one, form, { name: 'Ada' })
    await one.stop()
    await cluster.postgres?.ask('DELETE FROM formbox_log WHERE seq < (SELECT seq FROM formbox_log_head)')
    const stuck = await runCommand(two.environment, ['serve'])
    expect(stuck.exitCode).toBe(1)
    expect(stuck.errors).toContain('it was off for too long')
    const port = new URL(one.url).port
    const again = await cluster.start('one', {
      folder: one.folder,
      settings: { FORMBOX_PORT: port, FORMBOX_NODE_URL: `http://127.0.0.1:${port}` },
    })
    const stranger = await fetch(`${again.url}/cluster/copy`, { headers: { authorization: 'Bearer x' } })
    expect(stranger.status).toBe(401)
    await until(
      async () => (await again.run('cluster', 'status', '--json')).output.includes(port),
      'the other machine is reported',
      slowly,
    )
    const second = await cluster.start('two', { folder: two.folder })
    expect(second.errors()).toContain('the data of one is here; what was here before is kept in')
    const third = await cluster.start('three', { folder: temporaryFolder() })
    expect(third.errors()).toContain('the data of one is here')
    for (const machine of [second, third]) expect((await submit(machine, form, { name: 'Grace' })).status).toBe(200)
    await expectEqual([again, second, third])
  })

  test('leave the cluster and go on alone, but not by mistake', async () => {
    const cluster = await startCluster()
    const one = await cluster.start('one')
    const key = await addUser(one)
    await one.stop()
    const { FORMBOX_CLUSTER: _, FORMBOX_NODE: __, ...alone } = one.environment
    for (const words of [['serve'], ['key', 'revoke', 'x']])
      expect(await runCommand(alone, words)).toMatchObject({
        exitCode: 1,
        errors: expect.stringContaining('belongs to a cluster'),
      })
    expect(await runCommand(alone, ['cluster', 'leave'])).toMatchObject({
      exitCode: 0,
      errors: expect.stringMatching(/^formbox: the log was not read on from row \d+: FORMBOX_CLUSTER is not set\n$/),
    })
    const left = await cluster.start('one', { folder: one.folder, settings: { FORMBOX_CLUSTER: '', FORMBOX_NODE: '' } })
    expect((await call(left, key, 'GET', '/forms')).status).toBe(200)
    await left.stop()
    // What it wrote alone, the cluster does not have.
    const back = await runCommand(one.environment, ['serve'])
    expect(back).toMatchObject({ exitCode: 1, errors: expect.stringContaining('is not what the cluster began with') })
  })

  test('execute what the log has before they leave, or say why they could not', async () => {
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one'), cluster.start('two')])
    const key = await addUser(one)
    const form = await newForm(one, key)
    await caughtUp(two, one)
    await two.stop()
    for (let n = 0; n < 20; n++) expect((await submit(one, form, { n })).status).toBe(200)
    await one.stop()
    const last = appliedOn(one)
    expect(appliedOn(two)).toBeLessThan(last)
    expect(await two.run('cluster', 'leave')).toEqual({
      exitCode: 0,
      output: `This machine has everything up to row ${last} of the log, and has left the cluster\n`,
      errors: '',
    })
    expect(appliedOn(two)).toBe(0)
    const left = await cluster.start('two', { folder: two.folder, settings: { FORMBOX_CLUSTER: '', FORMBOX_NODE: '' } })
    expect((await call(left, key, 'GET', `/forms/${form}/submissions`)).body.pagination.total).toBe(20)
    // PostgreSQL was restored from a backup.
    await cluster.postgres?.ask('DELETE FROM formbox_log WHERE seq > (SELECT seq FROM formbox_log_head) - 5')
    expect(await one.run('cluster', 'leave')).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(`everything up to row ${last} `),
      errors: expect.stringContaining(`was not read on from row ${last}: the log of the cluster ends at ${last - 5}`),
    })
  })

  test('take commands at the same time while they are stopped, also before the first start', async () => {
    const cluster = await startCluster()
    await cluster.start('one')
    const environment = {
      ...testSettings,
      FORMBOX_CLUSTER: cluster.url,
      FORMBOX_NODE: 'two',
      FORMBOX_DATA: temporaryFolder(),
    }
    const emails: string[] = []
    for (let round = 0; round < 10; round++) {
      const added = ['a', 'b'].map((name) => `${name}${round}@example.com`)
      const ends = await Promise.all(added.map((email) => runCommand(environment, ['user', 'create', email])))
      // Before anything else, the folder has no data.
      const errors = round === 0 ? expect.stringMatching(/^(formbox: there was no data yet in .*\n)?$/) : ''
      expect(ends).toEqual(added.map(() => ({ exitCode: 0, output: expect.stringMatching(/^\S{20,}\n$/), errors })))
      emails.push(...added)
    }
    const { output } = await runCommand(environment, ['user', 'list', '--json'])
    expect(
      JSON.parse(output)
        .map(({ email }: { email: string }) => email)
        .sort(),
    ).toEqual(emails.sort())
  })

  test('start when the command that takes the place of a server has ended', async () => {
    const cluster = await startCluster()
    const { folder, stop } = await cluster.start('one')
    await stop()
    const lock = lockFolder(folder)
    const started = cluster.start('one', { folder })
    await Bun.sleep(1500)
    lock.release()
    await started
  })

  test('give a command time while they catch up, and end it when they get no further', async () => {
    const cluster = await startCluster()
    const { folder, stop } = await cluster.start('one')
    await stop()
    const log = open(cluster.url)
    const version = migrations.length
    for (let n = 0; n < 40; n++) await log.append({ id: `row ${n}`, version, batch: '[]' })
    // This process is the server, and slow.
    const lock = lockFolder(folder)
    const db = connect(folder)
    afterThisTest(() => {
      db.$client.close()
      lock.release()
    })
    const executor = createLogExecutor({ db, joinCommands: joinWrites, version, fingerprint: () => '' })
    const writes = await openCommandWrites({
      cluster: { engine: [cluster.url], node: 'one', url: null },
      folder,
      joinCommands: joinWrites,
      patienceMilliseconds: 1000,
    })
    afterThisTest(writes.close)
    const createUser = (email: string) => writes.run('createUser', { id: newId(Date.now()), email, passwordHash: 'x' })
    let isDone = false
    const created = createUser('ada@example.com').finally(() => (isDone = true))
    while (!isDone) {
      const { rows } = await log.readFrom(executor.position().seq)
      if (rows.length > 1) executor.execute(rows.slice(1, 2))
      await Bun.sleep(50)
    }
    expect(await created).toBeUndefined()
    expect(await failure(createUser('grace@example.com'))).toMatchObject({
      message: expect.stringMatching(/does not follow the log of the cluster; it may be done all the same$/),
    })
  })

  test('say why a command cannot be carried out while they are stopped', async () => {
    const cluster = await startCluster()
    const one = await cluster.start('one')
    await one.stop()
    const words = ['user', 'create', 'ada@example.com']
    await cluster.postgres?.ask(`
      CREATE ROLE guest LOGIN PASSWORD 'guest';
      GRANT SELECT ON formbox_meta TO guest;`)
    const guest = { ...one.environment, FORMBOX_CLUSTER: cluster.url.replace(/\/\/.*@/, '//guest:guest@') }
    expect(await runCommand(guest, words)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('permission denied for table formbox_log'),
    })
    // No one has the lock: it cannot be taken at all.
    rmSync(join(one.folder, 'formbox.lock'))
    mkdirSync(join(one.folder, 'formbox.lock'))
    expect(await one.run(...words)).toMatchObject({ exitCode: 1, errors: expect.stringContaining('cannot lock ') })
    expect(JSON.parse((await one.run('user', 'list', '--json')).output)).toEqual([])
  })

  test('take no command for the log of another cluster, whether a server runs or not', async () => {
    const cluster = await startCluster()
    const one = await cluster.start('one')
    await addUser(one)
    await cluster.postgres?.ask('CREATE DATABASE other')
    const other = await startCluster(cluster.postgres?.urlOf('other'))
    const two = await other.start('two')
    await addUser(two, 'grace@example.com')
    const environment = { ...one.environment, FORMBOX_CLUSTER: other.url }
    const words = ['user', 'create', 'eve@example.com']
    for (let n = 0; n < 2; n++) {
      const { exitCode, errors } = await runCommand(environment, words)
      expect({ exitCode, errors }).toEqual({
        exitCode: 1,
        errors: expect.stringMatching(/has another row|ends at/),
      })
      if (n === 0) await one.stop()
    }
    expect((await two.run('user', 'list')).output).not.toContain('eve@example.com')
  })

  test('say why the others cannot know of them, and report though their backups cannot be read', async () => {
    const cluster = await startCluster()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'backups'), '')
    const one = await cluster.start('one', { folder, settings: { FORMBOX_BACKUP_EVERY: '1d' } })
    await until(
      async () => (await one.run('cluster', 'status', '--json')).output.includes('"one"'),
      'machine one is reported',
      slowly,
    )
    expect(one.errors()).toContain('formbox: this machine cannot read its backups: ')
    await cluster.postgres?.ask(`
      CREATE ROLE guest LOGIN PASSWORD 'guest';
      GRANT SELECT, INSERT, UPDATE, DELETE ON formbox_log, formbox_log_head, formbox_meta TO guest;
      GRANT SELECT ON formbox_nodes TO guest;`)
    const two = await cluster.start('two', {
      settings: { FORMBOX_CLUSTER: cluster.url.replace(/\/\/.*@/, '//guest:guest@') },
    })
    await until(
      () => two.errors().includes('permission denied for table formbox_nodes\n'),
      'machine two says what it may not do',
      slowly,
    )
    await addUser(two)
    await caughtUp(one, two)
  })

  test('erase what one person has sent, whichever is asked, and keep no byte of it', async () => {
    const cluster = await startCluster()
    const machines = await Promise.all(['one', 'two', 'three'].map((name) => cluster.start(name)))
    const [one, two, three] = machines as [Machine, Machine, Machine]
    const key = await addUser(one)
    await caughtUp(two, one)
    const forms = [await newForm(two, key), await newForm(two, key)]
    for (const machine of machines) await caughtUp(machine, two)
    const text = `visitor-${crypto.randomUUID()}`
    const email = `${text}@example.com`
    for (const [n, machine] of machines.entries())
      for (const form of forms) {
        await submit(machine, form, { email, message: `${'x'.repeat(n * 100_000)} ${text}` })
        await submit(machine, form, { email: 'somebody@example.com', message: 'stays' })
      }
    await expectEqual(machines)
    const [form] = forms as [string]
    const { submissions } = (await call(one, key, 'GET', `/forms/${form}/submissions`)).body
    const own = submissions.filter(({ data }: { data: { email: string } }) => data.email === email)
    await call(one, key, 'POST', `/forms/${form}/submissions/${own[0].id}/notes`, { text: `Called ${text}` })
    await call(one, key, 'POST', `/forms/${form}/submissions/${own[1].id}/spam`)
    await caughtUp(three, one)

    // Nothing is erased by a wrong number.
    expect((await call(three, key, 'POST', '/personal-data/erase', { value: email, count: 5 })).status).toBe(400)
    const { status, body } = await call(three, key, 'POST', '/personal-data/erase', { value: email, count: 6 })
    expect([status, body.erased]).toEqual([200, 6])
    for (const machine of machines) {
      await caughtUp(machine, three)
      expect((await call(machine, key, 'POST', '/personal-data/search', { value: email })).body.matches).toEqual([])
    }
    // The long ones are removed in slices, which are commands too.
    for (const { folder } of machines)
      await until(() => rowsOf(folder, 'SELECT 1 FROM abandoned_pieces').length === 0, 'their pieces are gone', slowly)
    await expectEqual(machines)
    for (const form of forms) {
      const left = await call(two, key, 'GET', `/forms/${form}/submissions`)
      expect(left.body.pagination.total).toBe(3)
    }
    for (const { folder, stop } of machines) {
      await stop()
      const db = connect(folder)
      expect(emptyWal(db)).toBe(true)
      db.$client.close()
      for (const file of [dataFile(folder), walFile(folder)])
        expect([file, existsSync(file) && readFileSync(file).includes(text)]).toEqual([file, false])
    }
  })

  test('reply in the language of the submission, whichever takes it, sends the mail or shows the page behind it', async () => {
    let isBusy = true
    const smtp = await startSmtp({ RCPT: () => (isBusy ? '451 4.3.0 Try again later' : '250 Ok') })
    const settings = {
      FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://forms.example.com',
    }
    const cluster = await startCluster()
    const [one, two] = await Promise.all([cluster.start('one', { settings }), cluster.start('two', { settings })])
    const key = await addUser(one)
    const form = await newForm(one, key)
    const reply = { field: 'email', subject: 'Thanks', text: 'Hello' }
    expect(await call(one, key, 'PATCH', `/forms/${form}/settings`, { reply })).toMatchObject({ status: 200 })
    const german = { 'accept-language': 'de' }
    await submit(one, form, { email: 'grace@example.org', name: 'Grace' }, german)
    await caughtUp(two, one)
    const waiting = () => rowsOf<{ id: string; log: string }>(two.folder, 'SELECT id, log FROM deliveries')[0]
    await until(() => waiting()?.log.includes('451') === true, 'the mail server was busy once', slowly)
    await one.stop()
    isBusy = false
    await call(two, key, 'POST', `/forms/${form}/deliveries/${waiting()?.id}/retry`)
    await until(() => smtp.mails.length === 1, 'the other machine has sent the reply', slowly)
    const mail = unfolded(smtp.mails[0] ?? '')
    for (const words of ['<html lang="de">', 'in ein Formular auf forms.example.com']) expect(mail).toContain(words)
    expect(mail).not.toContain('someone entered')
    const [, path = ''] = /^List-Unsubscribe: <https:\/\/forms\.example\.com(\/[^>]+)>/m.exec(mail) ?? []
    const again = await cluster.start('one', { folder: one.folder, settings })
    for (const [machine, method] of [
      [two, 'GET'],
      [again, 'GET'],
      [again, 'POST'],
    ] as const) {
      const page = await fetch(machine.url + path, { method, headers: { 'accept-language': 'en' } })
      expect([page.status, page.headers.get('content-language')]).toEqual([200, 'de'])
    }
  })

  test('do not share a name', async () => {
    const cluster = await startCluster()
    await cluster.start('one')
    const namesake = await runCommand(
      { ...(await cluster.start('two')).environment, FORMBOX_NODE: 'one', FORMBOX_DATA: temporaryFolder() },
      ['serve'],
    )
    expect(namesake).toMatchObject({ exitCode: 1, errors: expect.stringContaining('is called one as well') })
  })
})
