import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

const prepare = async () => {
  const { server, ada, formId: form } = await world()
  const path = `/forms/${form}/submissions`
  const submit = (name = 'Grace') => server.submit(form, { name })
  const id = await submit()
  return {
    ...{ server, ada, form, path, submit, id },
    handling: async (of = id) => (await ada.call('GET', `${path}/${of}/handling`)).body,
    handle: (changes: object, of = id) => ada.call('PATCH', `${path}/${of}/handling`, changes),
    handleAll: (ids: readonly string[], state: string) => ada.call('PATCH', `${path}/handling/bulk`, { ids, state }),
    stored: () =>
      rowsOf(server.folder, 'SELECT * FROM handling WHERE form = (SELECT number FROM forms WHERE id = ?)', form),
  }
}

const untouched = { state: 'open', by: null, at: null }

describe('/api/v1/forms/:formId/submissions/:submissionId/handling', () => {
  test('is open until someone says otherwise, and says who and when', async () => {
    const { ada, handling, handle, stored } = await prepare()
    expect(await handling()).toEqual(untouched)
    const before = Date.now()
    const done = await handle({ state: 'done' })
    expect(done.status).toBe(200)
    expect(done.body).toEqual({ state: 'done', by: ada.email, at: expect.any(String) })
    expect(Date.parse(done.body.at)).toBeWithin(before, Date.now() + 1)
    expect(await handling()).toEqual(done.body)
    expect((await handle({ state: 'open' })).body).toMatchObject({ state: 'open', by: ada.email })
    expect(stored()).toHaveLength(1)
  })

  test('writes nothing where nothing changes', async () => {
    const { handling, handle, handleAll, stored, id } = await prepare()
    for (const changes of [{}, { state: 'open' }, { other: 1 }]) expect((await handle(changes)).body).toEqual(untouched)
    await handleAll([id], 'open')
    expect(stored()).toEqual([])
    const { body } = await handle({ state: 'done' })
    await Bun.sleep(2)
    await handle({ state: 'done' })
    expect(await handling()).toEqual(body)
  })

  test.each([
    [{ state: 'closed' }, 'state'],
    [{ state: null }, 'state'],
  ])('refuses %j', async (changes, field) => {
    const { handle, stored } = await prepare()
    const { status, body } = await handle(changes)
    expect(status).toBe(400)
    expect(body.issues[0].message).toStartWith(`${field}: `)
    expect(stored()).toEqual([])
  })

  test('is of submissions only that are there, and no spam', async () => {
    const { ada, form, handle, handling, id, path } = await prepare()
    const missing = newId(Date.now())
    expect((await handle({ state: 'done' }, missing)).status).toBe(404)
    expect((await ada.call('GET', `${path}/${missing}/handling`)).status).toBe(404)
    const { body } = await handle({ state: 'done' })
    await ada.call('POST', `${path}/${id}/spam`)
    expect((await handle({ state: 'open' })).status).toBe(404)
    expect((await ada.call('GET', `${path}/${id}/handling`)).status).toBe(404)
    // It comes back as it was.
    await ada.call('POST', `/forms/${form}/spam/${id}/accept`)
    expect(await handling()).toEqual(body)
  })

  test('is changed in bulk, all of them or none', async () => {
    const { submit, handleAll, handling, id } = await prepare()
    const other = await submit()
    expect((await handleAll([id, newId(Date.now())], 'done')).status).toBe(404)
    expect(await handling()).toEqual(untouched)
    expect((await handleAll([id, other, id], 'done')).body).toEqual({ success: true })
    expect([await handling(), await handling(other)].map(({ state }) => state)).toEqual(['done', 'done'])
    for (const [ids, state] of [
      [[], 'done'],
      [[id], 'x'],
      [Array.from({ length: 1001 }, () => id), 'done'],
    ] as const)
      expect((await handleAll(ids, state)).status).toBe(400)
  })

  test('goes with the submission, the spam and the form', async () => {
    const { server, ada, submit, handleAll, stored, form, path, id } = await prepare()
    const [spam, old, last] = [await submit(), await submit(), await submit()]
    await handleAll([id, spam, old, last], 'done')
    await ada.call('DELETE', `${path}/${id}`)
    await ada.call('POST', `${path}/${spam}/spam`)
    await ada.call('DELETE', `/forms/${form}/spam/${spam}`)
    expect(stored()).toHaveLength(2)
    await ada.call('POST', `${path}/${old}/spam`)
    await ada.call('DELETE', `/forms/${form}/spam/all`)
    await ada.call('DELETE', `/forms/${form}`)
    const left = () => rowsOf(server.folder, 'SELECT 1 FROM handling WHERE submission IN (?, ?)', old, last)
    await until(() => left().length === 0, 'nothing is left of them')
    expectSound(server.folder)
  })
})
