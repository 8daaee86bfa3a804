import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { type Batch, createBatchExecutor } from '../../src/storage/writer/batch.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { entriesOf } from '../export/archived.ts'
import { type Server, serverWithUser, startServer, type User, writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { rowsOf } from '../storage/sound.ts'
import { submitAll, submitFiles } from '../stored-files.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

const search = (user: User, value: unknown, more: object = {}) =>
  user.call('POST', '/personal-data/search', { value, ...more })

/** What a search finds, as `list field` by submission. */
const found = async (user: User, value: string, cursor?: string): Promise<Record<string, string>> => {
  const { status, body } = await search(user, value, { ...(cursor && { cursor }) })
  expect(status).toBe(200)
  const matches = Object.fromEntries(
    body.matches.map(({ submissionId, list, field }: Record<string, string>) => [submissionId, `${list} ${field}`]),
  )
  // A busy machine does not read all in one turn.
  return body.next === null ? matches : { ...matches, ...(await found(user, value, body.next)) }
}

/** Writes submissions with that address as another process does: a request for each takes a busy machine half a minute. */
const writeMany = (server: Server, formId: string, email: string, count: number): string[] =>
  writeTo(server.folder, (db) => {
    const ids = Array.from({ length: count }, () => newId(Date.now()))
    const toCommand = (id: string, i: number): Batch[number] => [
      'createSubmission',
      { formId, id, data: JSON.stringify({ email, i }), fieldNames: ['email', 'i'] },
    ]
    const outcomes = createBatchExecutor(db, joinWrites(db))(ids.map(toCommand))
    expect(outcomes.filter((outcome) => !('result' in outcome))).toEqual([])
    return ids
  })

const issues = ({ status, body }: Awaited<ReturnType<typeof search>>) => [
  status,
  ...body.issues.map(({ path, message }: { path?: string; message: string }) => `${path ?? ''} ${message}`),
]

describe('POST /api/v1/personal-data/search', () => {
  test('finds whole values, in the inbox and the spam of all forms of the caller, newest first', async () => {
    const { server, ada } = await serverWithUser()
    const [first, second] = [await ada.createForm({ title: 'First' }), await ada.createForm({ title: 'Second' })]
    const old = await server.submit(first, { name: 'Ada', email: 'ada@example.com' })
    await server.submit(first, { email: 'adada@example.com', text: 'write to ada@example.com' })
    const spam = await server.submit(first, { from: 'ada@example.com', _gotcha: 'x' })
    const recent = await server.submit(first, { email: 'ADA@Example.com ' })
    const other = await server.submit(second, { contact: { mail: 'ada@example.com' } })

    const { status, body } = await search(ada, ' Ada@example.com')
    expect(status).toBe(200)
    const match = (formId: string, formTitle: string, submissionId: string, list: string, field: string) => ({
      formId,
      formTitle,
      submissionId,
      list,
      field,
      createdAt: expect.stringMatching(/^20.*Z$/),
    })
    expect(body).toEqual({
      matches: [
        match(second, 'Second', other, 'inbox', 'contact'),
        match(first, 'First', recent, 'inbox', 'email'),
        match(first, 'First', old, 'inbox', 'email'),
        match(first, 'First', spam, 'spam', 'from'),
      ],
      next: null,
    })
  })

  test('finds values in arrays, in nested objects, behind escapes and in any script', async () => {
    const { server, ada, formId } = await world()
    const raw = async (json: string): Promise<string> => {
      const headers = { 'content-type': 'application/json' }
      const sent = await server.fetch(`/s/${formId}`, { method: 'POST', headers, body: json })
      return (await sent.json()).id
    }
    const many = await raw('{"guest":["Bob","Zoë Ångström"]}')
    const nested = await raw('{"a":{"b":[1,{"c":"ZOË ÅNGSTRÖM"}]},"d":"x"}')
    const escaped = await raw(String.raw`{"\u0061":"\u005aoë \u00c5ngström\n"}`)
    const twice = await raw('{"a":{"x":"Zoë Ångström","x":"Bob"}}')
    const decomposed = await raw(JSON.stringify({ name: 'Zoë Ångström'.normalize('NFD') }))
    await raw('{"Zoë Ångström":"yes","b":{"Zoë Ångström":"no"}}')
    expect(await found(ada, 'zoë ångström')).toEqual({
      [many]: 'inbox guest',
      [nested]: 'inbox a',
      [escaped]: 'inbox a',
      [twice]: 'inbox a',
      [decomposed]: 'inbox name',
    })
    const quoted = await raw(JSON.stringify({ 'the "name"': 'He said "\\"' }))
    expect(await found(ada, 'he said "\\"')).toEqual({ [quoted]: 'inbox the "name"' })
    expect(await found(ada, '%')).toEqual({})
    expect(await found(ada, 'Zoë_Ångström')).toEqual({})
  })

  test('reads long submissions to their end, wherever a piece of them is cut', async () => {
    const { server, ada, formId } = await world()
    const expected: Record<string, string> = {}
    // The value is cut at the end of the first piece of 65,536 bytes in most of these.
    for (let before = 65_500; before < 65_540; before += 3)
      expected[
        await server.submit(formId, { text: 'x'.repeat(before), who: 'Björn "B" Öst', more: 'y'.repeat(70_000) })
      ] = 'inbox who'
    expected[await server.submit(formId, { text: '\\"'.repeat(50_000), list: ['a', 'björn "b" öst'] })] = 'inbox list'
    await server.submit(formId, { text: `${'x'.repeat(70_000)}","who":"Björn "B" Öst` })
    expect(await found(ada, 'Björn "B" Öst')).toEqual(expected)
  })

  test('goes on with a cursor, which shows each submission once and belongs to its value', async () => {
    const { server, ada, formId } = await world()
    const { body } = await ada.call('POST', '/forms/bulk', {
      forms: Array.from({ length: 3 }, () => ({ title: 'More' })),
    })
    const ids = new Set<string>()
    for (const form of [formId, ...body.ids])
      for (const id of writeMany(server, form, 'eve@example.com', 200)) ids.add(id)

    const first = (await search(ada, 'eve@example.com')).body
    expect(first.matches.length).toBeGreaterThan(400)
    expect(first.matches.length).toBeLessThan(600)
    expect(issues(await search(ada, 'Bob', { cursor: first.next }))).toEqual([
      400,
      '/cursor cursor: must be the `next` of a search for the same value',
    ])
    for (const cursor of ['', 'x', `${first.next}x`, `.${first.next}`])
      expect((await search(ada, 'eve@example.com', { cursor })).status).toBe(400)
    // Added and deleted in between.
    await server.submit(body.ids[2], { email: 'eve@example.com' })
    const [{ formId: of, submissionId }] = first.matches
    expect((await ada.call('DELETE', `/forms/${of}/submissions/${submissionId}`)).status).toBe(200)
    const rest = (await search(ada, ' EVE@example.com', { cursor: first.next })).body
    expect(rest.next).toBeNull()
    const all = [...first.matches, ...rest.matches].map((match) => match.submissionId)
    expect(all.length).toBe(new Set(all).size)
    expect(new Set(all)).toEqual(ids)
  })

  test('shows no one the submissions of others, and works with a read-only key', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const id = await server.submit(await ada.createForm(), { email: 'mine@example.com' })
    const theirs = await server.submit(await bob.createForm(), { email: 'mine@example.com' })
    expect(await found(await ada.withKey({ isReadOnly: true }), 'mine@example.com')).toEqual({ [id]: 'inbox email' })
    expect(await found(bob, 'mine@example.com')).toEqual({ [theirs]: 'inbox email' })
  })

  test.each([
    ['none', undefined],
    ['a number', 5],
    ['nothing', ''],
    ['white space', ' \n'],
    ['more than 1,000 characters', 'x'.repeat(1001)],
    ['half a character', '\ud800'],
  ])('refuses %s as the value, and says what it must be', async (_what, value) => {
    const { ada } = await serverWithUser()
    const [status, issue] = issues(await search(ada, value))
    expect([status, issue]).toEqual([
      400,
      value === '\ud800'
        ? '/value value: must be well-formed Unicode without NUL'
        : '/value value: must be 1 to 1000 characters, not only white space',
    ])
  })

  test('lets other requests through, and says to a second search of a user that one is under way', async () => {
    const { server, ada, formId } = await world()
    for (let i = 0; i < 20; i++) await server.submit(formId, { text: 'x'.repeat(900_000) })
    const answers = await Promise.all(Array.from({ length: 3 }, () => search(ada, 'ada')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('2')
    expect(refused?.body.issues).toEqual([{ message: 'one search of a user can run at a time, and four of all users' }])
    expect((await search(ada, 'ada')).status).toBe(200)
  })
})

const exportOf = async (server: Server, user: User, value: string): Promise<Response> =>
  server.fetch('/api/v1/personal-data/export', {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  })

describe('POST /api/v1/personal-data/export', () => {
  test('answers with an archive: a page, the same as JSON, and the files of the inbox and the spam', async () => {
    const { server, ada, formId } = await world({
      form: { title: 'Party <3', fields: [{ name: 'who', label: 'Your <address>' }] },
    })
    const long = await server.submit(formId, { who: 'ivy@example.com', text: `<script>${'ä'.repeat(100_000)}` })
    const file = (name: string, text: string) => ({ name, type: 'text/plain', bytes: Buffer.from(text) })
    const given = [file('CV #1?.txt', 'Hello'), file('CV #1?.txt', 'x'.repeat(200_000))]
    const fields = { 'e-mail': 'IVY@example.com', none: '', nested: { a: [1, '<i>'] }, list: ['one', 'two'] }
    const withFiles = submitFiles(server, formId, given, { fields })
    const spam = submitFiles(server, formId, [file('spam.txt', 'Buy')], {
      fields: { m: 'ivy@example.com' },
      isSpam: true,
    })
    submitFiles(server, formId, [file('other.txt', 'x')], { fields: { m: 'jo@example.com' } })

    await ada.call('POST', `/forms/${formId}/submissions/${long}/notes`, { text: 'Called <back>' })
    const reader = await ada.withKey({ isReadOnly: true })
    const response = await exportOf(server, reader, 'ivy@example.com')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/zip')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="What was sent.zip"')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const entries = await entriesOf(await response.bytes())
    const paths = [1, 2].map((number) => `files/${withFiles.id}/${number}-CV #1-.txt`)
    const spamPath = `files/${spam.id}/1-spam.txt`
    expect([...entries.keys()]).toEqual(['about.html', 'submissions.json', ...paths, spamPath])
    expect(paths.map((path) => entries.get(path)?.bytes.toString())).toEqual(['Hello', 'x'.repeat(200_000)])

    const json = JSON.parse(entries.get('submissions.json')?.bytes.toString() ?? '')
    const submission = (id: string, list: string, data: unknown, files: string[], notes: object[] = []) => ({
      ...{ id, formId, formTitle: 'Party <3', list, data, files, notes },
      createdAt: expect.stringMatching(/^20.*Z$/),
    })
    expect(json).toEqual([
      submission(withFiles.id, 'inbox', expect.objectContaining(fields), paths),
      submission(
        long,
        'inbox',
        { who: 'ivy@example.com', text: `<script>${'ä'.repeat(100_000)}` },
        [],
        [{ text: 'Called <back>', createdAt: expect.stringMatching(/^20.*Z$/) }],
      ),
      submission(spam.id, 'spam', expect.objectContaining({ m: 'ivy@example.com' }), [spamPath]),
    ])

    const page = entries.get('about.html')?.bytes.toString() ?? ''
    expect(readPage(page).heading).toBe('What was sent by ivy@example.com')
    expect(readPage(page).isolated).toContain('ivy@example.com')
    expect(readPage(page).isolated).toContain('Party <3')
    expect(readPage(page).isolated).toContain('Your <address>')
    expect(readPage(page).isolated).not.toContain('who')
    expect(page).toMatch(/<p>Sent on <time datetime="[^"]*" data-format="day">\w+ \d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/)
    expect(readPage(page).link('CV #1?.txt')).toBe(`files/${withFiles.id}/1-CV%20%231-.txt`)
    expect(page).toMatch(/<p class="note">Note of <time [^>]*>[^<]* UTC<\/time>: Called &lt;back&gt;<\/p>/)
    expect(page).not.toContain(ada.email)
    expect(page).toContain('&lt;script&gt;ää')
    expect(page).toContain('ä… (The rest of it is in submissions.json.)')
    expect(page).not.toMatch(/<script|<i>|https?:|src=/)
    expect(page).not.toContain('jo@example.com')
    expect(page.length).toBeLessThan(30_000)
  })

  test('has a page of a bearable length, whatever was sent', async () => {
    const { server, ada, formId } = await world()
    const headers = { 'content-type': 'application/json' }
    const body = `{"a":"pat","none":null,"empty":[],"many":[${'"x",'.repeat(100_000)}"pat"],"deep":{"b":[${'1,'.repeat(100_000)}2]}}`
    await server.fetch(`/s/${formId}`, { method: 'POST', headers, body })
    const entries = await entriesOf(await (await exportOf(server, ada, 'pat')).bytes())
    const page = entries.get('about.html')?.bytes.toString() ?? ''
    expect(page.length).toBeLessThan(40_000)
    expect(page.split('(The rest of it is in submissions.json.)')).toHaveLength(3)
    const [submission] = JSON.parse(entries.get('submissions.json')?.bytes.toString() ?? '')
    expect(submission.data).toEqual(JSON.parse(body))
  })

  test('has no submission of others, and none at all if nothing is found', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    await server.submit(await bob.createForm(), { email: 'kim@example.com' })
    const entries = await entriesOf(await (await exportOf(server, ada, 'kim@example.com')).bytes())
    expect([...entries.keys()]).toEqual(['about.html', 'submissions.json'])
    expect(JSON.parse(entries.get('submissions.json')?.bytes.toString() ?? '')).toEqual([])
  })
})

