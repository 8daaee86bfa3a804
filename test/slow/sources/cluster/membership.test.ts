import { afterEach, describe, expect, test } from 'bun:test'
import { OperatorError } from '../../../../src/base/operator-errors.ts'
import { describeNodes } from '../../../../src/storage/cluster/describe.ts'
import { type Halt, LogUnavailable, type NodeReport } from '../../../../src/storage/cluster/log.ts'
import { startMembership } from '../../../../src/storage/cluster/membership.ts'
import { createStandIn, type StandIn } from '../../../cluster/stand-in.ts'
import { slowly, until } from '../../../until.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Long enough for any pause of this process: the tests move the clock of the engine instead of waiting. */
const silentSeconds = 60
const waitSeconds = 3600

interface Options {
  readonly node: string
  readonly applied: number
  readonly backedUp?: number | null | (() => number)
  readonly marginSeconds?: number
}

const join = (standIn: StandIn, { node, applied, backedUp = null, marginSeconds = 60 }: Options) => {
  const halts: Halt[] = []
  const faults: string[] = []
  const { close } = startMembership({
    log: standIn.connect(),
    executor: { position: () => ({ seq: applied, id: 'x' }) },
    node,
    instance: crypto.randomUUID(),
    version: 1,
    url: null,
    backedUp: typeof backedUp === 'function' ? backedUp : () => backedUp,
    onHalt: (halt) => halts.push(halt),
    onFault: (line) => faults.push(line),
    limits: {
      reportMilliseconds: 5,
      silentSeconds,
      reportsBetweenTrims: 2,
      margin: 10,
      waitSeconds,
      marginSeconds,
    },
  })
  closing.push(close)
  return { halts, faults, close }
}

const filled = (rows: number): StandIn => {
  const standIn = createStandIn()
  for (let seq = 1; seq <= rows; seq++) standIn.rows.push({ seq, id: String(seq), version: 1, batch: '[]' })
  return standIn
}

const firstRow = (standIn: StandIn) => standIn.rows[0]?.seq

describe('the log', () => {
  test('is trimmed behind what every machine has, less a margin', async () => {
    const standIn = filled(100)
    join(standIn, { node: 'one', applied: 100 })
    join(standIn, { node: 'two', applied: 60 })
    await until(() => firstRow(standIn) === 50, 'the log begins with row 50')
    const { close } = join(standIn, { node: 'three', applied: 70 })
    await until(() => standIn.reports.has('three'), 'machine three has reported')
    await close()
    expect(firstRow(standIn)).toBe(50)
  })

  test('keeps what follows the newest backup of a machine that makes them', async () => {
    const standIn = filled(100)
    const { close } = join(standIn, { node: 'one', applied: 100, backedUp: 0 })
    await until(() => standIn.reports.has('one'), 'machine one has reported')
    const seen = standIn.reports.get('one')?.at
    await until(() => (standIn.reports.get('one')?.at ?? 0) > (seen ?? 0) + 50, 'machine one has reported again')
    await close()
    expect(firstRow(standIn)).toBe(1)
    standIn.clock.ahead += silentSeconds * 1000
    join(standIn, { node: 'one', applied: 100, backedUp: 40 })
    await until(() => firstRow(standIn) === 30, 'the log begins with row 30')
  })

  test('waits for a machine that is off, but not for ever', async () => {
    const standIn = filled(100)
    const { close } = join(standIn, { node: 'two', applied: 20 })
    await until(() => standIn.reports.has('two'), 'machine two has reported')
    await close()
    join(standIn, { node: 'one', applied: 100 })
    await until(() => firstRow(standIn) === 10, 'the log begins with row 10')
    standIn.clock.ahead += waitSeconds * 1000
    await until(() => firstRow(standIn) === 90, 'the log begins with row 90')
  })
})

test('after a while, the log has nothing but the row that all have executed last', async () => {
  const standIn = filled(100)
  join(standIn, { node: 'one', applied: 100, marginSeconds: 0.05 })
  await until(() => firstRow(standIn) === 100, 'the log begins with row 100')
})

