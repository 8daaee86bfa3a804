// A form that takes no files.
import { describe, expect, test } from 'bun:test'
import { serverWithUser, toAnswer } from '../harness.ts'
import { badRequest } from './error-body.ts'

const prepare = async (acceptFiles: boolean) => {
  const { server, ada } = await serverWithUser()
  const formId = await ada.createForm()
  await ada.call('PATCH', `/forms/${formId}/settings`, { acceptFiles })
  const post = async (body: RequestInit['body'], type?: string, accept = '*/*') => {
    const headers = { accept, ...(type && { 'content-type': type }) }
    return toAnswer(await server.fetch(`/s/${formId}`, { method: 'POST', body: body ?? null, headers }))
  }
  const listOf = async (what: string) =>
    (await ada.call('GET', `/forms/${formId}/${what}`)).body[what].map(({ data }: { data: object }) => data)
  return { server, ada, formId, post, listed: () => listOf('submissions'), spam: () => listOf('spam') }
}

const json = 'application/json'
const multipart = 'multipart/form-data; boundary=b'
const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = { filename: 'cv.pdf', type: 'application/pdf', size: 1, base64: 'QQ==' }
const text = part('name="name"', 'Ada')

describe('POST /s/:formId of a form that takes no files', () => {
  test.each([
    ['a file', `${text}${part('name="cv"; filename="cv.pdf"', 'A')}--b--`, multipart, 'cv'],
    ['an empty file', `${text}${part('name="cv"; filename="cv.pdf"', '')}--b--`, multipart, 'cv'],
    ['a file without a name', `${text}${part('name="cv"; filename=""', 'A')}--b--`, multipart, 'cv'],
    [
      'the second of two',
      `${part('name="cv"; filename=""', '')}${part('name="cv"; filename="x"', 'A')}--b--`,
      multipart,
      'cv',
    ],
    ['one in the trap field', `${text}${part('name="_gotcha"; filename="x"', 'A')}--b--`, multipart, '_gotcha'],
    ['one in JSON', JSON.stringify({ name: 'Ada', cv: file }), json, 'cv'],
    ['several in JSON', JSON.stringify({ name: 'Ada', cv: ['x', file] }), json, 'cv'],
    ['one with a name twice', `{"cv":${JSON.stringify(file)},"cv":""}`, json, 'cv'],
    ['one whose members are escaped', JSON.stringify({ cv: file }).replace('base64', 'bas\\u006564'), json, 'cv'],
    ['one with a long name', JSON.stringify({ ['x'.repeat(200)]: file }), json, `${'x'.repeat(100)}…`],
  ])('refuses %s, and names the field', async (_what, body, type, field) => {
    const { post, listed, spam } = await prepare(false)
    const answer = await post(body, type)
    const issue = `${field}: must not be a file, because this form takes none`
    expect([answer.status, answer.body]).toEqual([400, badRequest(issue)])
    const page = await post(body, type, type === json ? '*/*' : 'text/html')
    if (type !== json) expect(page.body).toContain(`<p>${issue}.</p>`)
    expect([await listed(), await spam()]).toEqual([[], []])
  })

  test.each([
    [
      'a file input that was left empty',
      `${text}${part('name="cv"; filename=""', '')}--b--`,
      multipart,
      { name: 'Ada', cv: '' },
    ],
    ['text', 'name=Ada&cv=QQ%3D%3D', 'application/x-www-form-urlencoded', { name: 'Ada', cv: 'QQ==' }],
    [
      'an object that is no file',
      '{"cv":{"filename":"cv.pdf","size":1}}',
      json,
      { cv: { filename: 'cv.pdf', size: 1 } },
    ],
  ])('takes %s', async (_what, body, type, data) => {
    const { post, listed } = await prepare(false)
    expect((await post(body, type)).status).toBe(200)
    expect(await listed()).toEqual([data])
  })

  test('keeps the files that it has, and takes files again once it may', async () => {
    const { ada, formId, post, listed } = await prepare(true)
    const cv = new FormData()
    cv.set('cv', new File(['A'], 'cv.pdf', { type: 'application/pdf' }))
    expect((await post(cv)).status).toBe(200)
    await ada.call('PATCH', `/forms/${formId}/settings`, { acceptFiles: false })
    expect((await post(cv)).status).toBe(400)
    const { base64, ...facts } = file
    const sent = { cv: { ...facts, file: expect.stringMatching(/^[0-9a-z]{28}$/) } }
    expect(await listed()).toEqual([sent])
    await ada.call('PATCH', `/forms/${formId}/settings`, { acceptFiles: true })
    expect((await post(cv)).status).toBe(200)
    expect(await listed()).toEqual([sent, sent])
  })
})
