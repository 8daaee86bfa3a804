import { describe, expect, test } from 'bun:test'
import { expiryWrites } from '../../src/upkeep/expiries.ts'
import { serverWithClock, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { submitAll } from '../stored-files.ts'
import { badContact, type Data, goodContact, listOf, randomFrom } from '../submissions/spam-sets.ts'
import { until } from '../until.ts'
import { addForm, world } from '../world.ts'
import { errorBody } from './error-body.ts'

const day = 86_400_000

/** A form whose inbox is old enough to count as no spam, and on which some spam was marked. */
const open = async ({
  good = 60,
  bad = 20,
  settings = { learnSpam: true } as object,
  overlooked = 0,
  age = 8 * day,
} = {}) => {
  const { clock, server } = await serverWithClock()
  const random = randomFrom(11)
  const prepared = await world({ server, form: settings })
  const { ada, path, formId } = prepared
  const inbox = listOf(good, goodContact, random)
  const at = Date.now() - age
  submitAll(server, formId, inbox, at)
  const ids = submitAll(server, formId, listOf(bad, badContact, random), at)
  for (const id of ids) expect((await ada.call('POST', `${path}/submissions/${id}/spam`)).status).toBe(200)
  const left = submitAll(server, formId, listOf(overlooked, badContact, random), at)
  const ofForm = 'form = (SELECT number FROM forms WHERE id = ?)'
  return {
    ...prepared,
    random,
    inbox,
    marked: ids,
    left,
    /** Marks a submission as spam, or takes one back, and waits for what is learned from it: a visitor waits for 0.3 s only. */
    async teach(action: string): Promise<void> {
      expect((await ada.call('POST', `${path}/${action}`)).status).toBe(200)
      await ada.call('GET', `${path}/spam/learned`)
    },
    /** How many the filter that learns has held back. */
    held: () =>
      rowsOf(server.folder, `SELECT id FROM submissions WHERE reason = 'similar' AND ${ofForm}`, formId).length,
    lessons: () => rowsOf(server.folder, `SELECT submission FROM lessons WHERE ${ofForm} ORDER BY number`, formId),
    learned: async () => (await ada.call('GET', `${path}/spam/learned`)).body,
    pass(milliseconds: number): void {
      clock.now += milliseconds
    },
  }
}

/** A new submission whose words the form has marked. */
const newSpam = (random: () => number): Data => badContact(random)

describe('a form that learns', () => {
  test('holds back new spam with the reason, and tells no one; new letters arrive', async () => {
    const { submit, random, spam, submissions, ada, path, server, marked, lessons } = await open()
    await ada.call('POST', `${path}/webhooks`, { url: 'http://hook.localhost:1/' })
    const ids: string[] = []
    for (const data of listOf(20, newSpam, random)) ids.push(await submit(data))
    const held = (await spam()).filter(({ reason }: { reason: string }) => reason === 'similar')
    expect(held.length).toBeGreaterThanOrEqual(16)
    for (const { id } of held) expect(ids).toContain(id)
    expect(rowsOf(server.folder, "SELECT reason, marked_at FROM submissions WHERE reason = 'similar'")[0]).toEqual({
      reason: 'similar',
      marked_at: null,
    })
    const letters: string[] = []
    for (const data of listOf(20, goodContact, random)) letters.push(await submit(data))
    const arrived = (await submissions()).map(({ id }: { id: string }) => id)
    expect(arrived.slice(0, 20)).toEqual(letters.toReversed())
    // What the filter catches teaches nothing.
    expect(lessons()).toEqual(marked.map((submission) => ({ submission })))
    expectSound(server.folder)
  })

  test('says what it has learned, and does nothing before it is told to', async () => {
    const { submit, random, learned, held, change, lessons } = await open({ settings: {} })
    const numbers = await learned()
    expect(numbers).toEqual({
      marked: 20,
      kept: 0,
      inbox: 60,
      isActing: false,
      wouldHoldBack: 0,
      recognises: expect.any(Number),
      suspects: [],
    })
    expect(numbers.recognises).toBeGreaterThan(10)
    for (const data of listOf(5, newSpam, random)) await submit(data)
    expect(held()).toBe(0)
    expect(lessons()).toEqual([])
    await change({ learnSpam: true })
    for (const data of listOf(20, newSpam, random)) await submit(data)
    expect(held()).toBeGreaterThanOrEqual(16)
    expect(await learned()).toMatchObject({ marked: 20, isActing: true })
    expect(lessons()).toHaveLength(20)
  })

  test('learns what was marked while it did not, when it is told to again', async () => {
    const { submit, random, learned, change, server, ada, path, marked, pass, lessons } = await open({ bad: 6 })
    await change({ learnSpam: false })
    // Words of visitors, so that none is held back before it is marked.
    const mark = async () => {
      const id = await submit(goodContact(random))
      expect((await ada.call('POST', `${path}/submissions/${id}/spam`)).status).toBe(200)
    }
    for (let i = 0; i < 3; i++) await mark()
    expect([(await learned()).marked, lessons().length]).toEqual([9, 6])
    await ada.call('POST', `${path}/spam/${marked[0]}/accept`)
    await change({ learnSpam: true })
    expect((await learned()).marked).toBe(8)
    await mark()
    expect(lessons()).toHaveLength(9)
    await change({ learnSpam: false })
    await mark()
    pass(1)
    await ada.call('DELETE', `${path}/spam/learned`)
    await mark()
    await change({ learnSpam: true })
    expect((await learned()).marked).toBe(1)
    await mark()
    expect(lessons()).toHaveLength(2)
    expectSound(server.folder)
  })

  test.each([
    ['at once', (path: string) => `${path}/spam/all`],
    ['one by one', (path: string, ids: readonly string[]) => `${path}/spam/bulk?ids=${ids}`],
  ])('still learns what was marked before if that is then deleted %s', async (_, toDelete) => {
    const { ada, path, marked, change, learned, lessons } = await open({ settings: {} })
    await change({ learnSpam: true })
    expect((await ada.call('DELETE', toDelete(path, marked))).status).toBe(200)
    expect(lessons()).toHaveLength(20)
    expect(await learned()).toMatchObject({ marked: 20, isActing: true })
  })

  test('remembers for a minute the models of as many forms as a server may have', async () => {
    const { submit, held, teach, ada, path, submissions, server } = await open({ good: 20, bad: 0 })
    const letter = { message: 'Buy 500 followers today, they are real: https://followers.biz/now and cheap' }
    await teach(`submissions/${await submit(letter)}/spam`)
    await submit(letter)
    expect(held()).toBe(1)
    for (let i = 0; i < 40; i++) {
      const other = await addForm(server, ada, { form: { learnSpam: true } })
      await other.submit(letter)
    }
    // With 19 in the inbox, a new model would hold nothing back.
    const [first] = await submissions()
    expect((await ada.call('DELETE', `${path}/submissions/${first.id}`)).status).toBe(200)
    await submit(letter)
    expect(held()).toBe(2)
  })

  test('knows nothing of a form that was deleted, and gives its number in the file to no other one', async () => {
    const { server, ada, path, formId, learned, random } = await open({ settings: {} })
    const numberOf = (id: string) => rowsOf(server.folder, 'SELECT number FROM forms WHERE id = ?', id)[0]
    const number = numberOf(formId)
    expect((await learned()).marked).toBe(20)
    expect((await ada.call('DELETE', path)).status).toBe(200)
    await until(() => numberOf(formId) === undefined, 'the form is removed')
    const other = await addForm(server, await server.signUp(), { form: { learnSpam: true } })
    expect(numberOf(other.formId)).not.toEqual(number)
    for (const data of listOf(5, newSpam, random)) await other.submit(data)
    expect(await other.spam()).toEqual([])
  })

  test.skipIf(isCompiled)(
    'forgets a mark a day after it was removed for its age, if nothing but spam arrives',
    async () => {
      const { submit, held, teach, pass, server, lessons } = await open({ good: 25, bad: 0 })
      const letter = { message: 'Buy 500 followers today, they are real: https://followers.biz/now and cheap' }
      await teach(`submissions/${await submit(letter)}/spam`)
      await submit(letter)
      expect(held()).toBe(1)
      pass(366 * day)
      const removed = { name: 'lessons', before: Date.now() + day, maxRows: 500 } as const
      writeTo(server.folder, (db) => expiryWrites(db).removeExpired(removed))
      expect(lessons()).toEqual([])
      await submit(letter)
      await until(async () => {
        const before = held()
        await submit(letter)
        return held() === before
      }, 'one arrives')
    },
  )

  test('does not act below 5 marks or an inbox of 50', async () => {
    for (const few of [{ bad: 4 }, { good: 49 }]) {
      const { submit, learned, held } = await open(few)
      await submit({ message: 'casino bonus crypto followers loans' })
      expect(held()).toBe(0)
      expect((await learned()).isActing).toBe(false)
    }
  })

  test('holds back a copy of the first spam that was marked, with 20 in the inbox', async () => {
    const { submit, spam, teach, inbox } = await open({ good: 25, bad: 0 })
    const letter = {
      name: 'Max',
      message: 'Buy 500 followers today, they are real: https://followers.biz/now and cheap',
    }
    const id = await submit(letter)
    await submit(letter)
    expect(await spam()).toEqual([])
    await teach(`submissions/${id}/spam`)
    await submit({ ...letter, name: 'Moritz' })
    await submit(inbox[0] as Data)
    expect((await spam()).map(({ reason }: { reason: string }) => reason)).toEqual(['similar', 'marked'])
  })

  test.each([
    ['an address', (i: number) => ({ email: `ada${i}@students.company.co.example` })],
    ['a web address', (i: number) => ({ site: `https://www.company.co.example/about/us?from=${i}` })],
    ['two words', (i: number) => ({ answer: `zebra quartz ${['kiwi', 'lemon', 'plum'][i]}` })],
  ])('holds nothing back for one mark of %s', async (_, make) => {
    const { submit, teach, held } = await open({ bad: 0 })
    await teach(`submissions/${await submit(make(0))}/spam`)
    await submit(make(1))
    await submit(make(2))
    expect(held()).toBe(0)
  })

  test('never again holds back what was taken back', async () => {
    const { submit, random, spam, teach, submissions, learned } = await open()
    let data = newSpam(random)
    let id = await submit(data)
    const isHeld = async () => (await spam()).some((one: { id: string }) => one.id === id)
    while (!(await isHeld())) {
      data = newSpam(random)
      id = await submit(data)
    }
    await teach(`spam/${id}/accept`)
    const again = await submit(data)
    expect((await submissions()).map((one: { id: string }) => one.id)).toContain(again)
    expect(await learned()).toMatchObject({ kept: 1 })
  })

  test('lists what in the inbox looks like spam, until someone says that it is none', async () => {
    const { learned, ada, path, left } = await open({ overlooked: 2, bad: 30 })
    const { suspects, inbox, wouldHoldBack } = await learned()
    expect(suspects.length).toBeGreaterThan(0)
    expect([inbox, wouldHoldBack]).toEqual([62, suspects.length])
    for (const id of suspects) expect(left).toContain(id)
    const [first] = suspects
    expect((await ada.call('POST', `${path}/submissions/${first}/not-spam`)).status).toBe(200)
    expect((await learned()).suspects).not.toContain(first)
    expect((await learned()).kept).toBe(1)
    const missing = await ada.call('POST', `${path}/submissions/01kahp5x2r00v7m3k9qd4tznwe8c/not-spam`)
    expect(missing).toMatchObject({ status: 404, body: errorBody('NOT_FOUND', 'Submission not found') })
  })

  test('forgets what it has learned', async () => {
    const { ada, path, submit, random, learned, held, lessons } = await open()
    expect((await ada.call('DELETE', `${path}/spam/learned`)).status).toBe(200)
    expect(lessons()).toEqual([])
    for (const data of listOf(10, newSpam, random)) await submit(data)
    expect(held()).toBe(0)
    expect(await learned()).toMatchObject({ marked: 0, isActing: false, recognises: 0 })
  })

  test('learns nothing from a stranger: 1,000 filled traps with the words of visitors change no verdict', async () => {
    const { server, formId, random, submit, spam, submissions, learned, pass } = await open()
    const before = await learned()
    for (let i = 0; i < 10; i++)
      await Promise.all(
        listOf(100, goodContact, random).map((data) => server.submit(formId, { ...data, _gotcha: 'x' })),
      )
    pass(120_000)
    expect(await learned()).toEqual(before)
    const letters: string[] = []
    for (const data of listOf(20, goodContact, random)) letters.push(await submit(data))
    expect((await submissions()).slice(0, 20).map(({ id }: { id: string }) => id)).toEqual(letters.toReversed())
    expect((await spam())[0].reason).toBe('honeypot')
  })

  test.each([
    ['years', 400],
    ['weeks', 20],
  ])('lets letters arrive in a form of %s that strangers have filled with words of no one', async (_, days) => {
    const { server, formId, random, submit, held, learned } = await open({ age: days * day })
    const word = () => Math.floor(random() * 2 ** 40).toString(36)
    const noise = () => ({ name: word(), message: Array.from({ length: 25 }, word).join(' ') })
    submitAll(server, formId, listOf(300, noise, random), Date.now() - 8 * day)
    expect((await learned()).inbox).toBe(200)
    for (const data of listOf(20, goodContact, random)) await submit(data)
    expect(held()).toBe(0)
    for (const data of listOf(20, newSpam, random)) await submit(data)
    expect(held()).toBeGreaterThanOrEqual(16)
  })

  test('asks the trap, the terms and the links first', async () => {
    const { submit, random, change, held } = await open()
    await change({ blockedTerms: ['casino'], maxLinks: 0 })
    for (const more of [{ _gotcha: 'x' }, { more: 'casino' }, { more: 'https://a.example' }])
      await submit({ ...newSpam(random), ...more })
    expect(held()).toBe(0)
  })
})
