// Rows of a log that no server of this version sends just so: commands again, in other company, and with what was never
// there. Whatever a row does, it has to do the same everywhere.

import { Database } from 'bun:sqlite'
import { newId, timePrefix } from '../../src/base/id.ts'
import { formStates } from '../../src/forms/as-files/form-state.ts'
import { conditionsId } from '../../src/outbox/receivers.ts'
import { dayOf } from '../../src/storage/idempotency.ts'
import { connectToRead } from '../../src/storage/open.ts'
import { forms } from '../../src/storage/tables.ts'
import { dataFile } from '../storage/sound.ts'

type Command = readonly [name: string, input: unknown]

const hour = 3_600_000
const day = 24 * hour
const confirm = { field: 'name 1', subject: 's', text: '{link}', days: 2 }
const only = '{"field":"name 1","equals":"x"}'

/** @param rows what was executed on the file of this folder */
export const randomRows = (folder: string, rows: readonly string[], count: number): string[] => {
  const done: Command[] = rows.flatMap((row) => JSON.parse(row))
  const { often, seldom } = commandsOn(folder)
  const next = (): Command[] => {
    if (chance(0.3)) {
      // As they were sent, but cut elsewhere.
      const from = below(done.length)
      return done.slice(from, from + 1 + below(20))
    }
    // Neighbours of one name are executed together.
    const of = chance(0.05) ? pick(seldom) : pick(often)
    return Array.from({ length: 1 + below(chance(0.3) ? 40 : 3) }, of).flat()
  }
  const each = [...often, ...seldom].map((of) => of())
  const others = Array.from({ length: count }, () => (chance(0.5) ? next() : [...next(), ...next()]))
  return [...others, ...each].map((row) => JSON.stringify(row))
}

