// A form that takes no files, or only some.
import { describe, expect, test } from 'bun:test'
import { readPage } from '../read-page.ts'
import { world } from '../world.ts'
import { badRequest } from './error-body.ts'

const prepare = async (acceptFiles: boolean, rules: object = {}) => {
  const { post, submissions, spam, ...rest } = await world({ form: { acceptFiles, ...rules } })
  return {
    ...rest,
    post: (body: BodyInit, type?: string, accept = '*/*') =>
      post(body, { accept, ...(type && { 'content-type': type }) }),
    listed: async () => (await submissions()).map(dataOf),
    spam: async () => (await spam()).map(dataOf),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests check the contents
const dataOf = ({ data }: { readonly data: any }) => data

const json = 'application/json'
const multipart = 'multipart/form-data; boundary=b'
const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = { filename: 'cv.pdf', type: 'application/pdf', size: 1, file: '01kahp6a8d00q2s4tznwe8cm3k9f' }
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
    ['one whose members are escaped', JSON.stringify({ cv: file }).replace('"file"', '"fi\\u006ce"'), json, 'cv'],
    ['one with a long name', JSON.stringify({ ['x'.repeat(200)]: file }), json, `${'x'.repeat(100)}…`],
  ])('refuses %s, and names the field', async (_what, body, type, field) => {
    const { post, listed, spam } = await prepare(false)
    const answer = await post(body, type)
    const issue = `${field}: must not be a file, because this form takes none`
    expect([answer.status, answer.body]).toEqual([400, badRequest(issue)])
    const page = await post(body, type, type === json ? '*/*' : 'text/html')
    if (type !== json) expect(readPage(page.body).texts).toContain('This form takes no files.')
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
    const sent = { cv: { ...file, file: expect.stringMatching(/^[0-9a-z]{28}$/) } }
    expect(await listed()).toEqual([sent])
    await ada.call('PATCH', `/forms/${formId}/settings`, { acceptFiles: true })
    expect((await post(cv)).status).toBe(200)
    expect(await listed()).toEqual([sent, sent])
  })
})

