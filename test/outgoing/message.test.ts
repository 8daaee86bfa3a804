import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { createdAt, newId } from '../../src/base/id.ts'
import type { WebhookFormat } from '../../src/forms/webhooks/formats.ts'
import { newMembers } from '../../src/forms/webhooks/webhook-members.ts'
import { newSecret } from '../../src/outbox/webhook-secret.ts'
import { webhookMessage } from '../../src/sending/webhooks/message.ts'
import { receivers } from '../../src/storage/tables.ts'
import { storedRow } from '../submissions/stored.ts'

const attemptAt = Date.now()
const form = { id: newId(attemptAt), title: 'Contact', settings: null }
const submissionId = newId(attemptAt)
const link = `https://forms.example.com/forms/${form.id}/submissions/${submissionId}`
const place = { target: 'https://example.com/hooks', urlToken: null, headers: null }
const receiver = { ...newMembers({}), ...place, secret: newSecret(), oldSecrets: '[]' }

const about = (data: string, format: WebhookFormat = 'standard') => ({
  id: newId(attemptAt),
  attemptAt,
  receiver: { ...receiver, format },
  form,
  submission: storedRow(submissionId, data),
  link,
})
const aTest = { ...about(''), submission: null }

describe('the secret', () => {
  test('is that of Standard Webhooks, with 32 bytes, and a new one each time', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newSecret()).not.toBe(newSecret())
  })
})

