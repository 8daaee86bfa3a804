import { describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { parse } from 'csv-parse/sync'
import { newId } from '../../src/base/id.ts'
import { maxArchivedFiles } from '../../src/transfer/export/archive.ts'
import { fileFormats } from '../../src/transfer/formats.ts'
import { addFiles, entriesOf } from '../export/archived.ts'
import { serverWithUser, startServer, takeReported, type User, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { stall } from '../raw-http.ts'
import { openData } from '../storage/data.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import { errorBody } from './error-body.ts'

type Server = Awaited<ReturnType<typeof serverWithUser>>['server']

const download = (server: Server, user: User, formId: string, query = '', path = '/export'): Promise<Response> =>
  server.fetch(`/api/v1/forms/${formId}${path}${query}`, { headers: { authorization: `Bearer ${user.key}` } })

/** A form with so many long submissions that no socket takes an export of it whole. */
const withLongForm = async ({ server, ada }: { server: Server; ada: User }): Promise<string> => {
  const formId = await ada.createForm()
  const data = JSON.stringify({ text: 'x'.repeat(900_000) })
  const { execute } = openData(server.folder)
  execute(
    Array.from({ length: 15 }, () => [
      'createSubmission',
      { formId, id: newId(Date.now()), data, fieldNames: ['text'] },
    ]),
  )
  return formId
}

/** Asks for an export, and reads nothing of it. */
const stallExport = (server: Server, user: User, formId: string): Promise<Socket> =>
  stall(server.url, `/api/v1/forms/${formId}/export`, `Authorization: Bearer ${user.key}`)

describe('GET /api/v1/forms/:formId/spam/export', () => {
  test('has the spam alone, or what a search finds of it, with its files', async () => {
    const { server, ada, formId } = await world({ sent: [{ name: 'Norway' }] })
    const form = new FormData()
    form.append('name', 'Robot from Norway')
    form.append('cv', new File(['hello'], 'cv.txt', { type: 'text/plain' }))
    form.append('_gotcha', 'x')
    const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: form, headers: { accept: '*/*' } })
    const { id: withFile } = await sent.json()
    const other = await server.submit(formId, { name: 'Sweden', only: 'here', _gotcha: 'x' })
    const get = (query: string) => download(server, ada, formId, query, '/spam/export')
    const idsOf = async (query: string): Promise<string[]> =>
      (await (await get(`?format=json&${query}`)).json()).map(({ id }: { id: string }) => id)
    expect(await idsOf('')).toEqual([withFile, other])
    expect(await idsOf('q=norway')).toEqual([withFile])
    expect(await idsOf('hasFiles=false')).toEqual([other])
    expect(await idsOf('startDate=2100-01-01')).toEqual([])
    const csv = parse(await (await get('?q=sweden')).text()) as string[][]
    expect(csv).toEqual([
      ['id', 'createdAt', 'name', 'more'],
      [other, expect.stringMatching(/Z$/), 'Sweden', '{"only":"here"}'],
    ])
    const entries = await entriesOf(Buffer.from(await (await get('?format=zip&q=norway')).arrayBuffer()))
    expect(entries.get(`files/${withFile}/1-cv.txt`)?.bytes.toString()).toBe('hello')
    expect((await get('?format=zip')).headers.get('content-disposition')).toBe(
      'attachment; filename="Contact spam.zip"',
    )
    // Spam has no state.
    expect(await idsOf('state=done')).toEqual([withFile, other])
  })
})

