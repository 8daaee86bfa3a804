// Whom a form answers, and whom it does not, whatever a stranger sends.
import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { toAnswerableAddress, toPerson } from '../../src/base/mail-address.ts'
import { refusalOf } from '../refusal.ts'
import { rowsOf } from '../storage/sound.ts'
import { longAgo, noon, openOutbox } from './outbox.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.', copy: false }

const openAnswering = () => {
  const data = openOutbox()
  const configure = (changes: object, formId = data.formId, userId = data.userId) =>
    data.run('updateFormSettings', { userId, id: formId, now: noon, changes })
  configure({ reply })

  /** Submissions with these addresses, in one transaction. Returns their identifiers. */
  const send = (addresses: readonly string[], at: (position: number) => number = () => noon, formId = data.formId) => {
    const ids = addresses.map((_, position) => newId(at(position)))
    for (let start = 0; start < ids.length; start += 1000)
      data.execute(
        ids.slice(start, start + 1000).map((id, i) => {
          const to = toAnswerableAddress(addresses[start + i] as string)
          return [
            'createSubmission',
            { formId, id, data: '{"a":"1"}', fieldNames: ['a'], reply: to ? { to } : undefined },
          ]
        }),
      )
    return ids
  }
  const states = () => data.deliveries().map(({ state, reason }) => reason ?? state)
  /** How many there are of each. */
  const tally = () =>
    Object.fromEntries([...Map.groupBy(states(), (one) => one)].map(([one, all]) => [one, all.length]))
  const stop = (address: string) => data.run('stopAddress', { address, now: noon, after: 0, maxForms: 9 })
  const ofUser = (id: string, now = noon) => ({ userId: data.userId, formId: data.formId, id, now })
  const retry = (id: string, now = noon) => refusalOf(() => data.run('retryDelivery', ofUser(id, now)))
  return { ...data, configure, send, states, tally, stop, ofUser, retry }
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `visitor${i}@example.org`)

describe('a form that answers', () => {
  test('has a delivery to the visitor for each submission with an address, which attempts end after a day', () => {
    const { send, deliveries, countsAreExact, claim } = openAnswering()
    const [id] = send(['grace@example.org', 'no address'])
    expect(deliveries()).toMatchObject([
      {
        kind: 'reply',
        submission: id,
        target: 'grace@example.org',
        state: 'pending',
        ends_at: noon + day,
        reason: null,
      },
    ])
    expect(countsAreExact()).toBe(true)
    expect(claim().claimed).toMatchObject([
      { kind: 'reply', target: 'grace@example.org', host: 'mail', endsAt: noon + day },
    ])
  })

  test('answers no one when the setting is off, and goes on when it is on again', () => {
    const { configure, send, claim, states, receiverCount } = openAnswering()
    send(['grace@example.org'])
    configure({ reply: null })
    expect(receiverCount()).toBe(0)
    send(['alan@example.org'])
    claim()
    expect(states()).toEqual(['failed'])
    configure({ reply: { ...reply, subject: 'Hello' } })
    send(['alan@example.org'])
    expect(states()).toEqual(['failed', 'pending'])
  })

  test('is answered by its copy as well', () => {
    const { run, userId, formId, send, tally } = openAnswering()
    const copyId = newId(noon)
    run('duplicateForm', { userId, id: formId, copyId, seed: 'seed', now: noon })
    send(['grace@example.org'], () => noon, copyId)
    expect(tally()).toEqual({ pending: 1 })
  })

  test('that is deleted leaves nothing but what limits answers of others', () => {
    const { run, userId, formId, send, folder } = openAnswering()
    send(['grace@example.org'])
    run('deleteForms', { userId, now: noon, ids: [formId] })
    while (run('removeDeletedSlice', { maxRows: 9, maxBytes: 9 })) {}
    expect(rowsOf(folder, 'SELECT count(*) AS deliveries FROM deliveries')).toEqual([{ deliveries: 0 }])
    expect(rowsOf(folder, 'SELECT form FROM replies')).toEqual([{ form: null }])
  })
})