describe('POST /s/:formId of a form that takes some files', () => {
  const pdf = '%PDF-1.7'
  const program = '\x7fELF'
  const jpeg = Buffer.from('\xff\xd8\xff\xe0', 'latin1')
  const webm = Buffer.from('\x1a\x45\xdf\xa3\x86\x86A_OPUS', 'latin1')
  const send = async (rules: object, files: readonly (readonly [name: string, type: string, content: BlobPart])[]) => {
    const prepared = await prepare(true, rules)
    const body = new FormData()
    body.set('name', 'Ada')
    for (const [name, type, content] of files) body.append('cv', new File([content], name, { type }))
    return { ...prepared, body, answer: await prepared.post(body) }
  }

  test.each([
    ['a PDF', { fileTypes: ['application/pdf'] }, [['cv.pdf', 'application/pdf', pdf]]],
    [
      'photos as telephones and Windows call them',
      { fileTypes: ['.jpg'] },
      [
        ['IMG_0001.jpeg', 'image/jpeg', jpeg],
        ['photo.jfif', '', jpeg],
        ['1000012345', 'image/jpeg', jpeg],
      ],
    ],
    ['a voice note of a browser', { fileTypes: ['audio/*'] }, [['voice.webm', 'video/webm', webm]]],
    ['a PDF by its name', { fileTypes: ['application/pdf', 'image/*'] }, [['cv.PDF', '', pdf]]],
    [
      'as many as it may',
      { maxFiles: 2 },
      [
        ['a', '', 'A'],
        ['b', '', 'B'],
      ],
    ],
    ['the largest', { maxFileBytes: 8 }, [['cv.pdf', '', pdf]]],
  ] as const)('takes %s', async (_what, rules, files) => {
    const { answer, listed } = await send(rules, files)
    expect(answer.status).toBe(200)
    expect([(await listed())[0].cv].flat()).toHaveLength(files.length)
  })

  const kinds = 'must be a file of the kinds that this form takes (application/pdf, .docx)'
  test.each([
    [
      'a program called cv.pdf',
      { fileTypes: ['application/pdf', '.docx'] },
      [['cv.pdf', 'application/pdf', program]],
      400,
      `cv: ${kinds}; “cv.pdf” is a program, as its first bytes show`,
      'This form takes only PDFs and Word files, and “cv.pdf” is a program.',
    ],
    [
      'another kind, after one that fits',
      { fileTypes: ['application/pdf', '.docx'] },
      [
        ['cv.pdf', 'application/pdf', pdf],
        ['photo.png', 'image/png', '\x89PNG\r\n\x1a\n'],
      ],
      400,
      `cv: ${kinds}; “photo.png” is not one`,
      'This form takes only PDFs and Word files, and “photo.png” is not one of them.',
    ],
    [
      'an empty file that would have to be a PDF',
      { fileTypes: ['application/pdf', '.docx'] },
      [['cv.pdf', 'application/pdf', '']],
      400,
      `cv: ${kinds}; “cv.pdf” is of another kind, as its first bytes show`,
      'This form takes only PDFs and Word files, and “cv.pdf” is not one of them.',
    ],
    [
      'a GIF called x.png',
      { fileTypes: ['.png'] },
      [['x.png', 'image/png', 'GIF89a']],
      400,
      'cv: must be a file of the kinds that this form takes (.png); “x.png” is a GIF image, as its first bytes show',
      'This form takes only PNG files, and “x.png” is a GIF file with the wrong extension.',
    ],
    [
      'one too many',
      { maxFiles: 1 },
      [
        ['a', '', 'A'],
        ['b', '', 'B'],
      ],
      400,
      'cv: must not be another file: a submission may have 1; got “b”',
      'Too many files: this form takes at most 1.',
    ],
    [
      'a larger one',
      { maxFileBytes: 7 },
      [['cv.pdf', '', pdf]],
      413,
      'cv: must be at most 7 bytes; “cv.pdf” is larger',
      'The file “cv.pdf” is too large: this form takes files of up to 7 bytes.',
    ],
  ] as const)(
    'refuses %s, names the file and the rule, and keeps nothing',
    async (_what, rules, files, status, issue, sentence) => {
      const { answer, post, body, listed, spam } = await send(rules, files)
      expect(answer.status).toBe(status)
      expect(answer.body).toEqual(badRequest(issue))
      const page = await post(body, undefined, 'text/html')
      expect([page.status, readPage(page.body).texts]).toEqual([status, expect.arrayContaining([sentence])])
      expect([await listed(), await spam()]).toEqual([[], []])
    },
  )

  test.each([{ fileTypes: ['application/pdf'] }, { maxFiles: 3 }, { maxFileBytes: 1000 }])(
    'refuses what looks like a file in JSON, which its rules would not see: %j',
    async (rules) => {
      const { post, listed } = await prepare(true, rules)
      for (const cv of [file, ['x', file], { ...file, file: 'x' }]) {
        const answer = await post(JSON.stringify({ cv }), json)
        const issue = 'cv: must not be a file, because this form takes files as multipart/form-data only'
        expect([answer.status, answer.body]).toEqual([400, badRequest(issue)])
      }
      const cv = { filename: 'cv.pdf', type: '', size: 1, base64: 'QQ==' }
      expect((await post(JSON.stringify({ cv }), json)).status).toBe(200)
      expect(await listed()).toEqual([{ cv }])
    },
  )

  test('takes what looks like a file in JSON while it has no rules', async () => {
    const { post, listed } = await prepare(true)
    expect((await post(JSON.stringify({ cv: file }), json)).status).toBe(200)
    expect(await listed()).toEqual([{ cv: file }])
  })
})
