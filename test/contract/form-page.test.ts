// The page of a form: what it shows, what it sends, and who gets none.
import { describe, expect, test } from 'bun:test'
import { expectBelow, millisecondsOf } from '../expect-below.ts'
import { writeTo } from '../harness.ts'
import { world } from '../world.ts'

const browser = { accept: 'text/html' }
const fields = [
  { name: 'name', required: true },
  { name: 'email', type: 'email', prefill: true },
  { name: 'size', type: 'choice', options: ['S', 'M'], prefill: true },
  { name: 'agree', type: 'checkbox', label: 'I agree' },
]
const page = { title: 'Come <b>', text: 'Bring cake.\n\nSee https://example.com/a?b=1.', button: 'Join' }

const paged = async (form: object = {}, environment?: Readonly<Record<string, string>>) => {
  const found = await world({ form: { fields, page: {}, ...form }, environment })
  const get = (query = '', headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    found.server.fetch(`/f/${found.formId}${query}`, { method, headers: { ...browser, ...headers } })
  const read = async (query = '', headers: Readonly<Record<string, string>> = {}) => (await get(query, headers)).text()
  return { ...found, get, read }
}

const keyIn = (html: string): string => /name="_idempotency" value="([^"]+)"/.exec(html)?.[1] ?? ''

