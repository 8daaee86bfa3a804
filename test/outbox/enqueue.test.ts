import { describe, expect, test } from 'bun:test'
import { sha256 } from '../../src/base/hash.ts'
import { numberedId, timePrefix } from '../../src/base/id.ts'
import { type EnqueuedSubmission, enqueuer } from '../../src/outbox/enqueue.ts'
import type { Finished } from '../../src/outbox/finish.ts'
import { mailsPerHour } from '../../src/outbox/mail-hours.ts'
import { expectBelow } from '../expect-below.ts'
import { refusalOf } from '../refusal.ts'
import { rowsOf } from '../storage/sound.ts'
import { noon, openOutbox } from './outbox.ts'

const minute = 60_000

describe('storing a submission', () => {
  test('adds nothing to the outbox of a form that tells no one', () => {
    const { submit, formId, deliveries, receiverCount } = openOutbox()
    submit(formId, [noon])
    expect(receiverCount()).toBe(0)
    expect(deliveries()).toEqual([])
  })

  test('adds one delivery for each webhook and each address, in the order of the submissions', () => {
    const { addWebhook, notify, submit, formId, deliveries, receiverCount, countsAreExact } = openOutbox()
    addWebhook()
    notify(['grace@example.com'])
    expect(receiverCount()).toBe(2)
    const [first, second] = submit(formId, [noon, noon + 1])
    const added = deliveries().filter(({ kind }) => kind !== 'added')
    expect(added.map(({ submission }) => submission)).toEqual([first, first, second, second] as string[])
    expect(added.map(({ kind }) => kind).sort()).toEqual(['email', 'email', 'webhook', 'webhook'])
    expect(added.map(({ state, attempts, due_at }) => [state, attempts, due_at])).toEqual(
      Array(4).fill(['pending', 0, 0]),
    )
    expect(countsAreExact()).toBeTrue()
  })

  test('gives each delivery the identifier that follows from the submission and the receiver', () => {
    const { addWebhooks, createForm, userId, notify, submit, formId, deliveries } = openOutbox()
    const forms = [createForm(userId), createForm(userId), createForm(userId), formId]
    addWebhooks(Array.from({ length: 40 }, (_, number) => ({ host: 'a.example', formId: forms[number % 4] as string })))
    notify(['grace@example.com'])
    submit(formId, [noon, noon + 1])
    submit(formId, [noon + 2])
    const added = deliveries().filter(({ kind }) => kind !== 'added')
    expect(added).toHaveLength(3 * 11)
    for (const { id, submission, receiver } of added) expect(id).toBe(numberedId(submission as string, receiver))
  })

  test('tells no one twice, and counts no delivery twice', () => {
    const { addWebhooks, db, submit, formId, claim, finish, deliveries, countsAreExact } = openOutbox()
    addWebhooks([{ host: 'a.example' }, { host: 'b.example' }])
    const [first, second] = submit(formId, [noon, noon]).map((id) => ({ id }))
    for (const one of claim({ limit: 1 }).claimed) finish(one)
    const before = deliveries()
    addWebhooks([{ host: 'c.example' }])
    const enqueue = (submissions: readonly EnqueuedSubmission[]): boolean =>
      db.$client.transaction(() => enqueuer(db)({ number: 1, receiverCount: 3 }, submissions))()
    expect(() => enqueue([first, second] as EnqueuedSubmission[])).toThrow('before')
    expect(deliveries()).toEqual(before)
    for (const one of [first, second]) enqueue([one as EnqueuedSubmission])
    expect(deliveries().filter(({ receiver }) => receiver < 3)).toEqual(before)
    expect(deliveries().filter(({ receiver }) => receiver === 3)).toHaveLength(2)
    expect(countsAreExact()).toBeTrue()
  })

  test('adds none for a webhook that is switched off or deleted, or an address that was taken away', () => {
    const { addWebhook, notify, submit, formId, userId, run, deliveries, receiverCount } = openOutbox()
    run('updateWebhook', { userId, formId, id: addWebhook(), now: noon, enabled: false })
    run('deleteWebhook', { userId, formId, id: addWebhook(), now: noon })
    notify(['grace@example.com'])
    notify([])
    submit(formId, [noon])
    expect(receiverCount()).toBe(0)
    expect(deliveries()).toEqual([])
  })

  test('tells an address that is not the owner’s once that it was added', () => {
    const { notify, db, userId, deliveries } = openOutbox()
    const own = db.$client.query<{ email: string }, [string]>('SELECT email FROM users WHERE id = ?').get(userId)?.email
    notify([own as string, 'grace@example.com'])
    notify([])
    notify([own as string, 'grace@example.com'])
    expect(deliveries().map(({ kind }) => kind)).toEqual(['added'])
  })

  test('mails of 60 submissions in an hour one by one, and of all others in one mail at its end', () => {
    const { notify, submit, formId, deliveries, countsAreExact } = openOutbox()
    notify(['grace@example.com'])
    const ids = submit(
      formId,
      Array.from({ length: 1100 }, (_, second) => noon + second * 1000),
    )
    const mails = deliveries().filter(({ kind }) => kind === 'email')
    const digests = deliveries().filter(({ kind }) => kind === 'digest')
    expect(mails.map(({ submission }) => submission as string)).toEqual(ids.slice(0, mailsPerHour))
    expect(digests).toMatchObject([{ submission: ids[60] as string, count: 1040, due_at: noon + 60 * minute }])
    expect(countsAreExact()).toBeTrue()
  })

  test('exceeds that by no mail that is sent again by hand, and sends no second one to a new address', () => {
    const { notify, submit, formId, userId, run, claim, finish, deliveries, countsAreExact } = openOutbox()
    notify(['grace@example.com'])
    submit(formId, Array(mailsPerHour - 1).fill(noon))
    for (let sent = claim().claimed; sent.length > 0; sent = claim().claimed) finish(...sent)
    const [mail, added] = ['email', 'added'].map((wanted) => deliveries().find(({ kind }) => kind === wanted)?.id)
    const again = (id: string | undefined, now = noon) =>
      refusalOf(() => run('retryDelivery', { userId, formId, id, now })) ?? 'sent'
    const aNewOne = 'deliveryId: must not be the email to a new address that was delivered: it gets one'
    expect(again(added)).toBe(aNewOne)
    expect(again(mail)).toBe('sent')
    // As often as one likes while it waits: it is still one.
    expect(again(mail)).toBe('sent')
    for (const one of claim().claimed) finish({ ...one, attempt: 2 })
    const tooMany = `deliveryId: must not be another email to an address that gets ${mailsPerHour} within an hour`
    expect(again(mail)).toBe(tooMany)
    submit(formId, [noon])
    const digest = deliveries().find(({ kind }) => kind === 'digest')?.id
    // Whoever waits for it may have it now. Those of all forms are bounded, too.
    expect(Array.from({ length: 60 }, () => again(digest))).toEqual([...Array(59).fill('sent'), tooMany])
    expect([again(digest, noon + 60 * minute), again(mail, noon + 60 * minute)]).toEqual(['sent', 'sent'])
    expect(countsAreExact()).toBe(true)
  })

  test('counts each hour anew, and each address alone', () => {
    const { notify, submit, formId, deliveries } = openOutbox()
    notify(['grace@example.com'])
    submit(formId, Array(61).fill(noon))
    notify(['grace@example.com', 'ada@example.com'])
    submit(formId, Array(61).fill(noon + 60 * minute - 1))
    submit(formId, [noon + 60 * minute])
    const kinds = Object.groupBy(deliveries(), ({ receiver, kind }) => `${receiver} ${kind}`)
    expect(Object.entries(kinds).map(([kind, rows]) => [kind, rows?.length])).toEqual(
      expect.arrayContaining([
        ['1 email', 61],
        ['1 digest', 1],
        ['2 email', 60],
        ['2 digest', 1],
      ]),
    )
  })

  test('counts the mails of all forms to one person together, with and without a tag', () => {
    const { notify, submit, createForm, userId, formId, deliveries, countsAreExact } = openOutbox()
    const forms = [formId, ...Array.from({ length: 9 }, () => createForm(userId))]
    for (const [i, form] of forms.entries())
      notify([['grace@example.com', 'GRACE+forms@example.com'][i % 2] as string], { formId: form })
    for (const form of forms) submit(form, Array(10).fill(noon))
    const mails = deliveries().filter(({ kind }) => kind === 'email')
    expect(mails.map(({ form }) => form)).toEqual([1, 2, 3, 4, 5, 6].flatMap((form) => Array(10).fill(form)))
    expect(deliveries().filter(({ kind }) => kind === 'digest')).toMatchObject(
      [7, 8, 9, 10].map((form) => ({ form, count: 10, due_at: noon + 60 * minute })),
    )
    submit(forms[9] as string, [noon + 60 * minute])
    expect(deliveries().at(-1)).toMatchObject({ kind: 'email' })
    expect(countsAreExact()).toBeTrue()
  })

  test('counts two spellings of one person on a form together', () => {
    const { notify, submit, formId, deliveries } = openOutbox()
    notify(['grace@example.com', 'grace+forms@example.com', 'ada@example.com'])
    for (let i = 0; i < 40; i++) submit(formId, [noon])
    const kinds = Object.groupBy(deliveries(), ({ receiver, kind }) => `${receiver} ${kind}`)
    const counts = Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, rows?.length]))
    expect(counts).toMatchObject({ '1 email': 30, '1 digest': 1, '2 email': 30, '2 digest': 1, '3 email': 40 })
  })

  test('keeps the count of an address that is taken away and comes back, until the hour has ended', () => {
    const { notify, submit, formId, email, run, deliveries, folder } = openOutbox()
    const kinds = () => deliveries().map(({ kind }) => kind)
    notify([email])
    submit(formId, Array(60).fill(noon))
    notify([])
    notify([email])
    submit(formId, [noon])
    expect(kinds().filter((kind) => kind === 'email')).toHaveLength(60)
    const sweep = (before: number) => {
      run('removeExpired', { name: 'mailHours', before, maxRows: 9 })
      return rowsOf(folder, 'SELECT person, count FROM mail_hours')
    }
    expect(sweep(noon)).toEqual([{ person: expect.stringMatching(/^[0-9a-f]{64}$/), count: 61 }])
    expect(sweep(noon + 1)).toEqual([])
  })

  test('spreads the digests of many forms to one address: 60 an hour', () => {
    const { notify, submit, createForm, userId, formId, email, claim, finish, deliveries, countsAreExact } =
      openOutbox()
    notify([email])
    submit(formId, Array(60).fill(noon))
    const forms = Array.from({ length: 130 }, () => createForm(userId))
    for (const form of forms) {
      notify([email], { formId: form })
      submit(form, [noon + 1])
    }
    const dueIn = () =>
      Object.fromEntries(
        [
          ...Map.groupBy(
            deliveries().filter(({ kind, state }) => kind === 'digest' && state === 'pending'),
            (one) => one.due_at,
          ),
        ].map(([dueAt, all]) => [(dueAt - noon) / (60 * minute), all.length]),
      )
    expect(dueIn()).toEqual({ 1: 60, 2: 60, 3: 10 })
    // What comes meanwhile joins those that wait.
    for (const form of forms) submit(form, [noon + 2])
    expect(dueIn()).toEqual({ 1: 60, 2: 60, 3: 10 })
    // An hour later 60 are sent, and there are new ones.
    const now = noon + 60 * minute
    for (let i = 0; i < 9; i++) for (const one of claim({ now, maxPerHost: 99 }).claimed) finish(one)
    submit(formId, Array(60).fill(now))
    for (const form of forms) submit(form, [now + 1])
    expect(dueIn()).toEqual({ 2: 60, 3: 60, 4: 10 })
    expect(countsAreExact()).toBeTrue()
  })

  test('keeps counting when the clock is set back', () => {
    const { notify, submit, formId, deliveries } = openOutbox()
    notify(['grace@example.com'])
    submit(formId, Array(61).fill(noon + 600 * minute))
    submit(formId, Array(61).fill(noon))
    expect(deliveries().filter(({ kind }) => kind === 'email')).toHaveLength(120)
    // The first one was due in eleven hours.
    expect(deliveries().filter(({ kind }) => kind === 'digest')).toMatchObject([
      { count: 1, due_at: noon + 60 * minute },
      { count: 1, due_at: 0 },
    ])
  })

  test('tells an address that was taken away and came back of what follows', () => {
    const { notify, submit, formId, claim, deliveries, countsAreExact } = openOutbox()
    notify(['grace@example.com'])
    submit(formId, Array(62).fill(noon))
    notify([])
    claim()
    notify(['grace@example.com'])
    const [last] = submit(formId, [noon + 1])
    expect(deliveries().filter(({ kind }) => kind === 'digest')).toMatchObject([
      { state: 'failed', count: 2 },
      { state: 'pending', count: 1, submission: last as string },
    ])
    expect(countsAreExact()).toBeTrue()
  })

  test('keeps the visitor’s own subject', () => {
    const { notify, run, formId, deliveries } = openOutbox()
    notify(['grace@example.com'])
    const id = '01kbd0000000aaaaaaaaaaaaaaaa'
    run('createSubmission', { formId, id, data: '{"a":"1"}', fieldNames: ['a'], subject: 'Hello' })
    expect(deliveries().find(({ kind }) => kind === 'email')).toMatchObject({ submission: id, subject: 'Hello' })
  })
})