describe('someone who sends a form', () => {
  test('1,000 times with one address causes one mail', () => {
    const { send, tally, countsAreExact } = openAnswering()
    send(Array(1000).fill('victim@example.org'))
    expect(tally()).toEqual({ pending: 1, form_address: 999 })
    expect(countsAreExact()).toBe(true)
  })

  test('with 1,000 addresses causes 30 mails within an hour', () => {
    const { send, tally, countsAreExact } = openAnswering()
    send(numbered(1000))
    expect(tally()).toEqual({ pending: 30, form_hour: 970 })
    expect(countsAreExact()).toBe(true)
  })

  test('with 2,000 addresses, spread over a day, causes 300 mails', () => {
    const { send, tally } = openAnswering()
    send(numbered(2000), (i) => noon + Math.floor((i * (day - minute)) / 2000))
    const { pending, form_hour = 0, form_day = 0 } = tally()
    expect(pending).toBe(300)
    expect(form_hour + form_day).toBe(1700)
    expect(form_day).toBeGreaterThan(1000)
  })

  test('with one address to ten forms causes three mails within a day, and then one more of each form', () => {
    const { userId, createForm, configure, send, tally } = openAnswering()
    const forms = Array.from({ length: 10 }, () => createForm(userId))
    for (const form of forms) configure({ reply }, form)
    for (const form of forms) send(['victim@example.org'], () => noon, form)
    expect(tally()).toEqual({ pending: 3, server_address: 7 })
    for (const form of forms) send(['victim@example.org'], () => noon + day - 1, form)
    expect(tally()).toMatchObject({ pending: 3 })
    for (const form of forms) send(['victim@example.org'], () => noon + day, form)
    expect(tally()).toMatchObject({ pending: 6 })
  })

  test.each([
    ['with tags', ['victim+1@example.org', 'victim+2@example.org', 'victim+a+b@example.org', 'victim@example.org']],
    ['in upper case', ['victim@example.org', 'VICTIM@EXAMPLE.ORG', 'Victim@Example.Org', 'vIcTiM+X@example.ORG']],
    ['with spaces around it', ['victim@example.org', ' victim@example.org', 'victim@example.org\t\n']],
    [
      'with an IDN and its ASCII form',
      ['victim@bücher.example', 'victim@xn--bcher-kva.example', 'victim@BÜCHER.example'],
    ],
    ['with an IDN in another normal form', ['victim@bücher.example', 'victim@bu\u0308cher.example']],
    [
      'with wide letters and other full stops',
      ['victim@example.org', 'victim@ｅｘａｍｐｌｅ．org', 'victim@example。org'],
    ],
    [
      'with the full stops that Gmail ignores',
      ['victim@gmail.com', 'v.i.c.t.i.m@gmail.com', 'vic.tim@googlemail.com', 'vic.tim+x@gmail.com'],
    ],
  ])('with one address %s causes one mail', (_, spellings) => {
    const { send, tally } = openAnswering()
    send(spellings)
    expect(tally()).toEqual({ pending: 1, form_address: spellings.length - 1 })
  })

  test.each([
    ['a quoted name', '"victim"@example.org'],
    ['a quoted name with a space', '"a victim"@example.org'],
    ['a comment before it', '(x)victim@example.org'],
    ['a comment after it', 'victim@example.org(x)'],
    ['a name and angle brackets', 'Victim <victim@example.org>'],
    ['two addresses', 'victim@example.org, other@example.org'],
    ['two addresses with a semicolon', 'victim@example.org;other@example.org'],
    ['a route', '@relay.example,:victim@example.org'],
    ['two @', 'victim@example.org@relay.example'],
    ['a percent hack that is no domain', 'victim%example.org@'],
    ['a header after it', 'victim@example.org\r\nBcc: other@example.org'],
    ['a header before it', 'Bcc: other@example.org\r\nvictim@example.org'],
    ['a line break in it', 'victim@exam\nple.org'],
    ['NUL', 'victim\0@example.org'],
    ['an encoded word', '=?utf-8?q?victim?=@example.org'],
    ['a mark of direction', '\u202evictim@example.org'],
    ['a mark of direction in the domain', 'victim@exam\u202eple.org'],
    ['letters that only SMTPUTF8 knows', 'víctim@example.org'],
    ['a name that looks like another in Cyrillic', 'v\u0456ctim@example.org'],
    ['an address in brackets', 'root@[127.0.0.1]'],
    ['an IP address', 'root@127.0.0.1'],
    ['a name of this network', 'root@localhost'],
    ['a domain without a name', '@example.org'],
    ['300 characters', `victim@${'a.'.repeat(140)}example.org`],
    ['mailer-daemon', 'MAILER-DAEMON@example.org'],
    ['postmaster', 'Postmaster@example.org'],
    ['no-reply', 'no-reply@example.org'],
    ['noreply', 'noreply@example.org'],
    ['do_not_reply with a tag', 'do_not_reply+x@example.org'],
    ['a percent hack', 'victim%example.org@relay.example'],
    ['a path of UUCP', 'example.org!victim@relay.example'],
    ['a name of this network with a dot', 'root@printer.local'],
    ['a domain of companies', 'root@mail.corp'],
    ['a domain of routers', 'root@nas.lan'],
    ['a domain of homes', 'root@nas.home.arpa'],
    ['a domain of clouds', 'root@metadata.internal'],
    ['a domain of old systems', 'root@host.localdomain'],
    ['a hidden service', 'root@abcdefghij.onion'],
    ['a domain that is never registered', 'root@example.invalid'],
    ['a domain for tests', 'root@example.test'],
    ['nothing', ''],
  ])('as %s causes no mail', (_, address) => {
    expect(toAnswerableAddress(address)).toBeNull()
  })

  test('is one person to the limits, and gets the mail as it was written', () => {
    expect(toPerson('Ada+news@Example.org')).toBe('ada@example.org')
    expect(toPerson('+tag@example.org')).toBe('+tag@example.org')
    expect(toAnswerableAddress(' Ada+news@Bücher.Example ')).toBe('Ada+news@xn--bcher-kva.example')
  })

  test('and is told of its submissions is not answered, nor who has stopped all mail, with any tag', () => {
    const { configure, send, stop, run, states } = openAnswering()
    configure({ notify: ['Owner@example.org'] })
    stop('grace+list@example.org')
    send(['owner@example.org', 'grace@example.org', 'GRACE+x@example.org'])
    expect(states().filter((one) => one !== 'pending')).toEqual(['notify', 'stopped', 'stopped'])
    run('allowAddress', { address: 'grace@example.org' })
    send(['grace@example.org'])
    expect(states().at(-1)).toBe('pending')
  })

  test('gains no room by deletions, nor when the clock is set back', () => {
    const { send, run, ofUser, tally } = openAnswering()
    const { formId, userId, ...rest } = ofUser('')
    const ids = send(numbered(30))
    run('deleteSubmissions', { ...rest, userId, formId, list: 'inbox', ids })
    expect(tally()).toEqual({})
    send(['other@example.org', 'visitor1@example.org'])
    send(['third@example.org'], () => noon - 10 * minute)
    expect(tally()).toEqual({ form_hour: 2, form_address: 1 })
    send(['other@example.org'], () => noon + hour)
    expect(tally()).toMatchObject({ pending: 1 })
  })
})

