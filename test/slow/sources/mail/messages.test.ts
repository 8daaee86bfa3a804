import { describe, expect, test } from 'bun:test'
import { newId } from '../../../../src/base/id.ts'
import { openMailer } from '../../../../src/sending/mail/mailer.ts'
import { addedMail, digestMail, submissionMail, testMail } from '../../../../src/sending/mail/messages.ts'
import type { Mail } from '../../../../src/sending/mail/parcel.ts'
import { listSubmission, maxListed } from '../../../../src/sending/mail/shown-fields.ts'
import { unsubscribeLink } from '../../../../src/sending/mail/unsubscribe.ts'
import { expectQuick } from '../../../expect-below.ts'
import { afterThisTest } from '../../../harness.ts'
import { mailConfig } from '../../../mail/mail-config.ts'
import { hasPython, headerOf, type Parsed, parseMails } from '../../../mail/parsed.ts'
import { startSmtp } from '../../../mail/smtp-server.ts'

const publicUrl = 'https://forms.example.com'
const key = Buffer.alloc(32, 7)
const at = Date.UTC(2026, 10, 21, 14, 20)
const id = newId(at)
const stop = unsubscribeLink(publicUrl, key, { receiver: 'r'.repeat(28), address: 'ada@example.org' })
const page = `${publicUrl}/forms/${'f'.repeat(28)}/submissions/${id}`
const about = {
  id: 'delivery1',
  to: 'ada@example.org',
  form: { id: 'f'.repeat(28), title: 'Contact' },
  link: page,
  stop,
}

const hourly = { ...about, submissions: [], every: null, zone: 'UTC' }

const ofText = (data: string, title = 'Contact', subject: string | null = null): Mail =>
  submissionMail({ ...about, form: { ...about.form, title }, submission: { id, data, subject } })
const of = (data: object, title?: string): Mail => ofText(JSON.stringify(data), title)
const ofSubject = (subject: string | null): Mail => ofText('{"name":"x"}', 'Contact', subject)

/** What arrives at a mail server. */
const sendAll = async (mails: readonly Mail[]): Promise<string[]> => {
  const smtp = await startSmtp()
  const mailer = openMailer(
    mailConfig(`smtp://127.0.0.1:${smtp.port}`, { publicUrl, from: 'Formulare Müller <forms@example.com>' }),
  )
  afterThisTest(mailer.close)
  for (const mail of mails) expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
  return smtp.mails
}

/** The text of a part as a reader sees it, without markup. */
const seen = (html: string): string =>
  html
    .replace(/^.*<body/s, '<body')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')

const linksIn = (html: string): string[] => [...html.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link as string)

