import { describe, expect, test } from 'bun:test'
import { writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { png, submitFiles } from '../stored-files.ts'
import { visit } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const prepare = async () => {
  const { server, ada, formId } = await siteWorld()
  const form = `/forms/${formId}`
  const submit = (files: Parameters<typeof submitFiles>[2], more: Parameters<typeof submitFiles>[3] = {}) =>
    submitFiles(server, formId, files, { fields: { name: 'Grace' }, ...more })
  return { server, ada, formId, form, submit }
}

const file = (name: string, type: string, content: Uint8Array | string) => ({
  name,
  type,
  bytes: typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
})

const program = '\x7fELF\x02\x01'
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

/** What a page says of each file, without markup. */
const filesOf = (html: string): string[] =>
  [...html.matchAll(/<ul class="files"[^>]*>(.*?)<\/ul>/gs)]
    .flatMap(([, list = '']) => list.match(/<li>.*?<\/li>/gs) ?? [])
    .map((item) =>
      item
        .replaceAll(/<span class="thumbnail" aria-hidden="true">[^<]*<\/span>/g, '')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )

const thumbnailsOf = (html: string): string[] =>
  [...html.matchAll(/<img class="thumbnail" src="([^"]+)"/g)].map(([, path]) => path as string)

describe('the page of a submission', () => {
  test('lists its files with name, kind and size, and shows those that are pictures', async () => {
    const { ada, form, submit } = await prepare()
    const sent = [
      file('photo.PNG', 'image/png', png),
      file('cv.pdf', 'application/pdf', `%PDF-${'x'.repeat(81_000)}`),
      file('drawing.svg', 'image/svg+xml', svg),
      file('', '', ''),
    ]
    const { id, files } = submit(sent)

    const { html } = await ada.get(`${form}/submissions/${id}`)

    expect(filesOf(html)).toEqual([
      `photo.PNG PNG, ${png.length} bytes`,
      'cv.pdf PDF, 81.0 kB',
      'drawing.svg SVG, 71 bytes',
      'Unnamed file 0 bytes',
    ])
    const paths = files.map((fileId) => `${form}/submissions/${id}/files/${fileId}`)
    for (const path of paths) expect(readPage(html).links).toContain(path)
    expect(thumbnailsOf(html)).toEqual([paths[0] as string])
    // Loaded when it is in sight, and its room is there before it is.
    expect(html).toContain(`src="${paths[0]}" alt="" width="48" height="48" loading="lazy"`)
  })

  test.each([
    ['a program', file('cv.pdf', 'application/pdf', program), 'cv.pdf PDF, 6 bytes, says PDF, is a program'],
    ['an unknown kind', file('cv.pdf', '', 'Dear all'), 'cv.pdf PDF, 8 bytes, says PDF, is of another kind'],
    ['another picture', file('a.gif', 'image/gif', png), `a.gif GIF, ${png.length} bytes, says GIF, is a PNG image`],
    [
      'a kind that only the browser named',
      file('scan', 'application/pdf', program),
      'scan 6 bytes, says application/pdf, is a program',
    ],
    [
      'a picture that says it is a page',
      file('a.html', 'text/html', png),
      `a.html HTML, ${png.length} bytes, says HTML, is a PNG image`,
    ],
  ])('says that a file is not what it says, and shows no picture: %s', async (_, sent, expected) => {
    const { ada, form, submit } = await prepare()
    const { id } = submit([sent])
    const { html } = await ada.get(`${form}/submissions/${id}`)
    expect(filesOf(html)).toEqual([expected])
    expect(thumbnailsOf(html)).toEqual([])
  })

  test('lists a file whose JSON another program has written, before it was imported', async () => {
    const { server, ada, form, submit } = await prepare()
    const { id } = submit([file('cv.pdf', 'application/pdf', '%PDF-')])
    writeTo(server.folder, ({ $client: client }) => {
      client.run(`UPDATE submissions SET data = replace(data, '":', '" : ') WHERE id = ?`, [id])
    })
    const { html } = await ada.get(`${form}/submissions/${id}`)
    expect(filesOf(html)).toEqual(['cv.pdf PDF, 5 bytes'])
  })

  test('shows no picture of more than 10 MiB', async () => {
    const { ada, form, submit } = await prepare()
    const most = 10 * 1024 * 1024
    const sent = [most, most + 1].map((bytes) => file('a.png', 'image/png', Buffer.concat([png], bytes)))
    const { id, files } = submit(sent)
    const { html } = await ada.get(`${form}/submissions/${id}`)
    expect(thumbnailsOf(html)).toEqual([`${form}/submissions/${id}/files/${files[0]}`])
  })

  test.each([
    ['markup', '<img src=x onerror=alert(1)>.png', '&lt;img src=x onerror=alert(1)&gt;.png'],
    ['quotes', `"><script>alert(1)</script>'.png`, '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x27;.png'],
    ['line breaks', 'a\r\n\r\nb.png', 'a b.png'],
    ['direction overrides', 'cv\u202egnp.exe', 'cv\ufffdgnp.exe'],
    ['5,000 characters', `${'x'.repeat(5000)}.png`, `${'x'.repeat(300)}…`],
  ])('shows a name with %s harmlessly', async (_, name, shown) => {
    const { ada, form, submit } = await prepare()
    const { id } = submit([file(name, 'text/html\r\n<script>', png)])
    for (const path of [`${form}/submissions/${id}`, form]) {
      const { status, html } = await ada.get(path)
      expect(status).toBe(200)
      expect(html).not.toMatch(/<script>alert|onerror=alert\(1\)>|\u202e/)
      if (path !== form) expect(html).toContain(shown)
    }
  })

  test('has no link for a file that JSON names and that is not there, or is of another submission', async () => {
    const { server, ada, formId, form, submit } = await prepare()
    const { files } = submit([file('secret.pdf', 'application/pdf', '%PDF-')])
    const cv = { filename: 'cv.pdf', type: 'application/pdf', size: 5, file: files[0] }
    const id = await server.submit(formId, { cv, other: [{ ...cv, file: '../../x' }] })
    const { html } = await ada.get(`${form}/submissions/${id}`)
    expect(filesOf(html)).toEqual(['cv.pdf cv: PDF, 5 bytes, is not here', 'cv.pdf other: PDF, 5 bytes, is not here'])
    expect(html).not.toContain('/files/')
  })

  test('lets the browser load pictures from here alone', async () => {
    const { ada, form } = await prepare()
    expect((await ada.get(form)).headers.get('content-security-policy')).toContain("img-src 'self';")
  })
})

describe('a file of a page', () => {
  test('comes as by the API, with ranges, for whoever is signed in', async () => {
    const { server, ada, form, submit } = await prepare()
    const { id, files } = submit([file('photo.png', 'image/png', png)])
    const path = `${form}/submissions/${id}/files/${files[0]}`
    const ask = (headers: Record<string, string>, method = 'GET') =>
      server.fetch(path, { method, headers: { cookie: ada.cookie() as string, ...headers } })

    const whole = await ask({})
    const head = await ask({}, 'HEAD')
    const part = await ask({ range: 'bytes=1-3' })
    const beyond = await ask({ range: 'bytes=999-', accept: 'text/html' })
    const known = await ask({ 'if-none-match': `"${files[0]}"` })

    expect(Buffer.from(await whole.arrayBuffer()).equals(png)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-disposition': 'attachment; filename="photo.png"',
      'content-length': String(png.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'image/png',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(png.length)])
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
      206,
      'PNG',
      `bytes 1-3/${png.length}`,
    ])
    expect([beyond.status, await beyond.text()]).toEqual([416, expect.stringContaining('<h1>No such part</h1>')])
    expect(known.status).toBe(304)

    await ada.post('/sign-out')
    expect((await visit(server).get(path)).status).toBe(303)
    // A browser that has the picture asks, too.
    expect((await ask({ 'if-none-match': `"${files[0]}"` })).status).toBe(303)
  })
})

