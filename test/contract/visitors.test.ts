import { describe, expect, test } from 'bun:test'
import { languages, loadTexts } from '../../src/languages/languages.ts'
import { answerTo, message } from '../raw-http.ts'
import { readPage } from '../read-page.ts'
import { world } from '../world.ts'

const html = { accept: 'text/html' }
const urlencoded = { ...html, 'content-type': 'application/x-www-form-urlencoded' }

describe('the language of a page for visitors', () => {
  const titleOf = async (post: Awaited<ReturnType<typeof world>>['post'], body: string, headers: object) =>
    readPage((await post(body, { ...urlencoded, ...headers })).body).heading

  test('is that of the browser, which the answer says', async () => {
    const { post } = await world()
    const { headers, body } = await post('a=1', { ...urlencoded, 'accept-language': 'de-AT, en;q=0.5' })
    expect(readPage(body).heading).toBe('Vielen Dank')
    expect(body).toContain('<html lang="de">')
    expect(body).toContain('Ihre Nachricht an „<bdi lang="">Contact</bdi>“ ist angekommen.')
    expect([headers.get('content-language'), headers.get('vary')]).toEqual(['de', 'Accept-Language'])
    expect(await titleOf(post, 'a=1', { 'accept-language': 'xx' })).toBe('Thank you')
  })

  test('is that of the form, for all browsers, in errors too', async () => {
    const { post, settings, server, formId } = await world({ form: { language: 'de' } })
    expect((await settings()).language).toBe('de')
    expect(await titleOf(post, 'a=1', { 'accept-language': 'en' })).toBe('Vielen Dank')
    expect(await titleOf(post, '%ff', { 'accept-language': 'en' })).toBe('Ihre Nachricht wurde nicht gesendet')
    const opened = await server.fetch(`/s/${formId}`, { headers: { ...html, 'accept-language': 'en' } })
    expect(readPage(await opened.text()).heading).toBe('Diese Adresse empfängt nur Nachrichten')
  })

  test('is that of the field _language, which is stored', async () => {
    const { post, submissions } = await world({ form: { language: 'en' } })
    expect(await titleOf(post, '_language=de-CH&a=1', {})).toBe('Vielen Dank')
    expect(await titleOf(post, '_language=xx&_language=de&a=2', {})).toBe('Vielen Dank')
    expect(await titleOf(post, '_language=xx', { 'accept-language': 'de' })).toBe('Thank you')
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([
      { _language: 'xx' },
      { _language: ['xx', 'de'], a: '2' },
      { _language: 'de-CH', a: '1' },
    ])
  })

  test('is that of the field _language if a file after it is refused', async () => {
    const { post, change } = await world({ form: { maxFileBytes: 7, maxFiles: 1 } })
    const send = async (files: readonly string[]) => {
      const sent = new FormData()
      sent.append('_language', 'xx')
      sent.append('_language', 'de')
      for (const content of files) sent.append('cv', new File([content], 'cv.pdf'))
      const { status, headers } = await post(sent, { ...html, 'accept-language': 'fr' })
      return [status, headers.get('content-language')]
    }
    expect(await send(['x'])).toEqual([200, 'de'])
    expect(await send(['too large'])).toEqual([413, 'de'])
    expect(await send(['x', 'y'])).toEqual([400, 'de'])
    await change({ fileTypes: ['.pdf'] })
    expect(await send(['MZ'])).toEqual([400, 'de'])
    await change({ acceptFiles: false })
    expect(await send(['x'])).toEqual([400, 'de'])
  })

  test('cannot be the trap field', async () => {
    const { change } = await world()
    expect((await change({ honeypot: '_language' })).status).toBe(400)
  })

  test('is one of ours, or an error names them', async () => {
    const { change } = await world()
    for (const language of ['xx', 'DE', '', 1, []]) {
      const { status, body } = await change({ language })
      expect([status, body.issues[0].path]).toEqual([400, '/language'])
      expect(body.issues[0].message).toStartWith('language: must be one of en, de')
    }
  })

  test('changes nothing for a script', async () => {
    const { server, formId, post } = await world({ form: { maxFileBytes: 7, language: 'de' } })
    for (const [path, body] of [
      [`/s/${formId}`, '%ff'],
      ['/s/unknown', 'a=1'],
    ] as const) {
      const answers = await Promise.all(
        ['de', 'en', 'xx'].map((tag) =>
          server.fetch(path, {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': tag },
          }),
        ),
      )
      expect(answers.map(({ headers }) => headers.get('content-language'))).toEqual([null, null, null])
      const [first, ...others] = await Promise.all(answers.map((answer) => answer.text()))
      expect(others).toEqual([first as string, first as string])
    }
    expect((await post('a=1', { accept: '*/*' })).headers.get('vary')).toBeNull()
  })
})