const erase = (user: User, value: string, count: unknown) => user.call('POST', '/personal-data/erase', { value, count })

describe('POST /api/v1/personal-data/erase', () => {
  test('deletes what a search finds, wherever it is, and answers with a receipt without contents', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const [one, two] = [await ada.createForm(), await ada.createForm()]
    const theirs = await bob.createForm()
    const ids = [
      await server.submit(one, { email: 'carol@example.com', name: 'Carol' }),
      await server.submit(two, { email: 'CAROL@example.com', text: 'x'.repeat(100_000) }),
      await server.submit(two, { email: 'carol@example.com', _gotcha: 'x' }),
    ]
    const kept = await server.submit(one, { email: 'dave@example.com' })
    const other = await server.submit(theirs, { email: 'carol@example.com' })

    for (const [count, message] of [
      [2, 'count: must be the number of submissions that a search finds now, which is 3'],
      [4, 'count: must be the number of submissions that a search finds now, which is 3'],
      [10_001, 'count: must be a whole number from 0 to 10000'],
      ['3', 'count: must be a whole number from 0 to 10000'],
      [undefined, 'count: must be a whole number from 0 to 10000'],
    ] as const)
      expect(issues(await erase(ada, 'carol@example.com', count))).toEqual([400, `/count ${message}`])
    expect(Object.keys(await found(ada, 'carol@example.com')).sort()).toEqual(ids.toSorted())

    const startedAt = Date.now()
    const { status, body } = await erase(ada, 'carol@example.com', 3)
    expect([status, body.erased]).toEqual([200, 3])
    const { receipt } = body
    expect(Date.parse(receipt.erasedAt)).toBeWithin(startedAt, Date.now() + 1)
    const row = (formId: string, submissionId: string, list: string) => ({
      formId,
      submissionId,
      list,
      createdAt: expect.stringMatching(/^20.*Z$/),
    })
    expect(receipt.submissions).toEqual([
      row(two, ids[1] as string, 'inbox'),
      row(two, ids[2] as string, 'spam'),
      row(one, ids[0] as string, 'inbox'),
    ])
    expect(receipt.backups).toEqual({ kept: 'none', endAt: null, offSite: false })
    expect(JSON.stringify(body).toLowerCase()).not.toContain('carol')

    expect(await found(ada, 'carol@example.com')).toEqual({})
    expect(await found(ada, 'dave@example.com')).toEqual({ [kept]: 'inbox email' })
    expect(await found(bob, 'carol@example.com')).toEqual({ [other]: 'inbox email' })
    expect((await ada.call('GET', `/forms/${two}`)).body.submissionCount).toBe(0)
    expect((await erase(ada, 'carol@example.com', 0)).body.erased).toBe(0)
  })

  test('finds, hands over and deletes both, if a submission was imported into another form too', async () => {
    const { server, ada, formId } = await world({ form: { title: 'Old' } })
    const copyId = await ada.createForm({ title: 'New' })
    const file = (text: string) => [{ name: 'cv.txt', type: 'text/plain', bytes: Buffer.from(text) }]
    const { id } = submitFiles(server, formId, file('old'), { fields: { m: 'una@example.com' } })
    submitFiles(server, copyId, file('new'), { fields: { m: 'una@example.com' }, id })

    const { body } = await search(ada, 'una@example.com')
    expect(body.matches.map((match: Record<string, string>) => [match.formId, match.submissionId])).toEqual([
      [copyId, id],
      [formId, id],
    ])
    const entries = await entriesOf(await (await exportOf(server, ada, 'una@example.com')).bytes())
    const json = JSON.parse(entries.get('submissions.json')?.bytes.toString() ?? '')
    const [[newFile], [oldFile]] = json.map(({ files }: { files: string[] }) => files)
    expect([newFile, oldFile].map((path) => entries.get(path)?.bytes.toString())).toEqual(['new', 'old'])
    expect([...entries.keys()]).toEqual(['about.html', 'submissions.json', newFile, oldFile])

    const answer = await ada.call('POST', '/personal-data/erase', { value: 'una@example.com', count: 2 })
    expect([answer.status, answer.body.erased, answer.body.receipt?.submissions.length]).toEqual([200, 2, 2])
    expect((await search(ada, 'una@example.com')).body.matches).toEqual([])
    for (const form of [formId, copyId]) expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount).toBe(0)
  })

  test('deletes the files, the notes and the deliveries of what it deletes', async () => {
    const { server, ada, formId } = await world()
    // Refused before anything is sent.
    await ada.call('POST', `/forms/${formId}/webhooks`, { url: 'http://hook.localhost:1/' })
    const file = { name: 'cv.txt', type: 'text/plain', bytes: Buffer.alloc(100_000) }
    const one = submitFiles(server, formId, [file], { fields: { email: 'max@example.com' } })
    const other = submitFiles(server, formId, [file], { fields: { email: 'ned@example.com' } })
    for (const { id } of [one, other]) {
      await ada.call('PATCH', `/forms/${formId}/submissions/${id}/handling`, { state: 'done' })
      await ada.call('POST', `/forms/${formId}/submissions/${id}/notes`, { text: 'Wrote back' })
    }
    const about = ({ id, files }: typeof one) => [
      rowsOf(server.folder, 'SELECT 1 FROM handling WHERE submission = ?', id).length,
      rowsOf(server.folder, 'SELECT 1 FROM notes WHERE submission = ?', id).length,
      rowsOf(server.folder, 'SELECT 1 FROM deliveries WHERE submission = ?', id).length,
      rowsOf(server.folder, 'SELECT 1 FROM files WHERE id = ?', files[0] as string).length,
    ]
    expect([about(one), about(other)]).toEqual([
      [1, 1, 1, 1],
      [1, 1, 1, 1],
    ])
    expect((await erase(ada, 'max@example.com', 1)).body.erased).toBe(1)
    await until(() => about(one).join() === '0,0,0,0', 'its file and note are removed')
    expect(about(other)).toEqual([1, 1, 1, 1])
  })

  test('says what is gone when the rest is refused', async () => {
    const server = await startServer()
    const [ada, bob] = [await server.signUp(), await server.signUp()]
    const formId = await ada.createForm()
    await ada.call('POST', `/forms/${formId}/members`, { email: bob.email, role: 'editor' })
    const ids = submitAll(server, formId, Array(120).fill({ email: 'part@example.com' })).toReversed()
    // Bob is removed from the form as soon as the first hundred are deleted.
    writeTo(server.folder, ({ $client }) =>
      $client.run(`CREATE TRIGGER remove_bob AFTER DELETE ON submissions
        WHEN (SELECT count(*) FROM submissions) = 20 BEGIN DELETE FROM members WHERE user_id = '${bob.id}'; END`),
    )
    const { status, body } = await erase(bob, 'part@example.com', 120)
    expect([status, body.code, body.message]).toEqual([
      403,
      'FORBIDDEN',
      'Insufficient access; 100 of 120 submissions were erased',
    ])
    expect(body.error).toEqual({ code: body.code, message: body.message })
    expect(body.erased).toBe(100)
    expect(body.receipt.submissions.map(({ submissionId }: { submissionId: string }) => submissionId)).toEqual(
      ids.slice(0, 100),
    )
    expect(body.receipt.backups).toEqual({ kept: 'none', endAt: null, offSite: false })
    expect(JSON.stringify(body)).not.toContain('part@')
    expect(Object.keys(await found(ada, 'part@example.com')).toSorted()).toEqual(ids.slice(100).toSorted())
  })

  test('deletes more than one write takes', async () => {
    const { server, ada, formId } = await world()
    submitAll(server, formId, Array(230).fill({ email: 'many@example.com' }))
    await server.submit(formId, { email: 'one@example.com' })
    expect((await erase(ada, 'many@example.com', 230)).body.erased).toBe(230)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(1)
  })
})
