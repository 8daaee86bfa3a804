// The mail that answers a visitor: what of a stranger's text is in it.
import { describe, expect, test } from 'bun:test'
import { english } from '../../src/languages/english.ts'
import { type Language, loadTexts } from '../../src/languages/languages.ts'
import { harmlessText, replyMail, sitesOf } from '../../src/sending/mail/reply.ts'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'

const id = '01kahp6a8d00q2s4tznwe8cm3k9f'

const answer = (data: object, more: object = {}, settings: object = {}) =>
  replyMail({
    id: '01kahp6a8d00x5tznwe8cm3k9f2q',
    to: 'grace@example.org',
    replyTo: 'owner@example.com',
    form: { title: 'Contact', settings: null },
    submission: { id, data: JSON.stringify(data) },
    sites: ['example.com'],
    texts: english,
    stop: 'https://forms.example.com/unsubscribe/x',
    reply: { field: 'email', subject: 'Thank you', text: 'We answer soon.', copy: false, ...settings },
    ...more,
  })

describe('a visitor’s text', () => {
  test.each([
    'Ada',
    'Ada Lovelace',
    '  Ada  ',
    'J. R. R. Tolkien',
    'J.R.R. Tolkien',
    'Dr. Who Jr.',
    'O’Neill-Smith',
    '山田 太郎',
    'علی‌رضا',
    'Ωμέγα',
    '10:30',
    '3.50',
    'Smith/Jones',
    'C#',
    '+49 30 1234567',
    '😀',
    'x'.repeat(60),
    '😀'.repeat(60),
  ])('appears if it is short and leads nowhere: %p', (text) => {
    expect(harmlessText(text)).toBe(text.trim())
  })

  test.each<[string, string]>([
    ['61 characters', 'x'.repeat(61)],
    ['a million characters', 'x '.repeat(500_000)],
    ['two lines', 'Ada\nLovelace'],
    ['a carriage return', 'Ada\rLovelace'],
    ['a line separator', 'Ada\u2028Lovelace'],
    ['a form feed', 'Ada\fLovelace'],
    ['a header', 'Ada\r\nBcc: other@example.org'],
    ['NUL', 'Ada\0'],
    ['an escape character', 'Ada\u001b[31m'],
    ['a link', 'http://example.com'],
    ['a link in upper case', 'HTTPS://EXAMPLE.COM'],
    ['a link after a word', 'see https://x'],
    ['a link without a scheme', '//example.com'],
    ['a name that is a link without http', 'example.com'],
    ['a short one', 't.co'],
    ['one with a path', 'Win now: bit.ly/abc'],
    ['one in the middle of a word', 'Ada(example.com)Lovelace'],
    ['one with a full stop at its end', 'example.com.'],
    ['one in upper case', 'EXAMPLE.COM'],
    ['one with an IDN', 'bücher.example'],
    ['one with a domain in Cyrillic', 'пример.рф'],
    ['one with a domain in Chinese', '例子.中国'],
    ['one with a domain in Devanagari', 'उदाहरण.भारत'],
    ['one in Punycode', 'a.xn--p1ai'],
    ['one with wide letters', 'ｅｘａｍｐｌｅ．ｃｏｍ'],
    ['one with an ideographic full stop', 'example。com'],
    ['one with a half-width full stop', 'example｡com'],
    ['one with a one dot leader', 'example․com'],
    ['one with a small full stop', 'example﹒com'],
    ['one with a zero-width space', 'example\u200b.com'],
    ['one with a zero-width joiner', 'exam\u200dple.c\u200dom'],
    ['one with a soft hyphen', 'example.c\u00adom'],
    ['one with a word joiner', 'example\u2060.\u2060com'],
    ['one with www', 'www.example'],
    ['www in upper case', 'WWW.x'],
    ['an IP address', '192.0.2.1'],
    ['a share of Windows', '\\\\server\\share'],
    ['a mail address', 'ada@example'],
    ['a wide @', 'ada＠example'],
    ['a small @', 'ada﹫example'],
    ['a scheme', 'mailto:ada'],
    ['a script', 'javascript:alert(1)'],
    ['a telephone link', 'tel:+4930123'],
    ['data', 'data:text/html,x'],
    ['a scheme after a word', 'pay bitcoin:1abc'],
    ['a mark that turns text around', 'Ada \u202emoc.elpmaxe'],
    ['an embedding', '\u202aAda\u202c'],
    ['an isolate', '\u2066Ada\u2069'],
    ['a right-to-left mark', '\u200fAda'],
    ['a left-to-right mark', 'Ada\u200e'],
    ['an Arabic letter mark', 'Ada\u061c'],
    ['half a character', 'Ada\ud800'],
    ['a private character', 'Ada\ue000'],
  ])('does not appear if it is, or has, %s', (_, text) => {
    expect(harmlessText(text)).toBe('')
  })
})