describe('all forms of a user together', () => {
  /** Forms that answer, each of which gets twenty submissions at a time. */
  const openMany = (count: number) => {
    const data = openAnswering()
    const addForms = (of = data.userId) =>
      Array.from({ length: count }, () => {
        const form = data.createForm(of)
        data.configure({ reply }, form, of)
        return form
      })
    let sent = 0
    const sendAll = (forms: readonly string[], at: number) => {
      for (const form of forms)
        data.send(
          numbered(20).map((address) => `${sent++}-${address}`),
          () => at,
          form,
        )
      return data.tally()
    }
    return { ...data, addForms, sendAll }
  }

  test('give 60 replies within an hour and 300 within a day', () => {
    const { addForms, sendAll, countsAreExact } = openMany(10)
    const forms = addForms()
    expect(sendAll(forms, noon)).toEqual({ pending: 60, user_hour: 140 })
    for (let i = 1; i < 5; i++) sendAll(forms, noon + i * hour)
    expect(sendAll(forms, noon + 5 * hour)).toEqual({ pending: 300, user_hour: 700, user_day: 200 })
    expect(sendAll(forms, noon + day)).toMatchObject({ pending: 360 })
    expect(countsAreExact()).toBe(true)
  })

  test('gain no room by deletions, nor by new forms and copies', () => {
    const { userId, run, addForms, sendAll } = openMany(3)
    const forms = addForms()
    sendAll(forms, noon)
    run('deleteForms', { userId, now: noon, ids: forms })
    while (run('removeDeletedSlice', { maxRows: 999, maxBytes: 99_999 })) {}
    const more = addForms()
    const copyId = newId(noon)
    run('duplicateForm', { userId, id: more[0], copyId, seed: 'seed', now: noon })
    expect(sendAll([...more, copyId], noon + 1)).toEqual({ user_hour: 80 })
  })

  test('give 30 within a day while the account is younger than a day', () => {
    const { createUser, addForms, sendAll } = openMany(3)
    const forms = addForms(createUser(noon))
    expect(sendAll(forms, noon)).toEqual({ pending: 30, user_day: 30 })
    expect(sendAll(forms, noon + 23 * hour)).toEqual({ pending: 30, user_day: 90 })
    // The hour is that of an older account.
    expect(sendAll(forms, noon + day)).toMatchObject({ pending: 90 })
  })

  test('count for who owns the form when the submission arrives', () => {
    const { folder, userId, formId, createUser, run, addForms, sendAll } = openMany(3)
    const other = createUser(longAgo)
    const forms = addForms()
    expect(sendAll(forms, noon)).toEqual({ pending: 60 })
    const [{ email }] = rowsOf(folder, 'SELECT email FROM users WHERE id = ?', other) as [{ email: string }]
    const [handed = ''] = forms
    const change = { userId, formId: handed, email, now: noon }
    run('addMember', { ...change, id: newId(noon), role: 'manager', mailTo: null })
    run('handOver', { ...change, id: newId(noon) })
    // The form had twenty.
    expect(sendAll([handed, formId], noon + 1)).toEqual({ pending: 70, form_hour: 10, user_hour: 20 })
    const counted = () => rowsOf(folder, 'SELECT user_id FROM replies WHERE user_id = ?', other).length
    expect(counted()).toBe(10)
    run('deleteUser', { userId: other, now: noon, deleteShared: true })
    expect(counted()).toBe(0)
  })

  test('give no more by hand, which says why', () => {
    const { addForms, sendAll, deliveries, userId, run } = openMany(4)
    const forms = addForms()
    sendAll(forms, noon)
    const skipped = deliveries().find(({ reason }) => reason === 'user_hour')
    const last = { userId, formId: forms[3], id: skipped?.id, now: noon }
    expect(refusalOf(() => run('retryDelivery', last))).toContain(
      'must not be more than 60 replies of all forms of one user within an hour',
    )
    expect(refusalOf(() => run('retryDelivery', { ...last, now: noon + hour }))).toBeUndefined()
  })
})

