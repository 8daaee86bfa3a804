// The commands that hold, confirm and give up submissions whose address has to be confirmed: what each does in every state,
// whichever of two comes first.
import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import {
  repliesOfNewUserPerDay,
  repliesOfUserPerDay,
  repliesOfUserPerHour,
  repliesPerHour,
} from '../../src/outbox/replies.ts'
import { confirmRows, maxTogether } from '../../src/submissions/confirm/confirm-rows.ts'
import { type ConfirmMove, type ConfirmState, leadsTo, moves, stateOf } from '../../src/submissions/confirm/moves.ts'
import { openData } from '../storage/data.ts'
import { expectSound } from '../storage/sound.ts'
import { importRows } from './import-rows.ts'

const hour = 3_600_000
const day = 24 * hour
const noon = Date.UTC(2026, 5, 3, 12)
const settings = {
  fields: [{ name: 'email', type: 'email', required: true }],
  confirm: { field: 'email', subject: 's', text: '{link}', days: 1 },
}

const open = (signedUpAt = noon - 400 * day) => {
  const data = openData(undefined, signedUpAt)
  const { run, userId, formId, db, folder } = data
  run('updateFormSettings', { userId, id: formId, now: noon, changes: settings })
  const { number: form } = db.$client.query('SELECT number FROM forms WHERE id = ?').get(formId) as { number: number }

  const toInput = (address = 'ada@example.com', at = noon, of = formId, text?: string) => ({
    formId: of,
    id: newId(at),
    data: JSON.stringify({ email: address, text }),
    fieldNames: ['email'],
    asked: {
      ...{ target: address, address, person: address, browser: 'b', endsAt: at + day },
      ...{ mail: { hash: 'm', text: '{"subject":"s","text":"{link}"}' }, consent: [] },
    },
  })
  const hold = (address?: string, at?: number, text?: string): string => {
    const input = toInput(address, at, formId, text)
    run('createSubmission', input)
    return input.id
  }
  const ready = (...ids: string[]) => ids.map((id) => ({ id, isConfirmed: false }))
  const stateNow = (id: string, now: number): ConfirmState => {
    const row = db.$client
      .query(
        'SELECT ends_at AS endsAt, confirmed_at AS confirmedAt, accepted_at AS acceptedAt FROM confirmations WHERE submission = ?',
      )
      .get(id)
    return stateOf((row ?? undefined) as never, now)
  }
  const listOf = (id: string): number | undefined =>
    (
      db.$client.query('SELECT list FROM submissions WHERE form = ? AND id = ?').get(form, id) as {
        list: number
      } | null
    )?.list
  const counted = () =>
    db.$client.query('SELECT submission_count AS inbox, unconfirmed_count AS held FROM forms WHERE id = ?').get(formId)
  const deliveries = (kind: string, state: string): number =>
    (
      db.$client.query('SELECT count(*) AS n FROM deliveries WHERE kind = ? AND state = ?').get(kind, state) as {
        n: number
      }
    ).n

  /** Each move as a command. What is refused does nothing. */
  const make = (move: ConfirmMove, id: string, now: number): unknown => {
    const link = { formId, id, now }
    const ofUser = { userId, formId, now }
    try {
      if (move === 'confirm') return run('confirmSubmissions', { ...link, ready: ready(id) })
      if (move === 'withdraw') return run('withdrawSubmissions', link)
      if (move === 'accept') return run('acceptSpam', { ...ofUser, id })
      if (move === 'end') return run('removeUnconfirmed', { now, maxRows: 10 })
      return run('deleteSubmissions', { ...ofUser, list: listOf(id) === 0 ? 'inbox' : 'spam', ids: [id] })
    } catch (error) {
      expect((error as { code: string }).code).toBe('not_found')
      return undefined
    }
  }
  return { ...data, form, toInput, hold, ready, stateNow, listOf, counted, deliveries, make, folder }
}

