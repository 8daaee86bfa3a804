import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createdAt, newId } from '../../../../src/base/id.ts'
import { toData } from '../../../../src/submissions/fields.ts'
import { filesIn, formbox, oneLine, serve } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound } from '../../../storage/sound.ts'

/** An empty form in the data folder `data` below the working folder. */
const withForm = () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'data'))
  const data = openData(join(folder, 'data'))
  const { formId, db, run: write } = data

  return {
    ...data,
    folder,
    write,
    /** Writes the file and imports it. The line that says how to take it back is left out. */
    async importText(name: string, text: string | Uint8Array, ...flags: string[]) {
      writeFileSync(join(folder, name), text)
      const { stdout, ...rest } = await formbox(['import', formId, name, '--data', 'data', ...flags], { folder })
      const [, report = stdout, undo] =
        /^(.*\n)To take it back within an hour: formbox import --undo (\w{28})\n$/.exec(stdout) ?? []
      return { ...rest, stdout: report, ...(undo !== undefined && { undo }) }
    },
    async exported(...flags: string[]): Promise<string> {
      const { exitCode } = await formbox(
        ['export', formId, '--data', 'data', '--force', '--output', 'exported', ...flags],
        {
          folder,
        },
      )
      expect(exitCode).toBe(0)
      return readFileSync(join(folder, 'exported'), 'utf8')
    },
    /** Oldest first; the data of a long one is null. */
    stored: (): { id: string; createdAt: string; data: Record<string, unknown> }[] =>
      db.$client
        .query<{ id: string; data: string }, []>('SELECT id, data FROM submissions ORDER BY id')
        .all()
        .map(({ id, data }) => ({ id, createdAt: createdAt(id), data: JSON.parse(data || 'null') })),
    keys: (): unknown => (db.$client.query('SELECT field_names AS names FROM forms').get() as { names: string }).names,
    submitAt: (times: readonly number[]): string[] => data.submit(formId, times),
    submit10: (): string[] =>
      data.submit(
        formId,
        Array.from({ length: 10 }, (_, i) => start + i),
      ),
    submit(members: Readonly<Record<string, string>>, time: number): string {
      const id = newId(time)
      const { data, names } = toData(Object.entries(members).map(([name, json]) => ({ name, json })))
      write('createSubmission', { formId, id, data, fieldNames: names })
      return id
    },
    deleteAll(): void {
      const ids = db.$client
        .query<{ id: string }, []>('SELECT id FROM submissions')
        .all()
        .map(({ id }) => id)
      for (let i = 0; i < ids.length; i += 1000)
        write('deleteSubmissions', { userId: data.userId, formId, list: 'inbox', ids: ids.slice(i, i + 1000) })
    },
  }
}

test('formbox import refuses a file in which nothing has a time, unless it is told so', async () => {
  const form = withForm()
  const csv = 'Sent,Name\n"Mar 1, 2024",Ada\n"Mar 2, 2024",Grace\n'
  const refused = await form.importText('old.csv', csv)
  expect(refused.stderr).toEndWith(
    'no submission has a time: no column has a name that is known for it; name the column with --date COLUMN, or let all ' +
      'have the time of the import with --no-dates\n',
  )
  expect(refused.exitCode).toBe(1)
  expect((await form.importText('old.csv', csv, '--no-dates', '--dry-run')).stdout).toEndWith(
    '; 2 submissions without a date would get the present time; fields: “Sent”, “Name”\n',
  )
  expect((await form.importText('old.csv', csv, '--no-dates')).stdout).toEndWith(' got the present time\n')
  expect((await form.importText('old.csv', csv, '--date', 'sent')).exitCode).toBe(0)
  expect(form.stored().slice(0, 2)).toMatchObject([
    { data: { Name: 'Ada' }, createdAt: '2024-03-01T00:00:00.000Z' },
    { data: { Name: 'Grace' }, createdAt: '2024-03-02T00:00:00.000Z' },
  ])
})

test('formbox import --dry-run shows no more than fifty names, each in one line', async () => {
  const form = withForm()
  const names = Array.from({ length: 60 }, (_, n) => `"name ${n}\n${'x'.repeat(100)}"`)
  const { stdout } = await form.importText('wide.csv', `${names}\n${names}\n`, '--dry-run', '--no-dates')
  expect(stdout).toContain('fields: “name 0 xxx')
  expect(stdout).toEndWith('…” and 10 more\n')
  expect(stdout.length).toBeLessThan(4000)
})

test('formbox import says what it renamed and left out, and keeps the order of the header', async () => {
  const form = withForm()
  const csv = 'c;Other;b;Other;a;_gotcha\n;1;;2;\n;;;;;\nx;;;;\n'
  const { stdout } = await form.importText('x.csv', csv, '--dry-run', '--no-dates')
  expect(stdout).toEndWith(
    '; 1 empty row would be left out; columns with the name of another would become “Other 2”; ' +
      'separated by semicolons; fields: “c”, “Other”, “b”, “Other 2”, “a”\n',
  )
  expect((await form.importText('x.csv', csv, '--no-dates')).exitCode).toBe(0)
  expect(form.keys()).toBe('["c","Other","b","Other 2","a"]')
  expect(form.stored().map(({ data }) => data)).toEqual([{ Other: '1', 'Other 2': '2' }, { c: 'x' }])
})

