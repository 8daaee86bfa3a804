import { describe, expect, test } from 'bun:test'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { AppError, invalid, notFound, unavailable } from '../../src/base/errors.ts'
import { newId } from '../../src/base/id.ts'
import { connect } from '../../src/storage/open.ts'
import {
  type Batch,
  bulkCommand,
  type Commands,
  createBatchExecutor,
  type Outcome,
  toError,
} from '../../src/storage/writer/batch.ts'
import { folderWithData } from '../empty-data.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from './data.ts'
import { commitsIn, expectSound, rowsOf } from './sound.ts'

const openExecutor = (more: (add: (email: string) => void) => Commands = () => ({})) => {
  const folder = folderWithData()
  const db = connect(folder)
  afterThisTest(() => db.$client.close())
  const add = (email: string) =>
    userWrites(db).createUser({ id: newId(Date.now()), email, passwordHash: 'x'.repeat(1000) })
  const execute = createBatchExecutor(db, { add, ...more(add) })
  const emails = () => rowsOf(folder, 'SELECT email FROM users ORDER BY id').map(({ email }) => email)
  return { folder, client: db.$client, execute, emails }
}

const errorOf = (outcome: Outcome | undefined): Error => {
  if (!outcome || 'result' in outcome) throw new Error('the command succeeded')
  return toError(outcome)
}

describe('a batch', () => {
  test('is one transaction, which another connection sees as soon as the executor returns', () => {
    const { folder, execute, emails } = openExecutor()
    const before = commitsIn(folder)

    const outcomes = execute(Array.from({ length: 100 }, (_, i) => ['add', `${i}@example.com`]))

    expect(outcomes).toEqual(Array(100).fill({ result: undefined }))
    expect(commitsIn(folder) - before).toBe(1)
    expect(emails()).toEqual(Array.from({ length: 100 }, (_, i) => `${i}@example.com`))
  })

  test('gives each command the result of its own, in order', () => {
    const { execute } = openExecutor(() => ({ double: (number: number) => number * 2 }))
    expect(execute([1, 2, 3].map((number) => ['double', number]))).toEqual([
      { result: 2 },
      { result: 4 },
      { result: 6 },
    ])
  })

  test.each<[string, (add: (email: string) => void) => void]>([
    [
      'an AppError before it changed anything',
      () => {
        throw notFound('Form')
      },
    ],
    [
      'an AppError after a change',
      (add) => {
        add('half@example.com')
        throw invalid({ message: 'title: is bad' })
      },
    ],
    [
      'a fault of ours after a change',
      (add) => {
        add('half@example.com')
        throw new TypeError('x is undefined')
      },
    ],
    [
      'a value that is not an Error',
      (add) => {
        add('half@example.com')
        throw 'a text'
      },
    ],
    [
      'undefined',
      (add) => {
        add('half@example.com')
        throw undefined
      },
    ],
  ])('goes on when a command in the middle throws %s', (_, fail) => {
    const { folder, execute, emails } = openExecutor((add) => ({ fail: () => fail(add) }))

    const outcomes = execute([
      ['add', 'a@example.com'],
      ['fail', null],
      ['add', 'b@example.com'],
      ['fail', null],
      ['add', 'c@example.com'],
    ])

    expect(outcomes.map((outcome) => 'result' in outcome)).toEqual([true, false, true, false, true])
    expect(emails()).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
    expectSound(folder)
  })

  test('continues after a command that violates a constraint, and does not reveal the values', () => {
    const { db, execute, formId, folder } = openData()
    const id = newId(Date.now())
    const submission = (text: string) =>
      ['createSubmission', { formId, id, data: `{"a":"${text}"}`, fieldNames: ['a'] }] as const

    const [first, second, third] = execute([
      submission('first'),
      submission('secret'),
      ['createSubmission', { ...submission('')[1], id: newId(Date.now()) }],
    ])

    expect(first).toEqual({ result: undefined })
    expect(errorOf(second)).not.toBeInstanceOf(AppError)
    expect(errorOf(second).message).toContain('SQLITE_CONSTRAINT')
    expect(errorOf(second).message).not.toMatch(/secret|insert into/i)
    expect(third).toEqual({ result: undefined })
    expect(db.$client.query('SELECT data FROM submissions ORDER BY id').values()).toEqual([
      ['{"a":"first"}'],
      ['{"a":""}'],
    ])
    expectSound(folder)
  })

  test('refuses an unknown command instead of answering that it was done', () => {
    const { execute, emails } = openExecutor()
    const outcomes = execute([
      ['add', 'a@example.com'],
      ['addd', 'b@example.com'],
      ['toString', null],
    ])
    expect(outcomes.map((outcome) => 'result' in outcome)).toEqual([true, false, false])
    expect(emails()).toEqual(['a@example.com'])
  })

  test('carries an AppError over to the other thread whole', () => {
    const thrown = new AppError('rate_limited', 'Too many', {
      issues: [{ message: 'a: b', path: '/a' }],
      retryAfterSeconds: 7,
    })
    const { execute } = openExecutor(() => ({
      fail: () => {
        throw thrown
      },
    }))

    const error = errorOf(structuredClone(execute([['fail', null]]))[0]) as AppError

    expect(error).toBeInstanceOf(AppError)
    expect({ ...error, message: error.message }).toEqual({ ...thrown, message: 'Too many' })
  })

  test('carries an error that no one expected over as one line', () => {
    const { execute } = openExecutor(() => ({
      fail: () => {
        throw new TypeError('x is undefined\n    at y')
      },
    }))
    const error = errorOf(execute([['fail', null]])[0])
    expect(error).not.toBeInstanceOf(AppError)
    expect(error.message).toBe('TypeError: x is undefined')
  })

  test('without commands does nothing', () => {
    const { execute, emails } = openExecutor()
    expect(execute([])).toEqual([])
    expect(emails()).toEqual([])
  })
})

