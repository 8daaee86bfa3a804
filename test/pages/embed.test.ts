import { describe, expect, test } from 'bun:test'
import { type Server, startServer, writeTo } from '../harness.ts'
import { readPage, unescaped } from '../read-page.ts'
import { visit } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const ownerWithForm = async (fields: object = {}) => {
  const { server, ada, formId: id } = await siteWorld({ form: fields })
  const submissions = async () => (await ada.api.call('GET', `/forms/${id}/submissions`)).body.submissions
  return { server, ada, id, embed: `/forms/${id}/embed`, submissions }
}

/** The code on the page, by the identifiers of the elements. */
const codes = (html: string): Record<'address' | 'snippet', string> => {
  const found = html.matchAll(/<(?:pre|code) id="([\w-]+)"[^>]*>(?:<code>)?([^<]*)</g)
  return Object.fromEntries([...found].map(([, id = '', code = '']) => [id, unescaped(code)])) as ReturnType<
    typeof codes
  >
}

const allKinds = ['html', 'files', 'fetch', 'react', 'astro', 'hugo', 'wordpress', 'curl', 'other'] as const

/** The names of the elements of a piece of HTML with their attributes, in any order. */
const elementsIn = (html: string) => {
  const found: unknown[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element: ({ tagName, attributes }) => void found.push([tagName, [...attributes].map(String).sort()]),
  })
  rewriter.transform(html)
  return found
}

/** The code of one kind. */
const codeIn = async (ada: Awaited<ReturnType<typeof ownerWithForm>>['ada'], embed: string, kind: string) =>
  codes((await ada.get(`${embed}?with=${kind}`)).html).snippet

/** A browser that reaches the server under another name. */
const inTheLan = async (server: Server, email: string) => {
  const visitor = visit({ ...server, url: 'http://forms.lan:8080' }, { host: 'forms.lan:8080' })
  await visitor.signIn(email)
  return visitor
}

