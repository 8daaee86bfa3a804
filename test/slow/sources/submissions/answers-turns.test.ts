import { describe, expect, test } from 'bun:test'
import { idAt } from '../../../../src/base/id.ts'
import { accessIn } from '../../../../src/forms/access.ts'
import { openReader } from '../../../../src/storage/reader.ts'
import { answerCounter } from '../../../../src/submissions/answers/count-answers.ts'
import { openAnswers } from '../../../../src/submissions/answers/store.ts'
import { toFilter } from '../../../../src/submissions/search/filter.ts'
import { openSearchTurns } from '../../../../src/submissions/search/turns.ts'
import { expectBelow } from '../../../expect-below.ts'
import { afterThisTest } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'

const everything = { filter: toFilter({}), range: { start: null, end: null } }
const count = 6000

const answer = (i: number) => ({
  slot: ['Morning', 'Noon', 'Night'][i % 3],
  days: ['Mon', 'Tue'],
  price: String(i % 500),
  age: i % 90,
  by: `2026-0${1 + (i % 9)}-11`,
  agree: 'on',
  name: `Person ${i}`,
  email: `p${i}@example.com`,
  message: 'Hello, I would like to come and see the workshop, please tell me when.',
  from: i % 2 ? 'The van' : 'Search',
})
const fields = [
  { name: 'slot', type: 'choice', options: ['Morning', 'Noon', 'Night'] },
  { name: 'days', type: 'choices', options: ['Mon', 'Tue', 'Wed'] },
  { name: 'price', type: 'number' },
  { name: 'age', type: 'number' },
  { name: 'by', type: 'date' },
  { name: 'agree', type: 'checkbox' },
  ...['name', 'email', 'message'].map((name) => ({ name, type: 'text' })),
  { name: 'from', type: 'choice', options: ['The van', 'Search'] },
]

/** By default there is time enough to read everything on a machine that is busy. */
const prepare = (maxReadingMilliseconds = 60_000) => {
  const data = openData()
  const { formId, userId, db, folder } = data
  const settings = JSON.stringify({ fields })
  // Straight into the table, which takes a hundredth of the time.
  db.$client.transaction(() => {
    db.$client.run('UPDATE forms SET settings = ?, submission_count = ?', [settings, count])
    const insert = db.$client.prepare(
      'INSERT INTO submissions (form, list, id, data) SELECT number, 0, ?, ? FROM forms',
    )
    for (let i = 0; i < count; i++) insert.run(idAt(Date.UTC(2026, 10, 1) + i, 0), JSON.stringify(answer(i)))
  })()
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const turns = openSearchTurns(reader, { queued: () => 0 })
  const access = accessIn(reader.db)
  const { read } = openAnswers({ reader, access, turns, maxReadingMilliseconds })
  const ask = (as = userId, checkAccess = () => {}, cursor: string | null = null) =>
    read({ userId: as, forms: null, signal: new AbortController().signal, checkAccess }, formId, {
      ...everything,
      cursor,
    })
  const share = () => {
    const id = data.createUser()
    const member = { email: `${id}@example.com`, role: 'reader', inviteHash: id, inviteEndsAt: 1, mailTo: null }
    data.run('addMember', { userId, formId, now: 0, id, ...member })
    return id
  }
  return { ...data, client: db.$client, reader, access, turns, ask, share }
}

describe('adding up answers', () => {
  test('takes the turn of a search, of which a user has one and all have four', async () => {
    const { turns, ask, userId } = prepare()
    const own = turns.begin(userId)
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' })
    own.end()
    const others = ['a', 'b', 'c', 'd'].map((user) => turns.begin(user))
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' })
    others.pop()?.end()
    expect((await ask()).total).toBe(count)
    // Its turn has ended.
    turns.begin(userId).end()
  })

  test('reads in turn with others, and ends when its time is over or its user is removed', async () => {
    const { ask, share, run, userId, formId } = prepare()
    const grace = share()
    const slices: string[] = []
    const both = [ask(userId, () => void slices.push('ada')), ask(grace, () => void slices.push('grace'))]
    const [one, other] = await Promise.all(both)
    expect(one).toEqual(other as NonNullable<typeof other>)
    const shared = slices.slice(0, 2 * Math.min(...['ada', 'grace'].map((name) => slices.indexOf(name) + 5)))
    expect(shared.filter((name, i) => name === shared[i - 1])).toEqual([])

    const removed = () => void run('removeMember', { userId, formId, now: 0, id: grace })
    let looks = 0
    await expect(ask(grace, () => void (++looks === 1 && removed()))).rejects.toThrow()
    expect(looks).toBe(1)

    const short = prepare(0)
    const page = await short.ask()
    expect(page.searched).toBeLessThan(count)
    expect(page.next).toBeString()
    expect((page.next as string).length).toBeLessThan(400)
  })

  test('of ten fields takes little more than reading and parsing them', async () => {
    const { client, reader, access, userId, formId } = prepare()
    const form = access.findFormTo('read', userId, formId)
    const rows = client.prepare<{ data: string }, [number]>('SELECT data FROM submissions WHERE form = ?')
    const shortest = (work: () => unknown): number => {
      const times = Array.from({ length: 8 }, () => {
        const startedAt = performance.now()
        work()
        return performance.now() - startedAt
      })
      return Math.min(...times)
    }
    const parse = () => rows.all(form.number).map(({ data }) => JSON.parse(data))
    const add = () => {
      const { steps } = answerCounter(reader.db)(form, everything)
      while (!steps.next().done);
    }
    await expectBelow(8, async () => shortest(add) / shortest(parse))
  })
})
