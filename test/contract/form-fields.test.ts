import { describe, expect, test } from 'bun:test'
import { serverWithUser } from '../harness.ts'
import { world } from '../world.ts'

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const whole = { title: 'Contact', description: 'On the start page', returnUrl: 'https://example.com/thanks' }

describe('decision 12: fields of a form', () => {
  const tooLong = 'title: must be 1 to 255 characters, not only white space'
  test('title is 1 to 255 characters, not only white space; a character is a code point, not two units', async () => {
    const { ada } = await serverWithUser()
    const titles: [what: string, title: unknown, isTaken: boolean][] = [
      ['1 character', 'a', true],
      ['255 characters', 'a'.repeat(255), true],
      ['255 emoji', '😀'.repeat(255), true],
      ['white space around text', ' a ', true],
      ['markup', '<script>alert(1)</script>', true],
      ['256 characters', 'a'.repeat(256), false],
      ['256 emoji', '😀'.repeat(256), false],
      ['empty', '', false],
      ['white space', ' \t\n\u00a0\u2003', false],
      ['absent', undefined, false],
      ['null', null, false],
      ['number', 5, false],
      ['array', ['a'], false],
      ['NUL', 'a\0b', false],
      ['half a surrogate pair', 'a\ud83d', false],
    ]

    const unreadable = new Set(['NUL', 'half a surrogate pair'])
    const notText = 'title: must be well-formed Unicode without NUL'
    const seen: typeof titles = []
    for (const [what, title] of titles) {
      const { status, body } = await ada.call('POST', '/forms', { title })
      expect(status, what).toBeOneOf([200, 400])
      if (status === 200) expect((await ada.call('GET', `/forms/${body.id}`)).body.title).toBe(title)
      else expect(body.issues, what).toEqual([{ message: unreadable.has(what) ? notText : tooLong, path: '/title' }])
      seen.push([what, title, status === 200])
    }

    expect(seen).toEqual(titles)
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(titles.filter(([, , taken]) => taken).length)
  })

  test('description is up to 1,000 characters, or null', async () => {
    const { ada } = await serverWithUser()
    const descriptions: [description: unknown, isTaken: boolean][] = [
      ['', true],
      [null, true],
      ['d'.repeat(1000), true],
      ['😀'.repeat(1000), true],
      ['d'.repeat(1001), false],
      ['😀'.repeat(1001), false],
      [5, false],
      [{}, false],
    ]
    for (const [description, isTaken] of descriptions) {
      const { status, body } = await ada.call('POST', '/forms', { title: 'x', description })
      expect(status, String(description).slice(0, 10)).toBe(isTaken ? 200 : 400)
      if (isTaken) expect((await ada.call('GET', `/forms/${body.id}`)).body.description).toBe(description)
      else expect(body.issues).toEqual([{ message: expect.stringMatching(/^description: /), path: '/description' }])
    }
  })

  const urls: [returnUrl: unknown, isTaken: boolean][] = [
    ['https://example.com', true],
    ['HTTP://EXAMPLE.COM/', true],
    ['http://localhost:3000/thanks?a=1&b=2#top', true],
    ['http://[::1]:8080/', true],
    ['https://bücher.example/ü', true],
    [`https://example.com/${'a'.repeat(2028)}`, true],
    [null, true],
    [`https://example.com/${'a'.repeat(2029)}`, false],
    ['', false],
    ['/thanks', false],
    ['//example.com/thanks', false],
    ['example.com', false],
    ['https:example.com', false],
    ['https:/example.com', false],
    ['https:\\\\example.com', false],
    ['https://', false],
    ['https://exa mple.com', false],
    ['https://example.com:99999/', false],
    [' https://example.com', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['ftp://example.com/', false],
    ['https://example.com/\0', false],
    [5, false],
    [['https://example.com'], false],
  ]
  test('returnUrl is an absolute http or https URL of up to 2,048 characters, or null, on create and on update', async () => {
    const { ada } = await serverWithUser()
    for (const [returnUrl, isTaken] of urls) {
      const what = String(returnUrl).slice(0, 40)
      const created = await ada.call('POST', '/forms', { title: 'x', returnUrl })
      expect(created.status, `create with ${what}`).toBe(isTaken ? 200 : 400)
      const id = await ada.createForm({ returnUrl: 'https://example.com/before' })
      const updated = await ada.call('PATCH', `/forms/${id}`, { returnUrl })
      expect(updated.status, `update with ${what}`).toBe(isTaken ? 200 : 400)
      const form = (await ada.call('GET', `/forms/${id}`)).body
      expect(form.returnUrl).toBe(isTaken ? returnUrl : 'https://example.com/before')
      if (!isTaken) expect(updated.body.issues[0]).toMatchObject({ path: '/returnUrl' })
      if (!isTaken) expect(updated.body.issues[0].message).toStartWith('returnUrl: ')
    }
  })

  // The URL parser of the platform drops tabs, line breaks and outer spaces instead of refusing them.
  test.each([
    ['a line break in the host', 'https://exa\nmple.com/'],
    ['a line break in the path', 'https://example.com/\r\nSet-Cookie: a=b'],
    ['a tab', 'https://example.com/\t'],
    ['spaces behind', 'https://example.com/  '],
  ])('returnUrl does not take %s', async (_what, returnUrl) => {
    const { ada } = await serverWithUser()
    const { status } = await ada.call('POST', '/forms', { title: 'x', returnUrl })
    expect(status).toBe(400)
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(0)
  })

  test('ignores unknown and read-only fields on create', async () => {
    const { ada } = await serverWithUser()
    const past = '2001-01-01T00:00:00.000Z'
    const body = `{"title":"x","id":"mine","keys":["a"],"submissionCount":9,"createdAt":"${past}","updatedAt":"${past}",
      "userId":"u","deletedAt":1,"__proto__":{"description":"d"},"constructor":{"prototype":1},"nested":{"title":5}}`
    const { status, body: created } = await ada.call('POST', '/forms', body)

    expect(status).toBe(200)
    expect(created.id).not.toBe('mine')
    const form = (await ada.call('GET', `/forms/${created.id}`)).body
    expect(form).toMatchObject({ title: 'x', description: null, keys: [], submissionCount: 0, updatedAt: null })
    expect(form.createdAt).not.toBe(past)
    expect((await ada.call('GET', '/forms/mine')).status).toBe(404)
  })

  test('a form that was read can be changed and sent back whole', async () => {
    const { ada, formId: id } = await world({ form: whole, sent: [{ name: 'Ada' }] })
    const read = (await ada.call('GET', `/forms/${id}`)).body

    const { status, body } = await ada.call('PATCH', `/forms/${id}`, { ...read, title: 'Changed' })

    expect([status, body]).toEqual([200, { success: true }])
    const after = (await ada.call('GET', `/forms/${id}`)).body
    expect(after).toEqual({ ...read, title: 'Changed', updatedAt: expect.stringMatching(timestamp) })
  })
})