describe('the mail about a submission', () => {
  test('says all in both of its parts', () => {
    const file = {
      filename: 'plan.pdf',
      type: 'application/pdf',
      size: 2_400_000,
      file: '01kahp6a8d00q2s4tznwe8cm3k9f',
    }
    const mail = of({
      name: 'Ada Lovelace',
      email: 'ada@example.net',
      company: '',
      topics: ['', 'Engines', 'Poetry'],
      diet: ['', 'Cake'],
      unused: [''],
      message: 'First line\n\nThird line',
      agreed: true,
      count: 12345678901234567890n.toString(),
      nested: { a: [1, { b: null }] },
      plan: file,
      scans: [file, '', 'beside', { ...file, filename: 'second.png' }],
    })
    expect(mail).toMatchObject({ to: 'ada@example.org', replyTo: 'ada@example.net' })
    expect(mail.subject).toBe('Contact: Ada Lovelace – First line Third line')
    for (const part of [mail.text, seen(mail.html)]) {
      for (const words of [
        'Contact',
        'Sent on Saturday 21 November 2026, 14:20 UTC.',
        'Reply to this email to write to ada@example.net.',
        'Open the submission',
        'because your address is in its settings on forms.example.com',
        'Stop these emails',
        'Ada Lovelace',
        'company',
        'Empty',
        '• Engines',
        '• Poetry',
        'First line',
        'Third line',
        'true',
        '12345678901234567890',
        '"b": null',
        'plan.pdf',
        'PDF, 2.4 MB',
        'second.png',
        '• beside',
      ])
        expect(part).toContain(words)
      // The input for another answer sends an empty text if it is not used.
      expect(part).not.toMatch(/• (Cake|\n)|•$/m)
      expect(part.match(/Empty/g)).toHaveLength(2)
    }
    expect(new Set(linksIn(mail.html))).toEqual(new Set([page, stop]))
    for (const link of [page, stop]) expect(mail.text).toContain(link)
  })

  test('links to files that are there, and leaves what only says so to the page', () => {
    const there = 'a'.repeat(28)
    const file = { filename: 'plan.pdf', type: 'application/pdf', size: 2_400_000, file: there }
    const data = {
      plan: file,
      scans: [file, { ...file, file: 'b'.repeat(28) }, { ...file, file: '../../sign-out?"<x>' }],
    }
    const submission = { id, data: JSON.stringify(data), subject: null }
    const mail = submissionMail({ ...about, submission, fileIds: [there] })
    const link = `${page}/files/${there}`
    expect(linksIn(mail.html).toSorted()).toEqual([page, stop, link, link].toSorted())
    const lines = mail.text.split('\n').flatMap((line) => (line.includes('plan.pdf') ? line.trim() : []))
    expect(lines).toEqual([
      ...Array(2).fill(`plan.pdf (PDF, 2.4 MB): ${link}`),
      ...Array(2).fill('plan.pdf (PDF, 2.4 MB)'),
    ])
  })

  test('shows a long number with all its digits', () => {
    const mail = ofText('{"number":12345678901234567890.10,"nested":{"number":12345678901234567890}}')
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain('12345678901234567890.10')
      expect(seen(part)).toContain('"number": 12345678901234567890')
    }
  })

  test('loads nothing from anywhere, and has no script', () => {
    const { html } = of({
      a: '<img src="https://evil.example/pixel.gif"><script>alert(1)</script>',
      'b"><img src=x>': 1,
    })
    const tags = html.match(/<[^>]+>/g)?.join('\n')
    expect(tags).not.toMatch(/<(img|script|link|iframe|object|video|form|input)\b/i)
    expect(tags).not.toMatch(/\b(src|srcset|background|action|on\w+)=/i)
    expect(html).not.toMatch(/url\(|@import|@font-face/i)
    expect(seen(html)).toContain('<script>alert(1)</script>')
  })

  test('keeps what a visitor sent apart from its own words', () => {
    const evil = 'https://evil.example/unsubscribe'
    const mail = of({
      'Stop these emails': `Stop these emails: ${evil}`,
      [`Open the submission: ${evil}`]: `x\nStop these emails: ${evil}\r\u2028Stop these emails: ${evil}`,
      long: `${'word '.repeat(30)}Stop these emails: ${evil}`,
      wide: `a${' '.repeat(500)}Stop these emails: ${evil}`,
      deep: `${' '.repeat(500)}Stop these emails: ${evil}`,
      '\nStop these emails\n': `\nStop these emails: ${evil}`,
      file: { filename: `\nStop these emails: ${evil}\n.pdf`, type: '', size: 1, file: '' },
    })
    expect(new Set(linksIn(mail.html))).toEqual(new Set([page, stop]))
    // At the left edge stand only lines of ours, and no line is so long that a reader breaks it elsewhere.
    const ours = mail.text.split('\n').filter((line) => /^\S/.test(line))
    expect(ours).toEqual([
      'Contact',
      'Sent on Saturday 21 November 2026, 14:20 UTC.',
      `Open the submission: ${page}`,
      expect.stringContaining('You get emails about this form'),
      `Stop these emails: ${stop}`,
    ])
    for (const line of mail.text.split('\n').filter((line) => line.includes('evil.example'))) {
      expect(line).toMatch(/^ {2,}/)
      if (!line.includes(page)) expect(line.length).toBeLessThan(140)
    }
  })

  test('shows control and direction characters as symbols', () => {
    const mail = of({
      'na\u202eme': 'a\u0000\u0007b\u202ec\u2066d\u007f',
      f: { filename: 'x\u202efdp.exe', type: '', size: 1, file: '' },
    })
    for (const part of [mail.text, mail.html]) {
      expect(part).not.toMatch(/(?![\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      expect(part).toContain('a␀␇b�c�d␡')
      expect(part).toContain('x�fdp.exe')
    }
  })

  test('has every field of 200 with short values, and says how many more there are', () => {
    const fields = (count: number) =>
      of(Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, `value${i}`])))
    const exactly = fields(200)
    const more = fields(1000)
    for (const part of ['text', 'html'] as const) {
      expect(seen(exactly[part])).toContain('value199')
      expect(exactly[part]).not.toContain('more field')
      expect(more[part]).toContain('800 more fields')
      expect(more[part]).not.toContain('value200')
    }
    expect(of({ name: 'x' }).text).not.toContain('more field')
  })

  test('shows the beginning of a long field, and leads to the rest', () => {
    const message = 'long '.repeat(4000)
    const mail = of({ name: 'Ada', message, last: 'short' })
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain('All 20,000 characters')
      expect(part).toContain(`${page}/fields/1`)
      expect(part).toContain('short')
    }
    expect(of({ message: 'x'.repeat(4000) }).text).toContain('x'.repeat(4000))
  })

  // A submission is at most 2 MiB of JSON, and has at most 1,000 fields.
  test.each<[string, () => object]>([
    ['quotation marks', () => ({ a: '"'.repeat(2_000_000) })],
    ['line breaks', () => ({ a: '\n'.repeat(1_000_000), b: '\r\n'.repeat(200_000) })],
    ['control characters', () => ({ a: '\u0001'.repeat(300_000) })],
    ['emoji', () => ({ a: '😀'.repeat(400_000), b: '😀'.repeat(100_000) })],
    ['half emoji', () => ({ a: '\ud83d'.repeat(300_000) })],
    ['spaces', () => ({ a: ' '.repeat(2_000_000), b: 'a b '.repeat(100_000) })],
    ['long fields', () => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 'é&'.repeat(500)]))],
    ['long names', () => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}${'"'.repeat(1500)}`, 'x']))],
    [
      'long names of emoji',
      () => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}${'😀'.repeat(200)}`, ''])),
    ],
    ['many in a list', () => ({ a: Array(300_000).fill('x') })],
    ['deep nesting', () => ({ a: JSON.parse('['.repeat(60) + ']'.repeat(60)) })],
    ['wide nesting', () => ({ a: Array(100_000).fill({ b: [1] }) })],
    [
      'files',
      () =>
        Object.fromEntries(
          Array.from({ length: 1000 }, (_, i) => [
            `f${i}`,
            Array(5).fill({ filename: '"'.repeat(200), type: '', size: 1, file: '' }),
          ]),
        ),
    ],
    ['files in a field', () => ({ a: Array(5000).fill({ filename: '😀'.repeat(20), type: '', size: 1, file: '' }) })],
  ])('is bounded, whatever was sent: %s', async (_, data) => {
    const sent = data()
    await expectQuick(2000, () => of(sent))
    const mail = of(sent)
    // Gmail cuts off what is longer than 102 kB.
    expect(Buffer.byteLength(mail.html)).toBeLessThan(100_000)
    expect(Buffer.byteLength(mail.text)).toBeLessThan(130_000)
    const [raw = ''] = await sendAll([mail])
    expect(raw.length).toBeLessThan(400_000)
  })

  test('has its time in the time zone of the form', () => {
    const form = { ...about.form, settings: JSON.stringify({ timeZone: 'Asia/Kathmandu' }) }
    const mail = submissionMail({ ...about, form, submission: { id, data: '{}', subject: null } })
    expect(mail.text).toContain('Sent on Saturday 21 November 2026, 20:05 (Asia/Kathmandu).')
  })

  test.each<[string, string | null, string]>([
    ['title and sender', null, 'Contact: x'],
    ['that of the visitor', ' Hello\r\n  there\t you ', 'Hello there you'],
    ['title and sender, if that of the visitor is empty', ' \n ', 'Contact: x'],
    ['at most 200 characters', '😀'.repeat(300), `${'😀'.repeat(199)}…`],
    ['symbols for what is hidden', 'a\u202eb\u0000c', 'a�b␀c'],
  ])('has as its subject %s', (_, sent, subject) => {
    expect(ofSubject(sent).subject).toBe(subject)
  })

  const words = 'The rhubarb tart made my week. When is it back? '
  test.each<[data: object, subject: string, fromName: string]>([
    [
      { name: 'Max Bennett', email: 'max@example.com', message: words },
      `Contact: Max Bennett – ${words.trim()}`,
      'Max Bennett via Contact',
    ],
    [{ message: words.repeat(90) }, `Contact: ${words}The rhubarb…`, 'Contact'],
    [{ name: 'Ada' }, 'Contact: Ada', 'Ada via Contact'],
    [{ email: 'ada@example.com', message: 'Hi' }, 'Contact: ada@example.com – Hi', 'ada via Contact'],
    [{ tel: '+44 7700 900123' }, 'Contact: +44 7700 900123', '+44 7700 900123 via Contact'],
    [{}, 'Contact', 'Contact'],
    [{ name: 'Boss <boss@bank.example>' }, 'Contact: Boss <boss@bank.example>', 'Boss boss via Contact'],
    [{ name: 'See https://bank.example/x now' }, 'Contact: See https://bank.example/x now', 'See now via Contact'],
    [{ name: 'bank.\u200bexample' }, 'Contact: bank.\u200bexample', 'Contact'],
    [{ name: 'boss\uff20bank\u3002example' }, 'Contact: boss\uff20bank\u3002example', 'boss via Contact'],
    [{ name: 'a==??utf-8?Q?b?=' }, 'Contact: a==??utf-8?Q?b?=', 'a= ?utf-8?Q?b via Contact'],
    [
      { name: 'Eve\r\nBcc: eve@bank.example', message: '\u202eevil\u0000' },
      'Contact: Eve Bcc: eve@bank.example – \ufffdevil\u2400',
      'Eve Bcc: eve via Contact',
    ],
    [{ name: '\u202e\u2067Ada\u2069\u200f', a: 'b' }, 'Contact: \ufffd\ufffdAda\ufffd\u200f – b', 'Ada via Contact'],
    [
      { name: 'x'.repeat(4000), message: 'y'.repeat(4000) },
      `Contact: ${'x'.repeat(59)}… – ${'y'.repeat(59)}…`,
      `${'x'.repeat(34)}… via Contact`,
    ],
  ])('says who sent what, in one harmless line: %j', (data, subject, fromName) => {
    expect(of(data)).toMatchObject({ subject, fromName })
  })

  test('has a title in the name of the sender without what leads somewhere', () => {
    for (const [title, fromName] of [
      ['Orders at example.com', 'Orders at'],
      ['admin@example.com', 'admin'],
      ['https://example.com', ''],
      ['Summer party '.repeat(20), `${'Summer party '.repeat(20).slice(0, 59)}…`],
    ] as const)
      expect(of({ message: 'Hi' }, title).fromName).toBe(fromName)
    const title = 'A long title '.repeat(19)
    const { subject } = of({ name: 'Ada', message: words }, title)
    expect(subject).toEndWith(`…: Ada – ${words.trim()}`)
    expect([...subject].length).toBeLessThanOrEqual(200)
  })

  test.each<[object, string | null]>([
    [{ email: 'a@example.net' }, 'a@example.net'],
    [{ Email: ' a@example.net ' }, 'a@example.net'],
    [{ email: 'a@example.net', _replyto: 'b@example.net' }, 'b@example.net'],
    [{ email: 'a@example.net', _replyto: 'nonsense' }, 'a@example.net'],
    [{ email: 'a@bücher.example' }, 'a@xn--bcher-kva.example'],
    [{ email: 'a@example.net, b@example.net' }, null],
    [{ email: ['a@example.net', 'b@example.net'] }, null],
    [{ email: 'A <a@example.net>' }, null],
    [{ email: 'ä@example.net' }, null],
    [{ email: 'a@example.net\r\nBcc: b@example.net' }, null],
    [{ email: { a: 1 } }, null],
    [{ mail: 'a@example.net' }, 'a@example.net'],
    [{ 'E-Mail': 'a@example.net' }, 'a@example.net'],
    [{ 'your-email': 'a@example.net', mail: 'nonsense' }, 'a@example.net'],
    [{ mail: 'b@example.net', email: 'a@example.net' }, 'a@example.net'],
    [{ kontakt: 'a@example.net' }, null],
    [{}, null],
  ])('is answered to the visitor: %j', (data, replyTo) => {
    expect(of(data).replyTo).toBe(replyTo)
  })

  test.each<[fields: readonly object[], data: object, replyTo: string | null]>([
    [[{ name: 'Kontakt', type: 'email' }], { Kontakt: 'a@example.net' }, 'a@example.net'],
    [[{ name: 'Kontakt', type: 'email' }], { Kontakt: 'a@example.net', email: 'b@example.net' }, 'b@example.net'],
    [[{ name: 'Kontakt', type: 'email' }], { Kontakt: 'a@example.net', mail: 'b@example.net' }, 'a@example.net'],
    [[{ name: 'Kontakt', type: 'email' }], { Kontakt: '', mail: 'b@example.net' }, 'b@example.net'],
    // Whose of the two it is, is not known.
    [
      [
        { name: 'Kontakt', type: 'email' },
        { name: 'Chef', type: 'email' },
      ],
      { Kontakt: 'a@example.net', Chef: 'b@example.net' },
      null,
    ],
    [[{ name: 'Kontakt' }], { Kontakt: 'a@example.net' }, null],
  ])('is answered to the one field of type email: %j, %j', (fields, data, replyTo) => {
    const settings = JSON.stringify({ fields })
    const submission = { id, data: JSON.stringify(data), subject: null }
    expect(submissionMail({ ...about, form: { ...about.form, settings }, submission }).replyTo).toBe(replyTo)
  })
})

