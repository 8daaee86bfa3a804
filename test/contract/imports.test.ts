import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { fileFormats } from '../../src/transfer/formats.ts'
import { partsOf, workbookFile } from '../import/workbooks.ts'
import { openFiles } from '../open-files.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { csv, startImports } from './imported.ts'

/** What is open in the folder besides the data: files that were given up keep their space until then. */
const openBelow = (folder: string): string[] => openFiles(folder).filter((path) => /import|\(deleted\)/.test(path))

describe('POST /forms/:formId/imports', () => {
  test('imports a file, and takes back what it has added and nothing else', async () => {
    const { ada, server, imports, submissions, submit, send, ended, path, formId } = await startImports()
    const own = await submit({ Name: 'Eve' })
    const { status, body } = await send(ada, csv, '?timeZone=Europe/Berlin')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        format: 'csv',
        separator: ';',
        rows: 2,
        columns: [
          { name: 'Name' },
          { name: 'Other' },
          { name: 'Other 2', renamedFrom: 'Other' },
          { name: 'Submitted at' },
        ],
        time: { column: 'Submitted at', format: 'dmy', timeZone: 'Europe/Berlin' },
        examples: [],
        left: [{ why: 'empty rows', count: 1 }],
      },
    })
    expect(await ended(body.id ?? '', 'done')).toMatchObject({ added: 2, progress: 1 })
    const found = await submissions()
    expect(found.map(({ data, createdAt }: Record<string, unknown>) => [createdAt, data])).toEqual([
      [expect.any(String), { Name: 'Eve' }],
      ['2026-04-03T12:05:00.000Z', { Name: 'Ada', Other: 'a', 'Other 2': 'b' }],
      ['2025-12-25T08:00:00.000Z', { Name: 'Bob', Other: 'c' }],
    ])
    // One of them was deleted, and one is spam meanwhile.
    await ada.call('POST', `${path}/submissions/${found[1].id}/spam`)
    expect((await ada.call('DELETE', `${imports}/${body.id}`)).body).toEqual({ success: true })
    await ended(body.id ?? '', 'removed')
    expect((await submissions()).map(({ id }: { id: string }) => id)).toEqual([own])
    expect((await ada.call('GET', `${path}/spam`)).body.spam).toEqual([])
    const { trail } = (await ada.call('GET', `${path}/trail`)).body
    expect(trail.map(({ what, detail, count }: Record<string, unknown>) => [what, detail, count])).toEqual([
      ['unimported', body.id, 2],
      ['imported', body.id, 2],
    ])
    await until(
      () =>
        rowsOf(
          server.folder,
          `SELECT 1 FROM imports JOIN forms ON forms.number = form WHERE has_rest AND forms.id = ?`,
          formId,
        ).length === 0,
      'nothing of it is left',
    )
    expect(rowsOf(server.folder, 'SELECT * FROM imported_pages WHERE import_id = ?', body.id ?? '')).toEqual([])
    expect(readdirSync(server.folder).filter((name) => name.includes(body.id ?? ''))).toEqual([])
  })

  test('says what it would import, and imports nothing', async () => {
    const { ada, submissions, send, stateOf } = await startImports()
    const { body } = await send(ada, csv, '?dryRun=true')
    expect(body).toMatchObject({ state: 'planned', rows: 2, added: 0 })
    expect(body.examples).toMatchObject([
      { date: '3/4/2026 14:05', createdAt: '2026-04-03T14:05:00.000Z', values: { Name: 'Ada' } },
      { date: '25/12/2025 9:00', values: { Name: 'Bob', Other: 'c' } },
    ])
    expect(await stateOf(body.id ?? '')).toEqual(body)
    expect(await submissions()).toEqual([])
  })

  test.each([
    ['a,b\n1\n', '', 'text/csv', 'no submission has a time'],
    ['a,Timestamp\n1,3/4/2026\n', '', 'text/csv', 'say which with dateFormat=dmy or dateFormat=mdy'],
    ['a,b\n1,2,3\n', '?noDates=true', 'text/csv', 'row 2: has 3 cells'],
    ['[{}', '', 'application/json', 'is not a complete JSON array'],
    ['', '', 'text/csv', 'must be a file, is empty'],
    ['a\n1\n', '', 'text/plain', 'must be one of csv, ndjson, json, zip, xlsx'],
    ['a\n1\n', '?timeZone=Mars', 'text/csv', 'must be the name of a time zone'],
    ['a\n1\n', '?noDates=true&date=a', 'text/csv', 'must not be true with date'],
    ['PK', '?format=zip', 'text/csv', 'is not an archive that can be read'],
  ])('refuses %j%s as %s', async (text, query, type, message) => {
    const { ada, server, submissions, send, formId } = await startImports()
    const { status, body } = await send(ada, text, query, type)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(message)
    expect(await submissions()).toEqual([])
    expect(
      rowsOf(server.folder, 'SELECT 1 FROM imports JOIN forms ON forms.number = form WHERE forms.id = ?', formId),
    ).toEqual([])
  })

  test('believes no identifier of a time to come', async () => {
    const { ada, submissions, send, ended } = await startImports()
    const [past, future] = ['01kahp5x2r00v7m3k9qd4tznwe8c', 'z'.repeat(28)]
    for (const [type, ...lines] of [
      ['text/csv', 'id,createdAt,a,more', `${past},,1,`, `${future},,2,`],
      ['application/x-ndjson', `{"id":"${future}","formId":"x","data":{"a":3}}`, '{"createdAt":"2026-01-01","a":4}'],
    ] as const) {
      const { body } = await send(ada, lines.join('\n'), '', type)
      await ended(body.id ?? '', 'done')
    }
    const found = await submissions()
    expect(found.map(({ data }: { data: { a: unknown } }) => String(data.a)).sort()).toEqual(['1', '2', '3', '4'])
    const ids = found.map(({ id }: { id: string }) => id)
    expect(ids).toContain(past)
    // The newest one would be so for ever, and what comes in would never be unread.
    expect(ids).not.toContain(future)
    for (const { createdAt } of found) expect(createdAt).toMatch(/^20\d\d-/)
  })

  test('reads XLSX, and says which sheets it leaves out', async () => {
    const { ada, server, submissions, send, ended } = await startImports()
    const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`
    const sheets = '<sheet name="Now" r:id="rId1"/><sheet name="2025" r:id="rId9"/>'
    const rows = `<row>${cell('Name')}${cell('createdAt')}</row><row>${cell('Ada')}<c s="1"><v>46085.5869</v></c></row>`
    const file = await workbookFile(partsOf({ rows, sheets, styles: ['yyyy-mm-dd'] }))
    const { mediaType } = fileFormats.xlsx
    const { status, body } = await send(ada, await Bun.file(file).bytes(), '', mediaType)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        format: 'xlsx',
        separator: null,
        rows: 1,
        columns: [{ name: 'Name' }, { name: 'createdAt' }],
        left: [{ why: 'the sheet “2025”, which is not the first', count: 1 }],
      },
    })
    await ended(body.id ?? '', 'done')
    expect(await submissions()).toMatchObject([{ data: { Name: 'Ada' }, createdAt: '2026-03-04T14:05:08.160Z' }])
    expect((await send(ada, 'PK', '?format=xlsx')).status).toBe(400)
    if (process.platform === 'linux')
      await until(() => openBelow(server.folder).length === 0, 'no file is open that was read')
  })

  test.each([
    ['files', archiveOf(90, 25_000_000)],
    ['submissions', archiveOf(0, 0, 2 ** 31 + 1)],
  ])('refuses an archive with more than 2 GiB of %s, by its list', async (what, archive) => {
    const { ada, send } = await startImports()
    const { status, body } = await send(ada, archive, '', 'application/zip')
    expect({ status, text: JSON.stringify(body) }).toEqual({
      status: 400,
      text: expect.stringContaining(`has ${what} of more than 2 GiB`),
    })
  })

  test('is for managers', async () => {
    const { ada, server, path, send, ended, imports } = await startImports()
    const { body } = await send(ada, csv)
    await ended(body.id ?? '', 'done')
    const grace = await server.signUp()
    expect((await send(grace, csv)).status).toBe(403)
    await ada.call('POST', `${path}/members`, { email: grace.email, role: 'editor' })
    for (const answer of [
      await send(grace, csv),
      await grace.call('GET', `${imports}/${body.id}`),
      await grace.call('DELETE', `${imports}/${body.id}`),
    ])
      expect(answer.status).toBe(403)
  })

  test('takes one file of a user at a time', async () => {
    const { ada, send, ended } = await startImports()
    const answers = await Promise.all([send(ada, csv), send(ada, csv)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
    await ended(answers.find(({ status }) => status === 200)?.body.id ?? '', 'done')
  })
})

/** An archive with the list of so many files, each of which claims a size. @param submissionBytes what the submissions claim */
function archiveOf(count: number, size: number, submissionBytes = 0): Uint8Array<ArrayBuffer> {
  const names = ['submissions.ndjson', ...Array.from({ length: count }, (_, i) => `files/s${i}/1-a.txt`)]
  const list = names.map((name, i) => {
    const entry = Buffer.alloc(46 + name.length)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(2, 20)
    entry.writeUInt32LE(i === 0 ? submissionBytes : size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(i * 200, 42)
    entry.write(name, 46)
    return entry
  })
  const bytes = list.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(names.length, 8)
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(names.length * 200, 16)
  return new Uint8Array(Buffer.concat([Buffer.alloc(names.length * 200), ...list, end]))
}
