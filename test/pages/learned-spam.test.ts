import { describe, expect, test } from 'bun:test'
import { sharedServer } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { rowsOf } from '../storage/sound.ts'
import { submitAll } from '../stored-files.ts'
import { badContact, goodContact, listOf, randomFrom } from '../submissions/spam-sets.ts'
import { until } from '../until.ts'
import { siteWorld } from '../world.ts'

const day = 86_400_000

/** A form whose inbox is old enough to count as no spam, and some spam, which is marked in the list. */
const open = async ({ good = 60, bad = 20, left = 0, age = 8 * day, form = { learnSpam: true } as object } = {}) => {
  const server = await sharedServer()
  const { ada, formId, path, submit, change } = await siteWorld({ server, form })
  const random = randomFrom(21)
  const at = Date.now() - age
  const inbox = submitAll(server, formId, listOf(good, goodContact, random), at)
  const spam = submitAll(server, formId, listOf(bad, badContact, random), at)
  for (const id of spam) await ada.api.call('POST', `${path}/submissions/${id}/spam`)
  const overlooked = submitAll(server, formId, listOf(left, badContact, random), at)
  const lessons = () =>
    rowsOf(
      server.folder,
      'SELECT submission, is_spam FROM lessons WHERE form = (SELECT number FROM forms WHERE id = ?) ORDER BY number',
      formId,
    )
  const learned = async () => (await ada.api.call('GET', `${path}/spam/learned`)).body
  /** Marks a submission as spam, and waits for what is learned from it: a visitor waits for 0.3 s only. */
  const teach = async (id: string): Promise<void> => {
    expect((await ada.api.call('POST', `${path}/submissions/${id}/spam`)).status).toBe(200)
    await learned()
  }
  return { server, ada, formId, path, submit, change, random, inbox, overlooked, lessons, learned, teach }
}

const textOf = (html: string): string => readPage(html).texts.join(' ')

describe('the page Spam', () => {
  test('says which words of a submission look like spam, and escapes them', async () => {
    const { ada, path, submit, teach } = await open({ bad: 0 })
    const others = (i: number) => [...'abcdefgh'].map((letter) => letter.repeat(2) + 'qrstuvwxyz'[i]).join(' ')
    const casino = (i: number) => ({ message: `casino jackpot spins ${others(i)} <b>&amp;</b>` })
    for (let i = 0; i < 5; i++) await teach(await submit(casino(i)))
    await submit({ message: `casino jackpot spins ${others(9)} <script>alert(1)</script>` })
    const { html } = await ada.get(`${path}/spam`)
    expect(textOf(html)).toContain('Looks like what was marked: ')
    expect(html).toMatch(/Looks like what was marked: .*<bdi>casino<\/bdi>/)
    expect(html).not.toContain('<script>alert')
  })

  test('says when the submission was marked that another one is a copy of, and leads to it while it is there', async () => {
    const { ada, path, submit, teach } = await open({ good: 25, bad: 0 })
    const letter = {
      name: 'Max',
      message: 'Buy 500 followers today, they are real: https://followers.biz/now and cheap',
    }
    const id = await submit(letter)
    await teach(id)
    for (let i = 0; i < 20; i++) await submit(letter)
    const { html } = await ada.get(`${path}/spam`)
    expect(html).toMatch(/Almost the same as what was <a [^>]+>marked on <time/)
    const address = `${path}/spam?page=2#${id}`
    expect(readPage(html).links.filter((one) => one === address)).toHaveLength(20)
    expect((await ada.get(address)).html).toContain(`id="${id}"`)
    await ada.post(`${path}/spam`, { delete: id, confirm: 'yes' })
    const after = (await ada.get(`${path}/spam`)).html
    expect(after).toMatch(/Almost the same as what was marked on <time/)
    expect(after).not.toContain(id)
  })

  test('counts what someone has opened, even if an older submission is unread', async () => {
    const { ada, path, inbox, learned } = await open({ good: 6, bad: 0, age: 0 })
    const [oldest, newest] = [inbox[0] as string, inbox[5] as string]
    expect(await learned()).toMatchObject({ kept: 0, inbox: 0 })
    await ada.get(`${path}/submissions/${newest}`)
    await until(async () => (await learned()).inbox === 1, 'it counts')
    await ada.api.call('POST', `${path}/submissions/${oldest}/spam`)
    await ada.post(`${path}/submissions/read`, { upTo: newest })
    expect((await learned()).inbox).toBe(5)
    // It comes back as it was, which is unread.
    await ada.api.call('POST', `${path}/spam/${oldest}/accept`)
    expect(await learned()).toMatchObject({ marked: 0, inbox: 5 })
  })

  test('names what in the inbox looks like spam, and leads to it', async () => {
    const { ada, path, overlooked, lessons } = await open({ left: 3, bad: 30 })
    const { html } = await ada.get(`${path}/spam`)
    const [count] = /\d+ in the inbox looks? like spam/.exec(html) ?? ['']
    expect(count).not.toBe('')
    const learned = readPage(html).link(count) as string
    expect(learned).toBe(`${path}/spam/learned`)
    const page = await ada.get(learned)
    expect(textOf(page.html)).toContain(count)
    const shown = [...page.html.matchAll(/name="ids" value="(\w{28})"/g)].map(([, id]) => id as string)
    expect(shown.length).toBeGreaterThan(1)
    for (const id of shown) expect(overlooked).toContain(id)
    const [first = '', second = ''] = shown
    // The button that Enter presses in a check box.
    expect(page.html).toContain('<button hidden></button>')
    expect((await ada.post(learned, { ids: first })).location).toBe(learned)
    expect(lessons()).toHaveLength(30)
    expect((await ada.post(learned, { keep: first })).location).toBe(`${learned}?done=kept#notice`)
    expect((await ada.post(learned, { ids: second, action: 'spam' })).location).toBe(`${learned}?done=marked#notice`)
    expect(lessons().slice(-2)).toEqual([
      { submission: first, is_spam: 0 },
      { submission: second, is_spam: 1 },
    ])
    const after = (await ada.get(`${learned}?done=kept`)).html
    expect(after).toContain('It will not be taken for spam again.')
    expect(after).not.toContain(`value="${first}"`)
    expect(after).not.toContain(`value="${second}"`)
  })
})

