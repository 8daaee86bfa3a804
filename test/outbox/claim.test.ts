import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import type { Finished } from '../../src/outbox/finish.ts'
import { deliveryKinds } from '../../src/outbox/kinds.ts'
import type { UnderWay } from '../../src/outbox/slots.ts'
import { dueLook } from '../../src/outbox/waiting.ts'
import { expectBelow } from '../expect-below.ts'
import { failure, noon, openOutbox } from './outbox.ts'

const hour = 3_600_000
const attempt = (one: Partial<UnderWay>): UnderWay => ({
  ...{ form: 0, id: '', host: '', userId: '', isLong: false },
  ...one,
})
const many = (length: number): number[] => Array(length).fill(noon)

describe('claiming', () => {
  test('gives each delivery to one sender, until the claim ends', () => {
    const { addWebhook, submit, formId, claim } = openOutbox()
    addWebhook()
    const ids = submit(formId, many(3))
    expect(claim().claimed.map(({ submission, attempts }) => [submission, attempts])).toEqual(ids.map((id) => [id, 1]))
    expect(claim()).toMatchObject({ claimed: [], nextDueAt: noon + 60_000 })
    expect(claim({ now: noon + 60_000, lostAt: noon + 120_000 }).claimed.map(({ attempts }) => attempts)).toEqual([
      2, 2, 2,
    ])
  })

  test('begins at most as many as it may, in all and to one host', () => {
    const { addWebhook, submit, formId, claim } = openOutbox()
    for (const host of ['a.example', 'b.example', 'c.example']) addWebhook(host)
    submit(formId, many(10))
    const hosts = (input: Parameters<typeof claim>[0]) =>
      claim(input)
        .claimed.map(({ host }) => host[0])
        .join('')
    expect(hosts({ limit: 4 })).toBe('abca')
    const busy = (host: string, count: number) => Array<UnderWay>(count).fill(attempt({ host: `${host}.example:443` }))
    expect(hosts({ underWay: [...busy('a', 4), ...busy('b', 3)] })).toBe('cbccc')
  })

  test('lets users take turns, however many forms and deliveries one has', () => {
    const { addWebhook, submit, formId, createUser, createForm, userId, claim } = openOutbox()
    for (let form = 0; form < 20; form++) {
      const id = createForm(userId)
      addWebhook(`host-${form}.example`, { formId: id })
      submit(id, many(20))
    }
    const other = createUser()
    const late = createForm(other)
    addWebhook('late.example', { userId: other, formId: late })
    submit(late, many(3))
    const { claimed } = claim({ limit: 6 })
    expect(claimed.filter(({ host }) => host === 'late.example:443')).toHaveLength(3)
    expect(formId).not.toBe(late)
  })

  test('begins each round with another receiver', () => {
    const { addWebhook, submit, formId, claim } = openOutbox()
    for (let host = 0; host < 10; host++) addWebhook(`host-${host}.example`)
    submit(formId, many(5))
    let after = 0
    const hosts = Array.from({ length: 10 }, () => {
      const { claimed, lookedTo } = claim({ after, limit: 1 })
      after = lookedTo
      return claimed[0]?.host
    })
    expect(new Set(hosts).size).toBe(10)
  })

  test('is asked for in a round of looks, which ends with the receiver after which it began', () => {
    const { db, addForms, receivers } = openOutbox()
    addForms(40)
    const look = dueLook(db)
    const fixed = { now: noon, pausedHosts: [], underWay: [], maxUnderWay: 64, maxPerHost: 4, maxLong: 4 }
    for (const position of [0, 99, 399]) {
      const end = receivers()[position]?.number as number
      db.$client.run('UPDATE deliveries SET due_at = iif(receiver = ?, ?, ?)', [end, noon + 1, noon + 2])
      const parts = [look({ ...fixed, after: end, end })]
      for (let last = parts[0]; last?.isPart && parts.length < 9; last = parts.at(-1))
        parts.push(look({ ...fixed, after: last.lookedTo, end }))
      expect(parts.map(({ isDue, nextDueAt }) => [isDue, nextDueAt - noon])).toEqual([
        [false, 2],
        [false, 1],
      ])
      expect(look({ ...fixed, now: noon + 1, after: end - 1, end }).isDue).toBeTrue()
    }
  })

  test('leaves out hosts that are paused', () => {
    const { addWebhook, submit, formId, claim } = openOutbox()
    for (const host of ['a.example', 'b.example']) addWebhook(host)
    submit(formId, many(1))
    const { claimed, nextDueAt } = claim({ pausedHosts: ['a.example:443'] })
    expect(claimed.map(({ host }) => host)).toEqual(['b.example:443'])
    expect(nextDueAt).toBeNull()
  })

  test('says when the next delivery is due', () => {
    const { addWebhook, submit, formId, claim, finish } = openOutbox()
    addWebhook()
    expect(claim()).toMatchObject({ claimed: [], nextDueAt: null })
    submit(formId, many(2))
    const [first, second] = claim().claimed
    if (!first || !second) throw new Error('nothing was claimed')
    finish(
      { ...first, outcome: { state: 'pending', dueAt: noon + hour }, log: failure },
      { ...second, outcome: { state: 'pending', dueAt: noon + 2 * hour } },
    )
    expect(claim()).toMatchObject({ claimed: [], nextDueAt: noon + hour })
  })

  test('takes what was put off too far, because the clock was wrong, for due', () => {
    const { addWebhook, submit, formId, claim, finish } = openOutbox()
    addWebhook()
    submit(formId, many(1))
    for (const one of claim().claimed)
      finish({ ...one, outcome: { state: 'pending', dueAt: noon + 40 * hour }, log: failure })
    expect(claim().claimed).toHaveLength(1)
  })

  test.each(Object.entries(deliveryKinds))(
    'lets one of the kind %s wait for as long as it may',
    (kind, { waitsUpTo }) => {
      const { db, addWebhook, submit, formId, claim } = openOutbox()
      addWebhook()
      submit(formId, many(1))
      const look = {
        now: noon,
        pausedHosts: [],
        underWay: [],
        maxUnderWay: 64,
        maxPerHost: 4,
        maxLong: 4,
        after: 0,
        end: 0,
      }
      const claimedAt = (dueAt: number) => {
        db.$client.run('UPDATE deliveries SET kind = ?, count = 1, due_at = ?', [kind, dueAt])
        const isDue = dueLook(db)(look).isDue
        return [isDue, claim().claimed.length]
      }
      const longest = noon + 31 * hour + waitsUpTo
      expect([longest, longest + 1].map(claimedAt)).toEqual([
        [false, 0],
        [true, 1],
      ])
    },
  )

  test('looks at a part of very many receivers, and soon at the others', () => {
    const { addForms, claim } = openOutbox()
    addForms(52)
    expect(claim({ limit: 0 }).nextDueAt).toBe(noon + 100)
    const seen = new Set<string>()
    let after = 0
    for (let round = 0; round < 3; round++) {
      const { claimed, lookedTo } = claim({ after, limit: 200, maxUnderWay: 1000 })
      after = lookedTo
      for (const { id } of claimed) seen.add(id)
    }
    expect(seen.size).toBe(520)
  })

  test('fails what waits for a webhook that was switched off', () => {
    const { addWebhook, submit, formId, userId, run, claim, deliveries, countsAreExact } = openOutbox()
    const id = addWebhook()
    submit(formId, many(250))
    run('updateWebhook', { userId, formId, id, now: noon, enabled: false })
    for (const left of [50, 0]) {
      expect(claim()).toMatchObject({ claimed: [], nextDueAt: noon + 100 })
      expect(deliveries().filter(({ state }) => state === 'pending')).toHaveLength(left)
    }
    expect(claim()).toMatchObject({ claimed: [], nextDueAt: null })
    expect(deliveries().every(({ state }) => state === 'failed')).toBeTrue()
    expect(countsAreExact()).toBeTrue()
  })

  test('fails what waits for the receivers of a disabled user, also what is put off, and nothing of others', () => {
    const { addWebhook, notify, submit, formId, userId, createUser, createForm, run, claim, finish, ...rest } =
      openOutbox()
    addWebhook()
    notify(['grace@example.com'])
    submit(formId, many(2))
    for (const one of claim({ limit: 1 }).claimed)
      finish({ ...one, outcome: { state: 'pending', dueAt: noon + hour }, log: failure })
    const other = createUser()
    const form = createForm(other)
    addWebhook('other.example', { userId: other, formId: form })
    submit(form, many(1))
    run('disableUser', { userId, now: noon })
    const told = [claim(), claim(), claim()].flatMap(({ claimed }) => claimed.map(({ userId: owner }) => owner))
    expect(told).toEqual([other])
    const waiting = () => rest.deliveries().filter(({ state }) => state === 'pending')
    expect(waiting()).toHaveLength(1)
    expect(rest.countsAreExact()).toBeTrue()
    run('enableUser', { userId })
    submit(formId, many(1))
    expect(claim().claimed.map(({ userId: owner }) => owner)).toEqual([userId, userId])
  })

  test('gives up what is due first, in whatever order SQLite finds it: every machine picks the same', () => {
    const { db, addWebhook, submit, formId, userId, run, claim, deliveries } = openOutbox()
    const id = addWebhook()
    submit(formId, many(250))
    run('updateWebhook', { userId, formId, id, now: noon, enabled: false })
    db.$client.run('PRAGMA reverse_unordered_selects = ON')
    claim()
    expect(deliveries().map(({ state }) => state)).toEqual([...Array(200).fill('failed'), ...Array(50).fill('pending')])
  })
})