describe('a machine', () => {
  test('reports though its backups cannot be read, and tells of that once', async () => {
    const standIn = filled(100)
    let isReadable = true
    const backedUp = () => {
      if (isReadable) return 40
      throw Object.assign(new Error('x'), { code: 'EACCES', syscall: 'scandir' })
    }
    const { faults } = join(standIn, { node: 'one', applied: 100, backedUp })
    await until(() => standIn.reports.has('one'), 'machine one has reported')
    for (const count of [1, 2]) {
      isReadable = false
      await until(() => faults.length === count, `${count} faults are told`)
      const asked = standIn.asked()
      await until(() => standIn.asked() > asked + 4, 'the log is asked four more times')
      expect(standIn.reports.get('one')?.backedUp).toBe(40)
      expect(faults).toEqual(Array(count).fill('this machine cannot read its backups: EACCES in scandir'))
      const before = standIn.reports.get('one')?.at ?? 0
      isReadable = true
      await until(() => (standIn.reports.get('one')?.at ?? 0) > before + 20, 'machine one has reported again')
    }
  })

  test('goes on reporting while it has much to trim, and trims all of it', async () => {
    const standIn = filled(200)
    standIn.faults.slowTrim = true
    const { close } = join(standIn, { node: 'one', applied: 200 })
    await until(() => firstRow(standIn) === 2, 'trimming has begun')
    const trimmed = standIn.asked()
    await until(() => firstRow(standIn) === 190, 'the log begins with row 190', slowly)
    expect(standIn.asked()).toBeGreaterThan(trimmed + 5)
    await close()
  })

  test('says why it cannot report, unless the log does not answer at all', async () => {
    const standIn = filled(100)
    standIn.faults.refuseReports = new LogUnavailable('it did not answer in time')
    const { faults } = join(standIn, { node: 'one', applied: 100 })
    await until(() => standIn.asked() > 3, 'the log is asked four times')
    expect(faults).toEqual([])
    standIn.faults.refuseReports = new OperatorError('permission denied for table formbox_nodes')
    await until(() => faults.length > 0, 'the fault is told')
    const asked = standIn.asked()
    await until(() => standIn.asked() > asked + 4, 'the log is asked four more times')
    expect(faults).toEqual([
      'this machine cannot tell the others of the cluster how far it is: permission denied for table formbox_nodes',
    ])
    standIn.faults.refuseReports = null
    await until(() => standIn.reports.has('one'), 'machine one has reported')
  })
})

describe('a name', () => {
  test('is taken over from a process that has died, and refused while one runs', async () => {
    const standIn = filled(1)
    const first = join(standIn, { node: 'one', applied: 1 })
    await until(() => standIn.reports.has('one'), 'machine one has reported')
    const second = join(standIn, { node: 'one', applied: 1 })
    await until(() => second.halts.length > 0, 'the second process halts')
    expect(second.halts[0]?.message).toContain('is called one as well')
    await second.close()
    await first.close()
    const before = standIn.reports.get('one')?.instance
    standIn.clock.ahead += silentSeconds * 1000
    const third = join(standIn, { node: 'one', applied: 1 })
    await until(() => standIn.reports.get('one')?.instance !== before, 'the third process has the name')
    expect(third.halts).toEqual([])
  })

  test('is not refused because of one report of a process that has died, which arrives late', async () => {
    const standIn = filled(1)
    const first = join(standIn, { node: 'one', applied: 1 })
    await until(() => standIn.reports.has('one'), 'machine one has reported')
    await first.close()
    const last = standIn.reports.get('one') as NodeReport
    const asked = standIn.asked()
    const second = join(standIn, { node: 'one', applied: 1 })
    await until(() => standIn.asked() > asked + 2, 'the log is asked two more times')
    await standIn.connect().report(last)
    const reported = standIn.asked()
    await until(() => standIn.asked() > reported + 2, 'the log is asked two more times')
    expect(second.halts).toEqual([])
    standIn.clock.ahead += silentSeconds * 1000
    await until(() => standIn.reports.get('one')?.instance !== last.instance, 'the second process has the name')
    expect(second.halts).toEqual([])
  })
})

describe('formbox cluster status', () => {
  const node = { instance: 'x', version: 3, backedUp: null, url: null, secondsAgo: 1 }

  test('says in words what is wrong with a machine', () => {
    const states = describeNodes(
      [
        { ...node, name: 'well', applied: 5000 },
        { ...node, name: 'old', applied: 5000, version: 2 },
        { ...node, name: 'slow', applied: 2500 },
        { ...node, name: 'off', applied: 2500, secondsAgo: 7300 },
        { ...node, name: 'lost', applied: 100, secondsAgo: 800_000 },
        { ...node, name: 'ahead', applied: 5001 },
      ],
      { first: 1000, last: 5000 },
    )
    expect(states.map(({ name, behind, problem }) => [name, behind, problem])).toEqual([
      ['well', 0, null],
      ['old', 0, 'runs an older Formbox: upgrade it'],
      ['slow', 2500, 'is 2500 rows behind and catches up'],
      ['off', 2500, 'has not reported for 2 hours: start it, or forget it if it will not return'],
      [
        'lost',
        4900,
        'needs rows that the log no longer has: restore a newer backup of another machine on it, or forget it',
      ],
      ['ahead', 0, 'has executed more than the log has: see "When the log was lost" in docs/cluster.md'],
    ])
  })

  test.each([
    [1000, 1000, 'catches up'],
    [999, 1000, 'restore a newer backup'],
    [0, 2, 'restore a newer backup'],
    [0, 1, 'catches up'],
  ])('a machine that has executed row %d of a log from row %d on: %s', (applied, first, problem) => {
    const [state] = describeNodes([{ ...node, name: 'one', applied }], { first, last: 5000 })
    expect(state?.problem).toContain(problem)
  })
})