describe('a page at an address of visitors that has no route', () => {
  test.each([
    ['the request log and the metrics', { FORMBOX_METRICS_TOKEN: '0123456789abcdef', FORMBOX_LOG_LEVEL: 'error' }],
    ['neither', {}],
  ])('is whole on a server with %s', async (_with, environment) => {
    const { server, formId } = await world({ environment })
    for (const [path, title] of [
      [`/s/${formId}`, 'Diese Adresse empfängt nur Nachrichten'],
      [`/s/${formId}/x`, 'Diese Adresse empfängt nur Nachrichten'],
      ['/f/', 'Dieses Formular gibt es nicht'],
      ['/unsubscribe/', 'Dieser Link funktioniert nicht'],
    ] as const) {
      const response = await server.fetch(path, { headers: { accept: 'text/html', 'accept-language': 'de' } })
      const page = readPage(await response.text())
      expect([response.status, page.heading, response.headers.get('content-language')]).toEqual([404, title, 'de'])
    }
  })
})

test('no one reads that a message was not sent who only opens an address', async () => {
  const { server, formId } = await world()
  const headingOf = async (method: string, path: string) => {
    // No defect can be made here, so the host is wrong.
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: a/b', 'Accept: text/html', 'Connection: close']
    const answer = await answerTo(server.url, message([...lines, 'Content-Length: 0']))
    return readPage(answer?.body ?? '').heading
  }
  for (const path of [`/f/${formId}`, `/s/${formId}`, '/unsubscribe/x'])
    expect(await headingOf('GET', path)).toBe('Something went wrong')
  expect(await headingOf('POST', `/s/${formId}`)).toBe('Your message was not sent')
})

describe.each(languages)('visitors who read %s', (language) => {
  const accepting = { ...urlencoded, 'accept-language': language }

  test('get every page in it, with its direction, and spam the same bytes as success', async () => {
    const { post, change, server, spam } = await world()
    const texts = await loadTexts(language)
    const thanks = await post('a=1', accepting)
    const held = await post('a=1&_gotcha=x', accepting)
    expect([held.status, held.body]).toEqual([thanks.status, thanks.body])
    expect(await spam()).toHaveLength(1)
    const empty = await post('', accepting)
    const unknown = await server.fetch('/s/unknown', { method: 'POST', body: 'a=1', headers: accepting })
    const link = await server.fetch(`/unsubscribe/x?lang=${language}`, { headers: { accept: 'text/html' } })
    await change({ closesAt: '2020-01-01T00:00Z' })
    const over = await post('a=1', accepting)
    for (const [body, title] of [
      [thanks.body, texts.thankYou],
      [empty.body, texts.titles.notSent],
      [await unknown.text(), texts.titles.noForm],
      [await link.text(), texts.titles.badLink],
      [over.body, texts.titles.closed],
    ] as const) {
      expect(body).toContain(`<html lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>`)
      expect(readPage(body).heading).toBe(title)
    }
    expect(over.body).toContain(texts.reasons.over(Date.UTC(2020, 0, 1)))
  })
})

describe('the way back', () => {
  test('leads to the page that the browser names, as text', async () => {
    const { post } = await world()
    const { body } = await post('', { ...urlencoded, referer: 'https://bakery.example/contact?a=1&b="<' })
    expect(readPage(body).link('Back to bakery.example')).toBe('https://bakery.example/contact?a=1&b=%22%3C')
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'bakery.example',
    'https://user:password@bakery.example/',
    `https://bakery.example/${'x'.repeat(2048)}`,
    '',
  ])('is not there for %s', async (referer) => {
    const { post } = await world()
    expect(readPage((await post('a=1', { ...urlencoded, referer })).body).links).toEqual([])
  })
})