describe('an address that its mail server refuses for good', () => {
  test('gets no more answers, but for itself alone, and can be told of submissions', () => {
    const { send, claim, finish, configure, states, deliveries, countsAreExact } = openAnswering()
    send(['grace+typo@example.org'])
    const [claimed] = claim().claimed
    finish({ form: 1, id: claimed?.id as string, outcome: { state: 'failed' }, isAddressRefused: true })
    send(['grace+typo@example.org'], () => noon + 2 * day)
    send(['grace@example.org'], () => noon + 2 * day)
    expect(states()).toEqual(['failed', 'refused', 'pending'])
    configure({ notify: ['grace+typo@example.org'] })
    expect(deliveries().some(({ kind }) => kind === 'added')).toBe(true)
    expect(countsAreExact()).toBe(true)
  })

  test('gets them again after 90 days, or when an attempt by hand succeeds', () => {
    const { send, claim, finish, run, retry, states } = openAnswering()
    const sweep = (now: number) => {
      const input = { now, deliveredBefore: '0', failedBefore: '0', maxForms: 9, maxRows: 100 }
      let from: unknown = { form: 0, from: '' }
      while (from) from = run('removeOldDeliveries', { ...input, ...from })
    }
    const refuse = (now: number) => {
      const { id, attempts } = claim({ now, lostAt: now + minute }).claimed[0] as { id: string; attempts: number }
      const log = { at: now, milliseconds: 1, status: 550, error: 'no', answer: '' }
      finish({ form: 1, id, attempt: attempts, outcome: { state: 'failed' }, isAddressRefused: true, log })
      return id
    }
    send(['a@example.org'])
    refuse(noon)
    sweep(noon + 90 * day - 1)
    send(['a@example.org'], () => noon + 2 * day)
    expect(states()).toEqual(['failed', 'refused'])
    sweep(noon + 90 * day)
    send(['a@example.org'], () => noon + 3 * day)
    const id = refuse(noon + 3 * day)
    expect(states()).toEqual(['failed', 'refused', 'failed'])
    expect(retry(id, noon + 5 * day)).toBeUndefined()
    const [again] = claim({ now: noon + 5 * day, lostAt: noon + 6 * day }).claimed
    finish({ form: 1, id, attempt: again?.attempts as number })
    send(['a@example.org'], () => noon + 7 * day)
    expect(states()).toEqual(['failed', 'refused', 'delivered', 'pending'])
  })
})

