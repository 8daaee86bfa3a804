// Files that are sent as multipart/form-data: kept whole, or nothing of the submission is.
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterThisTest, startServer, takeReported } from '../harness.ts'
import { answerTo, chunk, message } from '../raw-http.ts'
import { expectSound } from '../storage/sound.ts'
import { filesOf, piecesOf } from '../stored-files.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import { bytesOfFile } from './collected.ts'
import { badRequest } from './error-body.ts'
import { inTime } from './unharmed.ts'

const mebibyte = 1024 * 1024

/** The tests share a server with limits that are soon reached, which only files of this one use. */
const prepare = async () => {
  const made = await world({ environment: { FORMBOX_FILE_LIMIT: '2MiB', FORMBOX_UPLOAD_LIMIT: '4MiB' } })
  const { server, formId } = made
  const files = () => filesOf(server.folder, formId)
  const pieces = () => piecesOf(server.folder, formId)
  /** Waits until no file is left, nor any piece of one. */
  const expectNoFiles = () => until(() => files().length + pieces().length === 0, 'no file is left')
  return { ...made, files, pieces, expectNoFiles }
}

/** A body with these fields; bytes are files. */
const body = (
  fields: readonly (readonly [name: string, value: string | Uint8Array, filename?: string])[],
): FormData => {
  const form = new FormData()
  for (const [name, value, filename = 'a.bin'] of fields)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new File([value as Uint8Array<ArrayBuffer>], filename, { type: 'application/x-test' }))
  return form
}

const boundary = 'multipart/form-data; boundary=b'
const fileHead = '--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.pdf"\r\n\r\n'