const commandsOn = (folder: string) => {
  const known = new Database(dataFile(folder), { readonly: true })
  const all = <T>(query: string): T[] => known.query<T, []>(query).all()
  const forms = all<{ number: number; id: string; userId: string | null }>(
    'SELECT number, id, user_id AS userId FROM forms ORDER BY number',
  )
  const submissions = all<{ id: string; formId: string; userId: string }>(
    `SELECT submissions.id, forms.id AS formId, forms.user_id AS userId FROM submissions
     JOIN forms ON forms.number = form WHERE forms.user_id IS NOT NULL ORDER BY 1, 2`,
  )
  const deliveries = all<{ form: number; id: string; attempts: number; formId: string; userId: string }>(
    `SELECT form, deliveries.id, attempts, forms.id AS formId, user_id AS userId FROM deliveries
     JOIN forms ON number = form ORDER BY form, deliveries.id`,
  )
  const receivers = all<{ id: string; formId: string; userId: string }>(
    'SELECT receivers.id, forms.id AS formId, user_id AS userId FROM receivers JOIN forms ON forms.number = form',
  )
  const users = all<{ id: string; email: string }>('SELECT id, email FROM users ORDER BY id')
  const limits = all<{ number: number }>('SELECT number FROM limits WHERE count_from IS NOT NULL ORDER BY number')
  known.close()
  const states = statesIn(folder)
  const imports = Array.from({ length: 20 }, () => newId(Date.now()))
  const begins = (id: string): Command[] => {
    const form = anyForm()
    const input = { id, formId: form.id, userId: form.userId ?? 'u', node: pick(['', 'a', 'b']), report: '{}' }
    return [
      ['beginImport', { ...input, now: now() }],
      ['planImport', chance(0.5) ? input : { ...input, keepUntil: now() }],
    ]
  }
  const slice = (importId: string): Command => [
    'addSlice',
    { importId, now: now(), maxRows: 1 + below(3), maxBytes: pick([10, 100_000]) },
  ]
  // Long after and long before everything else.
  const now = () => Date.now() + pick([0, 0, 0, -day, 45 * day, 200 * day])
  const anyForm = () => pick(chance(0.95) ? forms : [{ number: 999, id: newId(0), userId: null }])
  const submission = (): object => {
    const id = chance(0.9) ? newId(now()) : pick(submissions).id
    const text = pick(['', 'x', 'ü'.repeat(3000), 'y'.repeat(70_000)])
    const name = `name ${below(40)}`
    return {
      formId: anyForm().id,
      id,
      data: JSON.stringify({ [name]: text }),
      fieldNames: [name],
      ...reply(),
      ...challenge(),
      ...request(),
      ...(chance(0.3) && { decision: decision() }),
      ...(chance(0.5) && { once: { 'name 4': pick([[], ['h'], ['h', 'i']]) } }),
      digestAt: digestAt(),
    }
  }
  const asked = () => ({
    target: pick(['x@example.com', undefined]),
    address: pick(['a', 'b', '']),
    person: pick(['p', 'q']),
    browser: 'h',
    endsAt: now() + pick([hour, 2 * day]),
    mail: { hash: 'm', text: '{"subject":"s","text":"{link}"}' },
    consent: pick([[], [{ hash: 'c', text: 'I agree' }]]),
  })
  const ofLink = () => ({ formId: anyForm().id, id: pick(submissions).id, now: now() })
  const allReady = submissions.map(({ id }) => ({
    id,
    once: { 'name 4': [] },
    isConfirmed: false,
    reply: pick([{ to: 'x@example.com' }, undefined]),
  }))
  const tokens = () => Buffer.from(new Uint32Array([1, 2, below(9)].sort()).buffer).toString('base64')
  const lesson = () => chance(0.7) && { lesson: tokens() }
  const headers = () => pick([undefined, [], [{ name: 'X-A', value: pick(['a', null]) }]])
  // A submission is stored only if these are the form's conditions.
  const digestAt = () => (chance(0.3) ? undefined : { day: now() + pick([1, 1000]), week: now() + pick([1, 2000]) })
  const decision = () => pick([{ id: conditionsId(JSON.stringify([only])), holding: pick([[], [0]]) }, undefined])
  const reply = () =>
    chance(0.5) && {
      reply: {
        to: pick(['x@example.com', 'Y+1@example.com', 'a.b@gmail.com']),
        language: pick(['en', 'ar', undefined]),
      },
    }
  const challenge = () => chance(0.2) && { challenge: { random: `r${below(30)}`, expiresAt: below(5) * hour } }
  const request = () => chance(0.3) && { request: { keyHash: `k${below(20)}`, fingerprint: `f${below(2)}`, at: now() } }
  const log = () => ({ at: now(), milliseconds: below(900), status: 500, error: 'no', answer: 'n' })

  const ofUser = () => ({ userId: pick(users).id })
  const ofForm = () => {
    const { id, userId } = anyForm()
    return { userId, id, now: now() }
  }
  const ofSubmission = () => ({ ...pick(submissions), now: now() })
  const ofReceiver = () => ({ ...pick(receivers), now: now() })
  const before = () => ({ deliveredBefore: timePrefix(now()), failedBefore: timePrefix(now()) })
  const user = () => ({ id: pick(users).id, email: `${newId(now())}@example.com`, passwordHash: 'none' })
  const session = () => ({ hash: `h${below(5)}`, expiresAt: now() + day, now: now() })
  const guess = () => ({ guesser: pick(['strangers', 'd']), at: now() })
  const code = () => pick([{ factor: `f${below(2)}`, step: below(20), ...guess() }, { recoveryCode: `r${below(4)}` }])

  const often: (() => Command[])[] = [
    () => [['createSubmission', submission()]],
    () => [['createSubmission', { ...submission(), asked: asked() }]],
    () => [['confirmSubmissions', { ...ofLink(), ready: chance(0.8) ? allReady : [] }]],
    () => [['withdrawSubmissions', ofLink()]],
    () => [['removeUnconfirmed', { now: now(), maxRows: 1 + below(5) }]],
    () => [['createSubmission', { ...submission(), reason: 'terms' }]],
    () => [['createSubmission', { ...submission(), reason: 'similar' }]],
    () => [['markSpam', { ...ofSubmission(), ...lesson() }]],
    () => [['acceptSpam', { ...ofSubmission(), decision: decision(), digestAt: digestAt(), ...reply(), ...lesson() }]],
    () => [['keepInInbox', { ...ofSubmission(), lesson: tokens() }]],
    () => [
      ['deleteSubmissions', { ...withIds(pick(submissions)), list: pick(['inbox', 'spam']), isErasing: chance(0.3) }],
    ],
    () => {
      const { userId, id } = ofForm()
      return [['forgetLessons', { userId, formId: id, now: now() }]]
    },
    () => {
      const { userId, id } = ofForm()
      return [['deleteAllSpam', { userId, formId: id }]]
    },
    () => {
      const { formId, id } = pick(submissions)
      return [['learnMarked', { formId, lessons: [{ id, at: now(), lesson: tokens() }] }]]
    },
    () => {
      const room = { limit: 1 + below(60), maxUnderWay: 64, maxPerHost: 1 + below(20), maxLong: 4, underWay: [] }
      const place = { node: pick(['a', 'b']), after: below(5), pausedHosts: pick([[], ['mail']]) }
      return [['claimDeliveries', { ...room, ...place, now: now(), lostAt: now() + hour }]]
    },
    () => [['releaseClaims', { node: pick(['a', 'b']) }]],
    () => {
      const { form, id, attempts } = pick(deliveries)
      const outcome = pick([
        { state: 'delivered' },
        { state: 'failed' },
        { state: 'brokenOff' },
        { state: 'pending', dueAt: now() },
        { state: 'skipped', reason: 'stopped' },
      ])
      const disabledReason = pick([null, null, null, 'The receiver responded with 410'])
      const isAddressRefused = chance(0.2)
      const finished = {
        form,
        id,
        attempt: attempts + below(2),
        outcome,
        log: log(),
        isAddressRefused,
        wasBegun: chance(0.5),
        disabledReason,
      }
      return [['finishDeliveries', [finished]]]
    },
    () => [['beginReply', pick(deliveries)]],
    () => [['retryDelivery', { ...pick(deliveries), now: now() }]],
    () => [['dismissDelivery', pick(deliveries)]],
    () => {
      const { userId, formId, id } = pick(deliveries)
      const after = { receiver: below(9), id: pick(['', id]) }
      const receiverId = chance(0.5) ? pick(receivers.filter((one) => one.formId === formId)).id : undefined
      return [['retryDeliveries', { userId, formId, receiverId, now: now(), after, maxRows: 1 + below(9) }]]
    },
    () => [
      [
        'updateWebhook',
        { ...ofReceiver(), enabled: chance(0.5), only: pick([only, null, undefined]), headers: headers() },
      ],
    ],
    () => [['deleteWebhook', ofReceiver()]],
    () => [['removeAddress', { receiver: pick(receivers).id, now: now() }]],
    () => [['stopAddress', { address: 'x@example.com', now: now(), after: below(9), maxForms: 1 + below(5) }]],
    () => [['allowAddress', { address: 'x@example.com' }]],
    () => {
      // Of a form that is there or new, which someone may have changed since.
      const { id, userId, now: at } = ofForm()
      const isNew = chance(0.5)
      const webhook = { name: pick(['a', 'b']), id: newId(at), isNew: true, secret: `whsec_${'B'.repeat(44)}` }
      const changed = { name: 'c', ...pick(receivers), isNew: false, secret: pick([undefined, 'whsec_AAAA']) }
      const url = { url: 'https://example.com/', urlToken: null, host: 'example.com:443', format: 'slack' }
      const fields = { ...url, description: null, only: pick([null, only]), headers: headers() ?? [] }
      const applied = {
        name: `n${below(9)}`,
        id: isNew ? newId(at) : id,
        before: isNew ? null : (states.get(id) ?? 'other'),
        fields: pick([{ title: 'Applied' }, {}]),
        settings: changes(),
        digestAt: digestAt(),
        webhooks: pick([
          [],
          [{ ...webhook, fields }],
          [{ ...changed, fields: pick([undefined, fields]), enabled: chance(0.5) }],
        ]),
      }
      return [['applyForms', { userId, now: at, oldSecretUntil: at + day, forms: [applied] }]]
    },
    () => [['duplicateForm', { ...ofForm(), copyId: newId(now()), seed: 'seed', ...request() }]],
    () => [['updateFormSettings', { ...ofForm(), changes: changes(), digestAt: digestAt() }]],
    () => {
      const { userId, id, now: at } = ofForm()
      return [
        [
          'saveForm',
          {
            userId,
            now: at,
            form: { id, title: 'Saved', description: null },
            settings: changes(),
            digestAt: digestAt(),
          },
        ],
      ]
    },
    () => {
      const { formId, id } = pick(submissions)
      const counted = pick([[], ...limits.map(({ number }) => [[number, '', pick([0, 1])]])])
      const rows = pick([[], [[id, [1 + below(9)], [[1 + below(9), pick(['h', 'i'])]]]]])
      return [['countLimits', { formId, limits: counted, rows, next: pick([null, id]) }]]
    },
    () => [['markRead', withIds(pick(submissions))]],
    () => [['markUnread', withIds(pick(submissions))]],
    () => [['handleSubmissions', { ...withIds(ofSubmission()), state: pick(['open', 'done', undefined]) }]],
    () => {
      const { id: submissionId, userId, formId } = pick(submissions)
      const [note, deleted] = [newId(now()), newId(now())].map((id) => ({ userId, formId, submissionId, id }))
      return [
        ['addNote', { ...note, text: pick(['n', 'x'.repeat(2000)]) }],
        ['addNote', { ...deleted, text: 'n' }],
        ['deleteNote', { ...deleted, now: now() }],
      ]
    },
    () => [['markAllRead', { ...withIds(pick(submissions)), upTo: pick(submissions).id }]],
    () => {
      const { userId, id, now: at } = ofForm()
      return [
        ['deleteForms', { userId, now: at, ids: [id] }],
        ['removeDeletedSlice', { maxRows: 1 + below(9), maxBytes: 1 }],
      ]
    },
    () => [['removeDeletedSlice', { maxRows: 1 + below(50), maxBytes: below(300_000) }]],
    () => {
      const position = { list: pick(['inbox', 'spam']), form: below(9), from: '' }
      return [['removeOldSubmissions', { ...position, now: now(), maxForms: 1 + below(5), maxRows: 1 + below(20) }]]
    },
    () => [['checkClock', { now: now() }]],
    () => [['tellOfSilence', { now: now() }]],
    () => [
      [
        'removeOldDeliveries',
        { now: now(), form: below(9), from: '', ...before(), maxForms: 1 + below(5), maxRows: 1 + below(20) },
      ],
    ],
    () => [['removeExpired', { name: 'challenges', before: below(5) * hour, maxRows: 1 + below(3) }]],
    () => {
      const importId = pick(imports)
      const staged = Array.from({ length: 1 + below(4) }, () => submission() as { id: string; data: string })
      const notes = () => (chance(0.3) ? [JSON.stringify([[newId(now()), 'n']])] : [])
      const rows = staged.map(({ id, data }) => [chance(0.9) ? id : pick(submissions).id, data, ...notes()])
      return [
        pick(begins(importId)),
        ['stageRows', { importId, rows }],
        ['addStaged', { importId, report: '{}', fieldNames: ['name 1'], count: rows.length + below(1.2), now: now() }],
        ...Array.from({ length: below(4) }, () => slice(importId)),
      ]
    },
    () => begins(pick(imports)),
    () => [['stageRows', { importId: pick(imports), rows: [[newId(now()), '{}']] }]],
    () => {
      // With a file for each, or for one that is not there, whole or not.
      const importId = pick(imports)
      const { id, data } = submission() as { id: string; data: string }
      const file = { id: newId(now()), name: 'n', type: 't', size: pick([10, 11]), kind: null }
      const part = { id: file.id, stagedBy: 'import', stagedUntil: now(), offset: 0, bytes: btoa('0123456789') }
      const described = [[chance(0.8) ? id : pick(submissions).id, JSON.stringify([file])]]
      return [
        pick(begins(importId)),
        ['stageFile', part],
        ['stageRows', { importId, rows: [[id, data]] }],
        ['stageRows', { importId, rows: described, areFiles: true }],
        ['addStaged', { importId, report: '{}', fieldNames: [], count: 1, withFiles: 1, now: now() }],
        slice(importId),
        slice(importId),
      ]
    },
    () => [slice(pick(imports))],
    () => [['removeSlice', { importId: pick(imports) }]],
    () => [['failImport', { importId: pick(imports), now: now() }]],
    () => [['removeRest', { importId: pick(imports), maxRows: 1 + below(5), maxBytes: pick([10, 100_000]) }]],
    () => [['endImport', { importId: pick(imports), formId: anyForm().id, ...ofUser(), now: now() }]],
    () => {
      // In one row or in several, whole or not, adopted or not.
      const file = { id: pick(imports), name: 'n', type: 't', size: pick([0, 10, 65_536, 65_546]), kind: null }
      const bytes = (size: number) => Buffer.alloc(size, 'f').toString('base64')
      const part = { id: file.id, stagedBy: pick(['a', 'b']), stagedUntil: now() }
      const first: Command = ['stageFile', { ...part, offset: 0, bytes: bytes(Math.min(file.size, 65_536)) }]
      const second: Command = ['stageFile', { ...part, offset: 65_536, bytes: bytes(10) }]
      return [
        first,
        ...(file.size > 65_536 ? [second] : []),
        ['createSubmission', { ...submission(), files: chance(0.9) ? [file] : [file, file] }],
      ]
    },
    () => [['giveUpFiles', pick([{ now: now() }, { ids: [pick(imports)] }, { stagedBy: 'a', before: pick(imports) }])]],
    () => [
      [
        'removeExpired',
        { name: 'idempotencyKeys', before: dayOf(now()) - 1, maxRows: 1 + below(5), maxBytes: pick([10, 100_000]) },
      ],
    ],
    () => {
      const signedIn = { ...session(), id: `s${below(9)}`, browser: 'Firefox', code: pick([undefined, code()]) }
      return [['startSession', { ...signedIn, ...ofUser(), passwordHash: 'none' }]]
    },
    () => {
      const made = { id: `f${below(2)}`, secret: 's', step: below(20), recoveryCodes: ['r1', 'r2'] }
      return [['turnOnSecondFactor', { ...ofUser(), passwordHash: 'none', session: `h${below(5)}`, ...made }]]
    },
    () => {
      const change = () => ({ ...ofUser(), session: `h${below(5)}`, code: code() })
      return [
        ['replaceRecoveryCodes', { ...change(), recoveryCodes: ['r3'] }],
        ['turnOffSecondFactor', change()],
      ]
    },
    () => [['countWrongCode', { ...ofUser(), factor: `f${below(2)}`, ...guess() }]],
    () => [['resetSecondFactor', ofUser()]],
    () => {
      const person = { issuer: pick(['a', 'b']), subject: `p${below(4)}` }
      const more = { passwordHash: 'none', session: `h${below(5)}` }
      return [
        ['claimUser', { ...ofUser(), ...person }],
        ['connectIdentity', { ...ofUser(), ...person, ...more }],
        ['createUserOfProvider', { ...user(), ...person, mayOwnForms: true, needsInvitation: chance(0.3), now: now() }],
        ['disconnectIdentities', { ...ofUser(), issuers: ['a'] }],
      ]
    },
    () => [['endSessionOfUser', { ...ofUser(), id: `s${below(9)}` }]],
    () => [['extendSession', session()]],
    () => [
      ['createKey', { ...ofUser(), ...{ id: `k${below(9)}`, name: 'k', hash: newId(0), start: 'k' }, ...keyRights }],
    ],
    () => {
      const { userId, id: formId } = ofForm()
      return [['createSheet', { userId, formId, id: `s${below(40)}`, hash: newId(0), description: pick([null, 'd']) }]]
    },
    () => {
      const { userId, id: formId } = ofForm()
      return [['deleteSheet', { userId, formId, now: now(), id: `s${below(40)}` }]]
    },
    () => {
      const { userId, id: formId, now: at } = ofForm()
      const email = pick([`m${below(9)}@example.com`, ...users.map((one) => one.email)])
      const invitation = {
        inviteHash: `i${below(40)}${newId(0)}`,
        inviteEndsAt: at + pick([0, day]),
        mailTo: pick([null, email]),
        mayInvite: chance(0.8),
      }
      const member = { id: `m${below(40)}`, email, role: pick(['reader', 'editor', 'manager']), ...invitation }
      return [
        ['addMember', { userId, formId, now: at, ...member }],
        ['uncountInvitation', { id: pick([member.id, `m${below(40)}`]) }],
      ]
    },
    () => {
      const { userId, id: formId, now: at } = ofForm()
      return [['updateMember', { userId, formId, now: at, id: `m${below(40)}`, role: pick(['reader', 'manager']) }]]
    },
    () => {
      const { userId, id: formId, now: at } = ofForm()
      return [['removeMember', { userId, formId, now: at, id: `m${below(40)}` }]]
    },
    () => {
      const { id: formId } = ofForm()
      return [['chooseColumns', { ...ofUser(), formId, columns: pick([null, ['a'], ['b', 'c']]) }]]
    },
    () => {
      // What is found and accepted is an invitation that the rows before it have made.
      const { userId, id: formId, now: at } = ofForm()
      const hash = newId(0)
      const email = `${newId(0)}@example.com`
      const member = {
        id: newId(0),
        email,
        role: 'reader',
        inviteHash: hash,
        inviteEndsAt: at + day,
        mailTo: pick([null, email]),
      }
      const user = { id: newId(0), passwordHash: 'none', mayOwnForms: chance(0.5) }
      return [
        ['addMember', { userId, formId, now: at, ...member }],
        // Mostly not the one who is invited.
        ['acceptInvitation', { hash, now: at, ...ofUser() }],
        ['createInvitedUser', { hash, now: at, ...user }],
        // With a link that was not mailed, the account is not proved.
        ...pick([
          [],
          [['createUser', { id: newId(0), email, passwordHash: 'none', now: at }]],
          [['resetPassword', { userId: user.id, passwordHash: 'other', id: newId(0), now: at }]],
          [
            [
              'createUserOfProvider',
              { ...user, id: newId(0), email, issuer: 'a', subject: email, needsInvitation: true, now: at },
            ],
          ],
        ] as Command[][]),
        ['allowForms', ofUser()],
        ['setOperator', { ...ofUser(), isOperator: chance(0.5) }],
        ['changeEmail', { ...ofUser(), email: pick([email, `${newId(now())}@example.com`]) }],
        ...pick(
          users.map(({ id, email: from }): Command[] => {
            const proof = { from, email: pick([from, email]), passwordHash: 'none', session: `h${below(5)}`, now: at }
            return [['proveAddress', { userId: id, ...proof }]]
          }),
        ),
        ['removeExpired', { name: 'invitations', before: now(), maxRows: 1 + below(5) }],
      ]
    },
    () => [['noteExport', { ...ofUser(), formIds: [anyForm().id], format: pick(['csv', 'zip']), now: now() }]],
    () => {
      const { userId, id: formId, now: at } = ofForm()
      return [['handOver', { userId, formId, id: `m${below(40)}`, email: pick(users).email, now: at }]]
    },
    () => [
      ['removeExpired', { name: pick(['trail', 'endedShares', 'mailHours']), before: now(), maxRows: 1 + below(9) }],
    ],
    () => [['noteKeysUsed', { keys: [[`s${below(40)}`, now()]] }]],
    () => [['revokeKey', { id: `k${below(9)}` }]],
    () => [['changePassword', { ...ofUser(), oldHash: 'none', passwordHash: 'none', session: `h${below(5)}` }]],
    () => [['leaseJob', { job: pick(['a', 'b']), node: pick(['a', 'b']), now: now(), milliseconds: hour }]],
    () => [['probe', null]],
    () => [[pick(['nothing', 'toString']), null]],
    () => [pick(['createSubmission', 'finishDeliveries', 'deleteForms']) as string].map((name) => [name, {}]),
  ]
  // Often, nothing would be left.
  const seldom: (() => Command[])[] = [
    () => {
      const { userId, id, now: at } = ofForm()
      return [['updateForms', { userId, now: at, forms: [{ id, title: pick(['Changed', undefined]) }] }]]
    },
    () => [
      [
        'deleteUser',
        { ...ofUser(), now: now(), sharedTo: pick([undefined, pick(users).id]), deleteShared: chance(0.5) },
      ],
    ],
    () => [['disableUser', { ...ofUser(), now: now() }]],
    () => [['enableUser', ofUser()]],
    () => [
      ['resetPassword', { ...ofUser(), passwordHash: 'other', passwordUntil: below(9), id: newId(0), now: now() }],
    ],
    () => [
      ['createUser', { ...user(), hasPassword: pick([true, false, undefined]), isOperator: chance(0.5), now: now() }],
    ],
    () => [['createFirstUser', user()]],
    () => [['endSessions', { ...ofUser(), except: pick([undefined, `h${below(5)}`]) }]],
  ]
  return { often, seldom }
}