describe('spam', () => {
  const sendSpam = ({ run, formId }: ReturnType<typeof openAnswering>) => {
    const id = newId(noon)
    run('createSubmission', {
      formId,
      id,
      data: '{"a":"1"}',
      fieldNames: [],
      reason: 'terms',
      reply: { to: 'a@example.org' },
    })
    return id
  }

  test('is not answered, unless it is none: then once', () => {
    const data = openAnswering()
    const { run, ofUser, states, claim, finish, countsAreExact } = data
    const id = sendSpam(data)
    expect(states()).toEqual([])
    run('acceptSpam', { ...ofUser(id), reply: { to: 'a@example.org' } })
    expect(states()).toEqual(['pending'])
    finish({ form: 1, id: claim().claimed[0]?.id as string })
    for (let i = 0; i < 3; i++) {
      run('markSpam', ofUser(id))
      run('acceptSpam', { ...ofUser(id, noon + 2 * day), reply: { to: 'a@example.org' } })
    }
    expect(states()).toEqual(['delivered'])
    expect(countsAreExact()).toBe(true)
  })

  test('stops an answer that waits, which goes on if it is none', () => {
    const { send, run, ofUser, claim, finish, states, countsAreExact, deliveries } = openAnswering()
    const [id] = send(['a@example.org']) as [string]
    const [first] = claim().claimed
    run('markSpam', ofUser(id))
    expect(states()).toEqual(['spam'])
    run('acceptSpam', { ...ofUser(id), reply: { to: 'a@example.org' } })
    expect(states()).toEqual(['pending'])
    run('markSpam', ofUser(id))
    // The attempt was under way all the time.
    finish({ form: 1, id: first?.id as string })
    run('acceptSpam', { ...ofUser(id), reply: { to: 'a@example.org' } })
    expect(deliveries().map(({ state, attempts, reason }) => [state, attempts, reason])).toEqual([
      ['delivered', 1, null],
    ])
    expect(countsAreExact()).toBe(true)
  })

  test('that an owner marked and takes back is not answered if it was imported, or came before there were answers', () => {
    const { submit, formId, run, ofUser, states } = openAnswering()
    const [id] = submit(formId, [noon]) as [string]
    run('markSpam', ofUser(id))
    run('acceptSpam', { ...ofUser(id), reply: { to: 'a@example.org' } })
    expect(states()).toEqual([])
  })
})