describe('POST /s/:formId with files', () => {
  test('takes the longest name at once, whatever it is made of', async () => {
    const { post, submissions } = await prepare()
    const name = `${'a'.repeat(500_000)}/`
    expect((await inTime(post(body([['cv', new Uint8Array(1), name]])))).status).toBe(200)
    expect((await submissions())[0].data.cv.filename).toBe(name)
  })

  test('keeps every byte, whatever the size', async () => {
    const { server, post, submissions } = await prepare()
    const sizes = [0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, mebibyte + 1, 2 * mebibyte]
    const contents = sizes.map((size) => randomBytes(size))
    const fields = contents.map((content, i) => ['cv', content, `${i}.bin`] as const)
    expect((await post(body([['name', 'Ada'], ...fields, ['message', 'Hello']]))).status).toBe(200)
    const [{ data }] = await submissions()
    expect(Object.keys(data)).toEqual(['name', 'cv', 'message'])
    for (const [i, { file, ...facts }] of data.cv.entries()) {
      expect(facts).toEqual({ filename: `${i}.bin`, type: 'application/x-test', size: sizes[i] })
      expect(bytesOfFile(server.folder, file).equals(contents[i] as Buffer)).toBe(true)
    }
    expectSound(server.folder)
  })

  test('takes several MiB of files and almost 1 MiB of text, and refuses more text', async () => {
    const { post, submissions, expectNoFiles } = await prepare()
    const file = ['cv', randomBytes(2 * mebibyte)] as const
    const text = 'x'.repeat(mebibyte / 2)
    const answer = await post(body([['a', text], file, ['b', text]]))
    const issue = 'body: must be at most 1048576 bytes without its files'
    expect([answer.status, answer.body]).toEqual([413, badRequest(issue)])
    expect(await submissions()).toEqual([])
    await expectNoFiles()
    expect((await post(body([['a', text], file, ['b', text.slice(1000)]]))).status).toBe(200)
  })

  test.each<[string, number, string, FormData]>([
    [
      'a file that is too large',
      413,
      'cv: must be at most 2097152 bytes; “b.bin” is larger',
      body([
        ['cv', randomBytes(65_536), 'a.bin'],
        ['cv', randomBytes(2 * mebibyte + 1), 'b.bin'],
      ]),
    ],
    [
      'the 21st file',
      400,
      'cv: must not be another file: a submission may have 20; got “21.bin”',
      body(Array.from({ length: 21 }, (_, i) => ['cv', randomBytes(10), `${i + 1}.bin`] as const)),
    ],
    [
      'NUL in a text behind a file',
      400,
      'a: must not contain NUL',
      body([
        ['cv', randomBytes(10)],
        ['a', '\0'],
      ]),
    ],
    [
      'the 1,001st field behind a file',
      400,
      'body: must hold at most 1000 fields',
      body([['cv', randomBytes(10)], ...Array.from({ length: 1000 }, () => ['a', '1'] as const)]),
    ],
  ])('refuses %s, and keeps nothing', async (_what, status, issue, sent) => {
    const { post, submissions, expectNoFiles } = await prepare()
    const answer = await post(sent)
    expect([answer.status, answer.body]).toEqual([status, badRequest(issue)])
    expect(await submissions()).toEqual([])
    await expectNoFiles()
  })

  test.each<[string, object, Parameters<typeof body>[0][number], number, RegExp]>([
    [
      'a kind that it does not take',
      { fileTypes: ['.pdf'] },
      ['cv', randomBytes(10), 'cv.exe'],
      400,
      /^cv: must be a file of/,
    ],
    [
      'a program that says it is a PDF',
      { fileTypes: ['.pdf'] },
      ['cv', Buffer.from('MZ\x90\0'.padEnd(mebibyte, '\0'), 'latin1'), 'cv.pdf'],
      400,
      /^cv: must be a file of/,
    ],
    ['more bytes than it allows', { maxFileBytes: 1024 }, ['cv', randomBytes(1025)], 413, /at most 1024 bytes/],
    ['more files than it allows', { maxFiles: 1 }, ['photo', randomBytes(10)], 400, /a submission may have 1;/],
  ])('refuses for a form %s', async (_what, settings, file, status, issue) => {
    const { post, change, submissions, expectNoFiles } = await prepare()
    await change(settings)
    const answer = await post(body([['first', Buffer.from('%PDF-'), 'a.pdf'], file]))
    expect([answer.status, answer.body.issues]).toEqual([status, [{ message: expect.stringMatching(issue) }]])
    expect(await submissions()).toEqual([])
    await expectNoFiles()
    expect((await post(body([['first', Buffer.from('%PDF-'), 'a.pdf']]))).status).toBe(200)
  })

  test('takes 20 files, and any number of file inputs without a file', async () => {
    const { files, post } = await prepare()
    const sent = Array.from({ length: 20 }, (_, i) => ['cv', randomBytes(10), `${i}.bin`] as const)
    const unchosen = Array.from({ length: 30 }, () => ['photo', new Uint8Array(), ''] as const)
    expect((await post(body([...unchosen, ...sent]))).status).toBe(200)
    expect(files()).toHaveLength(20)
  })

  test('says that a body is too large before it is sent, and while it is', async () => {
    const { server, formId, submissions, expectNoFiles } = await prepare()
    const head = [`POST /s/${formId} HTTP/1.1`, 'Host: localhost', `Content-Type: ${boundary}`, 'Connection: close']
    const announced = message([...head, `Content-Length: ${4 * mebibyte + 1}`])
    const content = `${fileHead}${'x'.repeat(2 * mebibyte)}\r\n`.repeat(2)
    const inChunks = message([...head, 'Transfer-Encoding: chunked'], chunk(content))
    for (const bytes of [announced, inChunks]) {
      const answer = await answerTo(server.url, bytes)
      expect([answer?.status, JSON.parse(answer?.body ?? '{}').issues]).toEqual([
        413,
        [{ message: 'body: must be at most 4194304 bytes' }],
      ])
    }
    expect(await submissions()).toEqual([])
    await expectNoFiles()
  })

  test.each([
    ['goes away', ''],
    ['ends the body too early', '\r\n--b'],
    ['sends what is malformed', '\r\n--b x\r\n'],
  ])('keeps nothing of a sender who %s', async (_what, ending) => {
    const { server, formId, pieces, submissions, expectNoFiles } = await prepare()
    const content = fileHead + 'x'.repeat(mebibyte)
    const length = content.length + (ending.length || 1)
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    afterThisTest(() => socket.destroy())
    socket.write(
      `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: ${boundary}\r\nContent-Length: ${length}\r\n\r\n${content}`,
    )
    // It stays there until the rest comes.
    await until(() => pieces().length > 0, 'a piece has arrived')
    if (ending === '') socket.destroy()
    else socket.write(ending)
    await expectNoFiles()
    expect(await submissions()).toEqual([])
  })

  test('keeps nothing of a file that comes without the proof of work', async () => {
    const { post, change, submissions, spam, expectNoFiles } = await prepare()
    await change({ challenge: true })
    expect((await post(body([['cv', randomBytes(mebibyte)]]))).status).toBe(400)
    expect([await submissions(), await spam()]).toEqual([[], []])
    await expectNoFiles()
  })

  test('stores a repeat once, with its files', async () => {
    const { server, files, post, change } = await prepare()
    const content = randomBytes(mebibyte)
    const send = (bytes: Uint8Array, headers: Record<string, string> = { 'idempotency-key': 'key' }) =>
      post(body([['cv', bytes]]), headers)
    const first = await send(content)
    const expectOneFile = () => until(() => files().length === 1, 'only the first file is left')
    for (const settings of [{}, { maxLinks: 3 }, { maxFiles: 1 }]) {
      await change(settings)
      const repeat = await send(content)
      expect([repeat.status, repeat.body]).toEqual([200, first.body])
      expect(repeat.headers.get('idempotency-replayed')).toBe('true')
      await expectOneFile()
    }
    expect((await send(Buffer.concat([content.subarray(1), Buffer.of(0)]))).status).toBe(400)
    await change({ open: false })
    expect((await send(content, { 'idempotency-key': 'other' })).status).toBe(403)
    await expectOneFile()
    expectSound(server.folder)
  })

  /** Sends the beginning of a large file, and the rest when the answer is there. Returns both answers of the connection. */
  const refusedWhileSending = async ({ server, formId }: Awaited<ReturnType<typeof prepare>>, headers: string[]) => {
    const rest = 'x'.repeat(2 * mebibyte)
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    afterThisTest(() => socket.destroy())
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    const head = [`POST /s/${formId} HTTP/1.1`, 'Host: x', `Content-Type: ${boundary}`, ...headers]
    const start = fileHead + 'x'.repeat(partOfFile)
    socket.write(message([...head, `Content-Length: ${start.length + rest.length}`], start))
    await until(() => /\r\n\r\n.*[}>]\s*$/s.test(received), 'it is answered before the rest has come')
    const refusal = received
    received = ''
    socket.write(`${rest}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await until(() => received !== '', 'the rest is taken, and the next request answered')
    return [refusal, received] as const
  }
  /** More than is read before anything of a file is looked at. */
  const partOfFile = 300_000

  test.each([
    ['closed', { open: false }, 403, 'This form is closed', 'This form is closed'],
    ['full', { maxSubmissions: 1 }, 403, 'This form is full', 'This form is full'],
    [
      'over',
      { closesAt: '2020-01-01T00:00Z' },
      403,
      'This form closed on 1 Jan 2020, 00:00 UTC',
      'It closed on January 1, 2020',
    ],
    [
      'for other kinds of files',
      { fileTypes: ['.txt'] },
      400,
      'cv: must be a file of the kinds that this form takes (.txt)',
      'This form takes only TXT files, and “<bdi lang="">cv.pdf</bdi>” is not one of them.',
    ],
    [
      'for fewer files',
      { maxFiles: 1, maxFileBytes: 1000 },
      413,
      'cv: must be at most 1000 bytes',
      'is too large: this form takes',
    ],
    [
      'without files',
      { acceptFiles: false },
      400,
      'cv: must not be a file, because this form takes none',
      'This form takes no files.',
    ],
  ] as const)(
    'refuses a file while it arrives, repeat or not, on a form that is %s',
    async (_what, settings, status, issue, sentence) => {
      const prepared = await prepare()
      const { files, post, change, submissions } = prepared
      const key = { 'idempotency-key': 'key' }
      const sent = body([['cv', Buffer.from('x'), 'cv.pdf']])
      expect((await post(sent, key)).status).toBe(200)
      await change(settings)
      for (const headers of [
        ['Idempotency-Key: key'],
        ['Accept: text/html', 'Idempotency-Key: key'],
        ['Accept: text/html'],
      ]) {
        const [refusal, next] = await refusedWhileSending(prepared, headers)
        expect(refusal).toStartWith(`HTTP/1.1 ${status} `)
        expect(refusal).toContain(headers[0]?.startsWith('Accept') ? sentence : issue)
        expect(next).toStartWith('HTTP/1.1 200 OK')
      }
      // Nor is the first submission recognised, unless the form still takes its file.
      expect((await post(sent, key)).status).toBe('maxFiles' in settings ? 200 : status)
      expect(await submissions()).toHaveLength(1)
      await until(() => files().length === 1, 'only the first file is left')
    },
  )

  test('says that a form is closed, not which files it took', async () => {
    const { post, change } = await prepare()
    await post(body([['name', 'Ada']]))
    await change({ maxSubmissions: 1, fileTypes: ['.pdf'] })
    for (const headers of [{}, { 'idempotency-key': 'key' }, { accept: 'text/html' }])
      expect((await post(body([['cv', Buffer.from('x')]]), headers)).status).toBe(403)
  })

  test.each([
    [
      'before',
      [
        ['_gotcha', 'x'],
        ['cv', Buffer.from('cv')],
      ],
    ],
    [
      'behind',
      [
        ['cv', Buffer.from('cv')],
        ['_gotcha', 'x'],
      ],
    ],
  ] as const)('keeps a file of spam, with the trap field %s it', async (_where, fields) => {
    const { server, post, spam } = await prepare()
    expect((await post(body(fields))).status).toBe(200)
    const [{ data }] = await spam()
    expect(String(bytesOfFile(server.folder, data.cv.file))).toBe('cv')
  })

  test('keeps no file that fills in the trap field', async () => {
    const { post, spam, expectNoFiles } = await prepare()
    expect(
      (
        await post(
          body([
            ['name', 'Ada'],
            ['_gotcha', randomBytes(mebibyte)],
          ]),
        )
      ).status,
    ).toBe(200)
    expect((await spam()).map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada' }])
    await expectNoFiles()
  })

  test.each([
    ['folder/cv.pdf', 'cv.pdf'],
    ['C:\\fakepath\\cv.pdf', 'cv.pdf'],
    ['../..', '..'],
    ['a/', 'a/'],
    ['“Ada” <b>\u202Efdp.pdf', '“Ada” <b>\u202Efdp.pdf'],
    [`${'x'.repeat(5000)}.pdf`, `${'x'.repeat(5000)}.pdf`],
  ])('stores of the name %s the last part', async (sent, stored) => {
    const { post, submissions } = await prepare()
    expect((await post(body([['cv', Buffer.from('x'), sent]]))).status).toBe(200)
    expect((await submissions())[0].data.cv.filename).toBe(stored)
  })

  test('takes texts but no files while the disk has too little room, and reports it once', async () => {
    const settings = { FORMBOX_MIN_FREE: '9999GiB' }
    const { server, post, submissions } = await world({ server: await startServer({ settings }) })
    for (const content of [randomBytes(10), new Uint8Array()]) {
      const answer = await post(body([['cv', content]]))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '600'])
      expect(answer.body.message).toContain('; files are not taken at the moment')
    }
    expect(
      (
        await post(
          body([
            ['name', 'Ada'],
            ['cv', new Uint8Array(), ''],
          ]),
        )
      ).status,
    ).toBe(200)
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada', cv: '' }])
    await server.stop()
    expect(takeReported()).toEqual([
      expect.stringMatching(/^(formbox: )?.*submissions with files are refused: less than/),
    ])
  })
})
