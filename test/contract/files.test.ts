import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { stall } from '../raw-http.ts'
import { png, submitFiles } from '../stored-files.ts'
import { world } from '../world.ts'

const prepare = async () => {
  const { server, ada, formId } = await world()
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.fetch(`/api/v1/forms/${formId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${ada.key}`, ...headers },
    })
  /** Stores a file. Returns its path below the form's. */
  const store = (file: { name?: string; type?: string; bytes?: Uint8Array }, isSpam = false): string => {
    const { name = 'cv.pdf', type = 'application/pdf', bytes = Buffer.from('%PDF-') } = file
    const { id, files } = submitFiles(server, formId, [{ name, type, bytes }], { isSpam })
    return `${isSpam ? 'spam' : 'submissions'}/${id}/files/${files[0]}`
  }
  return { server, ada, formId, get, store }
}

const headersOf = ({ headers }: Response) => {
  const { date: _, connection: __, 'x-request-id': ___, ...rest } = Object.fromEntries(headers)
  return rest
}

describe('GET /forms/{formId}/submissions/{submissionId}/files/{fileId}', () => {
  test.each([
    ['a submission', false],
    ['spam', true],
  ])('is the file of %s, to be saved and never shown', async (_, isSpam) => {
    const { get, store } = await prepare()
    const path = store({}, isSpam)

    const answer = await get(path)

    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('%PDF-')
    const expected = {
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': 'attachment; filename="cv.pdf"',
      'content-length': '5',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'application/octet-stream',
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${path.split('/').at(-1)}"`,
      'x-content-type-options': 'nosniff',
    }
    expect(headersOf(answer)).toEqual(expected)
    const head = await get(path, {}, 'HEAD')
    expect([head.status, headersOf(head), await head.text()]).toEqual([200, expected, ''])
  })

  test('comes back as it was sent with a form', async () => {
    const { server, ada, formId, get } = await prepare()
    const bytes = randomBytes(300_000)
    const form = new FormData()
    form.append('cv', new File([bytes], 'Größe "x".pdf', { type: 'text/html' }))
    const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: form })
    const { id } = await sent.json()
    const { cv } = (await ada.call('GET', `/forms/${formId}/submissions/${id}`)).body.data

    const answer = await get(`submissions/${id}/files/${cv.file}`)

    expect([cv.size, answer.headers.get('content-type')]).toEqual([300_000, 'application/octet-stream'])
    expect(answer.headers.get('content-disposition')).toEndWith(`filename*=UTF-8''Gr%C3%B6%C3%9Fe%20-x-.pdf`)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000])('is the whole file, of %d bytes', async (length) => {
    const { get, store } = await prepare()
    const bytes = randomBytes(length)
    const path = store({ bytes })

    const answer = await get(path)
    const head = await get(path, {}, 'HEAD')

    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(head.headers.get('content-length')).toBe(String(length))
    // Bun sends what is made while it is sent in chunks. With a length too, the body would have two ends.
    const [size, encoding] = ['content-length', 'transfer-encoding'].map((name) => answer.headers.get(name))
    expect([size, encoding]).toEqual(length > 65_536 ? [null, 'chunked'] : [String(length), null])
  })

  test.each([
    ['cv.pdf', 'filename="cv.pdf"'],
    ['', 'filename="file"'],
    ['a"b\\c.pdf', 'filename="a-b-c.pdf"'],
    ['a\r\nSet-Cookie: x=1\r\n\r\n<script>.pdf', 'filename="a Set-Cookie- x=1 -script-.pdf"'],
    // Direction characters would show `fdp.exe` as `exe.pdf`.
    ['cv\u202efdp.exe', 'filename="cv fdp.exe"'],
    ['\u2066x\u2069.png', 'filename="x .png"'],
    ['../../etc/passwd', 'filename="-..-etc-passwd"'],
    ['Größe.pdf', `filename="Gro_e.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf`],
    [`${'x'.repeat(5000)}.pdf`, `filename="${'x'.repeat(76)}.pdf"`],
    ["\"; filename*=UTF-8''evil.html", `filename="-; filename-=UTF-8''evil.html"`],
  ])('has the name %j in one header', async (name, disposition) => {
    const { get, store } = await prepare()
    const answer = await get(store({ name }))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; ${disposition}`)
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const page = Buffer.from('<!doctype html><script>alert(1)</script>')
  const saved = 'application/octet-stream'
  test.each<[what: string, name: string, type: string, bytes: Uint8Array, mediaType: string]>([
    ['a PNG', 'a.png', 'image/png', png, 'image/png'],
    ['a PNG without a known name or type', 'a', 'application/octet-stream', png, 'image/png'],
    ['a PNG with a script behind it', 'a.png', 'image/png', Buffer.concat([png, page]), 'image/png'],
    ['a PNG that says it is a page', 'a.html', 'text/html', Buffer.concat([png, page]), saved],
    ['a PNG that says it is an SVG', 'a.svg', 'image/svg+xml', png, saved],
    ['a JPEG', 'a.jpg', 'image/jpeg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'image/jpeg'],
    ['a JPEG that says it is a PNG', 'a.png', 'image/png', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), saved],
    ['a GIF', 'a.gif', 'image/gif', Buffer.from('GIF89a'), 'image/gif'],
    ['a WebP', 'a.webp', 'image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'image/webp'],
    ['an SVG', 'a.svg', 'image/svg+xml', svg, saved],
    ['an SVG that says it is a PNG', 'a.png', 'image/png', svg, saved],
    ['a page', 'a.html', 'text/html', page, saved],
    ['a page that says it is a JPEG', 'a.jpg', 'image/jpeg', page, saved],
    ['a script', 'a.js', 'text/javascript', Buffer.from('alert(1)'), saved],
    ['a PDF', 'a.pdf', 'application/pdf', Buffer.from('%PDF-1.7'), saved],
    ['a program that says it is a PDF', 'a.pdf', 'application/pdf', Buffer.from('\x7fELF\x02'), saved],
    ['a type with a line break', 'a', 'text/html\r\nSet-Cookie: x=1\r\n\r\n<script>', page, saved],
    ['a type of 5,000 characters', 'a', `text/${'x'.repeat(5000)}`, page, saved],
  ])('never has the type that a visitor chose: %s', async (_, name, type, bytes, mediaType) => {
    const { get, store } = await prepare()
    const answer = await get(store({ name, type, bytes }))
    const names = ['content-type', 'x-content-type-options', 'content-security-policy', 'set-cookie']
    expect(names.map((header) => answer.headers.get(header))).toEqual([
      mediaType,
      'nosniff',
      "default-src 'none'; sandbox",
      null,
    ])
    expect(answer.headers.get('content-disposition')).toStartWith('attachment;')
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
  })

  test('is 304 for whoever has it, also for HEAD and before a range', async () => {
    const { get, store } = await prepare()
    const path = store({})
    const etag = (await get(path)).headers.get('etag') as string
    expect(etag).toMatch(/^"\w{28}"$/)
    for (const known of [etag, `W/${etag}`, '*', `"x", ${etag}`])
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(path, { 'if-none-match': known, range: 'bytes=99-' }, method)
        expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', etag])
        expect(answer.headers.get('cache-control')).toBe('private, no-cache')
      }
    expect((await get(path, { 'if-none-match': '"x"' })).status).toBe(200)
  })
})

describe('a part of a file', () => {
  const size = 200_000
  const bytes = randomBytes(size)

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=65535-65536', 65_535, 65_536],
    ['bytes=65536-131071', 65_536, 131_071],
    ['bytes=1-', 1, size - 1],
    ['bytes=0-', 0, size - 1],
    ['bytes=199999-', size - 1, size - 1],
    ['bytes=199990-300000', 199_990, size - 1],
    ['bytes=100-99999999999999999999999', 100, size - 1],
    ['bytes=-1', size - 1, size - 1],
    ['bytes=-70000', 130_000, size - 1],
    ['bytes=-300000', 0, size - 1],
    ['BYTES=5-9', 5, 9],
    ['bytes= 5-9 ', 5, 9],
  ])('%s is 206, and exactly these bytes', async (range, first, last) => {
    const { get, store } = await prepare()
    const answer = await get(store({ bytes }), { range })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${size}`)
    const length = last - first + 1
    expect(answer.headers.get('content-length')).toBe(length > 65_536 ? null : String(length))
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(first, last + 1))).toBe(true)
  })

  test.each(['bytes=200000-', 'bytes=200000-200001', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    '%s is 416, with the size of the file',
    async (range) => {
      const { get, store } = await prepare()
      const answer = await get(store({ bytes }), { range })
      expect(answer.status).toBe(416)
      expect(answer.headers.get('content-range')).toBe(`bytes */${size}`)
      expect(answer.headers.get('content-disposition')).toBeNull()
      expect(await answer.json()).toMatchObject({ code: 'BAD_REQUEST', message: 'The file has 200000 bytes' })
    },
  )

  test.each([
    'bytes=5-4',
    'bytes=-',
    'bytes=',
    'bytes',
    'bytes=a-b',
    'bytes=1-2-3',
    'lines=0-5',
    'bytes=0-1,5-6',
    '0-5',
  ])('%s is no single range, and gets the whole file', async (range) => {
    const { get, store } = await prepare()
    const answer = await get(store({ bytes }), { range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([200, null])
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('of an empty file is 416, unless it is what it ends with', async () => {
    const { get, store } = await prepare()
    const path = store({ bytes: Buffer.alloc(0) })
    const first = await get(path, { range: 'bytes=0-' })
    expect([first.status, first.headers.get('content-range')]).toEqual([416, 'bytes */0'])
    expect((await get(path, { range: 'bytes=-5' })).status).toBe(200)
  })

  test('is sent if the file is the same, otherwise the whole file', async () => {
    const { get, store } = await prepare()
    const path = store({ bytes })
    const range = 'bytes=0-9'
    const etag = (await get(path, {}, 'HEAD')).headers.get('etag') as string
    expect((await get(path, { range, 'if-range': etag })).status).toBe(206)
    // A weak one does not count (RFC 9110 section 13.1.5), and there is no date.
    for (const other of ['"x"', `W/${etag}`, 'Sun, 22 Nov 2026 21:00:00 GMT'])
      expect((await get(path, { range, 'if-range': other })).status).toBe(200)
    // With another file, 416 would say nothing.
    expect((await get(path, { range: 'bytes=999999-', 'if-range': '"x"' })).status).toBe(200)
  })

  test('means nothing to HEAD', async () => {
    const { get, store } = await prepare()
    const answer = await get(store({ bytes }), { range: 'bytes=0-9' }, 'HEAD')
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(size)])
  })

  test('is what is left of a download that was cut', async () => {
    const { server, ada, formId, get, store } = await prepare()
    const whole = randomBytes(20_000_000)
    const path = store({ bytes: whole })
    const header = `Authorization: Bearer ${ada.key}`
    const socket = await stall(server.url, `/api/v1/forms/${formId}/${path}`, header)
    const first: Buffer = await new Promise((resolve) => {
      socket.once('data', (data: Buffer) => {
        socket.destroy()
        resolve(data)
      })
      socket.resume()
    })
    const [head = ''] = first.toString('latin1').split('\r\n\r\n')
    const etag = /^etag: (.+)$/im.exec(head)?.[1]?.trim() as string

    const rest = await get(path, { range: 'bytes=12345678-', 'if-range': etag })

    expect(rest.status).toBe(206)
    expect(Buffer.from(await rest.arrayBuffer()).equals(whole.subarray(12_345_678))).toBe(true)
  })
})

describe('a file is 404', () => {
  test('in another list, submission or form, and when its submission is gone', async () => {
    const { server, ada, formId, get, store } = await prepare()
    const path = store({})
    const [list = '', submissionId = '', , fileId = ''] = path.split('/')
    const other = await server.submit(formId, { a: 1 })
    const otherForm = await ada.createForm()
    const status = async (where: string) => (await get(where)).status
    expect(await status(path)).toBe(200)

    expect(await status(`spam/${submissionId}/files/${fileId}`)).toBe(404)
    expect(await status(`${list}/${other}/files/${fileId}`)).toBe(404)
    expect(await status(`${list}/${submissionId}/files/${other}`)).toBe(404)
    expect(await status(`${list}/${submissionId}/files/bulk`)).toBe(404)
    expect(await status(`${list}/${submissionId}/files/${encodeURIComponent('../../x')}`)).toBe(404)
    expect(await status(`../${otherForm}/${path}`)).toBe(404)
    expect(await (await get(`${list}/${submissionId}/files/${other}`)).json()).toMatchObject({
      message: 'File not found',
    })

    await ada.call('POST', `/forms/${formId}/submissions/${submissionId}/spam`)
    expect(await status(path)).toBe(404)
    expect(await status(`spam/${submissionId}/files/${fileId}`)).toBe(200)
    await ada.call('POST', `/forms/${formId}/spam/${submissionId}/accept`)
    expect(await status(path)).toBe(200)
    await ada.call('DELETE', `/forms/${formId}/submissions/${submissionId}`)
    expect(await status(path)).toBe(404)
  })
})
