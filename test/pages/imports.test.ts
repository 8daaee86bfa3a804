import { expect, test } from 'bun:test'
import { until } from '../until.ts'
import { siteWorld } from '../world.ts'

const csv = 'Name;Other;Other;When;Timestamp\nAda;a;b;x;3/4/2026 14:05\n;;;;\nBob;c;;y;5/4/2026 9:00\n'

const start = async (text = csv, name = 'contact.csv') => {
  const { ada, path, submissions } = await siteWorld()
  const sent = await ada.sendFile(`${path}/imports`, name, text)
  expect(sent.status).toBe(303)
  const at = sent.location ?? ''
  const ended = async (words: string) => {
    await until(async () => (await ada.get(at)).html.includes(words), `the page says ${words}`)
    return await ada.get(at)
  }
  return { ada, path, submissions, at, ended, show: () => ada.get(at) }
}

test('shows what was understood before anything is stored, imports it and takes it back', async () => {
  const { ada, path, submissions, at, ended, show } = await start()
  const asked = await show()
  expect(asked.html).toContain('can be read with the day first or with the month first')
  expect(asked.html).not.toContain('Import 2 messages</button>')
  expect((await ada.post(at, { do: 'plan', date: '', dateFormat: 'dmy', timeZone: 'Europe/Berlin' })).status).toBe(303)
  const { html } = await show()
  for (const words of [
    'CSV, separated by semicolons',
    'from <bdi>Timestamp</bdi>, in Europe/Berlin',
    '3/4/2026 14:05 is 3 April 2026, 12:05 UTC',
    'a second <bdi>Other</bdi> becomes <bdi>Other 2</bdi>',
    '1: <bdi>empty rows</bdi>',
    '<td><bdi>Ada</bdi></td>',
    'Import 2 messages</button>',
  ])
    expect(html).toContain(words)
  expect(await submissions()).toEqual([])

  expect((await ada.post(at, { do: 'import' })).location).toBe(at)
  expect((await ended('Remove these 2')).html).toContain('Imported 2 messages')
  expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([
    { Name: 'Bob', Other: 'c', When: 'y' },
    { Name: 'Ada', Other: 'a', 'Other 2': 'b', When: 'x' },
  ])
  expect((await ada.get(`${path}/settings/people`)).html).toContain(`href="${at}"`)
  expect((await ada.get(`${path}/imports`)).html).toContain(`href="${at}"`)

  expect((await ada.post(at, { do: 'end' })).location).toBe(at)
  expect((await ended('Removed 2 messages')).html).not.toContain('Remove these')
  expect(await submissions()).toEqual([])
})

test('takes the time from a column that is chosen, or from none', async () => {
  const { ada, at, show } = await start('When,a\n2026-03-04,1\n', 'a.CSV')
  expect((await show()).html).toContain('no submission has a time')
  await ada.post(at, { do: 'plan', date: 'column When' })
  expect((await show()).html).toContain('2026-03-04 is 4 March 2026, 00:00 UTC')
  await ada.post(at, { do: 'plan', date: 'none' })
  expect((await show()).html).toContain('1: <bdi>no date, so they get the time of the import</bdi>')
})

test('forgets a plan that is cancelled, and an earlier one of the user', async () => {
  const { ada, at, path, show } = await start()
  const second = await ada.sendFile(
    `${path}/imports`,
    'x.json',
    '[{"data":{"a":1},"createdAt":"2026-03-04T00:00:00Z"}]',
  )
  expect((await show()).status).toBe(404)
  expect((await ada.get(second.location ?? '')).html).toContain('Import 1 message</button>')
  expect((await ada.post(second.location ?? '', { do: 'end' })).location).toBe(`${path}/imports`)
  expect((await ada.get(second.location ?? '')).status).toBe(404)
  expect((await ada.post(at, { do: 'import' })).status).toBe(404)
})

test('says what is wrong with a file that is none', async () => {
  const { html } = await (await start('name,email\n')).show()
  expect(html).toContain('No message is in this file')
  expect(html).not.toContain('value="import"')
  const { ada, path } = await siteWorld()
  for (const [name, text, words] of [
    ['a.csv', '', 'must be a file, is empty'],
    ['a.zip', 'PK', 'is not an archive that can be read'],
  ] as const) {
    const sent = await ada.sendFile(`${path}/imports`, name, text)
    const { html } = sent.location ? await ada.get(sent.location) : sent
    expect(html).toContain(words)
  }
  expect((await ada.post(`${path}/imports`, { file: 'x' })).status).toBe(400)
})

test('says that the session has ended', async () => {
  const { ada, path } = await siteWorld()
  await ada.post('/sign-out')
  expect((await ada.sendFile(`${path}/imports`, 'a.csv', csv)).status).toBe(401)
})

test('shows the first rows with the columns in the order of the file, though the first row has none of some', async () => {
  const { show } = await start('createdAt,first,second\n2026-03-04,,1\n2026-03-05,2,\n')
  const header = (await show()).html.split('<thead>')[1]?.split('</thead>')[0] ?? ''
  expect([...header.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, name]) => name)).toEqual(['first', 'second'])
})

test('takes columns with the names of what every object has', async () => {
  const data = [{ constructor: 'x', ['__proto__']: 'y' }, { constructor: 'z' }]
  const rows = data.map((one) => JSON.stringify({ ...one, b: '1' })).concat('{"b":"2"}')
  const { at, show, ada, ended, submissions } = await start(rows.join('\n'), 'a.ndjson')
  await ada.post(at, { do: 'plan', date: 'none' })
  expect((await show()).html).toContain('<td><bdi></bdi></td>')
  await ada.post(at, { do: 'import' })
  await ended('Imported 3 messages')
  expect((await submissions()).map((one: { data: object }) => JSON.stringify(one.data)).sort()).toEqual(rows.sort())
})