describe('what was learned', () => {
  test('is shown in the settings before anything is held back, and says what is missing', async () => {
    const { ada, path, submit } = await open({ form: {} })
    const settings = await ada.get(`${path}/settings/spam`)
    expect(textOf(settings.html)).toMatch(
      /20 were marked\. It would have held back none of your last 60 submissions, and recognises \d+ of the 20\./,
    )
    expect(readPage(settings.html).link('See what was learned')).toBe(`${path}/spam/learned`)
    const page = await ada.get(`${path}/spam/learned`)
    expect(textOf(page.html)).toContain('Nothing is held back for it: the form does not learn.')
    const few = await open({ bad: 3, good: 41, form: {} })
    expect(textOf((await few.ada.get(`${few.path}/settings/spam`)).html)).toContain(
      'It needs 5 that were marked and 50 in the inbox that someone has looked at; there are 3 and 41.',
    )
    await submit({ a: 1 })
    const none = await open({ bad: 0, good: 1, form: {} })
    expect(textOf((await none.ada.get(`${none.path}/settings/spam`)).html)).toContain(
      'It needs 5 that were marked and 50 in the inbox that someone has looked at.',
    )
  })

  test('offers “Not spam” for what is in the inbox only while the form learns', async () => {
    const { ada, path, change, overlooked, lessons } = await open({ left: 3, bad: 30 })
    const learned = `${path}/spam/learned`
    await change({ learnSpam: false })
    const { html } = await ada.get(learned)
    const [first = ''] = overlooked.filter((id) => html.includes(`name="spam" value="${id}"`))
    expect(first).not.toBe('')
    expect(html).not.toContain('Not spam')
    expect((await ada.post(learned, { keep: first })).location).toBe(learned)
    expect(lessons()).toHaveLength(30)
    await change({ learnSpam: true })
    expect((await ada.get(learned)).html).toContain(`name="keep" value="${first}"`)
  })

  test('is forgotten after a question', async () => {
    const { ada, path, lessons } = await open()
    const learned = `${path}/spam/learned`
    const question = await ada.post(learned, { forget: 'ask' })
    expect(question.html).toContain('Forget what was learned?')
    expect(lessons()).toHaveLength(20)
    expect((await ada.post(learned, { forget: 'yes' })).location).toBe(`${learned}?done=forgotten#notice`)
    expect(lessons()).toEqual([])
    expect((await ada.get(`${learned}?done=forgotten`)).html).toContain('What was learned has been forgotten.')
  })

  test('is offered once, after the fifth mark', async () => {
    const { ada, path, submit } = await open({ good: 0, bad: 3, form: {} })
    const mark = async () => {
      const { location } = await ada.post(`${path}/submissions/spam`, { ids: await submit({ message: 'buy' }) })
      return (await ada.get(location as string)).html
    }
    const notices: string[] = []
    for (let i = 0; i < 3; i++) notices.push(await mark())
    const offer = 'Hold back what looks like it?'
    expect(notices.map((html) => html.includes(offer))).toEqual([false, true, false])
    expect(readPage(notices[1] as string).link(offer)).toBe(`${path}/settings/spam`)
  })
})
