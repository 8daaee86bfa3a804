import { describe, expect, test } from 'bun:test'
import { users } from '../../src/storage/tables.ts'
import { type User, writeTo } from '../harness.ts'
import { stall } from '../raw-http.ts'
import { submitAll } from '../stored-files.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

const start = async (settings: Record<string, string> = {}) => {
  const { server, ada, formId } = await world({ environment: settings })
  const sheets = `/forms/${formId}/sheets`
  const make = async (): Promise<{ id: string; url: string }> => {
    const { id, url } = (await ada.call('POST', sheets, {})).body
    return { id, url: new URL(url).pathname }
  }
  const read = (path: string, headers: Record<string, string> = {}) => server.fetch(path, { headers })
  return { server, ada, formId, sheets, make, read }
}

describe('a sheet', () => {
  test('shows its address once, where it is read without a key', async () => {
    const { server, ada, formId, sheets, read } = await start()
    await server.submit(formId, { name: 'Ada', sum: '=1+1' })
    const second = await server.submit(formId, { name: 'Grace' })
    const made = await ada.call('POST', sheets, { description: 'Guests' })
    expect(made.body).toEqual({ id: expect.any(String), url: expect.stringMatching(/\/sheet\/[\w-]{32}\.csv$/) })
    expect(made.body.url).toStartWith(`${server.url}/sheet/`)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const listed = (await ada.call('GET', sheets)).body
    expect(listed.sheets).toEqual([
      { id: made.body.id, description: 'Guests', lastUsedAt: null, createdAt: expect.any(String) },
    ])

    const answer = await read(new URL(made.body.url).pathname)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await answer.text()).split('\r\n')
    // Newest first, and no formula of a visitor's.
    expect(lines[0]).toBe('id,createdAt,name,sum,more')
    expect(lines[1]).toStartWith(`${second},`)
    expect(lines[2]).toEndWith(",Ada,'=1+1,")
    await until(async () => (await ada.call('GET', sheets)).body.sheets[0].lastUsedAt !== null, 'the sheet was read')
  })

  test('names the public address of the server where there is one', async () => {
    const { ada, sheets } = await start({ FORMBOX_URL: 'https://forms.example.com' })
    expect((await ada.call('POST', sheets, {})).body.url).toMatch(/^https:\/\/forms\.example\.com\/sheet\//)
  })

  test('leads nowhere after it was deleted, and for whoever guesses', async () => {
    const { ada, sheets, make, read } = await start()
    const { id, url: path } = await make()
    expect((await read(path)).status).toBe(200)
    expect((await ada.call('DELETE', `${sheets}/${id}`)).body).toEqual({ success: true })
    expect((await read(path)).status).toBe(404)
    expect((await ada.call('DELETE', `${sheets}/${id}`)).status).toBe(404)
    const wrongs = [
      path.replace('.csv', ''),
      path.replace('.csv', '.CSV'),
      '/sheet/.csv',
      `/sheet/${'a'.repeat(32)}.csv`,
    ]
    for (const wrong of [...wrongs, `/sheet/${'%00'.repeat(10)}.csv`, '/sheet/..%2f.csv'])
      expect((await read(wrong)).status, wrong).toBe(404)
  })

  test('is shut while its form’s owner is disabled, and gone with the form', async () => {
    const { server, ada, formId, make, read } = await start()
    const { url: path } = await make()
    const disable = (disabledAt: number | null) =>
      writeTo(server.folder, (db) => db.update(users).set({ disabledAt }).run())
    disable(Date.now())
    expect((await read(path)).status).toBe(404)
    disable(null)
    expect((await read(path)).status).toBe(200)
    await ada.call('DELETE', `/forms/${formId}`)
    expect((await read(path)).status).toBe(404)
  })

  test('is sent again only if something has changed', async () => {
    const { server, ada, formId, make, read } = await start()
    const { url: path } = await make()
    const submission = await server.submit(formId, { name: 'Ada' })
    const first = await read(path)
    // With `no-store`, clients would not keep the ETag.
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    let etag = first.headers.get('etag') ?? ''
    const expectChanged = async (isChanged: boolean): Promise<void> => {
      const answer = await read(path, { 'if-none-match': etag })
      expect(answer.status).toBe(isChanged ? 200 : 304)
      await answer.text()
      etag = answer.headers.get('etag') ?? ''
    }
    await expectChanged(false)
    await server.submit(await ada.createForm(), { name: 'Elsewhere' })
    await ada.call('PATCH', `/forms/${formId}`, { title: 'Other' })
    await expectChanged(false)
    await server.submit(formId, { name: 'Grace' })
    await expectChanged(true)
    await ada.call('POST', `/forms/${formId}/submissions/${submission}/spam`)
    await expectChanged(true)
    // As many as before, and the same newest one.
    await ada.call('POST', `/forms/${formId}/spam/${submission}/accept`)
    await expectChanged(true)
    await ada.call('DELETE', `/forms/${formId}/submissions/${submission}`)
    await expectChanged(true)
    await expectChanged(false)
    expect((await read(`${path}?limit=5`, { 'if-none-match': etag })).status).toBe(200)
  })

  test('says what was done about submissions, as an export does, and is sent again when that changes', async () => {
    const { server, ada, formId, make, read } = await start()
    const { url: path } = await make()
    const [first, second] = [
      await server.submit(formId, { name: 'Ada' }),
      await server.submit(formId, { name: 'Grace' }),
    ]
    let etag = ''
    const rows = async (): Promise<string[] | 304> => {
      const answer = await read(path, { 'if-none-match': etag })
      etag = answer.headers.get('etag') ?? ''
      return answer.status === 304 ? 304 : (await answer.text()).split('\r\n').slice(0, -1)
    }
    const handle = (id: string, changes: object) =>
      ada.call('PATCH', `/forms/${formId}/submissions/${id}/handling`, changes)
    const untouched = await rows()
    expect(untouched).toEqual([expect.not.stringContaining('state'), expect.any(String), expect.any(String)])
    await handle(first, { state: 'done' })
    expect(await rows()).toEqual([
      expect.stringMatching(/state,notes$/),
      expect.stringMatching(/Grace,.*open,$/),
      expect.stringMatching(/Ada,.*done,$/),
    ])
    expect(await rows()).toBe(304)
    await handle(first, { state: 'done' })
    expect(await rows()).toBe(304)
    await ada.call('POST', `/forms/${formId}/submissions/${second}/notes`, { text: '=called' })
    const noted = expect.stringMatching(new RegExp(`open,2\\S*Z ${ada.email}: =called$`))
    expect(await rows()).toEqual([expect.anything(), noted, expect.anything()])
    await ada.call('PATCH', `/forms/${formId}/submissions/handling/bulk`, { ids: [first, second], state: 'open' })
    expect(await rows()).toEqual([expect.anything(), expect.anything(), expect.stringMatching(/Ada,.*open,$/)])
  })

  test('is sent again without the columns for that when the last such submission is deleted from the spam', async () => {
    const { server, ada, formId, make, read } = await start()
    const { url: path } = await make()
    const handled = await server.submit(formId, { name: 'Ada' })
    await server.submit(formId, { name: 'Grace' })
    await ada.call('PATCH', `/forms/${formId}/submissions/${handled}/handling`, { state: 'done' })
    await ada.call('POST', `/forms/${formId}/submissions/${handled}/spam`)
    const before = await read(path)
    expect(await before.text()).toContain('state,notes')
    const etag = before.headers.get('etag') ?? ''
    expect((await read(path, { 'if-none-match': etag })).status).toBe(304)
    expect((await ada.call('DELETE', `/forms/${formId}/spam/${handled}`)).status).toBe(200)
    const after = await read(path, { 'if-none-match': etag })
    expect(after.status).toBe(200)
    expect(await after.text()).not.toContain('state,notes')
  })

  test('shows as many as it is asked for', async () => {
    const { server, formId, make, read } = await start()
    const { url: path } = await make()
    const sent = Array.from({ length: 120 }, (_, i) => ({ i: String(i) }))
    const ids = submitAll(server, formId, sent).toReversed()
    const rows = async (limit: string) =>
      (await (await read(`${path}?limit=${limit}`)).text())
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.slice(0, 28))
    expect(await rows('1')).toEqual(ids.slice(0, 1))
    expect(await rows('50')).toEqual(ids.slice(0, 50))
    expect(await rows('101')).toEqual(ids.slice(0, 101))
    expect(await rows('50000')).toEqual(ids)
    for (const wrong of ['0', '50001', '-1', 'x', '']) {
      const answer = await read(`${path}?limit=${wrong}`)
      expect(answer.status).toBe(400)
      expect((await answer.json()).issues).toEqual([{ message: 'limit: must be a whole number from 1 to 50000' }])
    }
  })

  test('is read 30 times a minute, whoever reads it', async () => {
    const { make, read } = await start()
    const { url: path } = await make()
    for (let i = 0; i < 30; i++) expect((await read(path, { 'if-none-match': '*' })).status).toBe(304)
    const refused = await read(path)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await read((await make()).url)).status).toBe(200)
  })

  test('is one of ten of a form', async () => {
    const { ada, sheets, make } = await start()
    for (let i = 0; i < 10; i++) await make()
    const refused = await ada.call('POST', sheets, {})
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [{ message: 'formId: must be a form with fewer than 10 sheets' }],
    ])
    const long = await ada.call('POST', sheets, { description: 'x'.repeat(201) })
    expect([long.status, long.body.issues[0].path]).toEqual([400, '/description'])
  })

  test('has one reader at a time, four with one owner, and stops no export, however slowly it is read', async () => {
    const { server, ada, formId, make, read } = await start()
    // More than the system takes from the server for a client that reads nothing.
    const text = 'x'.repeat(1_000_000)
    for (let i = 0; i < 20; i++) await server.submit(formId, { text })
    const addresses = await Promise.all(Array.from({ length: 5 }, async () => (await make()).url))
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = addresses
    const bob = await server.signUp()
    const bobs = await bob.createForm()
    const bobsSheet = new URL((await bob.call('POST', `/forms/${bobs}/sheets`, {})).body.url).pathname
    const exported = async (user: User, id: string) => (await user.call('GET', `/forms/${id}/export`)).status

    const sockets = []
    for (const path of [first, second, third, fourth]) {
      const socket = await stall(server.url, path, 'Connection: close')
      await new Promise((resolve) => socket.once('readable', resolve))
      sockets.push(socket)
    }
    expect([await exported(ada, formId), await exported(bob, bobs)]).toEqual([200, 200])
    // The server may notice a moment later than its client that an answer has ended.
    for (const method of ['GET', 'HEAD', 'GET'])
      await until(async () => {
        const answer = await server.fetch(bobsSheet, { method })
        await answer.text()
        return answer.status === 200
      }, `bob’s sheet may be read with ${method}`)
    for (const path of [first, fifth]) {
      const refused = await read(path)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
      // A client would send it back, and be told that it has the file.
      expect(refused.headers.get('etag')).toBeNull()
    }

    sockets[0]?.destroy()
    await until(async () => (await read(`${fifth}?limit=1`)).status === 200, 'another sheet may be read')
    expect((await read(second)).status).toBe(429)
  })
})
