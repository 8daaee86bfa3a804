import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { readPage } from '../read-page.ts'
import { openData } from '../storage/data.ts'
import { siteWorld } from '../world.ts'

const formWithSpam = async (...data: object[]) => {
  const { server, ada, formId: id } = await siteWorld({ form: { title: 'Contact' } })
  const path = `/forms/${id}`
  const ids: string[] = []
  for (const fields of data) ids.push(await server.submit(id, { ...fields, _gotcha: 'x' }))
  const total = async (list: string) => (await ada.api.call('GET', `${path}/${list}`)).body.pagination.total
  return { server, ada, id, path, spam: `${path}/spam`, ids, total }
}

describe('/forms/:formId/spam', () => {
  test('can be searched, and keeps the search while what was found is accepted or deleted', async () => {
    const { server, ada, formId: id } = await siteWorld()
    const path = `/forms/${id}/spam`
    expect((await ada.get(path)).html).not.toContain('role="search"')
    const ids: string[] = []
    for (const name of ['Kari', 'Grace', 'Kåre'])
      ids.push(await server.submit(id, { name, message: 'Greetings from Tromsø', _gotcha: 'x' }))
    const idsIn = (html: string) =>
      [...html.matchAll(/type="checkbox" name="ids" value="(\w{28})"/g)].map(([, one]) => one)
    expect((await ada.get(path)).forms).toContain(`get ${path}`)
    const { html } = await ada.get(`${path}?q=kar+%22from+tromso%22`)
    expect(idsIn(html)).toEqual([ids[2], ids[0]] as string[])
    // It would delete what was not found, too.
    expect(html).not.toContain('Empty spam')
    expect(html).toContain('3 submissions searched')
    for (const text of ['Kåre', 'Kår', 'from Tromsø']) expect(readPage(html).texts).toContain(text)
    const fields: [string, string][] = [
      ['q', 'kar'],
      ['ids', ids[0] as string],
    ]
    const question = await ada.post(path, [...fields, ['action', 'delete']])
    expect(question.html).toContain('Delete this submission?')
    expect(question.hidden('q')).toBe('kar')
    const { location } = await ada.post(path, [...fields, ['action', 'accept']])
    expect(location).toBe(`${path}?q=kar&done=accept&count=1#notice`)
    expect(idsIn((await ada.get(`${path}?q=kar`)).html)).toEqual([ids[2] as string])
    const none = (await ada.get(`${path}?q=sweden`)).html
    expect(none).toContain('Nothing found')
    expect(readPage(none).link('All spam')).toBe(path)
    expect((await ada.get(`${path}?q=${'x'.repeat(501)}`)).status).toBe(400)
  })

  test('exports what the search found and only that, or all of it', async () => {
    const { server, ada, formId: id } = await siteWorld()
    const path = `/forms/${id}/spam`
    expect((await ada.get(path)).html).not.toContain('/export?')
    const kari = await server.submit(id, { name: 'Kari', _gotcha: 'x' })
    const grace = await server.submit(id, { name: 'Grace', _gotcha: 'x' })
    const inbox = await server.submit(id, { name: 'Kari, a person' })
    const idsIn = async (query: string): Promise<string[]> =>
      JSON.parse((await ada.get(`${path}/export?format=json${query}`)).html).map((one: { id: string }) => one.id)
    const { html } = await ada.get(`${path}?q=kari`)
    expect(readPage(html).link('Export 1 as JSON')).toBe(`${path}/export?q=kari&format=json`)
    expect(await idsIn(`&ids=${kari},${inbox}`)).toEqual([kari])
    expect(await idsIn('&q=kari')).toEqual([kari])
    expect((await ada.get(path)).link('Export 2 as JSON')).toBe(`${path}/export?format=json`)
    expect(await idsIn('')).toEqual([kari, grace])
    expect((await ada.get(`${path}?q=nobody`)).html).not.toContain('/export?')
  })

  test('says that there is none, and for how long it would be kept', async () => {
    const { ada, spam, id } = await formWithSpam()
    await ada.api.call('PATCH', `/forms/${id}/settings`, { spamDays: 7 })
    const { status, html } = await ada.get(spam)
    expect(status).toBe(200)
    expect(readPage(html).headings).toContain('No spam')
    expect(html).toContain('Submissions that the filter holds back appear here for 7 days.')
  })

  test('is a tab of every page of the form', async () => {
    const { ada, path, spam } = await formWithSpam()
    for (const page of ['', '/spam', '/embed', '/settings'])
      expect((await ada.get(path + page)).link('Spam')).toBe(spam)
  })

  test('shows on every page of the form how many were held back, if there are any', async () => {
    const { server, ada, path, id } = await formWithSpam()
    const settings = `${path}/settings/told/new`
    const counts = async () => {
      const pages = [path, `${path}/spam`, `${path}/embed`, `${path}/settings`, settings]
      const html = await Promise.all(pages.map(async (page) => (await ada.get(page)).html))
      return html.map((one) => />Spam <span class="count">([^<]*)</.exec(one)?.[1])
    }
    expect(await counts()).toEqual(Array(5).fill(undefined))
    const held = await server.submit(id, { a: 1, _gotcha: 'x' })
    await server.submit(id, { a: 2, _gotcha: 'x' })
    await server.submit(id, { a: 3 })
    expect(await counts()).toEqual(Array(5).fill('2'))
    await ada.post(`${path}/spam`, { accept: held })
    expect(await counts()).toEqual(Array(5).fill('1'))
  })

  test('lists what was held back with the reason, newest first, as text', async () => {
    const { server, ada, id, spam } = await formWithSpam({ name: '<b>Robot</b>', message: 'Buy this now' })
    const marked = await server.submit(id, { name: 'Grace', message: 'Hello there' })
    await ada.post(`/forms/${id}/submissions/spam`, { ids: marked })
    const { html, text, isolated } = await ada.get(spam)
    expect(text).toContain('2 held back in 30 days')
    for (const own of ['<b>Robot</b>', 'Buy this now']) expect(isolated).toContain(own)
    const reasons = [...html.matchAll(/<dt>Why it is here<\/dt><dd>([^<]*)</g)].map(([, reason]) => reason)
    expect(reasons).toEqual(['Marked by hand', 'Trap field filled'])
  })

  test('names the blocked term that was found, if it is still one', async () => {
    const { server, ada, id, spam } = await formWithSpam()
    const block = (...blockedTerms: string[]) => ada.api.call('PATCH', `/forms/${id}/settings`, { blockedTerms })
    await block('<i>', 'CIALIS')
    await server.submit(id, { name: 'Grace', message: 'I am a specialist.' })
    await server.submit(id, { name: 'Robot', message: '<I>' })
    const reasons = async () =>
      [...(await ada.get(spam)).html.matchAll(/<dt>Why it is here<\/dt><dd>(.*?)<\/dd>/g)].map(([, reason]) => reason)
    const named = (term: string) => `Blocked term <bdi class="term">${term}</bdi>`
    expect(await reasons()).toEqual([named('&lt;i&gt;'), named('CIALIS')])
    await block('<i>')
    expect(await reasons()).toEqual([named('&lt;i&gt;'), 'Blocked term'])
  })

  test('counts what is held for each reason, and shows one of them', async () => {
    const { server, ada, id, spam, ids } = await formWithSpam({ name: 'Robot' }, { name: 'Machine' })
    const marked = await server.submit(id, { name: 'Grace' })
    await ada.post(`/forms/${id}/submissions/spam`, { ids: marked })
    const { link } = await ada.get(spam)
    expect([link('Trap field 2'), link('By hand 1')]).toEqual([`${spam}?reason=honeypot`, `${spam}?reason=marked`])
    const rows = async (query: string) =>
      [...(await ada.get(spam + query)).html.matchAll(/<li class="row opens" id="(\w+)"/g)].map(([, one]) => one)
    expect(await rows('?reason=honeypot')).toEqual([ids[1], ids[0]])
    expect(await rows('?reason=marked')).toEqual([marked])
    expect(await rows('?reason=honeypot&q=robot')).toEqual([ids[0]])
    expect(await rows('?reason=links')).toEqual([])
    expect((await ada.get(`${spam}?reason=marked`)).link('By hand 1')).toBe(spam)
  })

  test('stays small, whatever robots send', async () => {
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, 'x'.repeat(500)]))
    const { ada, spam } = await formWithSpam(many, { long: 'y'.repeat(900_000) })
    const { html } = await ada.get(spam)
    expect(html.length).toBeLessThan(60_000)
    expect(html.split('This is only the beginning.')).toHaveLength(3)
  })

  test('accepts one, or those that are selected', async () => {
    const { ada, spam, ids, total } = await formWithSpam({ a: 1 }, { a: 2 }, { a: 3 })
    const one = await ada.post(spam, { accept: ids[0] as string })
    expect(one).toMatchObject({ status: 303, location: `${spam}?done=accept&count=1#notice` })
    expect((await ada.get(one.location as string)).html).toContain('The submission has been moved to the list.')
    // One of them is gone meanwhile.
    const fields: [string, string][] = [['action', 'accept'], ...ids.map((id): [string, string] => ['ids', id])]
    const rest = await ada.post(spam, fields)
    expect((await ada.get(rest.location as string)).html).toContain('2 submissions have been moved to the list.')
    expect([await total('spam'), await total('submissions')]).toEqual([0, 3])
  })

  test('deletes one, or those that are selected, once that is confirmed', async () => {
    const { ada, spam, ids, total } = await formWithSpam({ a: 'One' }, { a: 'Two' }, { a: 'Three' })
    const asked = await ada.post(spam, { delete: ids[0] as string })
    expect(asked.heading).toBe('Delete this submission?')
    expect(asked.forms).toContain(`post ${spam}`)
    expect(asked.link('Keep it')).toBe(spam)
    expect(await total('spam')).toBe(3)
    const done = await ada.post(spam, { confirm: 'yes', ids: ids[0] as string })
    expect((await ada.get(done.location as string)).html).toContain('The submission has been deleted.')
    const both: [string, string][] = ids.slice(1).map((id) => ['ids', id])
    expect((await ada.post(spam, [['action', 'delete'], ...both])).heading).toBe('Delete 2 submissions?')
    await ada.post(spam, [['confirm', 'yes'], ...both])
    expect([await total('spam'), await total('submissions')]).toEqual([0, 0])
  })

  test('deletes all of it, once that is confirmed', async () => {
    const { ada, spam, total } = await formWithSpam(...Array.from({ length: 21 }, (_, a) => ({ a })))
    const { button, forms } = await ada.get(spam)
    expect(button('Empty spam')).toMatchObject({ name: 'action', value: 'delete-all' })
    expect(forms).toContain(`post ${spam}`)
    const asked = await ada.post(spam, { action: 'delete-all' })
    expect(asked.heading).toBe('Delete all spam of this form?')
    expect(asked.text).toContain('21 submissions were held back.')
    expect(await total('spam')).toBe(21)
    const done = await ada.post(spam, { action: 'delete-all', confirm: 'yes' })
    expect(done).toMatchObject({ status: 303, location: `${spam}?done=delete&count=21#notice` })
    expect((await ada.get(done.location as string)).html).toContain('21 submissions have been deleted.')
    expect(await total('spam')).toBe(0)
  })

  test('does nothing when nothing is selected, and refuses more than a page has', async () => {
    const { ada, spam, total } = await formWithSpam({ a: 1 })
    expect(await ada.post(spam, { action: 'delete' })).toMatchObject({ status: 303, location: spam })
    const many = Array.from({ length: 101 }, (_, i): [string, string] => ['ids', String(i)])
    expect((await ada.post(spam, [['action', 'accept'], ...many])).status).toBe(400)
    expect((await ada.post(spam, { delete: '01kahp5x2r00v7m3k9qd4tznwe8c' })).location).toContain('count=0')
    expect(await total('spam')).toBe(1)
  })
})