describe('GET /api/v1/forms/:formId/export', () => {
  test('has only what a search finds, of a state and with files if that is asked for, however many they are', async () => {
    const { server, ada, formId } = await world()
    const numbers = Array.from({ length: 60 }, (_, i) => String(i))
    const norwegian: string[] = []
    for (const number of numbers) {
      norwegian.push(await server.submit(formId, { number, text: 'Tromsø, NORWAY' }))
      if (Number(number) % 10 === 0) await server.submit(formId, { number, text: 'Sweden' })
    }
    norwegian.push(await server.submit(formId, { number: 'long', text: `${'x'.repeat(200_000)} norway` }))
    const form = new FormData()
    form.append('text', 'Norway')
    form.append('cv', new File(['hello'], 'cv.txt', { type: 'text/plain' }))
    const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: form, headers: { accept: '*/*' } })
    const { id: withFile } = await sent.json()
    await server.submit(formId, { norway: 'the name of a field' })
    await server.submit(formId, { text: 'Robot from Norway', _gotcha: 'x' })
    const idsOf = async (query: string): Promise<string[]> => {
      const json = await (await download(server, ada, formId, `?format=json&${query}`)).json()
      const csv = parse(await (await download(server, ada, formId, `?${query}`)).text()) as string[][]
      const ids = json.map(({ id }: { id: string }) => id)
      expect(csv.slice(1).map(([id]) => id)).toEqual(ids)
      return ids
    }
    expect(await idsOf('q=norway')).toEqual([...norwegian, withFile])
    expect(await idsOf('q=norway+-tromso')).toEqual([...norwegian.slice(-1), withFile])
    expect(await idsOf('q=norway&hasFiles=false')).toEqual(norwegian)
    expect(await idsOf('hasFiles=true')).toEqual([withFile])
    expect(await idsOf('q=norway&endDate=2020-01-01')).toEqual([])
    await ada.call('PATCH', `/forms/${formId}/submissions/${norwegian[3]}/handling`, { state: 'done' })
    expect(await idsOf('q=norway&state=done')).toEqual([norwegian[3] as string])
    expect(await idsOf('q=norway&state=open&hasFiles=true')).toEqual([withFile])
    expect(await idsOf('state=unread')).toHaveLength(69)
    expect(await idsOf('q=&nothing=x')).toHaveLength(69)

    const zip = await download(server, ada, formId, '?format=zip&q=norway+-tromso')
    const entries = await entriesOf(Buffer.from(await zip.arrayBuffer()))
    expect([...entries.keys()]).toEqual(['submissions.csv', 'submissions.ndjson', `files/${withFile}/1-cv.txt`])
    const refused = await download(server, ada, formId, `?q=${'x'.repeat(501)}`)
    expect([refused.status, (await refused.json()).issues]).toEqual([
      400,
      [{ message: 'q: must be at most 500 characters' }],
    ])
  })

  test('refuses an archive for the files of what a search finds, and not for those of its dates', async () => {
    const { server, ada, formId } = await world()
    const send = async (text: string): Promise<string> => {
      const form = new FormData()
      form.append('text', text)
      form.append('cv', new File(['hello'], 'cv.txt', { type: 'text/plain' }))
      const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: form, headers: { accept: '*/*' } })
      return (await sent.json()).id
    }
    const [few, many] = [await send('Norway'), await send('Sweden')]
    writeTo(server.folder, ({ $client }) => addFiles($client, many, maxArchivedFiles))
    for (const query of ['?format=zip', '?format=zip&q=sweden']) {
      const refused = await ada.call('GET', `/forms/${formId}/export${query}`)
      expect([refused.status, refused.body.issues[0].message]).toEqual([
        400,
        expect.stringContaining('format: zip holds at most 65000 files, and '),
      ])
    }
    const zip = await download(server, ada, formId, '?format=zip&q=norway')
    expect([...(await entriesOf(await zip.bytes())).keys()].slice(2)).toEqual([`files/${few}/1-cv.txt`])
    // What was refused is not written down as an export.
    await until(async () => {
      const { trail } = (await ada.call('GET', `/forms/${formId}/trail`)).body
      return trail.filter(({ what }: { what: string }) => what === 'exported').length > 0
    }, 'the export is in the trail')
    const { trail } = (await ada.call('GET', `/forms/${formId}/trail`)).body
    expect(trail).toMatchObject([{ what: 'exported', count: 1 }])
  })

  test('answers with CSV, as a file named after the form', async () => {
    const { server, ada, formId } = await world({ form: { title: 'Größe "XL"' } })
    const id = await server.submit(formId, { name: 'Ada', message: '=1+1' })
    const response = await download(server, ada, formId)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Gro_e -XL-.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20-XL-.csv`,
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [header, row] = parse(await response.text())
    expect(header).toEqual(['id', 'createdAt', 'name', 'message', 'more'])
    expect(row).toEqual([id, expect.stringMatching(/Z$/), 'Ada', "'=1+1", ''])
  })

  test('answers in the format and with what else is asked for', async () => {
    const { server, ada, formId } = await world()
    const id = await server.submit(formId, { message: '=1+1' })
    const ndjson = await download(server, ada, formId, '?format=ndjson')
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson')
    expect(ndjson.headers.get('content-disposition')).toBe('attachment; filename="Contact.ndjson"')
    const submission = { id, formId, data: { message: '=1+1' }, createdAt: expect.any(String) }
    expect(JSON.parse(await ndjson.text())).toEqual(submission)
    const json = await download(server, ada, formId, '?format=json')
    expect(json.headers.get('content-type')).toBe('application/json')
    expect(await json.json()).toEqual([submission])
    const csv = Buffer.from(await (await download(server, ada, formId, '?raw=true&bom=true')).arrayBuffer())
    expect(csv.toString()).toStartWith('\ufeffid,createdAt,message,more\r\n')
    expect(csv.toString()).toContain(',=1+1,')
    expect(await (await download(server, ada, formId, '?endDate=2020-01-01')).text()).toBe(
      'id,createdAt,message,more\r\n',
    )
  })

  test.each(['true', 'True', 'TRUE', '1'])(
    'takes raw=%s for true, as clients in other languages write it',
    async (yes) => {
      const { server, ada, formId } = await world({ sent: [{ message: '=1+1' }] })
      const no = { true: 'false', True: 'False', TRUE: 'FALSE', 1: '0' }[yes]
      expect(await (await download(server, ada, formId, `?raw=${yes}&bom=${yes}`)).bytes()).toEqual(
        await (await download(server, ada, formId, '?raw=true&bom=true')).bytes(),
      )
      expect(await (await download(server, ada, formId, `?raw=${no}&bom=${no}`)).bytes()).toEqual(
        await (await download(server, ada, formId)).bytes(),
      )
      const rows = async (hasFiles: string | undefined) =>
        (await (await download(server, ada, formId, `?hasFiles=${hasFiles}&format=json`)).json()).length
      expect([await rows(yes), await rows(no)]).toEqual([0, 1])
    },
  )

  test('has the times of a time zone in CSV, if it is asked for', async () => {
    const { server, ada, formId } = await world({ sent: [{ a: '1' }] })
    const timeOf = async (query: string) =>
      parse(await (await download(server, ada, formId, query)).text())[1]?.[1] ?? ''
    const [utc, kathmandu] = [await timeOf('?zone=utc'), await timeOf('?zone=Asia/Kathmandu')]
    expect(utc).toBe(await timeOf(''))
    expect(kathmandu).toEndWith('+05:45')
    expect(new Date(kathmandu).toISOString()).toBe(utc)
    const [{ createdAt }] = await (await download(server, ada, formId, '?zone=Asia/Kathmandu&format=json')).json()
    expect(createdAt).toBe(utc)
    const refused = await download(server, ada, formId, '?zone=Berlin')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('must be the name of a time zone, such as Europe/Berlin')
  })

  test('answers with an archive of the files too', async () => {
    const { server, ada, formId } = await world()
    const id = await server.submit(formId, { message: '=1+1' })
    const zip = await download(server, ada, formId, '?format=zip&raw=true')
    expect(zip.headers.get('content-type')).toBe('application/zip')
    expect(zip.headers.get('content-disposition')).toBe('attachment; filename="Contact.zip"')
    const entries = await entriesOf(await zip.bytes())
    expect([...entries.keys()]).toEqual(['submissions.csv', 'submissions.ndjson'])
    expect(entries.get('submissions.csv')?.bytes.toString()).toMatch(new RegExp(`^id,.*\r\n${id},.*,=1\\+1,\r\n$`))
  })

  test('answers with a workbook, also of what a search finds', async () => {
    const { server, ada, formId } = await world({ sent: [{ city: 'Oslo' }, { city: 'Rome' }] })
    for (const [query, found] of [
      ['', ['Oslo', 'Rome']],
      ['&q=rome', ['Rome']],
      ['&q=bonn', []],
    ] as const) {
      const book = await download(server, ada, formId, `?format=xlsx${query}`)
      expect(book.headers.get('content-type')).toBe(fileFormats.xlsx.mediaType)
      expect(book.headers.get('content-disposition')).toBe('attachment; filename="Contact.xlsx"')
      const sheet = (await entriesOf(await book.bytes())).get('xl/worksheets/sheet1.xml')?.bytes.toString() ?? ''
      expect([...sheet.matchAll(/<c r="C\d+"[^>]*><is><t>(.*?)</g)].map(([, text]) => text)).toEqual(['city', ...found])
    }
  })

  test.each([
    ['?format=xml', 'format: must be one of csv, ndjson, json, zip, xlsx'],
    ['?raw=yes', 'raw: must be true or false'],
    ['?bom=', 'bom: must be true or false'],
    ['?bom=01', 'bom: must be true or false'],
    ['?startDate=x', 'startDate: must be a date'],
    ['?startDate=2026-02-01&endDate=2026-01-01', 'startDate: must not be after endDate'],
  ])('refuses %s', async (query, message) => {
    const { ada } = await serverWithUser()
    const { status, body } = await ada.call('GET', `/forms/${await ada.createForm()}/export${query}`)
    expect([status, body.issues[0].message]).toEqual([400, expect.stringContaining(message)])
  })

  test('is for whoever may read the form: a read-only key, and no one else', async () => {
    const { server, ada, formId } = await world({ sent: [{ name: 'Ada' }] })
    const reader = await ada.withKey({ isReadOnly: true })
    expect((await download(server, reader, formId)).status).toBe(200)
    const bob = await server.signUp()
    for (let i = 0; i < 3; i++)
      expect(await bob.call('GET', `/forms/${formId}/export`)).toMatchObject({
        status: 403,
        body: errorBody('FORBIDDEN', 'Insufficient access'),
      })
    await ada.call('DELETE', `/forms/${formId}`)
    for (let i = 0; i < 3; i++)
      expect(await ada.call('GET', `/forms/${formId}/export`)).toMatchObject({
        status: 404,
        body: errorBody('NOT_FOUND', 'Form not found'),
      })
  })

  test('sends no body to HEAD, more often than exports may run at once', async () => {
    const { server, ada, formId } = await world()
    const headers = { authorization: `Bearer ${ada.key}` }
    for (let i = 0; i < 3; i++) {
      const response = await server.fetch(`/api/v1/forms/${formId}/export`, { method: 'HEAD', headers })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    await until(async () => (await download(server, ada, formId)).status === 200, 'another export may run')
  })

  test('lets two exports of a user run at once, until one is read or left', async () => {
    const given = await serverWithUser()
    const { server, ada } = given
    const formId = await withLongForm(given)
    const [first] = [await stallExport(server, ada, formId), await stallExport(server, ada, formId)]
    await until(
      async () => (await ada.call('GET', `/forms/${formId}/export?endDate=2020-01-01`)).status === 429,
      'two exports are under way',
    )
    const { headers, body } = await ada.call('GET', `/forms/${formId}/export`)
    expect(body).toMatchObject(errorBody('TOO_MANY_REQUESTS', 'Too many requests, retry after 30 seconds'))
    expect(headers.get('retry-after')).toBe('30')
    // Other users and other requests have their turn.
    const bob = await server.signUp()
    expect((await download(server, bob, await bob.createForm())).status).toBe(200)
    expect((await ada.call('GET', `/forms/${formId}/submissions?perPage=1`)).status).toBe(200)
    first.destroy()
    await until(
      async () => (await download(server, ada, formId, '?endDate=2020-01-01')).status === 200,
      'another export may run',
    )
  })

  test('stops with the server, though someone reads nothing', async () => {
    const server = await startServer()
    const given = { server, ada: await server.signUp() }
    const formId = await withLongForm(given)
    for (let i = 0; i < 2; i++) await stallExport(server, given.ada, formId)
    await until(
      async () => (await given.ada.call('GET', `/forms/${formId}/export?endDate=2020-01-01`)).status === 429,
      'two exports are under way',
    )
    const startedAt = performance.now()
    await server.stop()
    // The export would go on for an hour.
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    if (!isCompiled) takeReported()
  })
})