test('formbox import reads standard input as the format that it is told', async () => {
  const form = withForm()
  const words = ['import', form.formId, '-', '--data', 'data', '--no-dates', '--format']
  const piped = (format: string, input: string) => formbox([...words, format], { folder: form.folder, input })
  expect((await piped('ndjson', '{"name":"Ada"}\n{"name":"Grace"}\n')).exitCode).toBe(0)
  expect(form.stored().map(({ data }) => data.name)).toEqual(['Ada', 'Grace'])
  expect(await piped('json', '{')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot import standard input, nothing was changed: '),
  })
  expect((await piped('zip', 'PK')).stderr).toBe('formbox: cannot import ZIP from standard input: it must be a file\n')
})

test('formbox import reads standard input again if its first rows mislead about the dates, and leaves nothing', async () => {
  const form = withForm()
  const before = filesIn(join(form.folder, 'data'))
  const input = `name,Timestamp\n${'Ada,3/4/2026 14:05\n'.repeat(20_000)}Bob,25/12/2025 14:05\n`
  const words = ['import', form.formId, '-', '--data', 'data', '--format', 'csv', '--time-zone', 'europe/berlin']
  const dry = await formbox([...words, '--dry-run'], { folder: form.folder, input })
  expect(dry.stdout).toContain('; dates from “Timestamp”, with the day first, in Europe/Berlin; fields: “name”\n')
  expect(await formbox(words, { folder: form.folder, input })).toMatchObject({ exitCode: 0, stderr: '' })
  const stored = form.stored()
  expect([stored.length, stored[0]?.createdAt, stored[1]?.createdAt]).toEqual([
    20_001,
    '2025-12-25T13:05:00.000Z',
    '2026-04-03T12:05:00.000Z',
  ])
  const left = filesIn(join(form.folder, 'data')).filter((name) => !before.includes(name))
  expect(left.filter((name) => name.includes('import'))).toEqual([])
})

