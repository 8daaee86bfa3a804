import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { filesIn, formbox, serve, signUp } from '../../../commands/formbox.ts'
import { startServer } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'

const post = (url: string, formId: string, fields: object): Promise<Response> =>
  fetch(`${url}/s/${formId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })

describe('a restart', () => {
  test('reads back everything as it was', async () => {
    const first = await startServer()
    const ada = await first.signUp()
    const bob = await first.signUp()
    const reading = await ada.withKey({ isReadOnly: true })
    const description = 'Ünïcödé 👋 "quoted" \\ \u2028 <b>'
    const contact = await ada.createForm({ title: 'Contact', description, returnUrl: 'https://example.com/?a=1#b' })
    const other = await ada.createForm({ title: 'Other' })
    await bob.createForm({ title: 'Bob' })
    const values = [
      { text: 'ü 👋 \n "' },
      { number: 12345678901234567890n.toString() },
      { nested: { a: [1, null, true] } },
      { __proto__x: '' },
    ]
    for (let i = 0; i < 25; i++) expect((await post(first.url, contact, { i, ...values[i % 4] })).status).toBe(200)
    expect((await ada.call('PATCH', `/forms/${other}`, { description: 'later' })).status).toBe(200)
    expect((await ada.call('POST', `/forms/${contact}/duplicate`)).status).toBe(200)
    const paths = [
      '/forms',
      `/forms/${contact}`,
      `/forms/${contact}/submissions`,
      `/forms/${contact}/submissions?page=2`,
      `/forms/${other}`,
    ]
    const readAll = async (url: string) => {
      const answers = []
      for (const { key } of [ada, bob, reading])
        for (const path of paths) {
          const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })
          answers.push([path, response.status, await response.text()])
        }
      return answers
    }
    const before = await readAll(first.url)
    await first.stop()

    const second = await startServer({ folder: first.folder })

    expect(await readAll(second.url)).toEqual(before)
    expect(JSON.stringify(before)).toContain('👋')
    const read = await fetch(`${second.url}/api/v1/forms`, {
      method: 'POST',
      headers: { authorization: `Bearer ${reading.key}` },
    })
    expect(read.status).toBe(403)
    expectSound(second.folder)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'after %s among many submissions has every one that was answered, and answered every one it has',
    async (signal) => {
      const server = await serve(['--data', 'data'])
      const key = await signUp(server.folder)
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const created = await fetch(`${server.url}/api/v1/forms`, { method: 'POST', headers, body: '{"title":"Busy"}' })
      const { id } = (await created.json()) as { id: string }
      const load = startLoad({ url: server.url, formId: id, run: signal })
      await load.reached(500)

      server.kill(signal)

      expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
      await load.stop()
      const folder = join(server.folder, 'data')
      expect([...load.refused.keys()].filter((status) => status !== 503)).toEqual([])
      expect(filesIn(folder)).toEqual(['formbox.commands.lock', 'formbox.db', 'formbox.lock'])
      expect(
        rowsOf(folder, 'SELECT id FROM submissions')
          .map((row) => row.id)
          .sort(),
      ).toEqual(load.answered.map((submission) => submission.id).sort() as never)
      expectSound(folder)
    },
  )

  test('after SIGKILL has every submission that was answered, once, and serves them', async () => {
    const server = await serve(['--data', 'data'])
    const key = await signUp(server.folder)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const created = await fetch(`${server.url}/api/v1/forms`, { method: 'POST', headers, body: '{"title":"Killed"}' })
    const { id } = (await created.json()) as { id: string }
    const connections = 40
    const load = startLoad({ url: server.url, formId: id, run: 'killed', connections })
    await load.reached(500)

    server.kill('SIGKILL')
    await server.end()
    await load.stop()

    expect([...load.refused]).toEqual([])
    const again = await serve(['--data', 'data'], { folder: server.folder })
    const form = (await (await fetch(`${again.url}/api/v1/forms/${id}`, { headers })).json()) as {
      submissionCount: number
    }
    const folder = join(server.folder, 'data')
    const stored = rowsOf(folder, 'SELECT id FROM submissions').map((row) => row.id)
    const answered = load.answered.map((submission) => submission.id)
    expect(answered.filter((own) => !stored.includes(own))).toEqual([])
    expect(new Set(answered).size).toBe(answered.length)
    expect(form.submissionCount).toBe(stored.length)
    expectSound(folder)
    // What was on its way when it was killed may be there without an answer: at most one submission a client.
    expect(stored.length - answered.length).toBeWithin(0, connections + 1)
    expect((await post(again.url, id, { after: true })).status).toBe(200)
    expect((await formbox(['user', 'list', '--data', folder])).stdout).toContain('ada@example.com')
  })
})

describe('two hundred writers at once', () => {
  test('each find what they wrote, once and whole, and every count is exact', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const bob = await server.signUp()
    const formIds = [await ada.createForm(), await ada.createForm(), await bob.createForm()]
    const written = new Map<string, { formId: string; data: object }>()
    const deleted = new Set<string>()

    const writers = Array.from({ length: 200 }, async (_, writer) => {
      const formId = formIds[writer % 3] as string
      const user = writer % 3 === 2 ? bob : ada
      for (let n = 0; n < 10; n++) {
        const data = { writer, n, text: `${writer}/${n} `.repeat(20), [`field ${writer % 7}`]: true }
        const { id } = (await (await post(server.url, formId, data)).json()) as { id: string }
        written.set(id, { formId, data })
        if (n % 5 !== 4) continue
        deleted.add(id)
        const path = n === 4 ? `/forms/${formId}/submissions/${id}` : `/forms/${formId}/submissions/bulk?ids=${id}`
        expect((await user.call('DELETE', path)).body).toEqual({ success: true })
      }
    })
    const renamed = Array.from({ length: 50 }, (_, n) =>
      ada.call('PATCH', `/forms/${formIds[n % 2]}`, { title: `Title ${n}` }),
    )
    const copies = Array.from({ length: 20 }, () => ada.call('POST', `/forms/${formIds[0]}/duplicate`))
    await Promise.all(writers)
    for (const { status } of await Promise.all([...renamed, ...copies])) expect(status).toBe(200)

    expect(written.size).toBe(2000)
    for (const id of deleted) written.delete(id)
    for (const [position, formId] of formIds.entries()) {
      const user = position === 2 ? bob : ada
      const own = [...written].filter(([, submission]) => submission.formId === formId).map(([id]) => id)
      const form = (await user.call('GET', `/forms/${formId}`)).body
      expect(form.submissionCount).toBe(own.length)
      expect(new Set(form.keys)).toEqual(
        new Set(['writer', 'n', 'text', ...[0, 1, 2, 3, 4, 5, 6].map((n) => `field ${n}`)]),
      )
      const listed: { id: string; data: object }[] = []
      for (let page = 1; page <= Math.ceil(own.length / 100); page++) {
        const { body } = await user.call('GET', `/forms/${formId}/submissions?perPage=100&page=${page}`)
        expect(body.pagination.total).toBe(own.length)
        listed.push(...body.submissions)
      }
      expect(listed.map(({ id }) => id)).toEqual(own.sort().reverse())
      for (const { id, data } of listed) expect(data).toEqual(written.get(id)?.data as object)
    }
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(22)
    expectSound(server.folder)
  })

  test('leave a page and its total in step for whoever reads meanwhile', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const formId = await ada.createForm()
    let isWriting = true
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      for (let n = 0; n < 9; n++) expect((await post(server.url, formId, { writer, n })).status).toBe(200)
    })
    const readers = Array.from({ length: 4 }, async () => {
      let last = 0
      while (isWriting) {
        const { body } = await ada.call('GET', `/forms/${formId}/submissions?perPage=100&endDate=2100-01-01`)
        expect(body.submissions).toHaveLength(body.pagination.total)
        const { submissions, pagination } = (await ada.call('GET', `/forms/${formId}/submissions?perPage=100`)).body
        expect(submissions).toHaveLength(pagination.total)
        expect(pagination.total).toBeGreaterThanOrEqual(last)
        last = pagination.total
        expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBeGreaterThanOrEqual(last)
      }
    })
    await Promise.all(writers)
    isWriting = false
    await Promise.all(readers)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(90)
  })
})