describe('a command for many inputs', () => {
  /** Adds users, but not those whose address has no at sign. Counts how many it was called for, again and again. */
  const openBulk = () => {
    const tried = { count: 0 }
    const open = openExecutor((add) => ({
      addAll: bulkCommand((emails: readonly string[]) =>
        emails.map((email) => {
          tried.count++
          if (!email.includes('@')) throw notFound('Form')
          add(email)
          return email
        }),
      ),
    }))
    return { ...open, tried }
  }

  test.each([
    ['none', () => false, 256],
    ['the first', (position: number) => position === 0, 3 * 256],
    ['one in the middle', (position: number) => position === 100, 3 * 256],
    ['the last', (position: number) => position === 255, 3 * 256],
    ['every fifth', (position: number) => position % 5 === 0, 3 * 256],
    ['every one', () => true, 3 * 256],
  ])('are executed three times at most, and in order, if %s of 256 is refused', (_, isRefused, most) => {
    const { execute, emails, tried } = openBulk()
    const names = Array.from({ length: 256 }, (_, position) => (isRefused(position) ? 'x' : `${position}@example.com`))
    const outcomes = execute(names.map((name) => ['addAll', name]))
    expect(outcomes.map((outcome) => ('result' in outcome ? outcome.result : 'x'))).toEqual(names)
    expect(emails()).toEqual(names.filter((name) => name !== 'x'))
    expect(tried.count).toBeLessThanOrEqual(most)
  })
})

describe('submissions that are executed together', () => {
  const bring = (formId: string, name: string) => {
    const submission = { formId, id: newId(Date.now()), data: `{"${name}":1}`, fieldNames: [name] }
    return ['createSubmission', submission] as const
  }

  test('are refused one by one, each for what is wrong with it, and counted without those', () => {
    const { folder, execute, userId, formId, createForm } = openData()
    const other = createForm(userId, 'Other')
    const taken = bring(formId, 'taken')
    const batch = [bring(formId, 'b'), bring('nowhere', 'x'), taken, bring(other, 'c'), taken, bring(formId, 'a')]

    const outcomes = execute(batch)

    expect(outcomes.map((outcome) => 'result' in outcome)).toEqual([true, false, true, true, false, true])
    expect(errorOf(outcomes[1])).toEqual(notFound('Form'))
    const counts = rowsOf(folder, 'SELECT submission_count AS count, field_names AS names FROM forms ORDER BY number')
    expect(counts).toEqual([
      { count: 3, names: '["b","taken","a"]' },
      { count: 1, names: '["c"]' },
    ])
    expectSound(folder)
  })

  test('see what came between them in the same batch', () => {
    const { folder, execute, userId, formId } = openData()
    const early = [bring(formId, 'a'), bring(formId, 'b')]
    const ids = [early[0]?.[1].id]
    const late = [bring(formId, 'c'), bring(formId, 'd')]
    const outcomes = execute([
      ...early,
      ['deleteSubmissions', { userId, formId, list: 'inbox', ids }],
      bring(formId, 'e'),
      ['deleteForms', { userId, now: 0, ids: [formId] }],
      ...late,
    ])
    expect(outcomes.map((outcome) => 'result' in outcome)).toEqual([true, true, true, true, true, false, false])
    expect(rowsOf(folder, 'SELECT data FROM submissions ORDER BY id')).toEqual([
      { data: '{"b":1}' },
      { data: '{"e":1}' },
    ])
    expect(rowsOf(folder, 'SELECT submission_count AS count FROM forms')).toEqual([{ count: 2 }])
    expectSound(folder)
  })
})

describe('a batch that the disk does not take', () => {
  const outOfService: [string, (open: ReturnType<typeof openExecutor>) => () => void][] = [
    [
      'the disk is full',
      ({ client }) => {
        const [{ page_count: pages }] = client.query('PRAGMA page_count').all() as [{ page_count: number }]
        client.run(`PRAGMA max_page_count = ${pages + 1}`)
        return () => client.run('PRAGMA max_page_count = 1000000')
      },
    ],
    [
      'another process holds the file',
      ({ client, folder }) => {
        client.run('PRAGMA busy_timeout = 20')
        const other = connect(folder)
        other.$client.run('BEGIN IMMEDIATE')
        return () => other.$client.close()
      },
    ],
    [
      'the file takes no writes',
      ({ client }) => {
        client.run('PRAGMA query_only = ON')
        return () => client.run('PRAGMA query_only = OFF')
      },
    ],
  ]

  test.each(outOfService)('is refused as a whole while %s, and the next one is taken when that is over', (_, begin) => {
    const open = openExecutor()
    const { execute, emails, folder } = open
    const batch = (prefix: string): Batch => Array.from({ length: 40 }, (_, i) => ['add', `${prefix}${i}@example.com`])
    execute(batch('before'))

    const end = begin(open)
    const refused = execute(batch('during'))
    const again = execute([['add', 'x'.repeat(200)], ...batch('again')])
    end()
    const afterwards = execute(batch('after'))

    const { message, issues, retryAfterSeconds, code } = unavailable(5)
    for (const outcome of [...refused, ...again])
      expect(outcome).toEqual({ refused: { code, message, issues, retryAfterSeconds } })
    expect(afterwards).toEqual(Array(40).fill({ result: undefined }))
    expect(emails()).toEqual([...batch('before'), ...batch('after')].map(([, email]) => email))
    expectSound(folder)
  })
})