describe('deleting', () => {
  test('a submission deletes what was to be told of it, and of no other', () => {
    const { addWebhook, submit, formId, userId, run, deliveries, countsAreExact } = openOutbox()
    addWebhook()
    addWebhook()
    const [first, second] = submit(formId, [noon, noon])
    run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [first] })
    expect(deliveries().map(({ submission }) => submission)).toEqual([second, second] as string[])
    expect(countsAreExact()).toBeTrue()
  })

  test('a form deletes its deliveries and receivers, in slices', () => {
    const { addWebhook, submit, formId, userId, run, deliveries, receivers } = openOutbox()
    addWebhook()
    submit(formId, Array(600).fill(noon))
    run('deleteForms', { userId, now: noon, ids: [formId] })
    const slice = { maxRows: 500, maxBytes: 1 }
    expect(run('removeDeletedSlice', slice)).toBe(500)
    expect(deliveries()).toHaveLength(100)
    while (run('removeDeletedSlice', slice)) {}
    expect(deliveries()).toEqual([])
    expect(receivers()).toEqual([])
  })

  test('a form leaves nothing to claim, even before its rows are removed', () => {
    const { addWebhook, submit, formId, userId, run, claim } = openOutbox()
    addWebhook()
    submit(formId, [noon])
    run('deleteForms', { userId, now: noon, ids: [formId] })
    expect(claim()).toMatchObject({ claimed: [], nextDueAt: null })
  })

  test('what is old, delivered after 30 days and failed after 90, leaves the rest', () => {
    const { addWebhook, submit, formId, claim, finish, run, deliveries, receivers, countsAreExact } = openOutbox()
    addWebhook()
    const ids = submit(
      formId,
      Array.from({ length: 9 }, (_, position) => noon + position),
    )
    const { claimed } = claim({ maxPerHost: 9 })
    const outcomes = [{ state: 'delivered' }, { state: 'failed' }, { state: 'pending', dueAt: 1 }] as const
    claimed.forEach((one, position) => {
      finish({ ...one, outcome: outcomes[position % 3] as Finished['outcome'] })
    })
    const sweep = (deliveredBefore: string, failedBefore: string) => {
      let from: unknown = { form: 0, from: '' }
      while (from)
        from = run('removeOldDeliveries', { ...from, deliveredBefore, failedBefore, maxForms: 1, maxRows: 2 })
    }
    sweep(timePrefix(noon + 6), timePrefix(noon + 3))
    expect(deliveries().map(({ submission }) => ids.indexOf(submission as string))).toEqual([2, 4, 5, 6, 7, 8])
    expect(countsAreExact()).toBeTrue()
    expect(receivers()).toHaveLength(1)
  })

  test('a webhook keeps its row until its last delivery is removed', () => {
    const { addWebhook, submit, formId, userId, claim, finish, run, receivers } = openOutbox()
    const id = addWebhook()
    submit(formId, [noon])
    for (const one of claim().claimed) finish(one)
    run('deleteWebhook', { userId, formId, id, now: noon })
    const sweep = (before: string) => {
      const all = { form: 0, from: '', maxForms: 9, maxRows: 9 }
      run('removeOldDeliveries', { ...all, deliveredBefore: before, failedBefore: before })
      return receivers()
    }
    expect(sweep('0')).toMatchObject([{ secret: null, is_enabled: 0 }])
    expect(sweep('~')).toEqual([])
  })
})

