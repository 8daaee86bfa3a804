import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/id.ts'
import { failure, noon, openOutbox } from './outbox.ts'

const hour = 3_600_000
const many = (length: number): number[] => Array(length).fill(noon)

describe('claiming', () => {
  test('gives each delivery to one sender, until the claim ends', () => {
    const { addWebhook, submit, formId, claim } = openOutbox()
    addWebhook()
    const ids = submit(formId, many(3))
    expect(claim().claimed.map(({ submission, attempts }) => [submission, attempts])).toEqual(ids.map((id) => [id, 1]))
    expect(claim()).toEqual({ claimed: [], nextDueAt: noon + 60_000 })
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
    expect(hosts({ underWay: { 'a.example:443': 4, 'b.example:443': 3 } })).toBe('bcccc')
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
    const first = (random: number) => claim({ random, limit: 1 }).claimed[0]?.host
    expect(new Set([0, 0.25, 0.5, 0.75].map(first)).size).toBe(4)
  })

  test('says when the next delivery is due', () => {
    const { addWebhook, submit, formId, claim, finish } = openOutbox()
    addWebhook()
    expect(claim()).toEqual({ claimed: [], nextDueAt: null })
    submit(formId, many(2))
    const [first, second] = claim().claimed
    if (!first || !second) throw new Error('nothing was claimed')
    finish(
      { ...first, outcome: { dueAt: noon + hour }, log: failure },
      { ...second, outcome: { dueAt: noon + 2 * hour } },
    )
    expect(claim()).toEqual({ claimed: [], nextDueAt: noon + hour })
  })

  test('takes what was put off too far, because the clock was wrong, for due', () => {
    const { addWebhook, submit, formId, claim, finish } = openOutbox()
    addWebhook()
    submit(formId, many(1))
    for (const one of claim().claimed) finish({ ...one, outcome: { dueAt: noon + 40 * hour }, log: failure })
    expect(claim().claimed).toHaveLength(1)
  })

  test('looks at a part of very many receivers, and soon at the others', () => {
    const { createForm, addWebhooks, execute, userId, claim } = openOutbox()
    const forms = Array.from({ length: 52 }, () => createForm(userId))
    addWebhooks(
      forms.flatMap((formId, form) =>
        Array.from({ length: 10 }, (_, hook) => ({ host: `${form}-${hook}.example`, formId })),
      ),
    )
    execute(forms.map((formId) => ['createSubmission', { formId, id: newId(noon), data: '{}', fieldNames: [] }]))
    expect(claim({ limit: 0 }).nextDueAt).toBe(noon + 1000)
    const seen = new Set<string>()
    for (let round = 0; seen.size < 520 && round < 20; round++)
      for (const { id } of claim({ random: ((round * 7) % 10) / 10, limit: 100 }).claimed) seen.add(id)
    expect(seen.size).toBe(520)
  })

  test('fails what waits for a webhook that was switched off', () => {
    const { addWebhook, submit, formId, userId, run, claim, deliveries, countsAreExact } = openOutbox()
    const id = addWebhook()
    submit(formId, many(250))
    run('updateWebhook', { userId, formId, id, enabled: false })
    expect(claim()).toEqual({ claimed: [], nextDueAt: noon + 1000 })
    expect(claim()).toEqual({ claimed: [], nextDueAt: noon + 1000 })
    expect(claim()).toEqual({ claimed: [], nextDueAt: null })
    expect(deliveries().every(({ state }) => state === 'failed')).toBeTrue()
    expect(countsAreExact()).toBeTrue()
  })
})

describe('ending an attempt', () => {
  test('keeps what came back, and whether the delivery is done', () => {
    const { addWebhook, submit, formId, claim, finish, deliveries, countsAreExact } = openOutbox()
    addWebhook()
    submit(formId, many(3))
    const outcomes = ['delivered', 'failed', { dueAt: noon + hour }] as const
    claim().claimed.forEach((one, position) => {
      const outcome = outcomes[position] as 'delivered'
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
    run('deleteSubmissions', { userId, formId, ids: [id] })
    finish({ ...first, attempt: 2 })
    expect(deliveries()).toEqual([])
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
          outcome: isWell ? 'delivered' : 'failed',
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
  test.each(['delivered', 'failed'] as const)('makes a delivery that %s due once more', (outcome) => {
    const { addWebhook, submit, formId, userId, run, claim, finish, countsAreExact } = openOutbox()
    addWebhook()
    submit(formId, many(1))
    const [one] = claim().claimed
    if (!one) throw new Error('nothing was claimed')
    finish({ ...one, outcome, ...(outcome === 'failed' && { log: failure }) })
    run('retryDelivery', { userId, formId, id: one.id })
    expect(countsAreExact()).toBeTrue()
    expect(claim().claimed).toMatchObject([{ id: one.id, attempts: 2 }])
  })

  test('is refused where nobody would be told', () => {
    const { addWebhook, submit, formId, userId, run, deliveries } = openOutbox()
    const id = addWebhook()
    submit(formId, many(1))
    const [delivery] = deliveries()
    const retry = () => run('retryDelivery', { userId, formId, id: delivery?.id })
    run('updateWebhook', { userId, formId, id, enabled: false })
    expect(retry).toThrow()
    run('deleteWebhook', { userId, formId, id, now: noon })
    expect(retry).toThrow()
  })
})