describe('marking as spam', () => {
  test('can be done on the list and on the page of one submission', async () => {
    const { server, ada, id, path, total } = await formWithSpam()
    const ids = [await server.submit(id, { a: 1 }), await server.submit(id, { a: 2 })]
    const action = `${path}/submissions/spam`
    expect((await ada.get(path)).html).toContain(`formaction="${action}"`)
    expect((await ada.get(`${path}/submissions/${ids[0]}`)).forms).toContain(`post ${action}`)
    const fields = ids.map((one): [string, string] => ['ids', one])
    const { status, location } = await ada.post(`${path}/submissions/spam`, fields)
    expect({ status, location }).toEqual({
      status: 303,
      location: `${path}?done=spam&count=2&undo=${ids.join('%2C')}#notice`,
    })
    expect((await ada.get(location as string)).html).toContain(
      '2 submissions have been marked as spam, and will be deleted after 30 days.',
    )
    expect([await total('spam'), await total('submissions')]).toEqual([2, 0])
  })
})

test('fewer days to keep spam ask first, with the number that they delete, and so does a trap that visitors see', async () => {
  const { server, ada, path, id } = await formWithSpam({ message: 'new' })
  const { run } = openData(server.folder)
  const day = 86_400_000
  for (const age of [9, 10, 20])
    run('createSubmission', {
      fieldNames: [],
      formId: id,
      id: newId(Date.now() - age * day),
      data: '{"a":1}',
      reason: 'honeypot',
    })
  await server.submit(id, { message: 'Hello' })
  const save = (spamDays: string, more: Record<string, string> = {}, ...confirmed: string[]) =>
    ada.post(`${path}/settings/spam`, [
      ...Object.entries({ spamDays, ...more }),
      ...confirmed.map((setting): [string, string] => ['confirm', setting]),
    ])
  const stored = async () => (await ada.api.call('GET', `${path}/settings`)).body

  const asked = await save('8')
  expect(asked.status).toBe(200)
  expect(asked.heading).toBe('Delete 3 pieces of spam?')
  expect(asked.html).toContain('3 of 4 were sent more than 8 days ago.')
  expect(asked.hidden('spamDays')).toBe('8')
  expect((await save('15')).heading).toBe('Delete 1 piece of spam?')
  expect((await save('25')).status).toBe(303)

  const both = { honeypot: 'message' }
  expect((await save('8', both)).html).toContain('name="confirm" value="spamDays"')
  expect((await save('8', both, 'spamDays')).html).toContain('name="confirm" value="honeypot"')
  expect(await stored()).toMatchObject({ spamDays: 25, honeypot: '_gotcha' })
  expect((await save('8', both, 'spamDays', 'honeypot')).status).toBe(303)
  expect(await stored()).toMatchObject({ spamDays: 8, honeypot: 'message' })
})