test('an address that its reader takes out is told nothing more, and leaves the setting of the form', () => {
  const { run, userId, formId, submit, deliveries, receivers, folder } = openOutbox()
  run('updateFormSettings', { userId, id: formId, now: noon, changes: { notify: ['a@example.com', 'b@example.com'] } })
  const [receiver] = receivers()
  expect(run('removeAddress', { receiver: receiver?.id, now: noon })).toBe('Contact')
  expect(rowsOf(folder, 'SELECT settings FROM forms')).toEqual([{ settings: '{"notify":["b@example.com"]}' }])
  submit(formId, [noon])
  expect(
    deliveries()
      .filter(({ kind }) => kind === 'email')
      .map((row) => row.receiver),
  ).toEqual([2])
  // It was not told that it was added, so nothing of it is kept.
  expect(run('removeAddress', { receiver: receiver?.id, now: noon })).toBeUndefined()
  expect(run('removeAddress', { receiver: 'unknown', now: noon })).toBeUndefined()
})

describe('a receiver that was taken away', () => {
  test('leaves no row if it was told of nothing', () => {
    const { addWebhook, notify, email, submit, formId, userId, run, receivers } = openOutbox()
    run('deleteWebhook', { userId, formId, id: addWebhook(), now: noon })
    notify([email])
    notify([])
    expect(receivers()).toEqual([])
    // Its deliveries can still be looked at.
    notify([email])
    submit(formId, [noon])
    notify([])
    expect(receivers()).toMatchObject([{ target: email, is_enabled: 0, pending_count: 1 }])
    notify([email.toUpperCase()])
    expect(receivers()).toMatchObject([{ target: email.toUpperCase(), is_enabled: 1, pending_count: 1 }])
  })

  test('costs a submission nothing, nor a change of the addresses', async () => {
    const { db, notify, email, submit, formId } = openOutbox()
    notify([email])
    const cost = () => {
      const start = performance.now()
      for (let i = 0; i < 20; i++) {
        submit(formId, [noon])
        notify(i % 2 === 0 ? [] : [email])
      }
      return performance.now() - start
    }
    cost()
    const before = Math.max(cost(), cost())
    db.$client.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO receivers (id, form, kind, target, host, is_enabled, removed_at, failed_count)
      SELECT 'r' || i, 1, 'email', i || '@example.com', 'mail', 0, 1, 1 FROM n`)
    // Each of the 40 writes read all 25,000 rows.
    await expectBelow(3, () => cost() / before)
  })

  test('counts among the 1,000 that a form may have, while its deliveries are kept', () => {
    const { db, addWebhook, notify, email, formId, userId, run, receivers } = openOutbox()
    db.$client.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO receivers (id, form, kind, target, host, is_enabled, removed_at, failed_count)
      SELECT 'r' || i, 1, 'email', i || '@example.com', 'mail', 0, 1, 1 FROM n`)
    const id = addWebhook()
    expect(refusalOf(() => notify([email]))).toBe(
      'notify: must be addresses that the form has had: it has had 1000 addresses and webhooks, whose deliveries are kept',
    )
    expect(refusalOf(() => addWebhook())).toContain('formId: must be a form with fewer than 1000')
    notify(['7@example.com'])
    expect(receivers()[6]).toMatchObject({ target: '7@example.com', is_enabled: 1 })
    run('deleteWebhook', { userId, formId, id, now: noon })
    notify([email])
  })
})