describe('the signature', () => {
  const verify = (secret: string, { headers, body }: ReturnType<typeof webhookMessage>) =>
    new Webhook(secret).verify(body.toString(), { ...headers })

  test.each(receivers.format.enumValues)('of %s is verified by standardwebhooks', (format) => {
    const delivery = about('{"name":"Ünï 😀","big":12345678901234567890}', format)
    const message = webhookMessage(delivery)
    expect(message.headers['webhook-id']).toBe(delivery.id)
    expect(message.headers['webhook-timestamp']).toBe(String(Math.floor(attemptAt / 1000)))
    if (format === 'standard') verify(receiver.secret, message)
    // The package parses what it has verified, and all but `ntfy` are JSON.
    else if (format !== 'ntfy') expect(verify(receiver.secret, message)).toBeObject()
    else expect(() => verify(receiver.secret, message)).toThrow(SyntaxError)
  })

  test('is there for each secret while one replaces another', () => {
    const [old = '', current = '', other = ''] = [newSecret(), newSecret(), newSecret()]
    const oldSecrets = JSON.stringify([{ secret: old, until: attemptAt + 1 }])
    const message = webhookMessage({ ...about('{}'), receiver: { ...receiver, secret: current, oldSecrets } })
    expect(message.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
    verify(old, message)
    verify(current, message)
    expect(() => verify(other, message)).toThrow('No matching signature found')
  })

  test.each(['webhook-id', 'webhook-timestamp', 'body'])('covers %s', (part) => {
    const { headers, body } = webhookMessage(about('{}'))
    const changed = { ...headers, ...(part in headers && { [part]: `${Number(headers['webhook-timestamp']) - 1}` }) }
    const text = part === 'body' ? ` ${body}` : body.toString()
    expect(() => new Webhook(receiver.secret).verify(text, changed)).toThrow('No matching signature found')
  })

  test('is that of the reference library', () => {
    const message = webhookMessage({
      ...about('{}'),
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      attemptAt: 1614265330_999,
      receiver: { ...receiver, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    })
    const signature = new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').sign(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1614265330_000),
      message.body.toString(),
    )
    expect(message.headers['webhook-timestamp']).toBe('1614265330')
    expect(message.headers['webhook-signature']).toBe(signature)
  })
})

describe('the label of a field', () => {
  const settings = JSON.stringify({ fields: [{ name: 'email', type: 'email', label: 'Your address' }] })
  const message = (format: WebhookFormat) => {
    const data = '{"email":"ada@example.com","note":"x"}'
    const { body } = webhookMessage({ ...about(data, format), form: { ...form, settings } })
    return format === 'ntfy' ? body.toString() : JSON.stringify(JSON.parse(body.toString()))
  }

  test.each(receivers.format.enumValues.filter((format) => format !== 'standard'))(
    'is in a message of %s in the place of its name',
    (format) => {
      expect(message(format)).toContain('Your address')
      expect(message(format)).not.toContain('email')
      expect(message(format)).toContain('note')
    },
  )

  test('is in no message for a program', () => {
    expect(JSON.parse(message('standard')).data.data).toEqual({ email: 'ada@example.com', note: 'x' })
    expect(message('standard')).not.toContain('Your address')
  })
})

describe('standard', () => {
  test('holds the submission as the API returns it, its data byte for byte', () => {
    const data = '{"b":1.0,"a":"\\u00fc ü 😀","2":[],"1":12345678901234567890, "b":{"__proto__":null}}'
    const { headers, body } = webhookMessage(about(data))
    expect(headers['content-type']).toBe('application/json')
    const time = createdAt(submissionId)
    expect(body.toString()).toBe(
      `{"type":"submission.created","timestamp":"${time}","data":{"id":"${submissionId}","formId":"${form.id}","data":${data},"createdAt":"${time}"}}`,
    )
  })

  test('tells of a test', () => {
    const { body } = webhookMessage(aTest)
    expect(JSON.parse(body.toString())).toEqual({
      type: 'webhook.test',
      timestamp: new Date(attemptAt).toISOString(),
      data: { formId: form.id },
    })
  })
})

interface SlackMessage {
  readonly text: string
  readonly attachments: {
    readonly fallback: string
    readonly title?: string
    readonly title_link?: string
    readonly fields: { readonly title: string; readonly value: string; readonly short: boolean }[]
  }[]
}

const slack = (fields: unknown, more = {}): SlackMessage => {
  const data = typeof fields === 'string' ? fields : JSON.stringify(fields)
  const { headers, body } = webhookMessage({ ...about(data, 'slack'), ...more })
  expect(headers['content-type']).toBe('application/json')
  return JSON.parse(body.toString())
}
const shownValue = (value: unknown): string | undefined => slack({ name: value }).attachments[0]?.fields[0]?.value

describe('slack', () => {
  test('is a line, the fields in order, and a link', () => {
    const message = slack('{"2":"Ada","1":"ada@example.com","message":"Hello\\nworld","n":12345678901234567890}')
    expect(message).toEqual({
      text: 'New submission: Contact',
      attachments: [
        {
          fallback: 'New submission: Contact',
          title: 'Open the submission',
          title_link: link,
          fields: [
            { title: '2', value: 'Ada', short: true },
            { title: '1', value: 'ada@example.com', short: true },
            { title: 'message', value: 'Hello\nworld', short: false },
            { title: 'n', value: '12345678901234567890', short: true },
          ],
          mrkdwn_in: [],
        } as SlackMessage['attachments'][0],
      ],
    })
  })

  test('tells of a test', () => {
    const { text, attachments } = slack('{}', { submission: null })
    expect(text).toBe('Test from Formbox: Contact')
    expect(attachments).toMatchObject([{ title: 'Open the form', title_link: link, fields: [] }])
  })

  test('has no link where the public URL is not known', () => {
    expect(slack({ a: 'b' }, { link: null }).attachments).toEqual([
      {
        fallback: 'New submission: Contact',
        fields: [{ title: 'a', value: 'b', short: true }],
        mrkdwn_in: [],
      } as never,
    ])
    expect(slack({}, { link: null }).attachments).toEqual([])
  })

  const space = '\u200b'
  test.each([
    ['<!channel> & <!here> <@U123> <https://evil.example|your bank>'],
    ['@everyone @here @channel @all @ada'],
    ['(@here) -@here .@here _@here ü@here'],
    ['[your bank](https://evil.example) ![x](https://evil.example/x.png)'],
    ['[your bank][1] [1]: https://evil.example'],
  ])('has no effect: %s', (text) => {
    const value = shownValue(text) as string
    expect(value).not.toMatch(/[<>]|(?<![a-z0-9])@(?!\u200b)|\][([:]/)
    expect(value).not.toMatch(/&(?!(amp|lt|gt);)/)
    // It looks the same.
    expect(value.replaceAll(space, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(
      text,
    )
    const [field] = slack({ [text]: 'a' }).attachments[0]?.fields ?? []
    expect(field?.title).toBe(value)
    expect(slack({}, { form: { ...form, title: text } }).text).toBe(`New submission: ${value}`)
  })

  test.each([
    ['an e-mail address', 'ada.lovelace@example.com', 'ada.lovelace@example.com'],
    ['an address of the web', 'https://example.com/?a=b', 'https://example.com/?a=b'],
    ['empty text', '', '–'],
    ['white space', ' \n ', '–'],
    ['null', null, '–'],
    ['several texts', ['a', 'b'], 'a, b'],
    ['the answer beside an unused input of the same name', ['', 'Cake'], 'Cake'],
    ['unused inputs', ['', ''], '–'],
    ['a nested value', { a: [1, null] }, '{"a":[1,null]}'],
    ['true', true, 'true'],
    ['control characters', 'a\u001b[31m\u0007b', 'a␛[31m␇b'],
    ['text that runs backwards', 'a\u202ecod.exe', 'a\ufffdcod.exe'],
    ['a file', { filename: 'cv.pdf', type: 'application/pdf', size: 2_400_000, file: 'x' }, 'cv.pdf (PDF, 2.4 MB)'],
  ])('shows %s', (_, value, shown) => {
    expect(shownValue(value)).toBe(shown)
  })

  test.each([
    ['1,000 fields', Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 'x'])), 25, '976 more fields'],
    ['26 fields', Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`f${i}`, 'x'])), 25, '2 more fields'],
    ['25 fields', Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`f${i}`, 'x'])), 25, 'x'],
    [
      'long values',
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, '&'.repeat(5000)])),
      6,
      '4 more fields',
    ],
    ['a long name', { ['<'.repeat(5000)]: 'x' }, 1, 'x'],
    ['a megabyte', { a: '😀'.repeat(250_000) }, 1, undefined],
  ])('keeps the limits of Discord with %s', (_, data, count, last) => {
    const { attachments, text } = slack(data)
    const fields = attachments[0]?.fields ?? []
    expect(fields).toHaveLength(count)
    if (last) expect(fields.at(-1)?.value).toBe(last)
    for (const { title, value } of fields) {
      expect(title.length).toBeGreaterThan(0)
      expect(title.length).toBeLessThanOrEqual(256)
      expect(value.length).toBeGreaterThan(0)
      expect(value.length).toBeLessThanOrEqual(1024)
      expect(`${title}${value}`.isWellFormed()).toBe(true)
      expect(`${title}${value}`).not.toMatch(/&(?!(amp|lt|gt);)/)
    }
    const all = fields.map(({ title, value }) => title + value).join('')
    expect(all.length + (attachments[0]?.title?.length ?? 0) + text.length).toBeLessThanOrEqual(6000)
  })

  test('cuts a long title', () => {
    const { text } = slack({}, { form: { ...form, title: '&😀'.repeat(200) } })
    expect(text.length).toBeLessThanOrEqual(300)
    expect(text).toEndWith('…')
    expect(text.isWellFormed()).toBe(true)
  })
})