describe('the claims of a sender', () => {
  test('leave room for every user: one alone gets half of it, and a late one always a place', () => {
    const { addWebhook, submit, createForm, createUser, claim } = openOutbox()
    const users = Array.from({ length: 3 }, createUser)
    for (const [position, user] of users.entries())
      for (let host = 0; host < 6; host++) {
        const form = createForm(user)
        addWebhook(`${position}-${host}.example`, { userId: user, formId: form })
        submit(form, many(4))
      }
    const all = claim({ limit: 16, maxUnderWay: 16 }).claimed
    expect(users.map((user) => all.filter(({ userId }) => userId === user).length)).toEqual([4, 4, 4])
  })

  test('give one user half of the room', () => {
    const { addWebhook, submit, formId, createForm, createUser, claim } = openOutbox()
    for (let host = 0; host < 6; host++) addWebhook(`${host}.example`)
    submit(formId, many(4))
    const { claimed } = claim({ limit: 16, maxUnderWay: 16 })
    expect(claimed).toHaveLength(8)
    const late = createUser()
    const form = createForm(late)
    addWebhook('0.example', { userId: late, formId: form })
    addWebhook('late.example', { userId: late, formId: form })
    submit(form, many(4))
    // Whoever has the fewest attempts under way comes first.
    const next = claim({ limit: 1, maxUnderWay: 16, underWay: claimed })
    expect(next.claimed.map(({ userId }) => userId)).toEqual([late])
  })

  test('are few with long messages, and others do not wait for them', () => {
    const { addWebhook, run, formId, submit, notify, claim } = openOutbox()
    for (let host = 0; host < 4; host++) addWebhook(`${host}.example`)
    const long = newId(noon)
    run('createSubmission', { formId, id: long, data: JSON.stringify({ a: 'x'.repeat(70_000) }), fieldNames: ['a'] })
    notify(['grace@example.com'])
    const { claimed } = claim({ maxLong: 4 })
    expect(claimed.map(({ kind, isLong }) => [kind, isLong])).toEqual([
      ['webhook', true],
      ['webhook', true],
      ['added', false],
    ])
    submit(formId, [noon])
    const more = claim({ maxLong: 4, underWay: claimed })
    expect(more.claimed.map(({ kind, isLong }) => [kind, isLong]).sort()).toEqual([
      ['email', false],
      ['webhook', false],
      ['webhook', false],
    ])
  })

  test('are kept when their time is over by the clock, or one is retried by hand, while they are attempted', () => {
    const { addWebhook, submit, formId, userId, run, claim, finish, deliveries } = openOutbox()
    addWebhook()
    submit(formId, many(2))
    const { claimed } = claim()
    run('retryDelivery', { userId, formId, id: claimed[0]?.id })
    const later = { now: noon + hour, lostAt: noon + hour + 60_000 }
    expect(claim({ ...later, underWay: claimed })).toMatchObject({ claimed: [], nextDueAt: null })
    expect(claim({ ...later, underWay: claimed })).toMatchObject({ claimed: [], nextDueAt: later.lostAt })
    for (const one of claimed) finish(one)
    expect(deliveries().map(({ state, attempts }) => [state, attempts])).toEqual(Array(2).fill(['delivered', 1]))
  })

  test('end when the machine that died comes back, and those of others do not', () => {
    const { addWebhook, submit, formId, run, claim, finish, deliveries } = openOutbox()
    addWebhook()
    submit(formId, many(3))
    const [first] = claim({ limit: 1 }).claimed
    claim({ limit: 1 })
    const [other] = claim({ limit: 1, node: 'b' }).claimed
    if (first) finish({ ...first, outcome: { state: 'pending', dueAt: noon + hour }, log: failure })
    run('releaseClaims', { node: 'a' })
    expect(deliveries().map(({ due_at, claimed_by }) => [due_at, claimed_by])).toEqual([
      [noon + hour, null],
      [0, null],
      [noon + 60_000, 'b'],
    ])
    if (other) finish(other)
    expect(claim().claimed.map(({ attempts }) => attempts)).toEqual([2])
  })

  test('take no longer because much is put off', async () => {
    const { addWebhook, submit, formId, claim, db } = openOutbox()
    addWebhook()
    const shortest = (): number => {
      const times = Array.from({ length: 5 }, () => {
        submit(formId, [noon])
        const startedAt = performance.now()
        expect(claim().claimed).toHaveLength(1)
        return performance.now() - startedAt
      })
      return Math.min(...times)
    }
    const before = shortest()
    submit(formId, many(10_000))
    db.$client.run('UPDATE deliveries SET due_at = ?', [noon + hour])
    // It was 5 ms, and is 0.3 as before.
    await expectBelow(10, () => shortest() / before)
  })
})