describe('who was told that it was added', () => {
  const openLedger = () => {
    const data = openOutbox()
    let last = 0
    const strangers = (count: number) => Array.from({ length: count }, () => `${++last}@example.org`)
    const add = (now: number, addresses: readonly string[], userId = data.userId) => {
      const id = data.createForm(userId)
      return refusalOf(() => data.run('updateFormSettings', { userId, id, now, changes: { notify: addresses } }))
    }
    // The file has their hashes alone.
    const told = () => {
      const all = Array.from({ length: last }, (_, i) => `${i + 1}@example.org`)
      const byHash = new Map(all.map((address) => [sha256(address, 'hex'), address]))
      return rowsOf<{ hash: string }>(data.folder, 'SELECT hash FROM addresses').map(({ hash }) => ({
        address: byHash.get(hash) as string,
      }))
    }
    const addedTo = (target: string) =>
      data.receivers().flatMap((row) => {
        const isOf = ({ receiver, kind }: { receiver: number; kind: string }) =>
          receiver === row.number && kind === 'added'
        return row.target === target ? data.deliveries().filter(isOf) : []
      }).length
    return { ...data, strangers, add, told, addedTo }
  }

  test('is told again after 24 hours, and counts for them', () => {
    const { strangers, add, addedTo } = openLedger()
    for (let i = 0; i < 5; i++) expect(add(noon + i * minute, strangers(10))).toBeUndefined()
    expect(add(noon + 5 * minute, strangers(1))).toContain('before 2026-11-23 12:00 UTC: a user can add 50')
    // The eleventh place gets free a minute later.
    expect(add(noon + 24 * 60 * minute, strangers(10))).toBeUndefined()
    expect(add(noon + 24 * 60 * minute, ['1@example.org'])).toContain('before 2026-11-23 12:01 UTC')
    expect(add(noon + (24 * 60 + 1) * minute, ['1@example.org'])).toBeUndefined()
    expect(addedTo('1@example.org')).toBe(2)
  })

  test('does not count if it was taken away before the mail was sent, and is told when it comes back', () => {
    const { notify, claim, receivers, deliveries } = openLedger()
    for (let i = 0; i < 60; i++) {
      notify([`${i}@example.org`])
      notify([])
    }
    expect([receivers(), deliveries()]).toEqual([[], []])
    notify(['0@example.org'])
    expect(claim().claimed.map(({ kind }) => kind)).toEqual(['added'])
    notify([])
    notify(['0@example.org'])
    expect(deliveries().map(({ kind }) => kind)).toEqual(['added'])
  })

  test('counts if another form has the address, which tells it then', () => {
    const { notify, add, strangers, userId, formId, run, told, addedTo, countsAreExact } = openLedger()
    for (let i = 0; i < 5; i++) {
      const ten = strangers(10)
      notify(ten)
      if (i === 0)
        run('duplicateForm', { userId, id: formId, copyId: '01kahp6a8d00q2s4tznwe8cm3k9f', seed: '', now: noon })
      else expect(add(noon, ten)).toBeUndefined()
      notify([])
    }
    expect(told().map(({ address }) => addedTo(address))).toEqual(Array(50).fill(1))
    expect(countsAreExact()).toBe(true)
    expect(add(noon, strangers(1))).toContain('a user can add 50')
  })

  test('counts if the address got another mail first, of a submission that came before', () => {
    const { notify, submit, formId, userId, run, claim, folder } = openLedger()
    const [id] = submit(formId, [noon - minute])
    run('markSpam', { userId, formId, id, now: noon })
    notify(['0@example.org'])
    run('acceptSpam', { userId, formId, id, now: noon })
    expect(claim({ limit: 1 }).claimed.map(({ kind }) => kind)).toEqual(['email'])
    notify([])
    expect(rowsOf(folder, 'SELECT told_at FROM addresses')).toEqual([{ told_at: noon }])
  })

  test('counts as well when the clock is set back, and not for ever if it was far ahead', () => {
    const { strangers, add } = openLedger()
    for (let i = 0; i < 5; i++) expect(add(noon, strangers(10))).toBeUndefined()
    expect(add(noon - 60 * minute, strangers(1))).toContain('before 2026-11-23 12:00 UTC')
    expect(add(noon - 24 * 60 * minute, strangers(1))).toBeUndefined()
  })

  test('is forgotten after a day, unless its reader stopped all mails', () => {
    const { run, add, told, strangers } = openLedger()
    add(noon, strangers(7))
    run('stopAddress', { address: '3@example.org', now: noon, after: 0, maxForms: 9 })
    const sweep = (now: number) => {
      const input = { now, deliveredBefore: '0', failedBefore: '0', maxForms: 9, maxRows: 2 }
      let from: unknown = { form: 0, from: '' }
      while (from) from = run('removeOldDeliveries', { ...input, ...from })
      return told().map(({ address }) => address)
    }
    expect(sweep(noon + 24 * 60 * minute - 1)).toHaveLength(7)
    expect(sweep(noon + 24 * 60 * minute)).toEqual(['3@example.org'])
    run('allowAddress', { address: '3@example.org' })
    expect(sweep(noon + 24 * 60 * minute)).toEqual([])
  })

  test('leaves all of its forms in slices', () => {
    const { run, add, folder, createUser } = openLedger()
    for (let i = 0; i < 7; i++) add(noon, ['B@example.org', 'Ada@Example.org'], createUser())
    const slices: unknown[] = []
    for (let after: unknown = 0; after !== null; slices.push(after))
      after = run('stopAddress', { address: 'ada@example.org', now: noon, after, maxForms: 3 })
    expect(slices).toEqual([4, 7, null])
    const settings = rowsOf(folder, 'SELECT DISTINCT settings FROM forms WHERE settings IS NOT NULL')
    expect(settings).toEqual([{ settings: '{"notify":["B@example.org"]}' }])
  })
})