describe('the table of moves', () => {
  const names = Object.keys(moves) as ConfirmMove[]
  const states: Readonly<Record<ConfirmState, readonly ConfirmMove[]>> = {
    held: [],
    ended: [],
    confirmed: ['confirm'],
    accepted: ['accept'],
    gone: ['withdraw'],
  }

  test('is what the commands do, in every state', () => {
    const { hold, make, stateNow, listOf, counted, folder } = open()
    let inbox = 0
    for (const [state, way] of Object.entries(states) as [ConfirmState, readonly ConfirmMove[]][])
      for (const move of names) {
        const id = hold(`${state}-${move}@example.com`)
        for (const step of way) make(step, id, noon)
        const now = state === 'ended' ? noon + day : noon + 1
        expect([state, move, stateNow(id, now)]).toEqual([state, move, state])
        make(move, id, now)
        const to = leadsTo(move, state) ?? state
        expect([state, move, stateNow(id, now)]).toEqual([state, move, to])
        const list = { held: -1, ended: -1, confirmed: 0, accepted: 0, gone: undefined }[to]
        expect([state, move, listOf(id)]).toEqual([state, move, list])
        if (list === 0) inbox++
        expectSound(folder)
        // Those that stay are not in the way of the next ones.
        if (list === -1) make('delete', id, noon + day)
      }
    expect(counted()).toEqual({ inbox, held: 0 })
  })

  test('lets the first of two in one transaction decide, whichever it is', () => {
    const kinds = ['confirm', 'withdraw', 'accept', 'delete'] as const
    for (const first of kinds)
      for (const second of kinds) {
        const { hold, execute, userId, formId, stateNow, listOf, db, folder, ready } = open()
        const id = hold()
        const command = (move: (typeof kinds)[number]): [string, unknown] => {
          const link = { formId, id, now: noon + 1 }
          if (move === 'confirm') return ['confirmSubmissions', { ...link, ready: ready(id) }]
          if (move === 'withdraw') return ['withdrawSubmissions', link]
          if (move === 'accept') return ['acceptSpam', { userId, ...link }]
          return ['deleteSubmissions', { userId, formId, now: noon, list: 'spam', ids: [id] }]
        }
        execute([command(first), command(second)] as never)
        expect([first, second, stateNow(id, noon + 1)]).toEqual([first, second, leadsTo(first, 'held') as ConfirmState])
        expect([0, undefined]).toContain(listOf(id) as number)
        const counted = db.$client
          .query(
            'SELECT coalesce(sum(confirmed), 0) AS confirmed, coalesce(sum(withdrawn), 0) AS withdrawn FROM confirm_days',
          )
          .get()
        expect(counted).toEqual({ confirmed: Number(first === 'confirm'), withdrawn: Number(first === 'withdraw') })
        expectSound(folder)
      }
  })
})

describe('a link', () => {
  test('confirms nothing that is not ready for it: then it has to be sent again', () => {
    const { hold, run, formId, ready, counted } = open()
    const [first, second] = [hold(), hold()]
    const input = { formId, id: first, now: noon, ready: ready(first) }
    expect(run('confirmSubmissions', input)).toEqual({ state: 'unready', ids: [first, second] })
    expect(counted()).toEqual({ inbox: 0, held: 2 })
    run('confirmSubmissions', { ...input, ready: ready(first, second) })
    expect(counted()).toEqual({ inbox: 2, held: 0 })
  })

  test('confirms a bounded number, however many a stranger has sent with the address', () => {
    const { hold, run, form, formId, ready, counted, db, folder } = open()
    const ids = Array.from({ length: maxTogether + 20 }, () => hold())
    const { find, together } = confirmRows(db)
    const countOf = (submission: string | undefined) => together(find.get({ form, submission }) as never).length
    expect([countOf(ids[0]), countOf(ids.at(-1))]).toEqual([maxTogether, 1])
    run('confirmSubmissions', { formId, id: ids[0], now: noon, ready: ready(...ids) })
    expect(counted()).toEqual({ inbox: maxTogether, held: 20 })
    expectSound(folder)
  })

  // All of them are moved in one transaction: a hundred of 1 MiB kept all other writes waiting for six seconds.
  test('confirms a bounded number of bytes, and later ones by links of their own', () => {
    const { hold, run, formId, ready, counted, folder } = open()
    const ids = Array.from({ length: 10 }, () => hold(undefined, undefined, 'é'.repeat(500_000)))
    const other = hold('grace@example.com')
    run('confirmSubmissions', { formId, id: ids[0], now: noon, ready: ready(...ids) })
    expect(counted()).toEqual({ inbox: 3, held: 8 })
    run('confirmSubmissions', { formId, id: ids[9], now: noon, ready: ready(...ids) })
    run('confirmSubmissions', { formId, id: other, now: noon, ready: ready(other) })
    expect(counted()).toEqual({ inbox: 5, held: 6 })
    hold()
    const next = hold()
    run('confirmSubmissions', { formId, id: next, now: noon, ready: ready(...ids, next) })
    expectSound(folder)
  })

  test('leaves what ends before it is opened', () => {
    const { hold, run, formId, ready, counted } = open()
    const [old, late] = [hold(undefined, noon - day + 1), hold()]
    run('confirmSubmissions', { formId, id: late, now: noon + 1, ready: ready(old, late) })
    expect(counted()).toEqual({ inbox: 1, held: 1 })
    expect(run('removeUnconfirmed', { now: noon + 1, maxRows: 10 })).toMatchObject({ removed: 1 })
    expect(counted()).toEqual({ inbox: 1, held: 0 })
  })

  test('gives back the places of what is not confirmed, and keeps those of what is', () => {
    const { run, userId, formId, toInput, ready, db } = open()
    const shift = { name: 'shift', type: 'choice', options: ['Day'], places: { Day: 2 } }
    run('updateFormSettings', { userId, id: formId, now: noon, changes: { fields: [...settings.fields, shift] } })
    const taken = () => (db.$client.query('SELECT taken FROM limits').get() as { taken: number }).taken
    const send = (address: string) => {
      const input = { ...toInput(address), data: JSON.stringify({ email: address, shift: 'Day' }) }
      return { id: input.id, outcome: run('createSubmission', input) }
    }
    const [first, second] = [send('ada@example.com'), send('eve@example.com')]
    expect([taken(), send('zoe@example.com').outcome]).toMatchObject([2, { state: 'full' }])
    run('confirmSubmissions', { formId, id: first.id, now: noon, ready: ready(first.id) })
    expect(taken()).toBe(2)
    run('removeUnconfirmed', { now: noon + day, maxRows: 10 })
    expect([taken(), second.outcome]).toMatchObject([1, { state: 'due' }])
  })
})