const ntfy = (data: string, more = {}) => {
  const { headers, body } = webhookMessage({ ...about(data, 'ntfy'), ...more })
  return { headers, text: body.toString(), bytes: body.length }
}

/** As a mail reader would (RFC 2047). */
const decoded = (value = ''): string =>
  value
    .replaceAll(/\?= =\?UTF-8\?B\?/g, '')
    .replace(/=\?UTF-8\?B\?(.*)\?=/, (_, words: string) =>
      Buffer.concat(words.split('=').map((word) => Buffer.from(word, 'base64'))).toString(),
    )

describe('ntfy', () => {
  test('is plain text with a title and a link', () => {
    const { headers, text } = ntfy('{"name":"Ada","message":"Hello\\nworld","none":null,"n":12345678901234567890}')
    expect(text).toBe('name: Ada\nmessage: Hello\nworld\nnone: \nn: 12345678901234567890')
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      title: 'Contact',
      tags: 'incoming_envelope',
      click: link,
    })
  })

  test('tells of a test, and of a submission without fields', () => {
    const { headers, text } = ntfy('', { submission: null })
    expect(headers).toHaveProperty('title', 'Test from Formbox: Contact')
    expect(text).toBe('Submissions of this form will arrive here.')
    expect(ntfy('{}').text).toBe('No fields')
    expect(ntfy('{}', { link: null }).headers).not.toHaveProperty('click')
  })

  test.each(['Контакт', 'Größe 😀', '😀'.repeat(255), 'ü'.repeat(255), '=?UTF-8?B?8J+HqfCfh6o=?=', 'a =?b'])(
    'encodes the title %s',
    (title) => {
      const { title: value = '' } = ntfy('{}', { form: { ...form, title } }).headers
      for (const word of value.split(' ')) expect(word).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]{4,63}\?=$/)
      expect(decoded(value)).toBe(title)
    },
  )

  test('keeps line breaks and control characters out of the headers', () => {
    const { headers } = ntfy('{}', { form: { ...form, title: 'a\r\nX-Injected: b\u2028c\u0000d' } })
    for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/)
    const { title } = headers
    expect(decoded(title)).toBe('a X-Injected: b c␀d')
  })

  test.each([
    ['text', JSON.stringify({ a: 'x'.repeat(4093) }), 4096, 'x'],
    ['longer text', JSON.stringify({ a: 'x'.repeat(4094) }), 4096, '…'],
    ['characters of four bytes', JSON.stringify({ a: '😀'.repeat(2000) }), 4096, '…'],
    [
      'many fields',
      JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, 'x']))),
      4096,
      '…',
    ],
    ['a megabyte', JSON.stringify({ ['ü'.repeat(500_000)]: 'ü'.repeat(500_000) }), 4096, '…'],
  ])('has at most 4,096 bytes: %s', (_, data, most, end) => {
    const { text, bytes } = ntfy(data)
    expect(bytes).toBeLessThanOrEqual(most)
    expect(bytes).toBeGreaterThan(most - 4)
    expect(text).toEndWith(end)
    expect(text).not.toContain('\ufffd')
  })
})

