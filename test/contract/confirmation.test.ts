// The record of a confirmed address: in the API, in exports, in what a person is given, and what an import makes of it.
import { expect, test } from 'bun:test'
import { confirmAll, confirmedForm } from '../confirmed.ts'
import { startServer } from '../harness.ts'
import { mailSettings, startSmtp } from '../mail/smtp-server.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { addForm, world } from '../world.ts'

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const none = { mailedAt: null, confirmedAt: null, acceptedAt: null, acceptedBy: null, mail: null, consent: [] }

test('a confirmed address has a record wherever its submission goes, until that is deleted', async () => {
  const smtp = await startSmtp()
  const server = await startServer({ settings: mailSettings(smtp.port) })
  const form = await world({ server, form: { title: 'News', ...confirmedForm } })
  const { ada, formId, path, submit, change } = form
  const read = async (rest: string) => (await ada.call('GET', path + rest)).body
  const exported = async (format: string, from = path): Promise<string> =>
    (
      await server.fetch(`/api/v1${from}/export?format=${format}`, { headers: { authorization: `Bearer ${ada.key}` } })
    ).text()

  const grace = await submit({ name: 'Grace', email: 'grace@example.org', news: 'yes' })
  await until(() => smtp.mails.length === 1, 'Grace is mailed')
  const mary = await submit({ name: 'Mary', email: 'mary@example.org' })
  await until(() => smtp.mails.length === 2, 'Mary is mailed')
  const { subject, text } = confirmedForm.confirm
  const asked = { ...none, mailedAt: isoTime, mail: { subject, text } }
  const labels = ['Send me the newsletter']
  expect(await read(`/submissions/${grace}/confirmation`)).toEqual({ ...asked, consent: labels })

  confirmAll(server, formId, grace)
  expect((await ada.call('POST', `${path}/spam/${mary}/accept`)).status).toBe(200)
  // What the form says later changes no record.
  const [first, second, box] = confirmedForm.fields
  await change({
    fields: [first, second, { ...box, label: 'Other words' }],
    confirm: { ...confirmedForm.confirm, text: 'Other words {link}' },
  })
  const confirmed = { ...asked, consent: labels, confirmedAt: isoTime }
  expect(await read(`/submissions/${grace}/confirmation`)).toEqual(confirmed)
  const accepted = { ...asked, acceptedAt: isoTime, acceptedBy: ada.email }
  expect(await read(`/submissions/${mary}/confirmation`)).toEqual(accepted)
  const { confirmedAt: at, mailedAt } = await read(`/submissions/${grace}/confirmation`)
  await change({ confirm: null })
  const ted = await submit({ name: 'Ted', email: 'ted@example.org' })
  expect(await read(`/submissions/${ted}/confirmation`)).toEqual(none)
  expect((await ada.call('GET', `${path}/submissions/${'0'.repeat(28)}/confirmation`)).status).toBe(404)

  const lines = (await exported('csv')).split('\r\n')
  expect(lines[0]).toBe('id,createdAt,name,email,news,more,confirmedAt,consent')
  expect(lines[1]).toEndWith(`,${at},"[""Send me the newsletter""]"`)
  expect(lines[2]).toEndWith('Mary,mary@example.org,,,,')
  const records = JSON.parse(await exported('json'))
  expect(records.map((one: object) => Object.entries(one).slice(-2))).toEqual([
    [
      ['confirmedAt', at],
      ['consent', labels],
    ],
    [
      ['confirmedAt', null],
      ['consent', []],
    ],
    [
      ['confirmedAt', null],
      ['consent', []],
    ],
  ])
  expect((await exported('ndjson')).split('\n').map((line) => line && JSON.parse(line))).toEqual([...records, ''])

  // An import knows no more than the file says.
  for (const format of ['csv', 'ndjson', 'json', 'xlsx']) {
    const other = await addForm(server, ada, {})
    const response = await server.fetch(`/api/v1${path}/export?format=${format}`, {
      headers: { authorization: `Bearer ${ada.key}` },
    })
    const body = await response.arrayBuffer()
    const type = response.headers.get('content-type') ?? ''
    const imported = await server.fetch(`/api/v1${other.path}/imports`, {
      ...{ method: 'POST', body },
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': type },
    })
    expect([format, imported.status]).toEqual([format, 200])
    const task = (await imported.json()) as { id: string }
    await until(async () => (await ada.call('GET', `${other.path}/imports/${task.id}`)).body.state === 'done', 'import')
    const { notes } = (await ada.call('GET', `${other.path}/submissions/${grace}/notes`)).body
    expect([format, notes.length, notes[0].text]).toEqual([
      ...[format, 1],
      expect.stringMatching(
        /^Address confirmed \d{4}-.*, says the imported file\. Ticked: “Send me the newsletter”\.$/,
      ),
    ])
    expect((await ada.call('GET', `${other.path}/submissions/${mary}/notes`)).body.notes).toEqual([])
    expect((await ada.call('GET', `${other.path}/submissions/${grace}/confirmation`)).body).toEqual(none)
    expect(await exported('csv', other.path)).not.toContain('consent')
    await ada.call('DELETE', other.path)
  }

  const zip = await server.fetch('/api/v1/personal-data/export', {
    ...{ method: 'POST', body: JSON.stringify({ value: 'grace@example.org' }) },
    headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
  })
  const given = Buffer.from(await zip.arrayBuffer()).toString()
  expect(given).toContain(
    `"confirmation":${JSON.stringify({ mailedAt, confirmedAt: at, mail: { subject, text }, consent: labels })}`,
  )
  expect(given).toContain('<p>Boxes that were ticked: <bdi>Send me the newsletter</bdi></p>')

  expect((await ada.call('POST', '/personal-data/erase', { value: 'grace@example.org', count: 1 })).status).toBe(200)
  await ada.call('DELETE', `${path}/submissions/${mary}`)
  expect(rowsOf(server.folder, 'SELECT submission FROM confirmations')).toEqual([])
  expect(await exported('csv')).not.toContain('consent')
  expectSound(server.folder)
})

test('a search for a person finds what waits, which is given to the person and erased', async () => {
  const { server, ada, formId, path, submit } = await world({
    environment: mailSettings(1),
    form: { title: 'News', ...confirmedForm },
  })
  const value = 'waits@example.org'
  const id = await submit({ name: 'Waits', email: value, news: 'yes' })
  const search = async () => (await ada.call('POST', '/personal-data/search', { value })).body
  expect(await search()).toMatchObject({
    matches: [{ formId, submissionId: id, list: 'spam', field: 'email' }],
    next: null,
  })
  const zip = await server.fetch('/api/v1/personal-data/export', {
    ...{ method: 'POST', body: JSON.stringify({ value }) },
    headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
  })
  const given = Buffer.from(await zip.arrayBuffer()).toString()
  expect(given).toContain(', and held until the address is confirmed. Number')
  expect(given).toContain('"list":"unconfirmed"')
  const erased = await ada.call('POST', '/personal-data/erase', { value, count: 1 })
  expect([erased.status, erased.body.receipt.submissions]).toMatchObject([
    200,
    [{ formId, submissionId: id, list: 'spam' }],
  ])
  expect((await search()).matches).toEqual([])
  expect((await ada.call('GET', `${path}/spam?reason=unconfirmed`)).body.spam).toEqual([])
  expect(rowsOf(server.folder, 'SELECT submission FROM confirmations WHERE submission = ?', id)).toEqual([])
})