describe('a stranger who wants to mail thousands of people', () => {
  test.each<[string, number, number, number]>([
    ['an hour', repliesPerHour, 400, 0],
    ['a day, with an account of a year', repliesOfUserPerDay, 1500, 23 * hour],
  ])('mails no more in %s than replies would be', (_, most, people, time) => {
    const { execute, toInput, deliveries } = open()
    const batch = Array.from({ length: people }, (_, n) => [
      'createSubmission',
      toInput(`${n}@example.com`, noon + Math.floor((time * n) / people)),
    ])
    execute(batch as never)
    expect(deliveries('confirm', 'pending')).toBe(most)
    expect(deliveries('confirm', 'skipped')).toBe(people - most)
  })

  test('gains nothing by more forms, or by a new account', () => {
    const { execute, run, userId, createForm, toInput, deliveries } = open()
    const forms = Array.from({ length: 5 }, () => createForm(userId))
    for (const id of forms) run('updateFormSettings', { userId, id, now: noon, changes: settings })
    execute(
      Array.from({ length: 200 }, (_, n) => [
        'createSubmission',
        toInput(`${n}@example.com`, noon, forms[n % 5]),
      ]) as never,
    )
    expect(deliveries('confirm', 'pending')).toBe(repliesOfUserPerHour)
    const fresh = open(noon)
    fresh.execute(
      Array.from({ length: 200 }, (_, n) => [
        'createSubmission',
        fresh.toInput(`${n}@example.com`, noon + n * 5 * 60_000),
      ]) as never,
    )
    expect(fresh.deliveries('confirm', 'pending')).toBe(repliesOfNewUserPerDay)
  })

  test('mails one person once, however the address is written, and the reply that follows is the same budget', () => {
    const { execute, run, userId, formId, toInput, deliveries, hold } = open()
    run('updateFormSettings', {
      userId,
      id: formId,
      now: noon,
      changes: { reply: { field: 'email', subject: 's', text: 't', copy: false } },
    })
    const id = hold('ada@gmail.com')
    execute(
      ['ada@gmail.com', 'ADA@gmail.com', 'a.d.a+x@gmail.com'].map((one) => ['createSubmission', toInput(one)]) as never,
    )
    expect([deliveries('confirm', 'pending'), deliveries('confirm', 'skipped')]).toEqual([1, 3])
    const reply = { to: 'ada@gmail.com' }
    const all = (
      execute([['confirmSubmissions', { formId, id, now: noon, ready: [] }]])[0] as { result: { ids: string[] } }
    ).result
    run('confirmSubmissions', {
      ...{ formId, id, now: noon },
      ready: all.ids.map((one) => ({ id: one, reply, isConfirmed: true })),
    })
    expect([deliveries('reply', 'pending'), deliveries('reply', 'skipped')]).toEqual([1, all.ids.length - 1])
  })
})

test('what waits is passed over by an import', () => {
  const { hold, listOf, counted, run, userId, formId, folder } = open()
  const id = hold()
  importRows({ run, userId, formId }, [[id, '{"email":"eve@example.com"}']])
  expect([listOf(id), counted()]).toEqual([-1, { inbox: 0, held: 1 }])
  expectSound(folder)
})