/** What is as long as a stranger can make it. */
const longest: [string, object][] = [
  ['1,000 fields', Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 'x']))],
  [
    'long names and values',
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}${'<'.repeat(999)}`, '&'.repeat(5000)])),
  ],
  ['a megabyte', { a: '😀'.repeat(250_000), b: 'x' }],
  ['a thousand lines', { a: 'x\n'.repeat(1000), b: 'y' }],
  [
    'characters that JSON escapes',
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, '"\\\u0007'.repeat(700)])),
  ],
  ['signs', Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, ' @a'.repeat(700)]))],
  ['nothing', { '': '', ' ': ' ', a: null }],
]
const longTitle = { form: { ...form, title: '&😀'.repeat(127) } }

describe('telegram', () => {
  const telegram = (data: object, more = {}) => {
    const { headers, body } = webhookMessage({ ...about(JSON.stringify(data), 'telegram'), ...more })
    expect(headers['content-type']).toBe('application/json')
    return JSON.parse(body.toString()) as {
      text: string
      entities: { offset: number; length: number }[]
      link_preview_options: object
    }
  }

  test('is one text, with its markup beside it and without previews of links', () => {
    expect(telegram({ name: 'Ada', text: '<b>_*[x](tg://user?id=1)' })).toEqual({
      text: `New submission: Contact\nname: Ada\ntext: <b>_*[x](tg://user?id=1)\n${link}`,
      entities: [
        { type: 'bold', offset: 0, length: 23 },
        { type: 'bold', offset: 24, length: 5 },
        { type: 'bold', offset: 34, length: 5 },
      ] as never,
      link_preview_options: { is_disabled: true },
    })
    expect(telegram({}, { submission: null, link: null }).text).toBe('Test from Formbox: Contact')
    expect(telegram({ a: 'x' }, { link: `https://${'x'.repeat(400)}` }).text).toEndWith('a: x')
  })

  test.each(longest)('has at most 4,096 characters with %s', (_, data) => {
    const { text, entities } = telegram(data, longTitle)
    expect(text.length).toBeLessThanOrEqual(4096)
    expect(text.isWellFormed()).toBe(true)
    expect(text).toEndWith(link)
    expect(entities.length).toBeLessThanOrEqual(100)
    for (const { offset, length } of entities) expect(text.slice(offset, offset + length).trim()).toMatch(/:$|^New/)
    expect(text).not.toMatch(/ @a/)
    const names = entities.length - 1
    const left = Object.keys(data).length - names
    if (left > 0) expect(text).toContain(`\n… ${left === 1 ? '1 more field' : `${left} more fields`}\n`)
  })
})

