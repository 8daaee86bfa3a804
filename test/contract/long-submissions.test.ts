import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { newId } from '../../src/base/id.ts'
import { migrate, migrations } from '../../src/storage/migrations.ts'
import { formbox } from '../commands/formbox.ts'
import { startServer, temporaryFolder, writeKey } from '../harness.ts'
import { dataFile, expectSound, rowsOf } from '../storage/sound.ts'
import { world } from '../world.ts'

const post = (server: Awaited<ReturnType<typeof startServer>>, formId: string, body: BodyInit) =>
  server.fetch(`/s/${formId}`, { method: 'POST', body })

const urlencoded = (body: string): Blob => new Blob([body], { type: 'application/x-www-form-urlencoded' })

describe('what is stored of a submission', () => {
  test('is at most 2 MiB of JSON: a body of 1 MiB of control characters is 413, and nothing is kept', async () => {
    const { server, ada, formId } = await world({ server: await startServer() })
    const answer = await post(server, formId, urlencoded(`a=${'\v'.repeat(1024 * 1024 - 2)}`))
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ message: 'body: must be at most 2097152 bytes as JSON, is 6291452' }],
    })
    expect((await ada.call('GET', `/forms/${formId}`)).body).toMatchObject({ submissionCount: 0, keys: [] })
    expect(rowsOf(server.folder, 'SELECT * FROM pieces')).toEqual([])
  })

  test.each([
    ['1 MiB of letters', 'a'.repeat(1024 * 1024 - 2)],
    ['1 MiB of quotation marks, which become two characters each', '"'.repeat(1024 * 1024 - 8)],
    ['a vertical tab that came with a text from a word processor', 'one\vtwo'],
    ['100,000 control characters', '\u0001'.repeat(100_000)],
  ])('may be %s', async (_what, text) => {
    const { server, ada, formId } = await world()
    const answer = await post(server, formId, urlencoded(`a=${text}`))
    expect(answer.status).toBe(200)
    const { id } = (await answer.json()) as { id: string }
    const one = await ada.call('GET', `/forms/${formId}/submissions/${id}`)
    const list = await ada.call('GET', `/forms/${formId}/submissions`)
    // Compared, not shown: a difference would be a mebibyte long.
    expect(one.body.data.a === text).toBe(true)
    expect(list.body.submissions[0].data.a === text).toBe(true)
    expect(list.body.pagination).toEqual({ page: 1, perPage: 20, total: 1, totalPages: 1 })
    expect([one.headers.get('content-type'), list.headers.get('content-type')]).toEqual(
      Array(2).fill('application/json'),
    )
    expect(list.headers.get('x-request-id')).not.toBeNull()
    expectSound(server.folder)
  })

  test('is answered to HEAD without a body', async () => {
    const { server, ada, formId } = await world()
    await post(server, formId, urlencoded(`a=${'a'.repeat(300_000)}`))
    const headers = { authorization: `Bearer ${ada.key}` }
    const answer = await fetch(`${server.url}/api/v1/forms/${formId}/submissions`, { method: 'HEAD', headers })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })
})

describe('a data file of 0.1.0', () => {
  test('keeps submissions and field names that are longer than the limits of today', async () => {
    const folder = temporaryFolder()
    const longest = JSON.stringify({ text: '\v'.repeat(1024 * 1024), 'ä€😀': 'ä€😀'.repeat(10_000) })
    const texts = [longest, '{"a":"short"}', `{"b":"${'x'.repeat(65_536 - 8)}"}`, `{"c":"${'x'.repeat(2 * 65_536)}"}`]
    const names = JSON.stringify(Array.from({ length: 500 }, (_, i) => `${i}${'\v'.repeat(990)}`))
    const [userId, formId] = [newId(Date.now()), newId(Date.now())]
    const ids = texts.map(() => newId(Date.now()))
    const db = new Database(dataFile(folder), { create: true })
    migrate(db, migrations.slice(0, 1))
    db.query('INSERT INTO users (id, email, password_hash, form_count) VALUES (?, ?, ?, 1)').run(
      userId,
      'a@b.c',
      'none',
    )
    const form =
      'INSERT INTO forms (number, id, user_id, title, field_names, submission_count) VALUES (1, ?, ?, ?, ?, ?)'
    db.query(form).run(formId, userId, 'Old', names, texts.length)
    texts.forEach(
      (text, i) =>
        void db.query('INSERT INTO submissions (form, id, data) VALUES (1, ?, ?)').run(ids[i] as string, text),
    )
    for (const level of [0, 1])
      db.query('INSERT INTO tallies VALUES (1, 0, ?, ?, ?)').run(level, ids[0] as string, texts.length)
    db.close()

    const server = await startServer({ folder })
    const { key } = writeKey(folder, userId)
    const read = async (path: string) =>
      (await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).json()
    const { submissions } = (await read(`/forms/${formId}/submissions`)) as { submissions: { data: object }[] }
    submissions.toReversed().forEach(({ data }, i) => {
      expect(JSON.stringify(data) === JSON.stringify(JSON.parse(texts[i] as string))).toBe(true)
    })
    expect(JSON.stringify(((await read(`/forms/${formId}`)) as { keys: string[] }).keys) === names).toBe(true)
    const { forms } = (await read('/forms')) as { forms: { keys: string[] }[] }
    expect(JSON.stringify(forms[0]?.keys) === names).toBe(true)
    await server.submit(formId, { later: 1 })
    expect(((await read(`/forms/${formId}`)) as { submissionCount: number }).submissionCount).toBe(5)
    await server.stop()
    expectSound(folder)
    // And can be backed up.
    expect((await formbox(['backup', join(folder, 'copy'), '--data', folder])).exitCode).toBe(0)
  })
})
