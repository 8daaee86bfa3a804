import { describe, expect, test } from 'bun:test'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { forThisFile, startServer, type User } from '../../../harness.ts'
import { submitAll } from '../../../stored-files.ts'
import { type Data, goodContact, listOf, randomFrom } from '../../../submissions/spam-sets.ts'
import { addForm, world } from '../../../world.ts'

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

const open = () => {
  prepared ??= forThisFile(prepare)
  return prepared
}

const learned = (user: User, path: string) => user.call('GET', `${path}/spam/learned`)

describe('the models of one user', () => {
  test('keep neither the visitors of others waiting nor their pages while they are made', async () => {
    const { eve, heavy, ada, form } = await open()
    const id = await form.submit(spam)
    expect((await ada.call('POST', `${form.path}/submissions/${id}/spam`)).status).toBe(200)
    let answered = 0
    const pages = heavy.map(async ({ path }) => {
      await learned(eve, path)
      answered++
    })
    await Promise.all([form.submit(spam), learned(ada, form.path)])
    expect(answered).toBeLessThan(heavyForms - 1)
    await Promise.all(pages)
  })

  test('cost a page little while nothing has changed', async () => {
    const { eve, heavy } = await open()
    const [{ path, submit }] = heavy as [(typeof heavy)[0]]
    await submit({ message: 'Hello' })
    const first = await millisecondsOf(() => learned(eve, path))
    await expectBelow(first / 4, () => millisecondsOf(() => learned(eve, path)))
  })
})