describe('gotify', () => {
  const gotify = (data: object, more = {}) =>
    JSON.parse(webhookMessage({ ...about(JSON.stringify(data), 'gotify'), ...more }).body.toString())

  test('has no link where the public URL is not known, and tells of a test', () => {
    expect(gotify({}, { submission: null, link: null })).toEqual({
      title: 'Test from Formbox: Contact',
      message: 'Submissions of this form will arrive here.',
      extras: { 'client::display': { contentType: 'text/plain' } },
    })
  })

  test.each(longest)('has at most 4,096 bytes with %s', (_, data) => {
    const { title, message } = gotify(data, longTitle)
    expect(title.length).toBeWithin(1, 301)
    expect(Buffer.byteLength(message)).toBeWithin(1, 4097)
    expect(message.isWellFormed()).toBe(true)
    if (JSON.stringify(data).length > 5000) expect(message).toEndWith('…')
  })
})

describe('teams', () => {
  const teams = (data: object, more = {}) => {
    const { body } = webhookMessage({ ...about(JSON.stringify(data), 'teams'), ...more })
    const [{ content }] = JSON.parse(body.toString()).attachments
    const texts = content.body.map(({ inlines }: { inlines: { text: string }[] }) => inlines[0]?.text) as string[]
    return { bytes: body.length, content, texts }
  }

  test('is a card of text without Markdown, and a link', () => {
    const { content, texts } = teams({ '[a](https://evil.example)': '**b**\n\n- c', empty: '' })
    expect(texts).toEqual(['New submission: Contact', '[a](https://evil.example)', '**b**', '–', '- c', 'empty', '–'])
    for (const { type } of content.body) expect(type).toBe('RichTextBlock')
    expect(content).toMatchObject({
      type: 'AdaptiveCard',
      actions: [{ type: 'Action.OpenUrl', title: 'Open the submission', url: link }],
    })
    expect(teams({}, { submission: null }).content.actions[0].title).toBe('Open the form')
    expect(teams({}, { link: null }).content.actions).toEqual([])
  })

  test.each(longest)('has at most 20,000 bytes with %s', (_, data) => {
    const { bytes, content, texts } = teams(data, longTitle)
    expect(bytes).toBeLessThanOrEqual(20_000)
    expect(content.body.length).toBeLessThan(200)
    for (const text of texts) expect(text.trim().length).toBeWithin(1, 1025)
    const names =
      content.body.filter((block: { inlines: object[] }) => (block.inlines[0] as { weight?: string }).weight).length - 1
    const left = Object.keys(data).length - names
    if (left > 0) expect(texts.at(-1)).toBe(left === 1 ? '… 1 more field' : `… ${left} more fields`)
    else expect(texts.at(-1)).not.toContain('more field')
  })
})