describe('trying again by hand', () => {
  test('sends no second answer, and none beyond the limits', () => {
    const { send, deliveries, claim, finish, retry, stop, states, countsAreExact } = openAnswering()
    send(['a@example.org', 'a@example.org', 'b@example.org'])
    const [first, second, third] = deliveries().map(({ id }) => id) as [string, string, string]
    expect(retry(second)).toContain('must not be a second reply of this form to one address within 24 hours')
    for (const { id } of claim().claimed)
      finish({ form: 1, id, outcome: { state: id === first ? 'delivered' : 'failed' } })
    expect(retry(first)).toContain('must not be a reply that was delivered')
    expect(retry(third)).toBeUndefined()
    stop('b@example.org')
    finish({ form: 1, id: claim().claimed[0]?.id as string, attempt: 2, outcome: { state: 'failed' } })
    expect(retry(third)).toContain(
      'must not be a reply to an address whose recipient has stopped all emails from this server',
    )
    expect(retry(second, noon + day)).toBeUndefined()
    expect(states()).toEqual(['delivered', 'pending', 'failed'])
    expect(deliveries()[1]?.ends_at).toBe(noon + 2 * day)
    expect(countsAreExact()).toBe(true)
  })

  test('counts: an owner cannot hand out more than the limits with it', () => {
    const { send, deliveries, retry } = openAnswering()
    send(numbered(100))
    const skipped = deliveries().filter(({ state }) => state === 'skipped')
    expect(skipped.map(({ id }) => retry(id)).filter((refusal) => refusal === undefined)).toEqual([])
    const later = skipped.map(({ id }) => retry(id, noon + hour))
    expect(later.filter((refusal) => refusal === undefined)).toHaveLength(30)
  })

  test('of all that failed leaves answers out, and hastens those that wait', () => {
    const { send, claim, finish, run, userId, formId, states, deliveries } = openAnswering()
    send(['a@example.org', 'b@example.org'])
    const [a, b] = claim().claimed.map(({ id }) => id) as [string, string]
    finish(
      { form: 1, id: a, outcome: { state: 'failed' } },
      { form: 1, id: b, outcome: { state: 'pending', dueAt: noon + hour } },
    )
    const after = { receiver: 0, id: '' }
    expect(run('retryDeliveries', { userId, formId, now: noon, after, maxRows: 9 })).toEqual({ count: 1, next: null })
    expect(states().sort()).toEqual(['failed', 'pending'])
    expect(deliveries().find(({ id }) => id === b)?.due_at).toBe(noon)
  })
})

describe('what is counted', () => {
  test('is removed after a day, and what was skipped after 30', () => {
    const { send, run, folder, states } = openAnswering()
    send(['a@example.org', 'a@example.org'])
    const sweep = (now: number, before: string) => {
      const input = { now, deliveredBefore: before, failedBefore: '0', maxForms: 9, maxRows: 1 }
      let from: unknown = { form: 0, from: '' }
      while (from) from = run('removeOldDeliveries', { ...input, ...from })
      return rowsOf(folder, 'SELECT id FROM replies').length
    }
    expect(sweep(noon + day - 1, '0')).toBe(1)
    expect(sweep(noon + day, '~')).toBe(0)
    expect(states()).toEqual(['pending'])
  })

  test('is no address: the file has hashes, also of who wants no mail', () => {
    const { send, stop, folder } = openAnswering()
    send(['a@example.org'])
    stop('b@example.org')
    const isHash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(rowsOf(folder, 'SELECT person FROM replies')).toEqual([{ person: isHash }])
    expect(rowsOf(folder, 'SELECT hash FROM addresses')).toEqual([{ hash: isHash }])
  })
})
