import { afterEach, describe, expect, test } from 'bun:test'
import { newId } from '../../../../src/base/id.ts'
import { createLogExecutor } from '../../../../src/storage/cluster/execute.ts'
import { fingerprintOf } from '../../../../src/storage/cluster/fingerprint.ts'
import { startFollower } from '../../../../src/storage/cluster/follower.ts'
import type { Halt } from '../../../../src/storage/cluster/log.ts'
import { isBehind, isReady, openClusterState, steadyNow } from '../../../../src/storage/cluster/state.ts'
import { prepareDataFolder } from '../../../../src/storage/data-folder.ts'
import { migrations } from '../../../../src/storage/migrations.ts'
import { connect } from '../../../../src/storage/open.ts'
import type { Batch } from '../../../../src/storage/writer/batch.ts'
import { fromReply, toMessage } from '../../../../src/storage/writer/messages.ts'
import { joinWrites } from '../../../../src/upkeep/all-writes.ts'
import { createStandIn, type StandIn } from '../../../cluster/stand-in.ts'
import { temporaryFolder } from '../../../harness.ts'
import { slowly, until } from '../../../until.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface MachineOptions {
  readonly folder?: string
  readonly version?: number
  readonly answerMilliseconds?: number
  /** Writes to the file before the machine joins. */
  readonly before?: Batch
}

/** A machine with a real file that follows the log. */
const startMachine = (standIn: StandIn, { folder = temporaryFolder(), ...options }: MachineOptions = {}) => {
  prepareDataFolder(folder)
  const db = connect(folder)
  const halts: Halt[] = []
  const faults: string[] = []
  const version = options.version ?? migrations.length
  const fingerprint = () => fingerprintOf(db.$client).all
  const executor = createLogExecutor({ db, joinCommands: joinWrites, version, fingerprint })
  const state = openClusterState()
  const follower = startFollower({
    log: standIn.connect(),
    executor,
    state,
    instance: crypto.randomUUID(),
    version,
    fingerprint,
    onHalt: (halt) => halts.push(halt),
    onFault: (line) => faults.push(line),
    ...(options.answerMilliseconds && { answerMilliseconds: options.answerMilliseconds }),
  })
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await follower.close()
    db.$client.close()
  }
  closing.push(close)
  const joined = () => until(() => executor.position().seq > 0 && isReady(state), 'the machine is ready', slowly)
  return {
    folder,
    db,
    halts,
    faults,
    state,
    close,
    joined,
    limitWaits: follower.limitWaits,
    position: () => executor.position().seq,
    fingerprint,
    submit: async (...batch: Batch) => fromReply(await follower.submit(toMessage(batch)), batch.length),
    submitSince: async (since: number, ...batch: Batch) =>
      fromReply(await follower.submit(toMessage(batch), since), batch.length),
    caughtUp: (seq: number) => until(() => executor.position().seq >= seq, `row ${seq} is executed`, slowly),
  }
}

const newUser = (email: string) => {
  const id = newId(Date.now())
  return ['createUser', { id, email, passwordHash: 'x' }] as const
}