/** What a file that is applied finds of each form. */
const statesIn = (folder: string): ReadonlyMap<string, string> => {
  const db = connectToRead(folder)
  const { stateOf } = formStates(db)
  const found = new Map(
    db
      .select()
      .from(forms)
      .all()
      .map((form) => [form.id, stateOf(form)]),
  )
  db.$client.close()
  return found
}

const keyRights = { isReadOnly: false, expiresAt: null }

const chosen = { type: 'choice', options: ['x', 'y'] }

const changes = (): object =>
  pick([
    { open: true },
    { open: false },
    { opensAt: null, closesAt: '2020-01-01T00:00:00.000Z' },
    { opensAt: '2100-01-01T00:00:00.000Z', closesAt: null },
    { opensAt: null, closesAt: null, maxSubmissions: 3 },
    { maxSubmissions: null },
    { notify: ['x@example.com'] },
    { notify: ['x@example.com', { address: 'y@example.com', only: null, digest: 'day' }] },
    { notify: [{ address: 'x@example.com', only: { field: 'a', equals: '1' }, digest: pick(['day', 'week']) }] },
    { timeZone: pick(['UTC', 'Asia/Kathmandu']) },
    { sender: pick(['bakery', null]) },
    { learnSpam: true },
    { learnSpam: true },
    { learnSpam: false },
    { notify: [] },
    { reply: { field: 'name 1', subject: 's', text: 't', copy: chance(0.2) } },
    { reply: null },
    { fields: [{ name: 'name 1', type: 'email', required: true }], confirm },
    { confirm: null },
    { challenge: chance(0.5), allowedOrigins: pick([[], ['https://example.com']]) },
    { address: pick([null, 'aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff']) },
    { spamDays: 2 },
    { quietDays: pick([1, 40, null]) },
    { fields: pick([[], [1, 2, 3].map((n) => ({ ...chosen, name: `name ${n}`, places: { x: pick([1, 50]) } }))]) },
    { fields: [{ name: 'name 4', once: pick(['hold', 'refuse']) }] },
    { retentionDays: 30 },
  ])

const withIds = ({ id, ...rest }: { readonly id: string }): object => ({ ...rest, ids: [id, id] })

const below = (end: number): number => Math.floor(Math.random() * end)
const chance = (share: number): boolean => Math.random() < share
const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
