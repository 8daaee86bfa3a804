import { describe, expect, test } from 'bun:test'
import { readPage } from '../read-page.ts'
import { expectSound } from '../storage/sound.ts'
import { siteWorld } from '../world.ts'

const formWith = async (count: number) => {
  const { server, ada, formId: id } = await siteWorld({ form: { title: 'Contact' } })
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await server.submit(id, { name: `Visitor ${i}` }))
  const path = `/forms/${id}`
  return {
    ...{ server, ada, ids, path },
    handling: async (of: string | undefined) => (await ada.api.call('GET', `${path}/submissions/${of}/handling`)).body,
    mark: (handling: 'done' | 'open', ...of: (string | undefined)[]) =>
      ada.post(`${path}/submissions/handling`, [
        ['handling', handling],
        ...of.map((one) => ['ids', one] as [string, string]),
      ]),
    names: async (query: string) =>
      [...(await ada.get(path + query)).html.matchAll(/Select (Visitor \d+),/g)].map(([, name]) => name),
    show: async (query = '') => (await ada.get(path + query)).html,
  }
}

describe('what was done about submissions', () => {
  test('is said on the list by words, and by those that are not in it', async () => {
    const { show, names, mark, ids } = await formWith(3)
    expect(readPage(await show()).link('Open 3')).toBeDefined()
    await mark('done', ids[1])
    expect(await names('')).toEqual(['Visitor 2', 'Visitor 0'])
    const all = readPage(await show('?state=all'))
    expect(all.texts.filter((text) => text === 'Done:')).toHaveLength(1)
    expect(all.link('Open 2')).toBeDefined()
  })

  test('is shown as it was chosen last', async () => {
    const { ada, names, mark, ids, path } = await formWith(2)
    await mark('done', ids[1])
    const { cookies } = await ada.get(`${path}?state=done`)
    expect(cookies[0]).toMatch(/^formbox_list_\d+=done; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(await names('')).toEqual(['Visitor 1'])
    // A search looks in all.
    expect(await names('?q=visitor')).toEqual(['Visitor 1', 'Visitor 0'])
    expect(await names('?state=open')).toEqual(['Visitor 0'])
    expect(await names('')).toEqual(['Visitor 0'])
  })

  test('makes three lists, whose pages are those of thirty', async () => {
    const { names, mark, ids, show, path } = await formWith(65)
    await mark('done', ...ids.slice(3, 35), ids[64])
    const first = await names('?state=open')
    expect(first).toHaveLength(30)
    expect(first[0]).toBe('Visitor 63')
    const older = readPage(await show('?state=open')).link('Older') ?? ''
    expect(await names(older.slice(older.indexOf('?')))).toEqual(['Visitor 1', 'Visitor 0'])
    expect(await names('?state=done')).toHaveLength(30)
    expect((await names('?state=done'))[0]).toBe('Visitor 64')
    expect(await names('?state=all')).toHaveLength(30)
    expect(await show('?state=open&startDate=2020-01-01&endDate=2020-01-02')).toContain(
      'Nothing is open on these dates',
    )
    expect(readPage(await show('?state=done')).link('All')).toBe(`${path}?state=all`)
  })

  test('leaves a message its place among those of the list that led to it', async () => {
    const { ada, ids, path, mark } = await formWith(5)
    await mark('done', ids[3], ids[1])
    const placeOf = async (position: number, state: string) =>
      /class="place"[^>]*>\s*(?:<p>(.*?)<\/p>)?/.exec(
        (await ada.get(`${path}/submissions/${ids[position]}?state=${state}`)).html,
      )?.[1]
    expect(await Promise.all([4, 2, 0].map((i) => placeOf(i, 'open')))).toEqual(['1 of 3', '2 of 3', '3 of 3'])
    expect(await Promise.all([3, 1].map((i) => placeOf(i, 'done')))).toEqual(['1 of 2', '2 of 2'])
    // It has left the list since.
    expect(await placeOf(3, 'open')).toBeUndefined()
  })

  test('can be undone from the notice', async () => {
    const { ada, mark, ids, handling, path } = await formWith(3)
    const { location } = await mark('done', ids[0], ids[2])
    const { html } = await ada.get(location as string)
    expect(html).toContain('2 submissions have been marked as done.')
    const inputs = [...html.matchAll(/<input type="hidden" name="ids" value="(\w{28})">/g)].map(([, id]) => id)
    expect(inputs.toSorted()).toEqual([ids[0], ids[2]].toSorted())
    expect(readPage(html).button('Undo')).toMatchObject({ name: 'handling', value: 'open' })
    await mark('open', ids[0], ids[2])
    expect((await handling(ids[2])).state).toBe('open')
    // Someone else’s identifiers in an address do no harm: nothing happens before the button is pressed.
    expect((await ada.get(`${path}?done=done&count=1&undo=%3Cscript%3E,${ids[0]}`)).html).not.toContain('<script>,')
  })

  test('is undone only for those that were not so before', async () => {
    const { ada, mark, ids } = await formWith(3)
    const offered = async (location: string | null) =>
      [...(await ada.get(location as string)).html.matchAll(/<input type="hidden" name="ids" value="(\w{28})">/g)].map(
        ([, id]) => id,
      )
    await mark('done', ids[1])
    expect(await offered((await mark('done', ...ids)).location)).toEqual([ids[2], ids[0]])
    expect(await offered((await mark('done', ...ids)).location)).toEqual([])
    await mark('open', ids[0])
    expect(await offered((await mark('open', ids[0], ids[1])).location)).toEqual([ids[1]])
  })

  test('moves on to the next submission, of the list that is read', async () => {
    const { ada, ids, path, mark } = await formWith(4)
    await mark('done', ids[2])
    const { html } = await ada.get(`${path}/submissions/${ids[3]}?state=open`)
    expect(readPage(html).hidden('next')).toBe(ids[1])
    const { location } = await ada.post(`${path}/submissions/handling`, {
      ...{ ids: ids[3] as string, handling: 'done', state: 'open', next: ids[1] as string },
    })
    expect(location).toBe(`${path}/submissions/${ids[1]}?state=open&done=done&count=1&undo=${ids[3]}#notice`)
    const next = (await ada.get(location as string)).html
    expect(next).toContain('The submission has been marked as done.')
    expect(next).toContain(`value="${ids[3]}"`)
  })

  test('has notes, which are text, and say who wrote them', async () => {
    const { ada, ids, path, mark } = await formWith(1)
    const page = `${path}/submissions/${ids[0]}`
    const texts = async () =>
      ((await ada.api.call('GET', `${page}/notes`)).body.notes as { text: string }[]).map(({ text }) => text)
    const { location } = await ada.post(`${page}/notes`, { text: 'Called\r\n<b>back' })
    expect(location).toBe(`${page}?done=noted#notice`)
    await ada.post(`${page}/notes`, { text: 'Will come' })
    expect(await texts()).toEqual(['Called\n<b>back', 'Will come'])
    expect((await ada.get(path)).texts).toContain('2 notes')
    await mark('done', ids[0])
    const { html } = await ada.get(location as string)
    expect(html).toContain('The note has been saved.')
    expect(html).toMatch(/<small>You, .*<\/small><p dir="auto">Called\n&lt;b&gt;back<\/p>/)
    expect(html).toContain(`Done by ${ada.api.email}`)
    const long = 'x'.repeat(2001)
    for (const text of ['', long]) {
      const refused = await ada.post(`${page}/notes`, { text, state: 'open' })
      expect(refused).toMatchObject({ status: 400, heading: 'Visitor 0' })
      expect(refused.problem('text')).toStartWith('Must be 1 to 2000 characters')
      expect(refused.field('text')?.value).toBe(text)
      expect(refused.hidden('state')).toBe('open')
    }
    const note = /name="note" value="(\w+)"/.exec(html)?.[1] ?? ''
    for (let i = 0; i < 2; i++)
      expect((await ada.post(`${page}/notes/remove`, { note })).location).toBe(`${page}?done=unnoted#notice`)
    expect(await texts()).toEqual(['Will come'])

    await ada.post(`${path}/submissions/spam`, { ids: ids[0] as string })
    const lost = await ada.post(`${page}/notes`, { text: 'Called\r\n<b>again' })
    expect(lost).toMatchObject({ status: 404, heading: 'The note was not saved' })
    expect(lost.isolated).toContain('Called\n<b>again')
  })

  test('shows the newest twenty notes, and the earlier ones when asked', async () => {
    const { ada, ids, path } = await formWith(1)
    const page = `${path}/submissions/${ids[0]}`
    for (let i = 0; i < 22; i++) await ada.api.call('POST', `${page}/notes`, { text: `Note ${i}` })
    const shown = (html: string) => [...html.matchAll(/<p dir="auto">(Note \d+)/g)].map(([, text]) => text)
    const { html } = await ada.get(page)
    expect([shown(html)[0], shown(html).length]).toEqual(['Note 2', 20])
    const earlier = readPage(html).link('Earlier notes') ?? ''
    expect(shown((await ada.get(earlier.replace(/#.*/, ''))).html)).toHaveLength(22)
  })
})

describe('a submission that was marked as spam', () => {
  test('is put back from the notice, as unread as it was', async () => {
    const { server, ada, ids, path, show, names } = await formWith(3)
    const { location } = await ada.post(`${path}/submissions/spam`, { ids: ids[1] as string })
    const { html } = await ada.get(location as string)
    expect(html).toContain(`action="${path}/spam"`)
    expect(readPage(html).button('Undo')).toMatchObject({ name: 'action', value: 'accept' })
    const undone = await ada.post(`${path}/spam`, { ids: ids[1] as string, action: 'accept', back: 'inbox' })
    expect(undone.location).toBe(`${path}?done=accept&count=1#notice`)
    expect(await names('')).toEqual(['Visitor 2', 'Visitor 1', 'Visitor 0'])
    expect(readPage(await show()).link('Unread 3')).toBeDefined()
    expectSound(server.folder)
  })
})