describe('a machine of a cluster', () => {
  test('writes what the others read, in one order, and all files are equal', async () => {
    const standIn = createStandIn()
    const machines = [startMachine(standIn), startMachine(standIn), startMachine(standIn)]
    for (const machine of machines) await machine.joined()
    await Promise.all(
      machines.map(async (machine, of) => {
        for (let n = 0; n < 20; n++)
          expect(await machine.submit(newUser(`${of}-${n}@x.example`))).toEqual([{ result: undefined }])
      }),
    )
    const end = standIn.rows.at(-1)?.seq as number
    for (const machine of machines) await machine.caughtUp(end)
    expect(new Set(machines.map(({ fingerprint }) => fingerprint())).size).toBe(1)
    expect(machines[0]?.db.$client.query('SELECT count(*) AS count FROM users').get()).toEqual({ count: 60 })
  })

  test('learns from its own row that another machine was faster', async () => {
    const standIn = createStandIn()
    const [one, other] = [startMachine(standIn), startMachine(standIn)]
    await one.joined()
    await other.joined()
    const outcomes = await Promise.all([one.submit(newUser('a@x.example')), other.submit(newUser('a@x.example'))])
    expect(outcomes.flat().filter((outcome) => 'result' in outcome)).toHaveLength(1)
  })

  test('takes a code of a second factor once, though it comes to two machines at the same moment', async () => {
    const standIn = createStandIn()
    const [one, other] = [startMachine(standIn), startMachine(standIn)]
    await one.joined()
    await other.joined()
    const [name, user] = newUser('a@x.example')
    const session = (hash: string) => ({ id: hash, hash, userId: user.id, passwordHash: 'x', expiresAt: 2, now: 1 })
    const factor = { id: 'f', session: 's', secret: 'A', step: 1, recoveryCodes: ['r'] }
    const made = await one.submit(
      [name, user],
      ['startSession', { ...session('s'), browser: '' }],
      ['turnOnSecondFactor', { userId: user.id, passwordHash: 'x', ...factor }],
    )
    expect(made).toEqual([{ result: undefined }, { result: { state: 'started' } }, { result: undefined }])
    for (const code of [{ factor: 'f', step: 2, guesser: 'g', at: 1 }, { recoveryCode: 'r' }]) {
      const signIn = (hash: string) => ['startSession', { ...session(hash), code, browser: '' }] as const
      const outcomes = await Promise.all([one.submit(signIn(newId(1))), other.submit(signIn(newId(2)))])
      const states = outcomes.flat().map((outcome) => ('result' in outcome ? outcome.result : outcome))
      expect(states).toContainEqual({ state: 'started' })
      expect(states).toContainEqual({ state: 'used' })
    }
    await other.caughtUp(standIn.rows.at(-1)?.seq as number)
    await one.caughtUp(standIn.rows.at(-1)?.seq as number)
    expect(one.db.$client.query('SELECT count(*) AS count FROM sessions').get()).toEqual({ count: 3 })
    expect(other.fingerprint()).toBe(one.fingerprint())
  })

  test('stores a batch once though the answer of the log was lost', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn)
    await machine.joined()
    standIn.faults.loseAnswers = 3
    expect(await machine.submit(newUser('a@x.example'))).toEqual([{ result: undefined }])
    expect(standIn.rows).toHaveLength(2)
  })

  test('executes a row that is read twice once', async () => {
    const standIn = createStandIn()
    const [one, other] = [startMachine(standIn), startMachine(standIn)]
    await one.joined()
    standIn.faults.repeatRows = true
    for (let n = 0; n < 5; n++) await one.submit(newUser(`${n}@x.example`))
    await other.caughtUp(6)
    expect(other.fingerprint()).toBe(one.fingerprint())
    expect(other.halts).toEqual([])
  })

  test('says of a write without an answer that it may have been stored, and refuses further ones at once', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn, { answerMilliseconds: 1000 })
    await machine.joined()
    standIn.faults.hang = true
    const [outcome] = await machine.submit(newUser('a@x.example'))
    expect(outcome).toMatchObject({
      refused: { code: 'unavailable', message: expect.stringContaining('may have been stored') },
    })
    expect(machine.faults).toHaveLength(1)
    standIn.faults.hang = false
    await until(() => machine.faults.length === 2, 'the machine has reported two faults')
    expect(await machine.submit(newUser('b@x.example'))).toEqual([{ result: undefined }])
  })

  test('goes on behind the row that its file has, after a restart', async () => {
    const standIn = createStandIn()
    const [one, other] = [startMachine(standIn), startMachine(standIn)]
    await one.joined()
    await one.submit(newUser('a@x.example'))
    await one.close()
    await other.joined()
    await other.submit(newUser('b@x.example'))
    const again = startMachine(standIn, { folder: one.folder })
    await again.caughtUp(3)
    expect(again.fingerprint()).toBe(other.fingerprint())
  })

  test('stops at a gap', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn)
    await machine.joined()
    standIn.rows.push({ seq: 3, id: 'x', version: migrations.length, batch: '[]' })
    await until(() => machine.halts.length > 0, 'the machine halts')
    expect(machine.halts[0]?.message).toContain('has a gap: row 2 is missing before row 3')
    expect(await machine.submit(newUser('a@x.example'))).toMatchObject([{ refused: { code: 'unavailable' } }])
  })

  test('stops when the log has lost the row that it executed last', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn)
    await machine.joined()
    await machine.submit(newUser('a@x.example'))
    standIn.rows.pop()
    await until(() => machine.halts.length > 0, 'the machine halts')
    expect(machine.halts[0]?.message).toContain('ends at 1, but this machine has executed row 2')
  })

  test('does not append behind a row that another machine put in the place of a lost one', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn)
    await machine.joined()
    await machine.submit(newUser('a@x.example'))
    standIn.rows.pop()
    standIn.rows.push({ seq: 2, id: 'other', version: migrations.length, batch: '[]' })
    await machine.submit(newUser('b@x.example'))
    expect(machine.halts[0]?.message).toContain('has another row 2 than this machine has executed')
    expect(machine.db.$client.query('SELECT email FROM users').all()).toEqual([{ email: 'a@x.example' }])
  })

  test('stops when the log begins after the rows that it needs', async () => {
    const standIn = createStandIn()
    const one = startMachine(standIn)
    await one.joined()
    for (let n = 0; n < 5; n++) await one.submit(newUser(`${n}@x.example`))
    standIn.rows.splice(0, 4)
    const late = startMachine(standIn)
    await until(() => late.halts.length > 0, 'the late machine halts')
    expect(late.halts[0]?.message).toContain('begins at row 5 by now')
  })

  test('executes no row of a newer version, but everything before it', async () => {
    const standIn = createStandIn()
    const old = startMachine(standIn)
    await old.joined()
    const newer = startMachine(standIn, { version: migrations.length + 1 })
    await newer.joined()
    await old.submit(newUser('a@x.example'))
    await newer.submit(newUser('b@x.example'))
    await until(() => old.halts.length > 0, 'the older machine halts')
    expect(old.halts[0]).toMatchObject({ isOutdated: true, message: expect.stringContaining('upgrade Formbox') })
    expect(old.db.$client.query('SELECT email FROM users').all()).toEqual([{ email: 'a@x.example' }])
  })

  test('executes no command that it does not know, which would be refused here and done elsewhere', async () => {
    const standIn = createStandIn()
    const old = startMachine(standIn)
    await old.joined()
    await old.submit(newUser('a@x.example'))
    const batch = toMessage([newUser('b@x.example'), ['createTag', {}]])
    await standIn.connect().append({ id: 'newer-1', version: migrations.length, batch })
    await until(() => old.halts.length > 0, 'the older machine halts')
    expect(old.halts[0]).toMatchObject({ isOutdated: true, message: expect.stringContaining('the command createTag') })
    expect(old.db.$client.query('SELECT email FROM users').all()).toEqual([{ email: 'a@x.example' }])
  })

  test.each(['not JSON', '5', 'null', '{}', '[5]', '[[]]', '[["createUser"]', '{"keep":true,"commands":5}'])(
    'stops at the row %p, which no Formbox has written, and executes everything before it',
    async (batch) => {
      const standIn = createStandIn()
      const machine = startMachine(standIn)
      await machine.joined()
      await machine.submit(newUser('a@x.example'))
      await standIn.connect().append({ id: 'poisoned', version: migrations.length, batch })
      await until(() => machine.halts.length > 0, 'the machine halts')
      expect(machine.halts[0]).toMatchObject({
        isOutdated: false,
        message: expect.stringContaining('row 3 of the log of the cluster was not written by Formbox'),
      })
      expect(machine.position()).toBe(2)
      expect(machine.faults).toEqual([])
    },
  )

  test('stops at a log that does not begin with what its machines have in common', async () => {
    const standIn = createStandIn()
    standIn.rows.push({ seq: 1, id: 'x', version: migrations.length, batch: toMessage([newUser('a@x.example')]) })
    const machine = startMachine(standIn)
    await until(() => machine.halts.length > 0, 'the machine halts')
    expect(machine.halts[0]?.message).toContain('row 1 of the log of the cluster was not written by Formbox')
    expect(machine.position()).toBe(0)
  })

  test('appends nothing behind a write that was not answered, until an empty row shows that the log takes rows again', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn, { answerMilliseconds: 1000 })
    await machine.joined()
    standIn.faults.refuseAppends = true
    expect(await machine.submit(newUser('a@x.example'))).toMatchObject([
      { refused: { message: expect.stringContaining('may have been stored') } },
    ])
    for (let n = 0; n < 3; n++)
      expect(await machine.submit(newUser('b@x.example'))).toMatchObject([
        { refused: { code: 'unavailable', message: expect.not.stringContaining('may have been stored') } },
      ])
    // Reading fails for a moment, too. That it works again is not all.
    standIn.faults.refuseReads = 1
    await until(() => standIn.faults.refuseReads === 0, 'all reads that fail have failed')
    const caughtUpAt = machine.state.get('caughtUpAt')
    await until(() => machine.state.get('caughtUpAt') > caughtUpAt, 'the machine has caught up again')
    expect(machine.faults).toHaveLength(1)
    machine.state.set('appendingSince', steadyNow() - 5001)
    expect(isReady(machine.state)).toBe(false)
    standIn.faults.refuseAppends = false
    await until(() => isReady(machine.state), 'the machine is ready')
    expect(await machine.submit(newUser('c@x.example'))).toEqual([{ result: undefined }])
    expect(standIn.rows.slice(1).map(({ batch }) => JSON.parse(batch).length)).toEqual([0, 1])
    expect(machine.faults).toEqual([
      expect.stringContaining('writes are refused until it works again'),
      'the log of the cluster works again',
    ])
  })

  test('tells of a full disk, too, while the log fails', async () => {
    const standIn = createStandIn()
    const [one, other] = [startMachine(standIn), startMachine(standIn)]
    await one.joined()
    await other.joined()
    standIn.faults.hang = true
    await until(() => other.faults.length > 0, 'the other machine tells of its fault')
    other.db.$client.run('PRAGMA query_only = ON')
    standIn.faults.hang = false
    standIn.rows.push({ seq: 2, id: 'x', version: migrations.length, batch: toMessage([newUser('a@x.example')]) })
    await until(
      () => other.faults.some((line) => line.includes('this machine cannot execute it')),
      'the other machine says that it cannot execute a row',
    )
    other.db.$client.run('PRAGMA query_only = OFF')
    await until(
      () => other.faults.at(-1) === 'the log of the cluster works again',
      'the log works again for the other machine',
    )
  })

  test('says nothing of the log when it is closed, and lets no write wait then', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn, { answerMilliseconds: 3_600_000 })
    await machine.joined()
    standIn.faults.isStuck = true
    const submitted = machine.submit(newUser('a@x.example'))
    await until(() => standIn.calls() > 1, 'the log was asked twice')
    await machine.close()
    expect(await submitted).toMatchObject([{ refused: { message: expect.stringContaining('may have been stored') } }])
    expect(machine.faults).toEqual([])
  })

  test('lets no write wait for longer than it is told', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn, { answerMilliseconds: 3_600_000 })
    await machine.joined()
    standIn.faults.refuseAppends = true
    const submitted = machine.submit(newUser('a@x.example'))
    machine.limitWaits(100)
    expect(await submitted).toMatchObject([{ refused: { message: expect.stringContaining('may have been stored') } }])
    expect(await machine.submit(newUser('b@x.example'))).toMatchObject([
      { refused: { message: expect.not.stringContaining('may have been stored') } },
    ])
  })

  test('lets a write wait for less if it has waited before', async () => {
    const standIn = createStandIn()
    const machine = startMachine(standIn, { answerMilliseconds: 3_600_000 })
    await machine.joined()
    standIn.faults.refuseAppends = true
    expect(await machine.submitSince(steadyNow() - 3_599_900, newUser('a@x.example'))).toMatchObject([
      { refused: { message: expect.stringContaining('may have been stored') } },
    ])
  })

  test('refuses to join with other data than the cluster began with', async () => {
    const standIn = createStandIn()
    const one = startMachine(standIn)
    await one.joined()
    const folder = temporaryFolder()
    prepareDataFolder(folder)
    const db = connect(folder)
    joinWrites(db).createUser({ id: newId(Date.now()), email: 'other@x.example', passwordHash: 'x' })
    db.$client.close()
    const other = startMachine(standIn, { folder })
    await until(() => other.halts.length > 0, 'the other machine halts')
    expect(other.halts[0]?.message).toContain('is not what the cluster began with')
  })

  test('does not skip a row that its disk does not take', async () => {
    const standIn = createStandIn()
    const [one, other] = [startMachine(standIn), startMachine(standIn)]
    await one.joined()
    await other.joined()
    other.db.$client.run('PRAGMA query_only = ON')
    await one.submit(newUser('a@x.example'))
    await until(() => other.faults.length > 0, 'the other machine tells of its fault')
    expect(other.position()).toBe(1)
    expect([one, other].map(({ state }) => state.get('failing'))).toEqual([0, 1])
    other.db.$client.run('PRAGMA query_only = OFF')
    await other.caughtUp(2)
    expect(other.state.get('failing')).toBe(0)
    expect(other.fingerprint()).toBe(one.fingerprint())
  })
})

test('a machine is behind before it has read the log, while it executes it, and after it could not read it for two seconds', () => {
  const state = openClusterState()
  const set = (applied: number, end: number, caughtUpAt: number): boolean => {
    for (const [name, value] of Object.entries({ applied, end, caughtUpAt })) state.set(name as 'end', value)
    return isBehind(state)
  }
  expect(isBehind(state)).toBe(true)
  expect(set(7, 7, steadyNow())).toBe(false)
  // It reads once a second.
  expect(set(7, 7, steadyNow() - 1000)).toBe(false)
  expect(set(7, 8, steadyNow())).toBe(true)
  expect(set(8, 8, steadyNow() - 2001)).toBe(true)
  // A write that waits says nothing about what was written elsewhere.
  state.set('appendingSince', steadyNow() - 60_000)
  expect(set(8, 8, steadyNow())).toBe(false)
})
