import { beforeAll, describe, expect, test } from 'bun:test'
import { serverWithClock } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { addForm, type World, world } from '../world.ts'

const day = 86_400_000
const start = Date.UTC(2026, 11, 1, 23, 30)

/** Each test takes names that no other one has. */
let names = 0
const newName = () => `summer-party-${++names}`

const field = { name: 'name', label: 'Name', type: 'text' }
const page = { page: {}, fields: [field] }

describe('the address of a form', () => {
  let opened: World
  const another = () => addForm(opened.server, opened.ada, {})
  /** Where a submission that is sent to this name arrives. */
  const arrivesAt = async (name: string): Promise<unknown> => {
    const response = await opened.server.fetch(`/s/${name}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
    const body = (await response.json()) as { formId?: string }
    return response.ok ? body.formId : response.status
  }
  const taken = { status: 400, body: { issues: [{ path: '/address', message: 'address: is taken' }] } }
  beforeAll(async () => {
    const { server } = await serverWithClock(start)
    opened = await world({ server })
  })

  test('leads where the identifier does, to the form and to its page', async () => {
    const { server, formId, change } = opened
    const address = newName()
    expect(await arrivesAt(address)).toBe(404)
    expect((await change({ address, ...page })).status).toBe(200)
    expect([await arrivesAt(address), await arrivesAt(formId)]).toEqual([formId, formId])
    const shown = await server.fetch(`/f/${address}`)
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(`action="/s/${address}"`)])
    expect((await server.fetch(`/f/${formId}`)).status).toBe(200)
    expect((await opened.ada.call('GET', `/forms/${address}`)).status).toBe(404)
  })

  test('is that of one form, whoever asks for it and however many at once', async () => {
    const address = newName()
    const forms = await Promise.all([another(), another(), another(), another()])
    const answers = await Promise.all(forms.map(({ change }) => change({ address, spamDays: 7 })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    const [first] = answers.flatMap(({ status }, position) => (status === 200 ? forms[position]?.formId : []))
    expect(await arrivesAt(address)).toBe(first)
    // Nothing else of a refused change is stored either.
    const days = await Promise.all(forms.map(async ({ settings }) => (await settings()).spamDays))
    expect(days.toSorted()).toEqual([30, 30, 30, 7])
    const stranger = await addForm(opened.server, await opened.server.signUp(), {})
    expect(await stranger.change({ address })).toMatchObject(taken)
  })

  test('works on when it has changed, up to three, and is given to no other form', async () => {
    const { formId, change } = await another()
    const all = Array.from({ length: 5 }, newName)
    for (const address of all) await change({ address })
    expect(await Promise.all(all.map(arrivesAt))).toEqual([404, formId, formId, formId, formId])
    const other = await another()
    for (const address of all) expect(await other.change({ address })).toMatchObject(taken)
    await change({ address: null })
    expect(await Promise.all(all.map(arrivesAt))).toEqual([404, 404, formId, formId, formId])
    // The form itself may take it again.
    await change({ address: all[0] })
    expect(await Promise.all(all.map(arrivesAt))).toEqual([formId, 404, formId, formId, formId])
  })

  test('is one of at most 20 within a year', async () => {
    const { change } = await another()
    const all = Array.from({ length: 20 }, newName)
    for (const address of all) expect((await change({ address })).status).toBe(200)
    const { status, body } = await change({ address: newName() })
    const message = 'address: must be one that the form has had: it has had 20 within a year'
    expect([status, body.issues]).toEqual([400, [{ path: '/address', message }]])
    for (const address of [all[0], null]) expect((await change({ address })).status).toBe(200)
  })

  test('is kept for a year after its form was deleted, without the form', async () => {
    const { clock } = await serverWithClock(start)
    const { server, ada } = opened
    const address = newName()
    const { change, path } = await another()
    await change({ address })
    await ada.call('DELETE', path)
    expect(await arrivesAt(address)).toBe(404)
    const other = await another()
    expect(await other.change({ address })).toMatchObject(taken)
    const rows = () => rowsOf(server.folder, 'SELECT * FROM form_addresses WHERE address = ?', address)
    await until(() => rows()[0]?.form === null, 'the form is removed')
    expect(rows()).toEqual([{ address, form: null, position: 1, last_day: Math.floor(start / day) }])
    clock.now = start + 364 * day
    expect(await other.change({ address })).toMatchObject(taken)
    clock.now = start + 366 * day
    expect((await other.change({ address })).status).toBe(200)
    expect(await arrivesAt(address)).toBe(other.formId)
    clock.now = start
  })

  // Elysia hands over null for what it cannot decode, in some spellings of a path alone.
  test('is no form if it cannot be decoded', async () => {
    const { server } = await world()
    for (const method of ['GET', 'POST', 'OPTIONS'])
      for (const path of ['/f/%ff', '/f/%ff/', '/f/%c3%28/', '/f/%/', '/s/%ff/', '/s/%/', '/s/%ff/challenge/']) {
        const { status } = await server.fetch(path, { method, headers: { 'sec-fetch-mode': 'cors' } })
        expect([method, path, status]).toEqual([method, path, method === 'OPTIONS' ? 204 : 404])
      }
  })

  test('is not that of a copy', async () => {
    const { server, ada } = opened
    const address = newName()
    const { formId, change, path } = await another()
    await change({ address, group: 'Bakery' })
    const { body } = await ada.call('POST', `${path}/duplicate`)
    expect((await ada.call('GET', `/forms/${body.id}/settings`)).body).toMatchObject({ address: null, group: 'Bakery' })
    expect(await arrivesAt(address)).toBe(formId)
    expect(rowsOf(server.folder, 'SELECT position FROM form_addresses WHERE address = ?', address)).toHaveLength(1)
  })
})