describe('ending an attempt', () => {
  test('keeps what came back, and whether the delivery is done', () => {
    const { addWebhook, submit, formId, claim, finish, deliveries, countsAreExact } = openOutbox()
    addWebhook()
    submit(formId, many(3))
    const outcomes = [{ state: 'delivered' }, { state: 'failed' }, { state: 'pending', dueAt: noon + hour }] as const
    claim().claimed.forEach((one, position) => {
      const outcome = outcomes[position] as Finished['outcome']
      finish({ ...one, outcome, ...(position > 0 && { log: failure }) })
    })
    expect(deliveries().map(({ state, due_at, log }) => [state, due_at, JSON.parse(log)])).toEqual([
      ['delivered', 0, [{ at: noon, milliseconds: 12, status: 200, error: null, answer: 'ok' }]],
      ['failed', 0, [failure]],
      ['pending', noon + hour, [failure]],
    ])
    expect(countsAreExact()).toBeTrue()
  })

  test('changes nothing if the attempt counted as lost, or the delivery is gone', () => {
    const { addWebhook, submit, formId, userId, run, claim, finish, deliveries } = openOutbox()
    addWebhook()
    const [id] = submit(formId, many(1))
    const [first] = claim().claimed
    claim({ now: noon + 60_000, lostAt: noon + 120_000 })
    if (!first) throw new Error('nothing was claimed')
    finish(first)
    expect(deliveries()).toMatchObject([{ state: 'pending', attempts: 2 }])
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [id] })
    finish({ ...first, attempt: 2 })
    expect(deliveries()).toEqual([])
  })

  test('that the server broke off makes it due at once, as if it had not been', () => {
    const { addWebhook, submit, formId, claim, finish, deliveries, receivers } = openOutbox()
    addWebhook()
    submit(formId, many(1))
    for (let stop = 0; stop < 12; stop++)
      for (const one of claim().claimed) finish({ ...one, outcome: { state: 'brokenOff' }, log: failure })
    expect(deliveries()).toMatchObject([{ state: 'pending', attempts: 0, due_at: 0, log: '[]' }])
    expect(receivers()).toMatchObject([{ failing_since: null }])
  })

  test('after the delivery was given up says what came of it', () => {
    const { addWebhook, submit, formId, userId, run, claim, finish, deliveries, countsAreExact } = openOutbox()
    const id = addWebhook()
    submit(formId, many(3))
    const { claimed } = claim()
    run('updateWebhook', { userId, formId, id, now: noon, enabled: false })
    claim()
    const outcomes = [{ state: 'delivered' }, { state: 'pending', dueAt: noon + hour }, { state: 'brokenOff' }] as const
    claimed.forEach((one, position) => {
      const outcome = outcomes[position] as Finished['outcome']
      finish({ ...one, outcome, log: position === 0 ? { ...failure, error: null } : failure })
    })
    expect(deliveries().map(({ state, log }) => [state, JSON.parse(log).length])).toEqual([
      ['delivered', 1],
      ['failed', 1],
      ['failed', 0],
    ])
    expect(countsAreExact()).toBeTrue()
    expect(claim().claimed).toEqual([])
  })

  test('switches no webhook off because the clock jumps ahead', () => {
    const { addWebhook, submit, formId, claim, finish, receivers } = openOutbox()
    addWebhook()
    submit(formId, many(1))
    for (const at of [0, noon]) {
      for (const one of claim({ now: at, lostAt: at + 60_000 }).claimed)
        finish({
          ...one,
          attempt: one.attempts,
          outcome: { state: 'pending', dueAt: at + 5000 },
          log: { ...failure, at },
        })
    }
    expect(receivers()).toMatchObject([{ is_enabled: 1 }])
  })

  test('switches a webhook off when it says 410, and after five days of nothing but failures', () => {
    const { addWebhook, submit, formId, claim, finish, receivers, receiverCount } = openOutbox()
    addWebhook('gone.example')
    addWebhook('dead.example')
    addWebhook('weak.example')
    const day = 24 * hour
    for (const [round, at] of [noon, noon + 3 * day, noon + 5 * day].entries()) {
      submit(formId, [at])
      for (const one of claim({ now: at, lostAt: at + 60_000 }).claimed) {
        const isWell = one.host === 'weak.example:443' && round === 1
        finish({
          ...one,
          attempt: one.attempts,
          outcome: { state: isWell ? 'delivered' : 'failed' },
          log: { ...failure, at, error: isWell ? null : 'no' },
          disabledReason: one.host === 'gone.example:443' ? 'It answered 410.' : null,
        })
      }
    }
    expect(receivers().map((row) => [row.is_enabled, row.disabled_reason])).toEqual([
      [0, 'It answered 410.'],
      [0, 'Every delivery of the last five days failed.'],
      [1, null],
    ])
    expect(receiverCount()).toBe(1)
  })
})

describe('retrying by hand', () => {
  test.each(['delivered', 'failed'] as const)('makes a delivery that %s due once more', (state) => {
    const { addWebhook, submit, formId, userId, run, claim, finish, countsAreExact } = openOutbox()
    addWebhook()
    submit(formId, many(1))
    const [one] = claim().claimed
    if (!one) throw new Error('nothing was claimed')
    finish({ ...one, outcome: { state }, ...(state === 'failed' && { log: failure }) })
    run('retryDelivery', { userId, formId, id: one.id })
    expect(countsAreExact()).toBeTrue()
    expect(claim().claimed).toMatchObject([{ id: one.id, attempts: 2 }])
  })

  test('is refused where no one would be told', () => {
    const { addWebhook, submit, formId, userId, run, deliveries } = openOutbox()
    const id = addWebhook()
    submit(formId, many(1))
    const [delivery] = deliveries()
    const retry = () => run('retryDelivery', { userId, formId, id: delivery?.id })
    run('updateWebhook', { userId, formId, id, now: noon, enabled: false })
    expect(retry).toThrow()
    run('deleteWebhook', { userId, formId, id, now: noon })
    expect(retry).toThrow()
  })
})