describe('GET /f/:formId', () => {
  test('draws the form from its fields, and posts it to the one door', async () => {
    const { get, formId } = await paged({ page })
    const response = await get()
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain('<h1><bdi lang="">Come &lt;b&gt;</bdi></h1>')
    expect(html).toContain('<p class="lines" lang="" dir="auto">Bring cake.</p>')
    expect(html).toContain(
      'See <a href="https://example.com/a?b=1" dir="ltr" rel="nofollow noopener noreferrer" target="_blank">https://example.com/a?b=1</a>.',
    )
    expect(html).toContain(`<form class="visitor" method="post" action="/s/${formId}" accept-charset="utf-8">`)
    expect(html).toContain('Join</bdi></button>')
    expect(html).toContain('<input name="_gotcha" hidden autocomplete="off">')
    expect(html).toContain('Never enter a password here.')
    expect(html).not.toContain('Report this form')
    expect(html).not.toContain('<script src="/challenge.js"')
    expect(html).not.toContain('_language')
    for (const { name } of fields) expect(html).toContain(`name="${name}"`)
    const { headers } = response
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(html)))
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('vary')).toBe('Accept-Language')
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('content-security-policy')).toContain("form-action 'self'; ")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('may lead to the return address after sending, unless that would end its policy', async () => {
    for (const [returnUrl, target] of [
      ['https://[::1]:8080/x', ' https://[::1]:8080'],
      ['https://my_shop.example/x', ' https://my_shop.example'],
      ['https://a;frame-ancestors/', ''],
      ["https://a,b'c/", ''],
      ['https://a&b=c!$(d)/', ''],
    ]) {
      const { get } = await paged({ returnUrl })
      const policy = (await get()).headers.get('content-security-policy')
      expect(policy).toContain(`; form-action 'self'${target}; base-uri 'none'; frame-ancestors 'none'; connect-src`)
    }
  })

  test('reads 1,000 parameters of its address: the others cost nothing, and fill in nothing', async () => {
    const { read } = await paged()
    const { length } = await read()
    const others = '&a=b'.repeat(998)
    expect(await read(`?lang=de${others}&email=x%40y.example`)).toContain('value="x@y.example"')
    expect(await read(`?lang=de${others}&a&email=x%40y.example`)).not.toContain('value="x@y.example"')
    expect(await read(`?${'lang=xx&'.repeat(20)}lang=de`)).toContain('<html lang="en">')
    expect((await read(`?${'lang=xx&'.repeat(7000)}`)).length).toBe(length)
  })

  test('has no link that could look like another one', async () => {
    const hidden = [
      '\u2215',
      '\u2044',
      '\u29f8',
      '\u2571',
      '\ua78f',
      '\u30ce',
      '\u4e3f',
      '\u1735',
      '\u3164',
      '\u200b',
      '%2f',
    ]
    const texts = [
      'https://bank.example@example.com/',
      'https://a:b@example.com',
      'https://example.com/\u202emoc.knab',
      'https://b\u0430nk.example/',
      'https://bank%2eexample/',
      'https://@bank.example/',
      'https:///bank.example/',
      'https://evil.example\\@bank.example/',
      ...hidden.map((one) => `https://bank.example${one}login.evil.example/`),
    ]
    const { read, change } = await paged({
      page: { text: texts.join('\n\n') },
      fields: texts.map((help, i) => ({ name: `f${i}`, help })),
    })
    const html = await read()
    expect(html).toContain(texts[0] as string)
    expect([...html.matchAll(/<a href="([^"]+)/g)].map(([, href]) => href)).toEqual([])
    const honest = [
      'https://Example.com/',
      'https://xn--bnk-5cd.example/ä',
      'https://example.com:8443',
      'https://[::1]/',
    ]
    await change({ page: { text: honest.join('\n\n') }, fields: [{ name: 'a' }] })
    expect([...(await read()).matchAll(/<a href="([^"]+)/g)].map(([, href]) => href)).toEqual(honest)
  })

  test('has the title of the form, and a button in the language', async () => {
    const { read } = await paged({ title: 'Contact' })
    const html = await read('?lang=de')
    expect(html).toContain('<html lang="de">')
    expect(html).toContain('<title>Contact</title>')
    expect(html).toContain('Senden</button>')
    expect(html).toContain('Geben Sie hier niemals ein Passwort ein.')
    // The response is in the language of the page, too.
    expect(html).toContain('<input type="hidden" name="_language" value="de">')
    expect(await read('', { 'accept-language': 'de' })).not.toContain('_language')
    expect(await read('?lang=xx')).toContain('<html lang="en">')
  })

  test('names no language for the texts of the owner', async () => {
    const country = { name: 'country', type: 'choice', options: [...'abcdefgh'], required: true }
    const { read, change, post } = await paged({ fields: [country], page: { button: 'Join' } })
    const refused = async () => (await post('a=1', { ...browser, 'accept-language': 'de' })).body
    for (const html of [await read('?lang=de'), await refused()]) {
      expect(html).toMatch(/<select [^>]* lang=""[^>]*>\n<option value="" lang="de">/)
      expect(html).toContain('<bdi lang="">Join</bdi></button>')
    }
    await change({ page: {} })
    expect(await refused()).toContain('>Senden</button>')
  })

  test('is the page of now after a change of the form', async () => {
    const { read, change, ada, formId } = await paged()
    await read()
    await change({ page: { button: 'Go' } })
    expect(await read()).toContain('>Go</bdi></button>')
    await ada.call('PATCH', `/forms/${formId}`, { title: 'Later' })
    expect(await read()).toContain('<title>Later</title>')
    await change({ fields: [{ name: 'other' }] })
    expect(await read()).not.toContain('name="email"')
  })

  test('answers HEAD as GET, without the page', async () => {
    const { get } = await paged()
    const [whole, head] = [await get(), await get('', {}, 'HEAD')]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    const headersOf = ({ headers }: Response) =>
      [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
    expect(headersOf(head)).toEqual(headersOf(whole))
  })

  test('is stored once per page, whatever is pressed twice, and the response is in its language', async () => {
    const { read, post, submissions } = await paged()
    const html = await read()
    const key = keyIn(html)
    expect(key).toMatch(/^[\w-]{36}$/)
    expect(keyIn(await read())).not.toBe(key)
    const body = `_idempotency=${key}&_gotcha=&name=Ada&_language=de`
    const [first, second] = [await post(body, browser), await post(body, browser)]
    expect(first.body).toContain('Vielen Dank')
    expect([second.status, second.body]).toEqual([200, first.body])
    await post(`${body}&email=ada@example.com`, browser)
    expect(await submissions()).toHaveLength(2)
  })

  test('fills in what its address says, of fields that allow it', async () => {
    const { read } = await paged()
    const long = 'x'.repeat(250)
    const html = await read(`?email=${encodeURIComponent('"><script>a')}&name=Ada&size=M&agree=1&unknown=<i>&email=b`)
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;a"')
    expect(html).toContain('value="M" checked')
    for (const absent of ['Ada', '<script>a', 'unknown', '<i>', 'value="I agree" checked'])
      expect(html).not.toContain(absent)
    expect(await read(`?email=${long}`)).toContain(`value="${long.slice(0, 200)}"`)
    // What one visitor's address says is on no other's page.
    expect(await read()).not.toContain('x'.repeat(9))
  })

  test.each([
    [{ open: false }, 'This form is closed'],
    [{ open: false, closedText: 'See you\nin May' }, 'See you\nin May'],
    [{ opensAt: '2100-01-01T00:00:00Z' }, 'It opens on'],
    [{ closesAt: '2001-01-01T00:00:00Z' }, 'It closed on'],
  ])('says with 200 that it takes nothing: %j', async (settings, words) => {
    const { get, formId } = await paged({ ...settings, title: 'Party' })
    const response = await get()
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).toContain(words)
    expect(html).toContain('<h1><bdi lang="">Party</bdi></h1>')
    for (const absent of ['<form', '<input', '<button', `/s/${formId}`, 'back button'])
      expect(html).not.toContain(absent)
  })

  test('says that it is full from the submission that fills it', async () => {
    const { read, submit } = await paged({ maxSubmissions: 1 })
    expect(await read()).toContain('<form')
    await submit({ name: 'Ada' })
    expect(await read()).toContain('This form is full')
  })

  test('has the script where a proof of work is asked for, and says so without scripts', async () => {
    const { get } = await paged({ challenge: true })
    const response = await get()
    const html = await response.text()
    expect(html).toContain('<noscript><p class="error">This form works only with JavaScript')
    expect(html).toContain('<script src="/challenge.js" defer></script>')
    expect(response.headers.get('content-security-policy')).toContain("connect-src 'self'")
  })

  test('may lead where submissions lead, and nowhere else', async () => {
    const { get, post } = await paged({
      returnUrl: 'https://shop.example/thanks',
      allowedOrigins: ['https://example.com', 'https://*.example.com'],
    })
    const policy = "form-action 'self' https://example.com https://*.example.com https://shop.example;"
    expect((await get()).headers.get('content-security-policy')).toContain(policy)
    const again = await post('name=', { ...browser, origin: 'https://example.com' })
    expect(again.status).toBe(400)
    expect(again.headers.get('content-security-policy')).toContain(policy)
  })
})