describe('the answer', () => {
  test('has the placeholders filled in, once', () => {
    const settings = {
      subject: '{title}: thank you, {name} ({reference})',
      text: 'Hello {name}!\n{title} {reference} {nothing}{list}{number}{long}{email}{file}.',
    }
    const data = {
      name: '{title}',
      list: ['tea', 'cake'],
      number: 7,
      long: 'x'.repeat(61),
      email: 'grace@example.org',
      file: { filename: 'cv.pdf', type: 'application/pdf', size: 1, file: 'x' },
      title: 'not this',
    }
    const { subject, text } = answer(data, {}, settings)
    expect(subject).toBe('Contact: thank you, {title} (01kahp6a)')
    expect(text).toStartWith('Hello {title}!\nContact 01kahp6a tea, cake7.\n')
  })

  test.each<[string, string, Record<string, string>, string]>([
    ['values that meet', '<{a}{b}>', { a: 'evil.', b: 'com' }, '<>'],
    ['values around a full stop', '{a}.{b}!', { a: 'evil', b: 'com' }, '.!'],
    ['a value and what follows it', '{a}.com', { a: 'evil' }, '.com'],
    ['a value and what is before it', 'www.{a}', { a: 'evil' }, 'www.'],
    ['a value after a scheme', 'pay:{a}', { a: '1abc' }, 'pay:'],
    ['an address that is made of three', '{a}{at}{b}', { a: 'ada', at: '.', b: 'example' }, ''],
    ['the ends of values with spaces', 'Dear {a}{b}!', { a: 'Ada evil.', b: 'com Lovelace' }, 'Dear !'],
    ['values around an invisible character', '{a}\ufeff{b}', { a: 'evil.', b: 'com' }, '\ufeff'],
    ['a value in a link of the owner', 'https://example.com{a}', { a: '-evil' }, 'https://example.com'],
    ['a value and the title', '{title}{a}', { a: '.com' }, 'Contact'],
    ['values that are too long together', '{a}{b}', { a: 'x'.repeat(31), b: 'y'.repeat(30) }, ''],
  ])('leaves out %s, if a mail program may make a link of it', (_, text, data, shown) => {
    const { text: mail } = answer(data, {}, { text: `[${text}] end` })
    expect(mail).toStartWith(`[${shown}] end\n`)
    expect(answer(data, {}, { subject: `x ${text} y` }).subject).not.toMatch(/evil|xx/)
  })

  test.each<[string, string, Record<string, string>, string]>([
    ['values that make a name', '{a}{b}', { a: 'Ada', b: 'Lovelace' }, 'AdaLovelace'],
    ['nothing for names that every object has', '{constructor}{toString}{__proto__}', {}, ''],
    ['values with a space between them', '{a} {b}', { a: 'evil.', b: 'com' }, 'evil. com'],
    ['values in two lines', '{a}\n{b}', { a: 'evil.', b: 'com' }, 'evil.\ncom'],
    ['a value at the end of a sentence', 'Hello {a}.\nThank you', { a: 'Ada' }, 'Hello Ada.\nThank you'],
    ['a field with spaces in its name', '({first name})', { 'first name': 'Ada' }, '(Ada)'],
    [
      'a link of the owner beside it',
      '{a}, see https://example.com/{reference}',
      { a: 'Ada' },
      'Ada, see https://example.com/01kahp6a',
    ],
    ['60 characters with text around them', '“{a}”', { a: 'x'.repeat(60) }, `“${'x'.repeat(60)}”`],
  ])('shows %s', (_, text, data, shown) => {
    expect(answer(data, {}, { text: `[${text}] end` }).text).toStartWith(`[${shown}] end\n`)
  })

  test('is plain text of the owner, whatever is in it', () => {
    const { html, text } = answer({ name: '<b>Ada</b>' }, {}, { text: 'Hello {name} <i>&amp;' })
    expect(text).toStartWith('Hello <b>Ada</b> <i>&amp;\n')
    expect(html).toContain('Hello &lt;b&gt;Ada&lt;/b&gt; &lt;i&gt;&amp;amp;')
  })

  test('has headers that keep programs from answering it, and a link that stops all mail', () => {
    const { to, replyTo, messageId, headers, text, html } = answer({})
    expect({ to, replyTo, messageId }).toEqual({
      to: 'grace@example.org',
      replyTo: 'owner@example.com',
      messageId: '01kahp6a8d00x5tznwe8cm3k9f2q',
    })
    expect(headers).toEqual({
      'Auto-Submitted': 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
      'List-Unsubscribe': '<https://forms.example.com/unsubscribe/x>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    const why = 'You received this email because someone entered your address in a form on example.com.'
    for (const part of [text, html]) expect(part).toContain(why)
    expect(text).toContain('Stop all emails from this server: https://forms.example.com/unsubscribe/x\n')
    expect(html).toContain('<a href="https://forms.example.com/unsubscribe/x"')
  })

  test('has one line as its subject, which is the title if nothing is left of it', () => {
    expect(answer({ name: 'Ada\r\nBcc: x' }, {}, { subject: '{name}' }).subject).toBe('Contact')
    const subjectOf = (title: string, subject: string) =>
      answer({}, { form: { title, settings: null } }, { subject }).subject
    expect(subjectOf('A\r\nB', '{title}')).toBe('A B')
    expect([...subjectOf('x'.repeat(255), '{title}{title}')].length).toBeLessThan(201)
  })

  test('has nothing else that was sent', () => {
    const { subject, text, html } = answer({ name: 'Mallory', message: 'Buy at example.net' })
    for (const part of [subject, text, html]) expect(part).not.toMatch(/Mallory|Buy|example\.net/)
  })
})

describe('a copy of what was sent', () => {
  const data = {
    name: 'Ada',
    message: 'Hello.\nLook at https://evil.example/x, www.evil.example or evil。example at 10:30, costs 3.50',
    'visit evil.example': 'mail ada@evil.example',
    file: { filename: 'evil.example', type: 'text/plain', size: 1, file: 'x' },
    more: 'y'.repeat(10_000),
  }

  test('is there if it is wanted, with broken links and without those to the owner’s pages', () => {
    const { text, html } = answer(data, {}, { copy: true })
    for (const part of [text, html]) {
      expect(part).toContain('Ada')
      expect(part).toContain('10:30, costs 3.50')
      expect(part).not.toMatch(/evil[.。]example|www\.evil|https:\/\/evil|ada@evil/)
      expect(part).toContain('https:// evil. example/ x')
      expect(part).toContain('yyy…')
      expect(part.match(/https?:\/\/[^\s"<>]+/g)?.filter((url) => !url.endsWith('/unsubscribe/x'))).toEqual([])
    }
  })

  test('has the labels of the form, and links in them do not work either', () => {
    const fields = [
      { name: 'name', label: 'Your name' },
      { name: 'message', label: 'evil.example' },
    ]
    const form = { title: 'Contact', settings: JSON.stringify({ fields }) }
    const { text, html } = answer(data, { form }, { copy: true })
    for (const part of [text, html]) {
      expect(part).toContain('Your name')
      expect(part).toContain('evil. example')
      expect(part).not.toMatch(/evil\.example|message/)
    }
  })

  test('says in the language of the reply how much is missing, and writes as that language does', async () => {
    const file = { filename: 'a.pdf', type: 'application/pdf', size: 2048, file: 'x' }
    const of = async (language: Language) =>
      answer(
        { Text: 'y'.repeat(10_000), Dateien: Array(25).fill(file) },
        { texts: await loadTexts(language) },
        { copy: true },
      )
    const [german, japanese] = [await of('de'), await of('ja')]
    for (const part of [german.text, german.html]) {
      expect(part).toContain('Gekürzt. Zeichen insgesamt: 10.000')
      expect(part).toMatch(/\d weitere/)
      expect(part).not.toMatch(/All 10,000|\bmore\b/)
    }
    expect(japanese.text).toContain('  Text：\n')
    expect(japanese.text).toContain('    a. pdf (PDF、2 KB)\n')
    expect(japanese.text).toContain('停止する：https://forms.example.com/unsubscribe/x')
    expect(japanese.html).toContain('しています。お心当たり')
    // In Arabic, name and size would become one text from left to right.
    const arabic = (await of('ar')).html
    expect(arabic).toMatch(/<bdi lang="">a\. pdf<\/bdi> <span [^>]*>PDF\u200f، 2 كيلوبايت<\/span>/)
    // The visitor's own texts may be in any language.
    expect(arabic).toContain('<bdi lang="">Text</bdi>')
    expect(arabic).toContain('<div dir="auto" lang="">yyy')
    expect((await of('fr')).text).toContain('e-mails de ce serveur\u202f: https://')
  })

  test('breaks links with an invisible character in them, which some programs take for white space', () => {
    const { text } = answer({ message: 'evil.\ufeffexample' }, {}, { copy: true })
    expect(text).toContain('evil. example')
  })

  test.each([
    ['that could begin a scheme anywhere', 'a+'.repeat(2000)],
    ['that becomes three times as long', '\u33c2'.repeat(1333)],
    ['of marks in the wrong order', `a${'\u0301'.repeat(999)}${'\u0323'.repeat(999)}`],
    ['of letters that become marks', `a${'\uff9e\u0334'.repeat(999)}`],
  ])('takes no longer for text %s than for words', async (_, text) => {
    const make = (value: string) => {
      const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field ${i}`, value]))
      return processorMillisecondsOf(() => answer(fields, {}, { copy: true }))
    }
    const words = 'é'.repeat(text.length)
    await make(words)
    await expectBelow(6, async () => (await make(text)) / (await make(words)))
  })

  test('looks at a long value once, however often its placeholder is there', async () => {
    const data = { a: 'x'.repeat(1_000_000) }
    const make = (times: number) => processorMillisecondsOf(() => answer(data, {}, { text: '{a} '.repeat(times) }))
    await make(1)
    await expectBelow(20, async () => (await make(1000)) / (await make(1)))
  })

  test('is bounded, however much was sent', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field ${i}`, 'z'.repeat(2000)]))
    const { html, text } = answer(many, {}, { copy: true })
    expect(html.length).toBeLessThan(102_000)
    expect(text).toMatch(/\d+ more fields\n/)
  })
})

describe('the site', () => {
  test.each<[string[], string]>([
    [[], 'forms.example.com'],
    [['https://example.com'], 'example.com'],
    [['https://*.example.com', 'http://localhost:8000'], 'example.com or localhost:8000'],
    [['capacitor://localhost', 'https://example.com'], 'example.com'],
    [['capacitor://localhost'], 'forms.example.com'],
    [['https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'], 'forms.example.com'],
  ])('of pages %p is %s', (origins, site) => {
    expect(sitesOf(origins, 'https://forms.example.com').join(' or ')).toBe(site)
  })
})