describe('/forms/:formId/embed', () => {
  test('has the address of the form under the name that the browser uses', async () => {
    const { server, ada, id, embed } = await ownerWithForm()
    expect(codes((await ada.get(embed)).html).address).toBe(`${server.url}/s/${id}`)
    const elsewhere = await (await inTheLan(server, ada.email)).get(embed)
    expect(codes(elsewhere.html).address).toBe(`http://forms.lan:8080/s/${id}`)
  })

  test('says that an address on the loopback is no address for a website', async () => {
    const { server, ada, embed } = await ownerWithForm()
    expect((await ada.get(embed)).html).toContain('This address works only on this computer.')
    const elsewhere = await (await inTheLan(server, ada.email)).get(embed)
    expect(elsewhere.status).toBe(200)
    expect(elsewhere.html).not.toContain('only on this computer')
  })

  test('does not lead to a page that asks for secrets, which was stored before its words were known', async () => {
    const { server, ada, formId: id, change } = await siteWorld()
    await change({ page: {} })
    const asking = { page: { title: null, text: null, button: 'Your PIN', frame: false } }
    writeTo(server.folder, (db) =>
      db.$client.run('UPDATE forms SET settings = ? WHERE id = ?', [JSON.stringify(asking), id]),
    )
    expect((await ada.get(`/forms/${id}/embed`)).html).not.toContain(`/f/${id}`)
    const fields = [{ name: 'a', type: 'text' }]
    writeTo(server.folder, (db) =>
      db.$client.run('UPDATE forms SET settings = ? WHERE id = ?', [JSON.stringify({ ...asking, fields }), id]),
    )
    expect((await ada.get(`/forms/${id}/form`)).html).toContain(
      'No one sees the page, because it asks for “<bdi>pin</bdi>”',
    )
  })

  test('has the link and a frame of its page, whose QR code is a file, and says how to get one', async () => {
    const fields = [{ name: 'name' }, { name: 'message', type: 'lines' }]
    const { server, ada, formId: id, change } = await siteWorld({ form: { title: 'Party', fields } })
    const embed = `/forms/${id}/embed`
    const none = await ada.get(embed)
    expect(none.html).toContain(`<a href="/forms/${id}/form">Give the form a page of its own</a>`)
    expect(none.link('Frame')).toBeUndefined()
    await change({ page: {} })
    const address = `${server.url}/f/${id}`
    expect((await ada.get(embed)).link('a page of its own')).toBe(address)
    const frameOf = (page: string) =>
      /^<iframe src="([^"]+)" title="Party" loading="lazy"\n {2}style="width: 100%; max-width: 40rem; height: (\d+)px; border: 0"><\/iframe>$/.exec(
        codes(page).snippet,
      )
    const { html } = await ada.get(`${embed}?with=frame`)
    const [, source, height] = frameOf(html) ?? []
    expect(source).toBe(address)
    expect(html).toContain('let your pages frame it')
    await change({ fields: [...fields, { name: 'size', type: 'choice', options: ['S', 'M', 'L'] }] })
    expect(Number(frameOf((await ada.get(`${embed}?with=frame`)).html)?.[2])).toBeGreaterThan(Number(height))
    const file = await ada.get(`/forms/${id}/qr.svg`)
    expect(file.headers.get('content-type')).toBe('image/svg+xml')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="Party.svg"')
    expect(file.html).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" ')
    expect(file.html).toContain(`aria-label="${address}"`)
  })

  test('has the public address where one is configured, in each snippet', async () => {
    const { ada, formId: id } = await siteWorld({
      server: await startServer({ settings: { FORMBOX_URL: 'http://forms.example.com' } }),
    })
    const embed = `/forms/${id}/embed`
    const { html, links } = await ada.get(embed)
    expect(Object.keys(codes(html))).toEqual(['address', 'snippet'])
    expect(links.flatMap((link) => /embed\?with=(\w+)#code$/.exec(link)?.[1] ?? [])).toEqual([...allKinds])
    for (const kind of allKinds) expect(await codeIn(ada, embed, kind)).toContain(`http://forms.example.com/s/${id}`)
  })

  test('has a fetch that works', async () => {
    const { ada, embed, submissions } = await ownerWithForm()
    const code = await codeIn(ada, embed, 'fetch')
    await new (Object.getPrototypeOf(async () => {}).constructor)(code)()
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([{ name: 'Ada', message: 'Hello' }])
  })

  test('has a curl command that works', async () => {
    const { ada, embed, submissions } = await ownerWithForm()
    const code = await codeIn(ada, embed, 'curl')
    const { stdout } = Bun.spawn(['sh', '-c', code.replace('curl', 'curl -s')])
    const answer = JSON.parse(await new Response(stdout).text())
    const stored = await submissions()
    expect(stored).toMatchObject([{ id: answer.id, data: { name: 'Ada', message: 'Hello' } }])
  })

  test('has a React component that is the form, whatever its fields are called', async () => {
    const { ada, embed, id } = await ownerWithForm()
    // They come without types.
    const { createElement } = await import('react' as string)
    const { renderToStaticMarkup } = await import('react-dom/server' as string)
    const fields = [
      { name: 'a {b} "c"', label: '{1} <autocomplete=', required: true, maxLength: 9, help: 'maxlength=1' },
      { name: 'size', type: 'choice', options: ['S {', 'M'], other: true },
      { name: 'text', type: 'lines' },
      { name: 'cv', type: 'file' },
    ]
    for (const change of [{}, { fields }]) {
      await ada.api.call('PATCH', `/forms/${id}/settings`, change)
      const code = (await codeIn(ada, embed, 'react')).replace('export const', 'const')
      const compiled = new Bun.Transpiler({ loader: 'jsx', tsconfig: { compilerOptions: { jsx: 'react' } } })
      const make = new Function('React', `${compiled.transformSync(code)}; return Contact`)
      const html = renderToStaticMarkup(createElement(make({ createElement })))
      const plain = await codeIn(ada, embed, 'html')
      expect(elementsIn(html)).toEqual(elementsIn(plain.replace(/\s+oninput="[^"]*"/, '')))
    }
  })

  test('has the script where the form asks for a proof of work, says what that means, and sends a test without', async () => {
    const { server, ada, id, embed, submissions } = await ownerWithForm()
    const shown = (await ada.get(embed)).html
    const plain = codes(shown)
    // Screen readers ignore the name of a `<pre>` without a role.
    expect(shown.match(/<pre[^>]*aria-label/g)).toEqual(shown.match(/<pre[^>]*role="region" aria-label/g))
    expect(plain.snippet).not.toContain('challenge.js')
    const plainCurl = await codeIn(ada, embed, 'curl')
    // To put it on the page before the form asks for anything.
    const early = codes((await ada.get(`${embed}?with=challenge`)).html)
    await ada.api.call('PATCH', `/forms/${id}/settings`, { challenge: true })
    const found = codes((await ada.get(embed)).html)
    expect(early).toEqual(found)
    expect(found.snippet).toContain(`<script src="${server.url}/challenge.js" async></script>`)
    expect(found.snippet).toContain('<noscript><p>This form works only with JavaScript')
    const fetching = await codeIn(ada, embed, 'fetch')
    expect(fetching).toContain('await formboxChallenge(address)')
    expect(fetching).toContain(`const address = '${server.url}/s/${id}'`)
    expect(await codeIn(ada, embed, 'curl')).toBe(plainCurl)
    expect((await ada.get(`${embed}?with=curl`)).html).toContain('this form asks for a proof of work')
    const react = await codeIn(ada, embed, 'react')
    expect(react).toContain(
      `// The page also needs this line: <script src="${server.url}/challenge.js" async></script>`,
    )
    const { location } = await ada.post(embed, { name: 'Test' })
    expect((await ada.get(location ?? '')).texts).toContain('It works.')
    expect(await submissions()).toMatchObject([{ data: { name: 'Test' } }])
  })

  test('has the words of the form’s language in its snippets, and says how a page asks for another one', async () => {
    const fields = [{ name: 'Größe', type: 'choice', options: ['S', 'M'], other: true }]
    const { ada, id, embed } = await ownerWithForm()
    const before = readPage((await ada.get(embed)).html)
    expect(before.text).toContain('Thanks and errors are in the visitor’s language.')
    expect(before.text).toContain('A page in another one adds <input type="hidden" name="_language" value="de">.')
    await ada.api.call('PATCH', `/forms/${id}/settings`, { language: 'de', challenge: true, fields })
    const { html } = await ada.get(embed)
    expect(readPage(html).text).toContain('Thanks and errors are in Deutsch.')
    const { snippet } = codes(html)
    expect(snippet).toContain('<button>Senden</button>')
    expect(snippet).toContain('> Sonstiges</label>')
    expect(snippet).toContain(
      '<noscript><p>Zum Schutz vor Spam funktioniert dieses Formular nur mit\n    JavaScript. Bitte erlauben Sie JavaScript',
    )
    expect(snippet).not.toMatch(/This form|Send<|Another/)
  })

  test('sends a test that is stored like any other submission, and leads to it', async () => {
    const { ada, id, embed, submissions } = await ownerWithForm({ returnUrl: 'https://example.com/thanks' })
    const typed = { name: 'Test', email: 'ada@example.com', message: 'Hello <b>\nfrom Formbox' }
    const { status, location } = await ada.post(embed, typed)
    expect(status).toBe(303)
    const sent = /\?sent=(\w{28})#notice$/.exec(location ?? '')?.[1]
    expect(await submissions()).toMatchObject([{ id: sent, formId: id, data: typed }])
    expect((await ada.api.call('GET', `/forms/${id}`)).body.keys).toEqual(['name', 'email', 'message'])
    const { html } = await ada.get(location ?? '')
    expect(readPage(html).texts).toContain('It works.')
    expect(readPage(html).link('Test')).toBe(`/forms/${id}/submissions/${sent}`)
    expect(readPage(html).isolated).toContain('Hello <b> from Formbox')
    const deleted = await ada.post(`${embed}/delete`, { id: sent ?? '' })
    expect(deleted).toMatchObject({ status: 303, location: `${embed}?done=deleted#notice` })
    expect((await ada.get(deleted.location ?? '')).text).toContain('The test has been deleted.')
    expect(await submissions()).toEqual([])
  })

  test('does not claim that a test was stored which is not there', async () => {
    const { ada, embed } = await ownerWithForm()
    const { location } = await ada.post(embed, { name: 'Robot', _gotcha: 'x' })
    for (const path of [location ?? '', `${embed}?sent=01kahp5x2r00v7m3k9qd4tznwe8c`, `${embed}?sent=<b>`]) {
      const { status, html } = await ada.get(path)
      expect(status).toBe(200)
      expect(html).not.toContain('It works.')
    }
  })

  test('has a form for files, with what the form takes, unless it takes none', async () => {
    const { ada, id, embed } = await ownerWithForm()
    const change = (settings: object) => ada.api.call('PATCH', `/forms/${id}/settings`, settings)
    const page = async (query = '') => (await ada.get(embed + query)).html
    const snippet = () => codeIn(ada, embed, 'files')
    expect(await snippet()).toContain(
      '\n  method="post" enctype="multipart/form-data" accept-charset="utf-8"\n  oninput=',
    )
    expect(await snippet()).toContain('<label>File <input name="file" type="file"></label>')
    expect(codes(await page()).snippet).not.toContain('enctype')
    expect(await page('?with=files')).toContain('The form accepts up to 20 files at a time.')
    await change({ fileTypes: ['image/*', '.docx', 'a/b&c'], maxFiles: 3 })
    expect(await snippet()).toContain('type="file" multiple\n    accept="image/*,.docx,a/b&amp;c"></label>')
    await change({ fileTypes: ['.jpg', '.png'] })
    expect(await snippet()).toContain('accept=".jpg,.jpeg,.jfif,.png"></label>')
    await change({ maxFiles: 1 })
    expect(await snippet()).not.toContain('multiple')
    expect(await page('?with=files')).toContain('The form accepts one file at a time.')
    const isChosen = async (query: string) => /with=(\w+)#code" aria-current/.exec(await page(query))?.[1]
    expect([await isChosen(''), await isChosen('?with=files'), await isChosen('?with=x')]).toEqual([
      'html',
      'files',
      'html',
    ])
    await change({ acceptFiles: false })
    expect(await isChosen('?with=files')).toBe('html')
    expect(await page()).toContain('This form takes no files.')
  })

  test('asks for the fields that the form has, with their names as text', async () => {
    const { server, ada, id, embed } = await ownerWithForm()
    expect((await ada.get(embed)).html).toContain('name="email" type="text" value="ada@example.com"')
    await server.submit(id, { '"><script>': 1, constructor: 2, '': 3, d: 4, e: 5, f: 6, g: 7 })
    const { html } = await ada.get(embed)
    const names = [...html.matchAll(/id="test-\d" name="([^"]*)"/g)].map(([, name]) => name)
    expect(names).toEqual(['&quot;&gt;&lt;script&gt;', 'constructor', 'd', 'e', 'f'])
    expect(html).toContain('name="constructor" type="text" value="Test"')
    expect(html).not.toContain('<script>')
  })

  test('has the trap field of the form in its snippet, and does not fill it in', async () => {
    const { server, ada, id, embed, submissions } = await ownerWithForm()
    expect(await codeIn(ada, embed, 'html')).toContain('<input name="_gotcha" hidden autocomplete="off">')
    await server.submit(id, { name: 1, 'a"&<b>': 2 })
    await ada.api.call('PATCH', `/forms/${id}/settings`, { honeypot: 'a"&<b>' })
    const { html } = await ada.get(embed)
    expect(codes(html).snippet).toContain('<input name="a&quot;&amp;&lt;b&gt;" hidden autocomplete="off">')
    expect(html).toContain('Visitors do not see <code>a&quot;&amp;&lt;b&gt;</code>')
    expect(html.match(/id="test-\d"/g)).toEqual(['id="test-0"'])
    await ada.post(embed, { name: 'Test' })
    expect(await submissions()).toMatchObject([{ data: { name: 'Test' } }, { data: { name: 1, 'a"&<b>': 2 } }])
  })

  test('has a curl command that works for a form with allowed origins, and sends a test from elsewhere', async () => {
    const { ada, id, embed, submissions } = await ownerWithForm()
    await ada.api.call('PATCH', `/forms/${id}/settings`, { allowedOrigins: ['https://*.example.com'] })
    const code = await codeIn(ada, embed, 'curl')
    expect(code).toContain("-H 'origin: https://www.example.com'")
    const { html } = await ada.get(`${embed}?with=fetch`)
    expect(html).toContain('Works on the pages that may send, which are in the settings.')
    await Bun.spawn(['sh', '-c', code.replace('curl', 'curl -s')], { stdout: 'ignore' }).exited
    expect(await submissions()).toMatchObject([{ data: { name: 'Ada', message: 'Hello' } }])
    await ada.post(embed, { name: 'Test' })
    expect(await submissions()).toMatchObject([{ data: { name: 'Test' } }, { data: { name: 'Ada' } }])
  })

  test.each([
    ['nothing', {}, 400],
    ['NUL', { name: 'a\0b' }, 400],
  ])('refuses what /s/:formId refuses: %s', async (_name, fields, status) => {
    const { ada, embed, submissions } = await ownerWithForm()
    expect((await ada.post(embed, fields as Record<string, string>)).status).toBe(status)
    expect(await submissions()).toEqual([])
  })
})

describe('the page of a submission', () => {
  const opened = async (fields: [string, string][], acceptFiles = true) => {
    const { server, ada, id, submissions } = await ownerWithForm()
    await ada.api.call('PATCH', `/forms/${id}/settings`, { acceptFiles })
    await server.fetch(`/s/${id}`, { method: 'POST', body: new URLSearchParams(fields) })
    const { html } = await ada.get(`/forms/${id}/submissions/${(await submissions())[0].id}`)
    return { html, hint: /Should there be a file in (.*?)\? Only its name arrived/.exec(html)?.[1], id }
  }

  test('explains where the name of a file arrived, and no file', async () => {
    const { html, hint, id } = await opened([
      ['name', 'Ada'],
      ['<cv>', 'My CV (2026).PDF'],
    ])
    expect(hint).toBe('<bdi>&lt;cv&gt;</bdi>')
    expect(readPage(html).link('the code with files')).toBe(`/forms/${id}/embed?with=files`)
    const several = [1, 2].map((i): [string, string] => ['photos', `IMG_${i}.heic`])
    expect((await opened(several)).hint).toBe('<bdi>photos</bdi>')
    expect((await opened(several, false)).hint).toBeUndefined()
  })

  test.each([
    '',
    'Ada',
    '.pdf',
    'example.com',
    'https://example.com/cv.pdf',
    'C:\\cv.pdf',
    'I wrote cv.pdf.',
    'see:\ncv.pdf',
    'Version 2.0',
    `${'x'.repeat(300)}.pdf`,
  ])('has no such words for %j', async (text) => {
    expect(
      (
        await opened([
          ['cv', text],
          ['name', 'Ada'],
        ])
      ).hint,
    ).toBeUndefined()
  })

  test('has no such words where there is a file, or an empty list', async () => {
    const { server, ada, id, submissions } = await ownerWithForm()
    const hasHint = async () =>
      (await ada.get(`/forms/${id}/submissions/${(await submissions())[0].id}`)).html.includes('Should there be a file')
    const body = new FormData()
    body.set('title', 'cv.pdf')
    expect((await server.fetch(`/s/${id}`, { method: 'POST', body })).status).toBe(200)
    expect(await hasHint()).toBe(true)
    body.set('cv', new File(['A'], 'cv.pdf'))
    expect((await server.fetch(`/s/${id}`, { method: 'POST', body })).status).toBe(200)
    expect(await hasHint()).toBe(false)
    await server.submit(id, { list: [], object: { 'cv.pdf': 1 } })
    expect(await hasHint()).toBe(false)
  })
})

test('a test of a form that asks to confirm addresses says that it waits', async () => {
  const { ada, path } = await siteWorld({
    environment: {
      FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'https://forms.example.com',
    },
    form: {
      fields: [{ name: 'email', type: 'email', required: true }],
      confirm: { field: 'email', subject: 'Please confirm', text: '{link}' },
    },
  })
  const { text } = await ada.get(`${path}/embed`)
  expect(text).toContain('A real message. It waits until you open the link in the email to its address.')
  expect(text).not.toContain('told to everyone')
})
