// A form without `method="post"`, or with the address of its own page, loses what its visitors type. They are told, and its owner.
import { expect, test } from 'bun:test'
import { languages } from '../../src/languages/languages.ts'
import { readPage } from '../read-page.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const browser = { accept: 'text/html', referer: 'https://my.example/contact' }
const typed = '?name=Ada+L%C3%B6we&message=Hello%0D%0A%22you%22&empty=&_gotcha=trap&_next=%2Fthanks&_language=de'

const prepare = async (settings: object = {}) => {
  const made = await siteWorld({ form: settings })
  const { server, ada, formId, path } = made
  const look = async (query: string, headers: Record<string, string> = browser) => {
    const response = await server.fetch(`/s/${formId}${query}`, { headers })
    return { status: response.status, headers: response.headers, html: await response.text() }
  }
  const post = async (headers: Record<string, string>) => {
    const body = new URLSearchParams({ name: 'Ada' })
    const response = await server.fetch(`/f/${formId}`, { method: 'POST', body, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const pages = async () => [(await ada.get(path)).html, (await ada.get(`${path}/settings/visitors`)).html] as const
  return { ...made, look, post, pages }
}

test('a visitor of a form without method="post" reads that nothing was sent, and can copy what was typed', async () => {
  const { look, submissions, spam } = await prepare()
  const { status, headers, html } = await look(typed)
  expect(status).toBe(404)
  expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'same-origin'])
  expect(headers.get('content-language')).toBe('de')
  expect(readPage(html).heading).toBe('Ihre Nachricht wurde nicht gesendet')
  expect(html).toContain('<bdi lang="">method=&quot;post&quot;</bdi>')
  const [, area] = /<label>Ihre Eingaben <textarea [^>]*readonly[^>]*>([\s\S]*?)<\/textarea>/.exec(html) ?? []
  expect(area).toBe('\nname: Ada Löwe\nmessage: Hello\r\n&quot;you&quot;')
  expect([await submissions(), await spam()]).toEqual([[], []])
})

test('it says so in each language, also for a form without names, with a page, or that does not exist', async () => {
  const { server, look, change } = await prepare()
  for (const language of languages) {
    const { html } = await look(`?name=Ada&_language=${language}`)
    expect(html).toContain(`<html lang="${language}"`)
    expect(html).toContain('name: Ada')
  }
  const notSent = 'Your message was not sent'
  expect(readPage((await look('?')).html).heading).toBe(notSent)
  expect((await look('?')).html).not.toContain('<textarea')
  const unknown = await server.fetch('/s/01m8hywhdk0036bytt42qqxjxnxr?name=Ada', { headers: browser })
  expect(readPage(await unknown.text()).heading).toBe(notSent)
  await change({ fields: [{ name: 'name' }], page: {} })
  expect(readPage((await look('?name=Ada')).html).heading).toBe(notSent)
  // A link that someone typed or scanned.
  const direct = { accept: 'text/html', 'sec-fetch-site': 'none' }
  expect((await look('?utm=qr', direct)).headers.get('location')).toStartWith('/f/')
})

test('people who only look, and programs, get what they got', async () => {
  const { look, pages } = await prepare()
  const direct = await look('?name=Ada', { accept: 'text/html', 'sec-fetch-site': 'none' })
  expect(readPage(direct.html).heading).toBe('This address only receives messages')
  expect(readPage((await look('')).html).heading).toBe('This address only receives messages')
  const program = await look('?name=Ada', { referer: 'https://my.example/' })
  expect([program.status, JSON.parse(program.html).message]).toEqual([404, 'Not found'])
  for (const html of await pages()) expect(html).not.toContain('Lost lately')
})

test('an address of any length costs no more than its first 100 fields and 16 KiB', async () => {
  const { look } = await prepare()
  const many = await look(`?${'a=1&'.repeat(15_000)}z=last`)
  expect(many.html.match(/a: 1/g)).toHaveLength(100)
  const long = await look(`?a=${'%22'.repeat(18_000)}`)
  expect(long.html.match(/&quot;/g)?.length).toBeLessThan(16 * 1024)
  expect(long.html.length).toBeLessThan(48 * 1024)
})

test('the owner reads which pages lose messages, and nothing of what was typed', async () => {
  const { server, ada, formId, look, post, pages } = await prepare()
  for (const html of await pages()) expect(html).not.toContain('Lost lately')
  for (const query of ['?name=Secret', '?name=Other']) await look(query)
  await look('?name=Secret', { accept: 'text/html', 'sec-fetch-site': 'cross-site' })
  await post({ ...browser, origin: 'https://my.example' })
  const text =
    'Lost lately: 3 submissions from https://my.example, 1 submission from pages that do not send their address. ' +
    `The form there must have method="post", and an address that ends with /s/${formId}.`
  const [list, settings] = await pages()
  expect(readPage(list).texts.join('\n')).toContain(text)
  expect(readPage(settings).texts.join('\n')).toContain(text)
  expect(readPage(list).link('See the HTML of the form')).toBe(`/forms/${formId}/embed`)
  expect(list + settings).not.toContain('Secret')
  const bob = await owner(server)
  await ada.api.call('POST', `/forms/${formId}/members`, { email: bob.email, role: 'editor' })
  expect((await bob.get(`/forms/${formId}`)).html).not.toContain('Lost lately')
})

test('a flood from other pages is no news where the form lists its own, and what is kept stays small', async () => {
  const { change, look, pages } = await prepare({ allowedOrigins: ['https://my.example'] })
  await look('?a=1')
  await look('?a=1')
  for (let i = 0; i < 20; i++) await look('?a=1', { ...browser, referer: `https://evil-${i}.example/` })
  const own = 'Lost lately: 2 submissions from https://my.example. The form'
  for (const html of await pages()) expect(readPage(html).texts.join('\n')).toContain(own)
  await change({ allowedOrigins: [] })
  const [list] = await pages()
  expect(readPage(list).texts.join('\n')).toContain('Lost lately: 2 submissions from https://my.example, ')
  expect(list.match(/evil-\d+/g)).toHaveLength(4)
})

test('the page of a form says which address takes messages', async () => {
  const { server, formId, post } = await prepare()
  const address = `${server.url}/s/${formId}`
  const shown = await post(browser)
  expect(shown.status).toBe(404)
  const { heading, texts } = readPage(shown.text)
  expect([heading, texts.join('\n')]).toEqual(['Your message was not sent', expect.stringContaining(address)])
  const script = await post({ origin: 'https://my.example' })
  expect([script.status, script.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
  expect(JSON.parse(script.text).message).toBe(`This is the page of a form: submissions are sent to ${address}`)
  const preflight = await server.fetch(`/f/${formId}`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST'])
  const unknown = await server.fetch('/f/01m8hywhdk0036bytt42qqxjxnxr', {
    method: 'POST',
    headers: browser,
    body: 'a=1',
  })
  expect(readPage(await unknown.text()).heading).toBe('This form does not exist')
})