describe('the list of submissions', () => {
  test('says how many files came in fields that it does not show', async () => {
    const { ada, formId, form, submit } = await prepare()
    const sent = ['a.txt', 'b.txt', 'c.txt'].map((name) => file(name, 'text/plain', name))
    submit(sent)
    submit(sent.slice(0, 1))
    submit([])
    const columns = (names: string[]) => ada.api.call('PATCH', `/forms/${formId}/settings`, { columns: names })
    const counts = async () => [...(await ada.get(form)).html.matchAll(/<span class="chip">(\d+ files?)<\/span>/g)]

    await columns(['name'])
    expect((await counts()).map(([, count]) => count)).toEqual(['1 file', '3 files'])
    await columns(['name', 'files'])
    expect(await counts()).toEqual([])
    expect((await ada.get(form)).isolated).toContain('3 files')
    expect((await ada.get(form)).isolated).toContain('a.txt')
  })
})

describe('the spam of a form', () => {
  test('has its files, as the page of a submission has', async () => {
    const { server, ada, form, submit } = await prepare()
    const sent = [file('photo.png', 'image/png', png), file('cv.pdf', 'application/pdf', program)]
    const { id, files } = submit(sent, { isSpam: true })

    const { html } = await ada.get(`${form}/spam`)

    expect(filesOf(html)).toEqual([`photo.png PNG, ${png.length} bytes`, 'cv.pdf PDF, 6 bytes, says PDF, is a program'])
    const paths = files.map((fileId) => `${form}/spam/${id}/files/${fileId}`)
    for (const path of paths) expect(readPage(html).links).toContain(path)
    expect(thumbnailsOf(html)).toEqual([paths[0] as string])
    const answer = await server.fetch(paths[1] as string, { headers: { cookie: ada.cookie() as string } })
    expect([answer.status, await answer.text()]).toEqual([200, program])
    expect((await ada.get(`${form}/submissions/${id}/files/${files[0]}`)).status).toBe(404)
  })

  test('shows twenty files with long names, and no more than thirty of what a robot says are files', async () => {
    const { server, ada, formId, form, submit } = await prepare()
    submit(
      Array.from({ length: 20 }, (_, i) => file(`${'x'.repeat(200)}${i}.txt`, 'text/plain', 'a')),
      { isSpam: true },
    )
    expect(filesOf((await ada.get(`${form}/spam`)).html)).toHaveLength(20)
    const said = Array(500).fill({ filename: 'a', type: '', size: 1, file: 'x' })
    await server.submit(formId, { said, _gotcha: 'x' })
    const { html } = await ada.get(`${form}/spam`)
    expect(filesOf(html)).toHaveLength(50)
    expect(html).toContain('This is only the beginning.')
  })
})