test.each([
  [['--time-zone', '+01:00'], '--time-zone: must be the name of a time zone'],
  [['--date-format', 'ymd'], '--date-format: must be dmy or mdy'],
  [['--no-dates', '--date', 'a'], '--no-dates: must not be used with --date'],
])('formbox import refuses %j', async (flags, message) => {
  const { exitCode, stderr } = await withForm().importText('x.csv', '_date,a\n2026-01-01,1\n', ...flags)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('formbox import reads a pipe, as a shell makes one of another command, but no archive from it', async () => {
  const form = withForm()
  writeFileSync(join(form.folder, 'people.csv'), `name\n${'Ada\n'.repeat(20_000)}`)
  const script = 'mkfifo pipe; (cat people.csv > pipe) >/dev/null 2>&1 & exec "$@"'
  const words = ['import', form.formId, 'pipe', '--data', 'data', '--no-dates', '--format']
  const run = (format: string, wrap: string[]) => formbox([...words, format], { folder: form.folder, wrap })
  expect(await run('csv', ['sh', '-c', script, 'sh'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(form.stored()).toHaveLength(20_000)
  expect((await run('zip', [])).stderr).toEndWith('/pipe: it is not a file\n')
})

/** As the documentation of each service shows what it answers or exports. */
describe('formbox import recognises', () => {
  // https://formbase.dev/docs (API, "List submissions"), and its menu "Export as JSON" or "CSV", as its source has it
  // (formbase-dev/formbase, export-submissions-button.tsx): `isSpam` comes after the fields, and CSV quotes nothing.
  test('what the API of Formbase answers, without its spam', async () => {
    const form = withForm()
    const common = { formId: 'f1', isSpam: false, createdAt: '2024-05-02T10:00:00.000Z' }
    const page = {
      submissions: [
        { ...common, id: 'k2h3r9', data: { email: 'robot@example.com' }, isSpam: true },
        { ...common, id: 'k2h3r8', data: { email: 'b@example.com', n: 2 } },
        { ...common, id: 'k2h3r7', data: { email: 'a@example.com', n: 1 }, createdAt: '2024-05-01T10:00:00.000Z' },
      ],
      pagination: { page: 1, perPage: 20, total: 3, totalPages: 1 },
    }
    const { stdout } = await form.importText('page.json', JSON.stringify(page, null, 2))
    expect(stdout).toBe(
      'Imported 2 submissions, dated 2024-05-01T10:00:00.000Z to 2024-05-02T10:00:00.000Z; ' +
        '1 submission marked as spam was left out; not imported: “id”\n',
    )
    expect(form.stored()).toMatchObject([
      { data: { email: 'a@example.com', n: 1 }, createdAt: '2024-05-01T10:00:00.000Z' },
      { data: { email: 'b@example.com', n: 2 }, createdAt: '2024-05-02T10:00:00.000Z' },
    ])
    expect(form.keys()).toBe('["email","n"]')
  })

  test('what Formbase exports as JSON and CSV, which tells no dates', async () => {
    const form = withForm()
    const before = Date.now()
    const json = [{ name: 'Ada', tags: ['a', 'b'], isSpam: false }, { name: 'Grace' }, { name: 'Robot', isSpam: true }]
    const text = JSON.stringify(json, null, 2)
    const spam = '; 1 submission marked as spam was left out\n'
    expect((await form.importText('Contact_submissions.json', text, '--no-dates')).stdout).toEndWith(spam)
    const csv = 'name,note,isSpam\nAlan,says "hi",false\nKurt,,false\nRobot,,true\n'
    expect((await form.importText('Contact_submissions.csv', csv, '--no-dates')).stdout).toEndWith(spam)
    const cut = await form.importText('Contact_submissions.csv', 'name,note,isSpam\nAlan,Hello, you,false\n')
    expect(cut.stderr).toContain('row 2: has 4 cells, the header has 3')
    const stored = form.stored()
    expect(stored.map(({ data }) => data)).toEqual([
      { name: 'Ada', tags: ['a', 'b'] },
      { name: 'Grace' },
      { name: 'Alan', note: 'says "hi"' },
      { name: 'Kurt' },
    ])
    expect(Date.parse(stored[0]?.createdAt ?? '')).toBeGreaterThanOrEqual(before)
    expect(form.keys()).toBe('["name","tags","note"]')
  })

  test('a field isSpam that a form asked for, which is not the last one', async () => {
    const form = withForm()
    expect((await form.importText('x.csv', 'isSpam,name\ntrue,Ada\n', '--no-dates')).stdout).not.toContain('spam')
    expect(form.stored().map(({ data }) => data)).toEqual([{ isSpam: 'true', name: 'Ada' }])
  })

  test.each([
    ['CSV', '_subject,name,_next,_gotcha\nHi,Ada,https://example.com,\n'],
    ['CSV of an export', 'id,createdAt,_next,name,more\n,2024-05-01T10:00:00.000Z,x,Ada,"{""_subject"":1}"\n'],
  ])('without the control fields of a page: %s', async (_what, text) => {
    const form = withForm()
    expect((await form.importText('one.csv', text, '--no-dates')).exitCode).toBe(0)
    expect(form.stored().map(({ data }) => data)).toEqual([{ name: 'Ada' }])
    expect(form.keys()).toBe('["name"]')
  })

  test('without the trap field that the form has, and with the one that it does not', async () => {
    const form = withForm()
    form.write('updateFormSettings', { userId: form.userId, id: form.formId, now: 0, changes: { honeypot: 'website' } })
    expect((await form.importText('one.csv', 'name,website,_gotcha\nAda,x,y\n', '--no-dates')).exitCode).toBe(0)
    expect(form.stored().map(({ data }) => data)).toEqual([{ name: 'Ada', _gotcha: 'y' }])
    expect(form.keys()).toBe('["name","_gotcha"]')
  })

  test.each([{ open: false }, { closesAt: '2020-01-01T00:00:00.000Z' }, { maxSubmissions: 1 }])(
    'into a form that is closed: only visitors may not send to it: %j',
    async (changes) => {
      const form = withForm()
      form.write('updateFormSettings', { userId: form.userId, id: form.formId, now: 0, changes })
      expect((await form.importText('two.json', '[{"name":"Ada"},{"name":"Eve"}]', '--no-dates')).exitCode).toBe(0)
      expect(form.stored().map(({ data }) => data)).toEqual([{ name: 'Ada' }, { name: 'Eve' }])
    },
  )

  // https://help.formspree.io/hc/en-us/articles/360015233153-Form-Submissions-API
  test('what the API of Formspree answers, without what it says of deliveries', async () => {
    const form = withForm()
    const answer = {
      fields: ['_date', 'email', 'message', '_status'],
      submissions: [
        {
          _date: '2018-11-03T07:28:29.707632',
          email: 'myemail@example.com',
          message: 'asdfasdf',
          _status: { 'my@email.com': { delivered: true, processed: true, dispatched: true } },
        },
        { _date: '2018-11-03T07:28:29.707632', _id: 2, _replyto: 'myemail@example.com', message: 'x' },
      ],
    }
    expect((await form.importText('formspree.json', JSON.stringify(answer))).exitCode).toBe(0)
    expect(form.stored()).toMatchObject([
      { data: { email: 'myemail@example.com', message: 'asdfasdf' }, createdAt: '2018-11-03T07:28:29.707Z' },
      { data: { _replyto: 'myemail@example.com', message: 'x' }, createdAt: '2018-11-03T07:28:29.707Z' },
    ])
    expect(form.keys()).toBe('["email","message","_replyto"]')
  })

  test('the same as CSV', async () => {
    const form = withForm()
    const csv = '_date,email,message\r\n2018-11-03T07:28:29.707632,a@example.com,"two\r\nlines"\r\n'
    expect((await form.importText('formspree.csv', csv)).exitCode).toBe(0)
    expect(form.stored()).toMatchObject([
      { data: { email: 'a@example.com', message: 'two\r\nlines' }, createdAt: '2018-11-03T07:28:29.707Z' },
    ])
  })

  test('spam of Formspree, and leaves it out, saying so', async () => {
    const form = withForm()
    const csv = '_date,message,_status\n2018-11-03T07:28:29Z,casino,spam\n2018-11-04T07:28:29Z,hello,\n'
    const dry = await form.importText('formspree.csv', csv, '--dry-run')
    expect(dry.stdout).toEndWith(
      '; 1 submission marked as spam would be left out; dates from “_date”; fields: “message”\n',
    )
    const { stdout } = await form.importText('formspree.csv', csv)
    expect(stdout).toStartWith('Imported 1 submission, dated 2018-11-04T07:28:29.000Z to 2018-11-04T07:28:29.000Z; 1 ')
    expect(stdout).toEndWith('; 1 submission marked as spam was left out\n')
    expect(form.stored().map(({ data }) => data)).toEqual([{ message: 'hello' }])
  })

  // https://open-api.netlify.com, `submission`: number, email, name, first_name, last_name, company, summary, body, data,
  // created_at, site_url, id. What more there is, and what is in `data`, is in an answer that a user showed on
  // https://answers.netlify.com/t/24347.
  test('what the API of Netlify answers', async () => {
    const form = withForm()
    const data = {
      name: 'Ada',
      email: 'ada@example.com',
      message: 'Hello',
      ip: '192.0.2.1',
      user_agent: 'Mozilla/5.0',
      referrer: 'https://example.netlify.app/contact',
    }
    const answer = [
      {
        id: '5f3c1c2f9a1b2c0007d1e2f3',
        number: 1,
        title: null,
        email: 'ada@example.com',
        name: 'Ada',
        first_name: 'Ada',
        last_name: '',
        company: null,
        summary: 'Hello',
        body: 'Hello',
        data,
        created_at: '2020-08-18T18:21:35.012Z',
        human_fields: { Name: 'Ada', Email: 'ada@example.com', Message: 'Hello' },
        site_url: 'https://example.netlify.app',
      },
    ]
    expect((await form.importText('netlify.json', JSON.stringify(answer))).exitCode).toBe(0)
    expect(form.stored()).toMatchObject([
      {
        data,
        createdAt: '2020-08-18T18:21:35.012Z',
      },
    ])
    expect(form.keys()).toBe('["name","email","message","ip","user_agent","referrer"]')
  })

  // Scripts that read it: `data.submissions` has the fields of each one, and when it was sent.
  test('what the API of Getform answers', async () => {
    const form = withForm()
    const answer = {
      success: true,
      data: {
        submissions: [
          { id: '1', name: 'Ada', submission_date: '2022-05-01 10:00:00' },
          { id: '2', name: 'Bob', submission_date: '2022-05-02 10:00:00' },
        ],
        pagination: { submissions: [], total: 2 },
      },
    }
    expect((await form.importText('getform.json', JSON.stringify(answer))).exitCode).toBe(0)
    expect(form.stored()).toMatchObject([
      { data: { id: '1', name: 'Ada' }, createdAt: '2022-05-01T10:00:00.000Z' },
      { data: { id: '2', name: 'Bob' }, createdAt: '2022-05-02T10:00:00.000Z' },
    ])
  })

  // Scripts that read it: `submissions` has `payload_params` with the fields, and `created_at` and `spam` beside it.
  test('what the API of Basin answers, without its spam', async () => {
    const form = withForm()
    const common = { form_id: 7, email: 'ada@example.com', read: false, created_at: '2022-05-01T10:00:00.000Z' }
    const answer = {
      submissions: [
        { ...common, id: 11, payload_params: { email: 'ada@example.com', message: 'Hello' }, spam: false },
        { ...common, id: 12, payload_params: { email: 'robot@example.com' }, spam: true },
      ],
    }
    const { stdout } = await form.importText('basin.json', JSON.stringify(answer))
    expect(stdout).toEndWith(
      '; 1 submission marked as spam was left out; not imported: “form_id”, “email”, “read”, “id”\n',
    )
    expect(form.stored()).toMatchObject([
      { data: { email: 'ada@example.com', message: 'Hello' }, createdAt: '2022-05-01T10:00:00.000Z' },
    ])
    expect(form.keys()).toBe('["email","message"]')
  })

  test.each([
    { id: '77', email: 'a@example.com', message: 'Hi', data: { utm: 'x' } },
    { id: '77', email: 'a@example.com', data: { utm: 'x' } },
    { id: '77', number: 1, name: 'Ada', title: 'Dr.', data: { utm: 'x' } },
    { formId: 'x', name: 'Ada', data: {} },
    { id: '77', payload_params: { utm: 'x' }, message: 'Hi' },
  ])('no envelope where anything else stands beside the data, and keeps all of it: %j', async (object) => {
    for (const date of ['created_at', 'createdAt']) {
      const form = withForm()
      const { stdout } = await form.importText(
        'x.json',
        JSON.stringify([{ ...object, [date]: '2026-03-04T14:05:06Z' }]),
      )
      expect(stdout).toStartWith('Imported 1 submission, dated 2026-03-04T14:05:06.000Z to 2026-03-04T14:05:06.000Z\n')
      expect(form.stored()).toMatchObject([{ data: object, createdAt: '2026-03-04T14:05:06.000Z' }])
    }
  })

  test('what Basin marks as spam in CSV', async () => {
    const form = withForm()
    const csv = 'id,name,spam,created_at\n1,Ann,true,2026-03-04 14:05:06\n2,Bo,false,2026-03-05 14:05:06\n'
    expect((await form.importText('x.csv', csv)).stdout).toEndWith('; 1 submission marked as spam was left out\n')
    expect(form.stored().map(({ data }) => data)).toEqual([{ id: '2', name: 'Bo' }])
  })

  test('Kobo, which has columns of the names of Formspree', async () => {
    const form = withForm()
    const csv = '_date,name,_id,_uuid,_status\n2026-03-04T14:05:06,Ann,7,u,spam\n'
    expect((await form.importText('x.csv', csv)).exitCode).toBe(0)
    expect(form.stored().map(({ data }) => data)).toEqual([{ name: 'Ann', _id: '7', _uuid: 'u', _status: 'spam' }])
  })

  test.each(['Submitted At', 'Created At', 'submission_date'])('a date in the column %s', async (column) => {
    const form = withForm()
    expect((await form.importText('x.csv', `${column},name\n2022-05-01 10:00:00 UTC,Ada\n`)).exitCode).toBe(0)
    expect(form.stored()).toEqual([
      { id: expect.any(String), data: { name: 'Ada' }, createdAt: '2022-05-01T10:00:00.000Z' },
    ])
  })

  test('a date in the column Date, which stays, only where it is the last and all of it is dates', async () => {
    const form = withForm()
    expect((await form.importText('x.csv', 'name,Date\nAda,2022-05-01\nBob,\n')).stdout).toContain(
      '; 1 submission without a date got the present time',
    )
    expect(form.stored()).toMatchObject([
      { data: { Date: '2022-05-01', name: 'Ada' }, createdAt: '2022-05-01T00:00:00.000Z' },
      { data: { name: 'Bob' } },
    ])
    for (const csv of ['Date,name\n2022-05-01,Ada\n', 'name,Date\nAda,2022-05-01\nBob,soon\n'])
      expect((await form.importText('y.csv', csv)).stderr).toContain('no submission has a time')
    expect((await form.importText('y.json', '[{"Date":"2022-05-01"}]')).stderr).toContain('no submission has a time')
    expect((await form.importText('y.csv', 'created_at,Date\n2021-05-01,1985-02-03\n')).exitCode).toBe(0)
    expect(form.stored()[0]).toMatchObject({ data: { Date: '1985-02-03' }, createdAt: '2021-05-01T00:00:00.000Z' })
  })

  test('CSV with the date in created_at, as Netlify has it, and semicolons, as a spreadsheet writes them', async () => {
    const form = withForm()
    const csv =
      '\ufeffname;message;created_at\r\nAda;Hello, you;2020-08-18 18:21:35 UTC\r\nBob;;2020-08-18T20:21:35+0200\r\n'
    expect((await form.importText('netlify.csv', csv)).exitCode).toBe(0)
    expect(form.stored()).toMatchObject([
      { data: { name: 'Ada', message: 'Hello, you' }, createdAt: '2020-08-18T18:21:35.000Z' },
      { data: { name: 'Bob' }, createdAt: '2020-08-18T18:21:35.000Z' },
    ])
  })
})

const start = Date.parse('2026-11-01T08:00:00.000Z')

/** Submissions with every kind of value and name. */
const fill = ({ submit }: ReturnType<typeof withForm>): void => {
  const texts = [
    '',
    ' ',
    '=1+1',
    "'=1",
    "''",
    '-5',
    '+5',
    '@a',
    '\t',
    '\n=x',
    'a;=b',
    '"',
    '""',
    ',',
    '[',
    '[1',
    '{}x',
    '{}',
    '[1, 2]',
    '["x","y"]',
    '{"debug":true}',
    '"{}"',
    '"{}',
    '"x"',
    '[1],"text":[2]',
    '[1] ',
    'é😀',
    'null',
    '5',
  ]
  texts.forEach((text, i) => {
    submit({ text: JSON.stringify(text), [`field${i % 3}`]: JSON.stringify(text.repeat(2)) }, start + i)
  })
  const values = [
    'null',
    'true',
    '-5',
    '12345678901234567890.10',
    '1e5',
    '["a", "b"]',
    '{"x":{"y":[1,\n2]}}',
    '[]',
    '{}',
  ]
  values.forEach((value, i) => {
    submit({ value }, start + 1000 + i)
  })
  submit(
    { id: '"7"', createdAt: '"x"', more: '{"a":1}', '': '"nameless"', '=name': '"x"', __proto__: '1' },
    start + 2000,
  )
  submit({ 'na"me,\r\n': '"x"', text: JSON.stringify('"\n'.repeat(100_000)) }, start + 3000)
  submit({ text: JSON.stringify('😀'.repeat(200_000)) }, start + 3001)
  submit({ value: 'null', other: 'null' }, start + 4000)
}

describe('an export, imported again', () => {
  test.each([
    ['csv', []],
    ['csv', ['--raw']],
    ['csv', ['--bom']],
    ['ndjson', []],
    ['json', []],
  ])('as %s %j gives the same bytes', async (format, flags) => {
    const form = withForm()
    fill(form)
    const ids = form.stored().map(({ id }) => id)
    const before = await form.exported('--format', format, ...flags)
    form.deleteAll()
    const { exitCode, stdout } = await form.importText(
      `again.${format}`,
      before,
      ...flags.filter((flag) => flag === '--raw'),
    )
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Imported ${ids.length} submissions, dated 2026-11-01`)),
    ])
    expect(await form.exported('--format', format, ...flags)).toBe(before)
    expect(form.stored().map(({ id }) => id)).toEqual(ids)
    expectSound(join(form.folder, 'data'))
  })

  test('as CSV gives the same bytes from a fresh form, whose field names come in the same order', async () => {
    const [from, to] = [withForm(), withForm()]
    from.submit({ a: '1', b: '2' }, start)
    from.deleteAll()
    fill(from)
    const csv = await from.exported()
    expect((await to.importText('x.csv', csv)).exitCode).toBe(0)
    expect(await to.exported()).toBe(csv)
  })

  test.each(['csv', 'ndjson', 'json'])(
    'as %s leaves out what was done about submissions, and keeps the notes',
    async (format) => {
      const form = withForm()
      const ids = form.submit10()
      const before = await form.exported('--format', format)
      const [{ userId, formId }, now] = [form, start]
      form.write('handleSubmissions', { userId, formId, ids: ids.slice(2, 4), now, state: 'done' })
      const handled = await form.exported('--format', format)
      expect(handled).toContain('done')
      form.deleteAll()
      expect((await form.importText(`x.${format}`, handled)).stdout).toStartWith('Imported 10 submissions')
      expect(await form.exported('--format', format)).toBe(before)

      const [submissionId = ''] = ids
      for (const text of ['Called\nback', '=1+1'])
        form.write('addNote', { userId, formId, submissionId, id: newId(now), text })
      const noted = await form.exported('--format', format)
      form.deleteAll()
      expect((await form.importText(`x.${format}`, noted)).stdout).toStartWith('Imported 10 submissions')
      const again = await form.exported('--format', format)
      // No one here answers for who wrote them: their address is part of the text.
      if (format === 'csv') expect(again).toBe(noted)
      else {
        expect(again).toContain('@example.com: Called\\nback","by":null')
        form.deleteAll()
        await form.importText(`x.${format}`, again)
        expect(await form.exported('--format', format)).toBe(again)
      }
    },
  )

  test('takes the one note of an earlier export for the first entry', async () => {
    const form = withForm()
    const [id = ''] = form.submit10()
    const date = createdAt(id)
    const files = {
      csv: `id,createdAt,name,more,state,note\r\n${id},${date},Ada,,done,"Called\nback"\r\n`,
      ndjson: `{"id":"${id}","formId":"x","data":{"name":"Ada"},"createdAt":"${date}","state":"open","note":"Called\\nback"}\n`,
    }
    for (const [format, text] of Object.entries(files)) {
      form.deleteAll()
      expect((await form.importText(`x.${format}`, text)).stdout).toStartWith('Imported 1 submission')
      const [one] = JSON.parse(await form.exported('--format', 'json'))
      expect(one).toMatchObject({ state: 'open', notes: [{ text: 'Called\nback', by: null, createdAt: date }] })
    }
  })

  test('adds nothing that is there, and brings back what was deleted', async () => {
    const form = withForm()
    const ids = form.submit10()
    const csv = await form.exported()
    form.write('deleteSubmissions', { userId: form.userId, formId: form.formId, list: 'inbox', ids: ids.slice(3, 5) })
    const { stdout } = await form.importText('x.csv', csv)
    expect(stdout).toMatch(/^Imported 2 submissions, .*; the form has 8 submissions of the file already\n/)
    expect(await form.exported()).toBe(csv)
    expect((await form.importText('x.csv', csv)).stdout).toMatch(/^Imported 0 submissions; /)
  })

  test('leaves what is spam where it is, and brings back spam of which all was deleted', async () => {
    const form = withForm()
    const { userId, formId } = form
    const ids = form.submit10()
    const csv = await form.exported()
    for (const id of ids.slice(3, 5)) form.write('markSpam', { userId, formId, id, now: start })
    expect((await form.importText('x.csv', csv)).stdout).toMatch(/^Imported 0 submissions; /)
    // Its rows are still there, until the server has removed them.
    form.write('deleteAllSpam', { userId, formId })
    expect((await form.importText('x.csv', csv)).stdout).toMatch(/^Imported 2 submissions, .*; the form has 8 /)
    form.write('removeDeletedSlice', { maxRows: 500, maxBytes: 1 })
    expect(await form.exported()).toBe(csv)
    expectSound(join(form.folder, 'data'))
  })
})

describe('formbox import', () => {
  test('says what it would do in a dry run, and does nothing', async () => {
    const form = withForm()
    const before = filesIn(form.folder)
    const { stdout } = await form.importText('x.csv', '_date,a\n2020-01-01,1\n2020-01-02,2\n', '--dry-run')
    expect(stdout).toBe(
      'Would import 2 submissions, dated 2020-01-01T00:00:00.000Z to 2020-01-02T00:00:00.000Z; dates from “_date”; fields: “a”\n',
    )
    expect(form.stored()).toEqual([])
    expect(filesIn(form.folder).filter((name) => !before.includes(name))).toEqual([
      'data/formbox.commands.lock',
      'x.csv',
    ])
  })

  test('says how many the form deletes soon because they are too old', async () => {
    const form = withForm()
    const changes = { retentionDays: 30 }
    form.write('updateFormSettings', { userId: form.userId, id: form.formId, now: Date.now(), changes })
    const today = new Date().toISOString()
    const csv = `_date,a\n2020-01-01,1\n2020-01-02,2\n${today},3\n`
    const soon = "; 2 of them will be deleted within about an hour, because of the form's retentionDays"
    const dry = await form.importText('x.csv', csv, '--dry-run')
    expect(dry.stdout).toBe(
      `Would import 3 submissions, dated 2020-01-01T00:00:00.000Z to ${today}${soon}; dates from “_date”; fields: “a”\n`,
    )
    const { stdout } = await form.importText('x.csv', csv)
    expect(stdout).toStartWith(`Imported 3 submissions, dated 2020-01-01T00:00:00.000Z to ${today}${soon}\n`)
  })

  test.each<[string, string, string | Uint8Array, string]>([
    ['a cell too many', 'x.csv', 'a,b\n1,2\n3,4,5\n', 'row 3: has 3 cells, the header has 2'],
    ['a cell too few, from Formbase', 'x.csv', 'a,isSpam\n1,false\n3\n', 'row 3: has 1 cell, the header has 2'],
    ['a column without a name', 'x.csv', 'a,\n1,2\n', 'row 2: the column of "2" has no name'],
    ['no header', 'x.csv', '', 'must have a header'],
    ['a quotation mark that is left open', 'x.csv', 'a\n"1\n', 'is not valid CSV'],
    [
      'what is no date',
      'x.csv',
      '_date,a\nyesterday,1\n',
      'no submission has a time: “_date” of row 2 is "yesterday", which is no date',
    ],
    ['a small number as the date', 'x.ndjson', '{"_date":17092,"a":1}\n', '“_date” of line 1 is "17092"'],
    ['one around the data', 'x.json', '[{"data":{"a":1},"createdAt":17092}]', 'submission 1: the date must be like'],
    ['a date in the future', 'x.csv', '_date,a\n2999-01-01,1\n', '“_date” of row 2 is "2999-01-01"'],
    ['a date before 1970', 'x.csv', '_date,a\n1969-12-31,1\n', '“_date” of row 2 is "1969-12-31"'],
    ['what is no UTF-8', 'x.csv', Uint8Array.of(0x61, 0x0a, 0xe9, 0x0a), 'must be UTF-8'],
    ['half a character at its end', 'x.csv', Buffer.from('name\nJos\xc3', 'latin1'), 'ends within a character'],
    ['the same as NDJSON', 'x.ndjson', Buffer.from('{"a":1}\n\xe2\x82', 'latin1'), 'ends within a character'],
    ['NUL alone', 'x.csv', 'a\n\0\n', 'row 2: a: must not contain NUL'],
    ['NUL', 'x.csv', 'a\nb\0c\n', 'row 2: a: must not contain NUL'],
    ['a submission without a field', 'x.ndjson', '{"a":1}\n{}\n', 'line 2: body: must hold at least one field'],
    ['a honeypot alone', 'x.ndjson', '{"_gotcha":"x"}\n', 'line 1: must hold at least one field'],
    ['what is no JSON', 'x.ndjson', '{"a":1}\n{"a":\n', 'line 2: must be valid JSON'],
    ['blank lines before what is no JSON', 'x.ndjson', '\n\r\n \n{"a":\n', 'line 4: must be valid JSON'],
    ['what is no object', 'x.json', '[{"a":1},5]', 'submission 2: must be a JSON object'],
    ['half an array', 'x.json', '[{"a":1},', 'is not a complete JSON array'],
    ['an object without submissions', 'x.json', '{"a":[{"b":1}]}', 'is not a complete JSON array'],
    ['lines in place of an array', 'x.json', '{"a":1}\n{"a":2}\n', '--format ndjson'],
    ['half a surrogate pair', 'x.ndjson', '{"a":"\\ud800"}\n', 'line 1: a: must be well-formed Unicode'],
    ['a number that no one can parse', 'x.ndjson', `{"a":1${'0'.repeat(100)}}\n`, 'line 1: a: must not hold a number'],
    [
      'more than 1,000 fields',
      'x.ndjson',
      `{${Array.from({ length: 1001 }, (_, i) => `"${i}":1`)}}\n`,
      'at most 1000 fields',
    ],
    ['more than 2 MiB', 'x.ndjson', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}\n`, 'must be at most 2097152 bytes'],
    ['nesting without end', 'x.ndjson', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}\n`, 'nested at most 64 levels'],
    [
      'an identifier twice',
      'x.ndjson',
      `{"id":"${newId(start)}","data":{"a":1}}\n`.repeat(2),
      'line 1 and line 2 have the same id',
    ],
  ])('refuses a file with %s in one line, and changes nothing', async (_, name, text, reason) => {
    const form = withForm()
    const { exitCode, stdout, stderr } = await form.importText(name, text)
    expect([exitCode, stdout, stderr.slice(0, 1000)]).toEqual([1, '', expect.stringMatching(oneLine)])
    expect(stderr).toContain(reason)
    expect(stderr).toContain('nothing was changed')
    expect(form.stored()).toEqual([])
    expect(form.keys()).toBe('[]')
    expect(filesIn(join(form.folder, 'data')).filter((file) => !file.startsWith('formbox.db'))).toEqual([
      'formbox.commands.lock',
    ])
  })

  test('names the first ten problems', async () => {
    const { stderr } = await withForm().importText('x.csv', `_date,a\n${'never,1\n'.repeat(50)}`, '--date', '_date')
    expect([...(stderr.match(/row \d+: the date/g) ?? [])]).toEqual(
      Array.from({ length: 10 }, (_, i) => `row ${i + 2}: the date`),
    )
  })

  test('refuses a file or form that does not exist', async () => {
    const form = withForm()
    const run = (...words: string[]) => formbox(['import', ...words, '--data', 'data'], { folder: form.folder })
    expect((await run(form.formId, 'none.csv')).stderr).toMatch(
      /^formbox: cannot import .*none.csv: it does not exist\n$/,
    )
    expect((await run(form.formId, '.')).stderr).toContain('it is not a file')
    writeFileSync(join(form.folder, 'x.csv'), 'a\n1\n')
    expect((await run(newId(0), 'x.csv')).stderr).toContain('there is no form')
    expect((await run(form.formId)).stderr).toBe('formbox: import: FILE is required\n')
  })

  test('keeps the order of the file where dates are equal, also with the newest first', async () => {
    const form = withForm()
    const rows = (count: number, date: string) => Array.from({ length: count }, (_, i) => `${date},${i}`)
    await form.importText('x.csv', ['_date,n', ...rows(3000, '2020-01-01')].join('\n'))
    expect(form.stored().map(({ data }) => Number(data.n))).toEqual(Array.from({ length: 3000 }, (_, i) => i))
    const other = withForm()
    await other.importText('x.csv', ['_date,n', ...rows(2, '2020-01-02'), ...rows(2, '2020-01-01')].join('\n'))
    expect(other.stored().map(({ data }) => data.n)).toEqual(['1', '0', '1', '0'])
  })

  test('leaves counts, tallies and field names exact, wherever the submissions belong', async () => {
    const form = withForm()
    const day = 86_400_000
    form.submitAt(Array.from({ length: 40_000 }, (_, i) => start + i * 60_000))
    const dates = [
      ...Array.from({ length: 20_000 }, (_, i) => start - day + i),
      ...Array.from({ length: 300 }, (_, i) => start + 10 * day + i),
      ...Array.from({ length: 300 }, (_, i) => start + 19 * day + i * 7),
    ]
    const csv = `_date,imported\n${dates.map((time) => `${new Date(time).toISOString()},x\n`).join('')}`
    expect((await form.importText('x.csv', csv)).exitCode).toBe(0)
    expectSound(join(form.folder, 'data'))
    expect(form.stored()).toHaveLength(40_000 + dates.length)
    expect(form.keys()).toBe('["number","imported"]')
    // The writes that follow find the tallies as they expect them.
    form.submitAt([start - 2 * day, start + 5 * day, start + 40 * day])
    form.deleteAll()
    expectSound(join(form.folder, 'data'))
  })

  test('imports nothing that is unread to the owner, except where something was', async () => {
    const form = withForm()
    const csv = (...times: number[]) =>
      `_date,n\n${times.map((time) => `${new Date(time).toISOString()},x\n`).join('')}`
    const boundary = () => {
      const [[unreadFrom] = []] = form.db.$client.query('SELECT unread_from FROM unread_marks').values() as [[string]]
      const newest = form.stored().at(-1)?.id as string
      return { unreadFrom, newest, isAllRead: (unreadFrom ?? '') > newest }
    }
    await form.importText('x.csv', csv(start - 2, start - 1))
    const first = boundary()
    expect(first.isAllRead).toBe(true)

    const [visitors = ''] = form.submitAt([start + 1_000_000])
    await form.importText('y.csv', csv(start - 3, start + 2_000_000))
    expect(boundary().unreadFrom).toBe(visitors)
    form.write('markAllRead', { userId: form.userId, formId: form.formId, upTo: boundary().newest })
    await form.importText('z.csv', csv(start - 4, start + 3_000_000))
    const last = boundary()
    expect(last.isAllRead).toBe(true)
    expect(form.stored().map(({ id }) => id)).toContain(visitors)
    expect(form.stored()).toHaveLength(7)
    expectSound(join(form.folder, 'data'))
  })

  test('reads no further than the submissions that are taken beside a running server', async () => {
    const form = withForm()
    const file = join(form.folder, 'x.ndjson')
    writeFileSync(file, `${'{"a":1}\n'.repeat(1_000_001)}broken\n`)
    const words = ['import', form.formId, file, '--no-dates', '--data', 'data']
    await serve(['--data', 'data'], { folder: form.folder })
    expect(await formbox(words, { folder: form.folder })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        `formbox: cannot import ${file}, nothing was changed: has more than 1000000 submissions or 512 MiB of them, ` +
        'the most while a server is running; stop the server, or split the file\n',
    })
    expect(form.stored()).toEqual([])
  })

  test('takes back what it has imported, once and for an hour', async () => {
    const form = withForm()
    form.submitAt([start])
    const { undo: id = '' } = await form.importText('x.csv', '_date,n\n2020-01-01,1\n2020-01-02,2\n')
    const undo = () => formbox(['import', '--undo', id, '--data', 'data'], { folder: form.folder })
    expect(await undo()).toEqual({ exitCode: 0, stdout: 'Removed 2 submissions\n', stderr: '' })
    expect(form.stored()).toHaveLength(1)
    expectSound(join(form.folder, 'data'))
    expect(form.db.$client.query('SELECT * FROM imported_pages').all()).toEqual([])
    const { undo: second = '' } = await form.importText('x.csv', '_date,n\n2020-01-01,1\n')
    form.db.$client.run('UPDATE imports SET finished_at = finished_at - 3600001 WHERE id = ?', [second])
    expect(await formbox(['import', '--undo', second, '--data', 'data'], { folder: form.folder })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('was done more than an hour ago'),
    })
    expect(form.stored()).toHaveLength(2)
  })

  test('is all or nothing when it is killed', async () => {
    const form = withForm()
    const rows = Array.from({ length: 30_000 }, (_, i) => `2020-01-01,${i}\n`).join('')
    writeFileSync(join(form.folder, 'x.csv'), `_date,n\n${rows}`)
    for (const milliseconds of [100, 300, 500, 700, 900, 1100]) {
      const child = Bun.spawn([...program, 'import', form.formId, 'x.csv', '--data', 'data'], {
        cwd: form.folder,
        env: {},
        stdout: 'ignore',
        stderr: 'ignore',
      })
      await Bun.sleep(milliseconds)
      child.kill('SIGKILL')
      await child.exited
      expectSound(join(form.folder, 'data'))
      expect([0, 30_000]).toContain(form.stored().length)
      form.deleteAll()
    }
    await form.importText('y.csv', 'a\n1\n', '--no-dates')
    expect(filesIn(join(form.folder, 'data')).filter((name) => name.includes('import'))).toEqual([])
  })
})
