import { describe, expect, test } from 'bun:test'
import { expectBelow, millisecondsOf } from '../expect-below.ts'
import { forThisFile, startServer, type User } from '../harness.ts'
import { submitAll } from '../stored-files.ts'
import { type Data, goodContact, listOf, randomFrom } from '../submissions/spam-sets.ts'
import { addForm, world } from '../world.ts'

const day = 86_400_000
const random = randomFrom(48)
const words = (count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 2 ** 40).toString(36)).join(' ')

const heavyForms = 6
const spam: Data = { message: 'Buy 500 followers today, they are real: https://followers.biz/now and cheap' }

/** Forms of Eve whose models take long, of 200 texts of 12 kB that share no words, and one of Ada. */
const prepare = async () => {
  const server = await startServer({ settings: { FORMBOX_SUBMIT_LIMIT: '0', FORMBOX_RATE_LIMIT: '0' } })
  const eve = await server.signUp()
  const heavy: Awaited<ReturnType<typeof addForm>>[] = []
  for (let i = 0; i < heavyForms; i++) {
    const form = await addForm(server, eve, { form: { learnSpam: true } })
    const texts = Array.from({ length: 200 }, () => ({ message: words(1400) }))
    submitAll(server, form.formId, texts, Date.now() - 8 * day)
    heavy.push(form)
  }
  const { ada, ...form } = await world({ server, form: { learnSpam: true } })
  submitAll(server, form.formId, listOf(60, goodContact, random), Date.now() - 8 * day)
  return { server, eve, heavy, ada, form }
}

let prepared: ReturnType<typeof prepare> | undefined

const open = async () => {
  prepared ??= forThisFile(prepare)
  const { heavy, ...all } = await prepared
  const learned = (user: User, path: string) => user.call('GET', `${path}/spam/learned`)
  const mark = async (user: User, { path, submit }: (typeof heavy)[0]): Promise<void> => {
    const id = await submit({ message: words(20) })
    expect((await user.call('POST', `${path}/submissions/${id}/spam`)).status).toBe(200)
  }
  const answered: string[] = []
  return {
    ...all,
    heavy,
    learned,
    mark,
    async noted<T>(name: string, request: Promise<T>): Promise<T> {
      const answer = await request
      answered.push(name)
      return answer
    },
    /** How many requests of Eve were answered by now. */
    ofEve: () => answered.filter((name) => name === 'eve').length,
  }
}

describe('the models of one user', () => {
  test('keep neither the visitors of others waiting nor their pages while they are looked at', async () => {
    const { eve, heavy, ada, form, learned, mark, noted, ofEve } = await open()
    await mark(ada, form)
    const pages = heavy.map(({ path }) => noted('eve', learned(eve, path)))
    await Promise.all([noted('ada', form.submit(spam)), noted('ada', learned(ada, form.path))])
    expect(ofEve()).toBeLessThan(heavyForms / 2)
    await Promise.all(pages)
  })

  test('nor while submissions come in', async () => {
    const { eve, heavy, ada, form, learned, mark, noted, ofEve } = await open()
    for (const one of [...heavy, form]) await mark(one === form ? ada : eve, one)
    const visitors = heavy.map(({ submit }) => noted('eve', submit(spam)))
    await Promise.all([noted('ada', form.submit(spam)), noted('ada', learned(ada, form.path))])
    expect(ofEve()).toBeLessThan(heavyForms / 2)
    await Promise.all(visitors)
  })

  test('cost a page little while nothing has changed', async () => {
    const { eve, heavy, learned } = await open()
    const [{ path, submit }] = heavy as [(typeof heavy)[0]]
    await submit({ message: 'Hello' })
    const first = await millisecondsOf(() => learned(eve, path))
    await expectBelow(first / 4, () => millisecondsOf(() => learned(eve, path)))
  })
})
