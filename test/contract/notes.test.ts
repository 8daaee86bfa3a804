import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

const prepare = async () => {
  const { server, ada, formId: form } = await world()
  const path = `/forms/${form}/submissions`
  const id = await server.submit(form, { name: 'Grace' })
  const addressOf = (of: string) => `${path}/${of}/notes`
  return {
    ...{ server, ada, form, path, id },
    submit: () => server.submit(form, { name: 'Grace' }),
    notes: async (of = id) => (await ada.call('GET', addressOf(of))).body.notes,
    add: (text: unknown, of = id, by = ada) => by.call('POST', addressOf(of), { text }),
    remove: (note: string, of = id, by = ada) => by.call('DELETE', `${addressOf(of)}/${note}`),
    share: async (role: string) => {
      const person = await server.signUp()
      await ada.call('POST', `/forms/${form}/members`, { email: person.email, role })
      return person
    },
    left: () => rowsOf(server.folder, 'SELECT 1 FROM notes WHERE form = (SELECT number FROM forms WHERE id = ?)', form),
  }
}

describe('/api/v1/forms/:formId/submissions/:submissionId/notes', () => {
  test('is a thread, oldest first, that says who wrote what and when', async () => {
    const { ada, notes, add, share } = await prepare()
    expect(await notes()).toEqual([])
    const before = Date.now()
    const { status, body } = await add(' Called\nback 🦊 ')
    expect(status).toBe(200)
    expect(body).toEqual({
      notes: [{ id: expect.any(String), text: 'Called\nback 🦊', by: ada.email, createdAt: expect.any(String) }],
    })
    expect(Date.parse(body.notes[0].createdAt)).toBeWithin(before, Date.now() + 1)
    const grace = await share('editor')
    expect((await add('He will come', undefined, grace)).body.notes).toMatchObject([
      body.notes[0],
      { text: 'He will come', by: grace.email },
    ])
    expect(await notes()).toHaveLength(2)
  })

  test.each([
    ['no characters', ''],
    ['white space', ' \n'],
    ['2,001 characters', 'x'.repeat(2001)],
    ['NUL', 'a\u0000'],
    ['a number', 5],
    ['null', null],
    ['nothing', undefined],
  ])('refuses %s', async (_, text) => {
    const { add, left } = await prepare()
    const { status, body } = await add(text)
    expect(status).toBe(400)
    expect(body.issues[0].message).toStartWith('text: ')
    expect(left()).toEqual([])
  })

  test('has at most 100, and counts a text in characters', async () => {
    const { add, notes, remove } = await prepare()
    for (let i = 0; i < 100; i++) expect((await add(i === 0 ? '🦊'.repeat(2000) : 'x')).status).toBe(200)
    const { status, body } = await add('x')
    expect(status).toBe(400)
    expect(body.issues[0].message).toBe('submissionId: must be a submission with fewer than 100 notes')
    await remove((await notes())[0].id)
    expect((await add('x')).status).toBe(200)
  })

  test('is removed by its author or a manager, which the activity of the form says', async () => {
    const { ada, form, add, notes, remove, share } = await prepare()
    const [grace, mary, reader] = [await share('editor'), await share('manager'), await share('reader')]
    expect((await add('x', undefined, reader)).status).toBe(403)
    await add('of Ada')
    await add('of Grace', undefined, grace)
    await add('also of Grace', undefined, grace)
    const [ofAda, ofGrace, alsoOfGrace] = (await notes()) as { id: string }[]
    for (const person of [grace, reader]) expect((await remove(ofAda?.id ?? '', undefined, person)).status).toBe(403)
    expect((await remove(ofGrace?.id ?? '', undefined, grace)).status).toBe(200)
    expect((await remove(ofGrace?.id ?? '')).status).toBe(404)
    expect((await remove(alsoOfGrace?.id ?? '', undefined, mary)).status).toBe(200)
    expect(await notes()).toEqual([ofAda])
    const { trail } = (await ada.call('GET', `/forms/${form}/trail`)).body
    const removals = trail.filter(({ what }: { what: string }) => what === 'note')
    expect(removals.map(({ by, detail, count }: Record<string, unknown>) => [by, detail, count])).toEqual([
      [mary.email, null, 1],
      [grace.email, null, 1],
    ])
  })

  test('keeps the name of its author when the share ended', async () => {
    const { ada, form, add, notes, share } = await prepare()
    const grace = await share('editor')
    await add('x', undefined, grace)
    const { members } = (await ada.call('GET', `/forms/${form}/members`)).body
    await ada.call('DELETE', `/forms/${form}/members/${members[0].id}`)
    expect(await notes()).toMatchObject([{ text: 'x', by: grace.email }])
  })

  test('is of submissions only that are there, and no spam', async () => {
    const { ada, form, add, notes, remove, id, path } = await prepare()
    const missing = newId(Date.now())
    expect((await add('x', missing)).status).toBe(404)
    expect((await ada.call('GET', `${path}/${missing}/notes`)).status).toBe(404)
    const { body } = await add('x')
    await ada.call('POST', `${path}/${id}/spam`)
    expect((await add('y')).status).toBe(404)
    expect((await remove(body.notes[0].id)).status).toBe(404)
    expect((await ada.call('GET', `${path}/${id}/notes`)).status).toBe(404)
    // They come back with it.
    await ada.call('POST', `/forms/${form}/spam/${id}/accept`)
    expect(await notes()).toEqual(body.notes)
  })

  test('is counted in what a search finds', async () => {
    const { ada, form, path, add, submit, id } = await prepare()
    const other = await submit()
    const search = async (where = path) => (await ada.call('GET', `${where}/search?q=grace`)).body
    expect((await search()).submissions.map((one: { noteCount: number }) => one.noteCount)).toEqual([0, 0])
    await add('x')
    await add('y')
    expect((await search()).submissions).toMatchObject([
      { id: other, noteCount: 0 },
      { id, noteCount: 2 },
    ])
    // What clients of Formbase list stays as it is.
    const { submissions } = (await ada.call('GET', path)).body
    expect(Object.keys(submissions[1])).toEqual(['id', 'formId', 'data', 'createdAt'])
    await ada.call('POST', `${path}/${id}/spam`)
    expect((await search(`/forms/${form}/spam`)).spam[0]).not.toHaveProperty('noteCount')
  })

  test('goes with the submission, the spam and the form', async () => {
    const { server, ada, submit, add, left, form, path, id } = await prepare()
    const [spam, old, last, kept] = [await submit(), await submit(), await submit(), await submit()]
    for (const one of [id, spam, old, last, kept]) await add('x', one)
    await ada.call('DELETE', `${path}/${id}`)
    await ada.call('POST', `${path}/${spam}/spam`)
    await ada.call('DELETE', `/forms/${form}/spam/${spam}`)
    await until(() => left().length === 3, 'those of what was deleted are removed')
    await ada.call('POST', `${path}/${old}/spam`)
    await ada.call('DELETE', `/forms/${form}/spam/all`)
    await until(() => left().length === 2, 'those of the emptied spam are removed')
    expectSound(server.folder)
    await ada.call('DELETE', `/forms/${form}`)
    const rows = () => rowsOf(server.folder, 'SELECT 1 FROM notes WHERE submission IN (?, ?)', last, kept)
    await until(() => rows().length === 0, 'nothing is left of them')
  })
})