describe('/forms/:formId/spam/:submissionId/block', () => {
  test('offers the address or the host of the spam, and adds what was typed to the blocked terms', async () => {
    const { ada, spam, ids, id } = await formWithSpam(
      { name: 'Robot', text: 'Buy at https://shop.example/x', email: 'me@spam.example' },
      { text: 'See https://shop.example/x now' },
      { text: 'Hello' },
    )
    const offered = async (of: string | undefined) =>
      (await ada.get(`${spam}/${of}/block`)).field('blockedTerms')?.value
    expect([await offered(ids[0]), await offered(ids[1]), await offered(ids[2])]).toEqual([
      ...['me@spam.example', 'shop.example', ''],
    ])
    expect((await ada.get(spam)).links).toContain(`${spam}/${ids[0]}/block`)
    await ada.api.call('PATCH', `/forms/${id}/settings`, { blockedTerms: ['casino'] })
    const block = (blockedTerms: string) => ada.post(`${spam}/${ids[0]}/block`, { blockedTerms })
    const { location } = await block(' shop.example ')
    expect((await ada.get(location as string)).html).toContain('Submissions that contain it are spam from now on.')
    expect((await block(' ')).location).toBe(`${spam}/${ids[0]}/block`)
    expect((await ada.post(`${spam}/%E2%82%AC/block`, { blockedTerms: '' })).location).toBe(`${spam}/%E2%82%AC/block`)
    for (const wrong of ['x', 'x'.repeat(101)]) expect((await block(wrong)).status).toBe(400)
    expect((await ada.api.call('GET', `/forms/${id}/settings`)).body.blockedTerms).toEqual(['casino', 'shop.example'])
    await Promise.all(['one', 'two', 'three', 'four'].map(block))
    const { blockedTerms } = (await ada.api.call('GET', `/forms/${id}/settings`)).body
    expect(blockedTerms.toSorted()).toEqual(['casino', 'four', 'one', 'shop.example', 'three', 'two'])
    expect((await ada.get(`${spam}/${'0'.repeat(28)}/block`)).status).toBe(404)
  })
})