describe('a page that may be framed', () => {
  const origin = 'https://example.com'
  const frame = { allowedOrigins: [origin], page: { frame: true } }

  test('may be framed by the allowed origins, and so may every response to it', async () => {
    const { get, post, change } = await paged(frame)
    const framed = `frame-ancestors ${origin}`
    const answers = [
      await get(),
      await post('name=Ada', { ...browser, origin }),
      await post('name=', { ...browser, origin }),
      await post('name=Ada', { ...browser, origin: 'https://evil.example' }),
    ]
    await change({ open: false })
    answers.push(await get(), await post('name=Ada', { ...browser, origin }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 403, 200, 403])
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toContain(framed)
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    }
    await change({ page: { frame: false } })
    expect((await get()).headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  test('shows the thank-you page in the frame, and leads on from anywhere else', async () => {
    const { post, server } = await paged({ ...frame, returnUrl: 'https://example.com/thanks' })
    const own = server.url.replace(/\/$/, '')
    const send = (headers: Record<string, string>) => post('name=Ada', { ...browser, ...headers })
    expect(await send({ origin: own, 'sec-fetch-dest': 'iframe' })).toMatchObject({ status: 200 })
    for (const headers of [
      { origin: own, 'sec-fetch-dest': 'document' },
      { origin, 'sec-fetch-dest': 'iframe' },
    ])
      expect((await send(headers as never)).status).toBe(303)
  })
})

describe('a form without a page', () => {
  test('is the 404 of a form that does not exist, byte for byte', async () => {
    const environment = { FORMBOX_ABUSE_CONTACT: 'abuse@example.com' }
    const { server, ada, formId, change } = await world({ environment, form: { fields, language: 'de' } })
    const off = await world({ environment: { ...environment, FORMBOX_FORM_PAGES: 'false' } })
    const answerOf = async (base: typeof server, path: string, accept: string) => {
      const response = await base.fetch(path, { headers: { accept } })
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
      return { status: response.status, headers, body: await response.text() }
    }
    for (const accept of ['text/html', 'application/json']) {
      const unknown = await answerOf(server, '/f/0190a5b6-0000-7000-8000-000000000000', accept)
      expect(unknown.status).toBe(404)
      expect(await answerOf(server, `/f/${formId}`, accept)).toEqual(unknown)
      expect(await answerOf(server, '/f/x', accept)).toEqual(unknown)
      expect(await answerOf(off.server, `/f/${off.formId}`, accept)).toEqual(unknown)
      await change({ page: {} })
      expect((await answerOf(server, `/f/${formId}`, accept)).status).toBe(200)
      const setDisabled = (at: number | null) =>
        writeTo(server.folder, (db) => db.$client.run('UPDATE users SET disabled_at = ? WHERE id = ?', [at, ada.id]))
      setDisabled(1)
      expect(await answerOf(server, `/f/${formId}`, accept)).toEqual(unknown)
      setDisabled(null)
      await change({ page: null })
    }
  })

  test('says so in sentences, and nothing about what was sent', async () => {
    const { server } = await world()
    const html = await (await server.fetch('/f/x', { headers: browser })).text()
    expect(html).toContain('This form does not exist')
    expect(html).not.toContain('back button')
    const asked = await (await server.fetch('/f/x?lang=de', { headers: browser })).text()
    expect(asked).toContain('Dieses Formular gibt es nicht')
  })
})

test('is where a browser gets that opens the address of the form, and only a browser', async () => {
  const { server, formId, change } = await paged()
  const open = (accept: string) => server.fetch(`/s/${formId}`, { headers: { accept } })
  const response = await open('text/html')
  expect([response.status, response.headers.get('location')]).toEqual([303, `/f/${formId}`])
  expect((await open('application/json')).status).toBe(404)
  await change({ page: null })
  expect((await open('text/html')).status).toBe(404)
})

describe('a form that is shown again', () => {
  test('has the heading of the page, and so have the thanks', async () => {
    const { post } = await paged({ title: 'Party (draft 2)', page: { title: 'Come' } })
    for (const { body } of [await post('name=', browser), await post('name=Ada', browser)]) {
      expect(body).toContain('Come')
      expect(body).not.toContain('draft')
    }
  })

  test('says below who runs the server, as its page does', async () => {
    const { post } = await world({
      environment: { FORMBOX_ABUSE_CONTACT: 'abuse@example.com' },
      form: { fields: [{ name: 'a', required: true }] },
    })
    const { status, body } = await post('a=', browser)
    expect(status).toBe(400)
    expect(body).toContain('<strong>Never enter a password here.</strong> <a href="mailto:abuse@example.com"')
  })

  test('has no inputs while its user is disabled, and is told what is wrong', async () => {
    const { server, ada, post } = await paged()
    writeTo(server.folder, (db) => db.$client.run('UPDATE users SET disabled_at = 1 WHERE id = ?', [ada.id]))
    const { status, body } = await post('name=', browser)
    expect(status).toBe(400)
    expect(body).toContain('<bdi lang="">name</bdi>')
    expect(body).not.toContain('<input')
  })

  test('has no inputs if it asks for secrets, wherever its visitors come from', async () => {
    const { post, change } = await world({ form: { fields: [{ name: 'a', label: 'Your password', required: true }] } })
    const { status, body } = await post('b=1', browser)
    expect(status).toBe(400)
    expect(body).toContain('Your message was not sent')
    expect(body).not.toContain('<input')
    await change({ fields: [{ name: 'a', label: 'Your passport', required: true }] })
    expect((await post('b=1', browser)).body).toContain('<input id="field-0" name="a"')
  })
})

test('names the contact of the operator on every page of a form', async () => {
  const { read, change } = await paged({}, { FORMBOX_ABUSE_CONTACT: 'abuse@example.com' })
  const link = '<a href="mailto:abuse@example.com" rel="nofollow noopener noreferrer">Report this form</a>'
  expect(await read()).toContain(link)
  await change({ open: false })
  expect(await read()).toContain(link)
})

test('draws fifty fields with many options fast, and in less than a megabyte', async () => {
  const many = Array.from({ length: 50 }, (_, i) => ({
    name: `f${i}`,
    type: i % 2 ? 'choice' : 'choices',
    options: Array.from({ length: 100 }, (_, j) => `${j}`),
  }))
  const { get, read } = await paged({ fields: many })
  const response = await get()
  const html = await response.text()
  expect(html.length).toBeLessThan(1_000_000)
  expect(html).toContain('name="f49"')
  expect(keyIn(html)).not.toBe(keyIn(await read()))
  expect(html.trim().endsWith('</html>')).toBe(true)
})

test('is not drawn anew for what is behind the address, but for the inputs that it fills in', async () => {
  const options = Array.from({ length: 95 }, (_, j) => `${j}`)
  const fields = Array.from({ length: 50 }, (_, i) => ({ name: `f${i}`, type: 'choices', options, prefill: i === 0 }))
  const { read } = await paged({ fields })
  const timeOf = (query: string) =>
    millisecondsOf(async () => {
      for (let i = 0; i < 20; i++) await read(query)
    })
  await timeOf('')
  for (const [query, most] of [
    ['?lang=en&utm_source=x', 2.5],
    ['?f0=7', 5],
  ] as const)
    await expectBelow(most, async () => (await timeOf(query)) / (await timeOf('')))
})