describe('the other mails', () => {
  test('a digest says how many came, and when', () => {
    const mail = digestMail({ ...hourly, count: 1234, from: at, until: at + 2_400_000 })
    expect(mail.subject).toBe('1,234 more submissions: Contact')
    for (const part of [mail.text, seen(mail.html)]) {
      expect(part).toContain('1,234 more submissions, from Saturday 21 November 2026, 14:20 to 15:00 UTC.')
      expect(part).toContain('Open the form')
      expect(part).toContain('Stop these emails')
    }
    const one = digestMail({ ...hourly, count: 1, from: at, until: at + 12 * 3_600_000 })
    expect(one.text).toContain(
      '1 more submission, from Saturday 21 November 2026, 14:20 to Sunday 22 November 2026, 02:20 UTC.',
    )
  })

  const daily = { ...hourly, link: `${publicUrl}/forms/${about.form.id}`, every: 'day' as const, zone: 'Europe/Berlin' }
  const sentAt = (time: number, data: object) => listSubmission(newId(time), JSON.stringify(data))

  test('a digest of a day lists submissions at the times of its zone, and links to them', () => {
    const submissions = [
      sentAt(at + 10 * 3_600_000, { name: 'Grace', note: '', topics: ['a', 'b'], text: 'two\nlines' }),
      sentAt(at, { name: 'Ada' }),
    ]
    const mail = digestMail({ ...daily, count: 2, from: at, until: at + 10 * 3_600_000, submissions })
    expect(mail.subject).toBe('2 submissions: Contact')
    for (const part of [mail.text, seen(mail.html)]) {
      expect(part).toContain(
        '2 submissions, from Saturday 21 November 2026, 15:20 to Sunday 22 November 2026, 01:20 (Europe/Berlin).',
      )
      expect(part).toMatch(/Sunday 22 November 2026, 01:20:?\s+name: Grace\s+topics: a, b\s+text: two lines/)
      expect(part).toMatch(/Saturday 21 November 2026, 15:20:?\s+name: Ada/)
      expect(part).toContain('one email on each day with submissions, at 07:00 in the time zone Europe/Berlin')
      expect(part).not.toContain('within an hour')
      expect(part).not.toContain('more submission')
    }
    expect(linksIn(mail.html)).toEqual([
      ...submissions.map(({ id: one }) => `${daily.link}/submissions/${one}`),
      daily.link,
      stop,
    ])
    const one = digestMail({ ...daily, count: 1, from: at, until: at, submissions: [sentAt(at, {})] })
    expect(one.subject).toBe('1 submission: Contact')
    expect(one.text).toContain('1 submission, sent on Saturday 21 November 2026, 15:20 (Europe/Berlin).')
    const week = digestMail({ ...daily, every: 'week', count: 1, from: at, until: at, submissions: [sentAt(at, {})] })
    expect(week.text).toContain(
      'You get one email for each week with submissions, on Monday at 07:00 in the time zone Europe/Berlin, because',
    )
  })

  test('a digest of the longest submissions is small enough for every mail program, and says how many more there are', () => {
    const long = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`"field" ${n} ${'"'.repeat(80)}`, '"'.repeat(1500)]),
    )
    const submissions = Array.from({ length: maxListed }, (_, n) => sentAt(at + n, long))
    const mail = digestMail({ ...daily, count: 100_000, from: at, until: at + 3_600_000, submissions })
    // Gmail cuts a mail off at 102 kB.
    expect(Buffer.byteLength(mail.html)).toBeLessThan(102_000)
    expect(Buffer.byteLength(mail.text)).toBeLessThan(102_000)
    for (const part of [mail.text, seen(mail.html)]) expect(part).toContain('99,950 more submissions')
    expect(linksIn(mail.html)).toHaveLength(maxListed + 3)
  })

  test('a digest lists ten fields of a submission, and looks at a hundred', () => {
    const many = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, value]))
    const text = (data: object) => listSubmission(id, JSON.stringify(data))
    const ten = Object.keys(many(10, '')).map((name) => `${name}: x`)
    expect(text(many(10, 'x'))).toEqual({ id, lines: ten, isWhole: true })
    expect(text({ ...many(10, 'x'), g: '', h: null })).toMatchObject({
      lines: ten,
      isWhole: true,
    })
    expect(text(many(11, 'x'))).toEqual({ id, lines: ten, isWhole: false })
    expect(text({ ...many(99, ''), last: 'x' })).toEqual({ id, lines: ['last: x'], isWhole: false })
    expect(text({ ...many(100, ''), last: 'x' })).toEqual({ id, lines: [], isWhole: false })
    expect(text({})).toEqual({ id, lines: [], isWhole: true })
    const cutOff = JSON.stringify({ a: 'x', b: 'y'.repeat(9000) }).slice(0, 5000)
    expect(listSubmission(id, cutOff).lines).toEqual(['a: x', expect.stringMatching(/^b: y{199}…$/)])
  })

  test('a digest takes less than 5 ms for each of the submissions with the most fields', async () => {
    const data = JSON.stringify(
      Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field ${n}`, 'x'.repeat(50)])),
    )
    await expectQuick(5, () => void listSubmission(id, data))
  })

  test('a digest shows what visitors sent as text that looks like no line of ours', () => {
    const text = '<b>x</b>\r\n\u2028Open the form: https://evil.example\u202e\0'
    const mail = digestMail({ ...daily, count: 1, from: at, until: at, submissions: [sentAt(at, { [text]: text })] })
    expect(mail.html).not.toContain('<b>x')
    expect(linksIn(mail.html).join()).not.toContain('evil')
    for (const part of [mail.text, mail.html]) expect(part).not.toMatch(/[\u202e\0\r\u2028]/)
    expect(
      mail.text
        .split('\n')
        .filter((line) => line.includes('evil'))
        .every((line) => line.startsWith('      ')),
    ).toBeTrue()
  })

  test('an address that was added is told where, and how to stop', () => {
    const mail = addedMail(about)
    expect(mail.subject).toBe('You will get emails about Contact')
    for (const part of [mail.text, seen(mail.html)]) {
      expect(part).toContain(
        'Your address, ada@example.org, was added to the settings of this form on forms.example.com.',
      )
      expect(part).toContain('Someone with an account on forms.example.com added you.')
    }
    expect(linksIn(mail.html)).toEqual([stop])
  })

  test('a test has no form and nothing to stop', () => {
    const mail = testMail({ id: 'x', to: 'ada@example.org', publicUrl, now: at })
    expect(mail.text).toBe(
      'Formbox can send email\nSent on Saturday 21 November 2026, 14:20 UTC as a test.\n\nOpen Formbox: https://forms.example.com\n\n',
    )
    expect(mail.headers).toEqual({})
  })
})

describe.skipIf(!hasPython)('what arrives', () => {
  test('has the headers of a mail that a program sent', async () => {
    const raws = await sendAll([
      of({ email: 'a@example.net', message: 'Grüße 😀\n.\n..\nFrom me\n' }, 'Kontakt & Grüße'),
      digestMail({ ...hourly, count: 2, from: at, until: at }),
      testMail({ id: 'x', to: 'ada@example.org', publicUrl, now: at }),
    ])
    const [mail, digest, test] = parseMails(raws) as [Parsed, Parsed, Parsed]
    expect(mail.defects).toEqual([])
    expect(Object.fromEntries(mail.headers)).toEqual({
      From: 'a via Kontakt & Grüße <forms@example.com>',
      To: 'ada@example.org',
      'Reply-To': 'a@example.net',
      Subject: 'Kontakt & Grüße: a@example.net – Grüße 😀 . .. From me',
      'Message-ID': '<delivery1@example.com>',
      Date: expect.stringMatching(/ \+0000$/),
      'Auto-Submitted': 'auto-generated',
      'List-ID': `<${'f'.repeat(28)}.forms.example.com>`,
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'MIME-Version': '1.0',
      'Content-Type': expect.stringMatching(/^multipart\/alternative;/),
    })
    expect(Object.keys(mail.parts)).toEqual(['text/plain', 'text/html'])
    expect(mail.parts['text/plain']?.replaceAll('\r\n', '\n')).toContain('Grüße 😀\n      .\n      ..\n      From me')
    expect(mail.parts['text/html']).toContain('Grüße 😀')
    // ASCII, in lines that every server takes (RFC 5321 section 4.5.3.1.6).
    for (const raw of raws) {
      expect(raw).not.toMatch(/[^\r\n\t\x20-\x7e]/)
      expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998)
    }
    expect(headerOf(digest, 'Subject')).toBe('2 more submissions: Contact')
    expect(headerOf(test, 'List-Unsubscribe')).toBeUndefined()
  })

  // U+202E and line breaks, which a mail program would put in after every check of ours.
  const encoded = ['=?UTF-8?Q?a=E2=80=AEb=0D=0ABcc:_eve@example.net?=', 'x =?utf-8?B?4oCu?=', '=?utf-8?Q?=41?=']

  test('has encoded words as they were written, in the subject and in the title', async () => {
    const texts = [...encoded, `${'=?utf-8?Q?=41?= '.repeat(12)}end`, '=?', 'a "quoted" =?b']
    const raws = await sendAll(texts.flatMap((text) => [ofSubject(text), of({}, text)]))
    const subjects = parseMails(raws).map((mail) => headerOf(mail, 'Subject'))
    expect(subjects).toEqual(texts.flatMap((text) => [text, text.length > 120 ? `${text.slice(0, 119)}…` : text]))
    for (const raw of raws)
      expect(
        Math.max(
          ...raw
            .split('\r\n\r\n')[0]!
            .split('\r\n')
            .map(({ length }) => length),
        ),
      ).toBeLessThan(200)
  })

  test('has no encoded words in an address', async () => {
    for (const text of ['=?UTF-8?Q?=E2=80=AE?=@example.net', 'a=?b@example.net'])
      expect(of({ _replyto: text }).replyTo).toBeNull()
    expect(of({ _replyto: 'a=b?c@example.net' }).replyTo).toBe('a=b?c@example.net')
  })

  const injections = [
    'x\r\nBcc: eve@example.net',
    'x\nBcc: eve@example.net',
    'x\rBcc: eve@example.net',
    'x\u2028Bcc: eve@example.net',
    'x\0\r\n\r\n<h1>body</h1>',
    'x\r\n.\r\nMAIL FROM:<eve@example.net>',
    '=?utf-8?Q?x=0D=0ABcc:_eve@example.net?=',
    '=?utf-8?B?eA0KQmNjOiBldmVAZXhhbXBsZS5uZXQ=?=',
    `${'a '.repeat(2000)}\r\nBcc: eve@example.net`,
    `${'ä'.repeat(2000)}\r\nBcc: eve@example.net`,
    '"x" <eve@example.net>, eve@example.net',
    'x\u0085Bcc: eve@example.net',
  ]
  const names = ['From', 'To', 'Subject', 'Message-ID', 'Date', 'Auto-Submitted', 'List-ID']
  const usual = [
    ...names,
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'MIME-Version',
    'Content-Type',
    'Reply-To',
  ].sort()

  test.each<[string, (text: string) => Mail]>([
    ['the title of a form', (text) => of({}, text)],
    ['the subject of a visitor', ofSubject],
    ['_replyto', (text) => of({ _replyto: text })],
    ['email', (text) => of({ email: text })],
    ['the name of a field', (text) => of({ [text]: 'x' })],
    [
      'the title in a digest',
      (text) => digestMail({ ...hourly, form: { ...about.form, title: text }, count: 2, from: at, until: at }),
    ],
    [
      'a submission in a digest',
      (text) =>
        digestMail({
          ...hourly,
          count: 1,
          from: at,
          until: at,
          submissions: [listSubmission(newId(at), JSON.stringify({ [text]: text }))],
        }),
    ],
    ['the title in the mail to who was added', (text) => addedMail({ ...about, form: { ...about.form, title: text } })],
    // What could not be there, if an earlier check failed.
    ['a Reply-To', (text) => ({ ...of({}), replyTo: text })],
    ['a subject', (text) => ({ ...of({}), subject: text })],
    ['a header', (text) => ({ ...of({}), headers: { ...of({}).headers, 'List-ID': text } })],
  ])('has no header or recipient from %s', async (_, toMail) => {
    const smtp = await startSmtp()
    const mailer = openMailer(mailConfig(`smtp://127.0.0.1:${smtp.port}`, { publicUrl, from: 'forms@example.com' }))
    afterThisTest(mailer.close)
    for (const text of injections) await mailer.send(toMail(text))
    expect(smtp.mails.length).toBe(injections.length)
    expect(new Set(smtp.lines.filter((line) => /^(MAIL|RCPT)/i.test(line)))).toEqual(
      new Set(['MAIL FROM:<forms@example.com>', 'RCPT TO:<ada@example.org>']),
    )
    for (const [position, mail] of parseMails(smtp.mails).entries()) {
      const found = mail.headers.map(([name]) => name)
      expect(found.filter((name) => !usual.includes(name))).toEqual([])
      expect(new Set(found).size).toBe(found.length)
      expect(headerOf(mail, 'To')).toBe('ada@example.org')
      const lines = smtp.mails[position]?.split('\r\n') ?? []
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998)
      expect(Object.keys(mail.parts)).toEqual(['text/plain', 'text/html'])
    }
  })
})
