// What each setting of a form may be, for every door: the API, the page, and files that are applied. A setting is one row.
import { addressInWords } from '../../src/forms/form-address.ts'
import type { SettingName } from '../../src/forms/settings/settings.ts'
import { languages } from '../../src/languages/languages.ts'

export interface SettingRule {
  /** Where its page is below that of the settings; left out if it is none of these. */
  readonly page?: string
  /** What is chosen on the page so that it counts. */
  readonly with?: Readonly<Record<string, string>>
  /** Other settings without which it is refused. */
  readonly beside?: object
  /** Values of the API and of files that are stored as they are. */
  readonly takes?: readonly unknown[]
  /** Others, with how they are stored. */
  readonly stores?: readonly (readonly [sent: unknown, stored: unknown])[]
  /** What it must be, and values that are not. What is wrong with an item of a list begins with its position. */
  readonly refuses: readonly (readonly [must: string, ...values: unknown[]])[]
  /** What is typed on the page, how it is stored, and what the page then shows. Null takes out a tick. */
  readonly typed?: readonly (readonly [typed: Typed, stored: unknown, shown?: string | null])[]
  /** What the page says it must be, and what is not. */
  readonly mistyped?: readonly (readonly [must: string, ...typed: Typed[]])[]
}

type Typed = string | readonly string[] | null

/** The settings of a server with which all of these can be set. */
export const environment = {
  FORMBOX_SUBMIT_LIMIT: '60',
  FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
  FORMBOX_MAIL_FROM: 'Formbox <forms@example.com>',
  FORMBOX_URL: 'http://forms.example.com',
}

const numbered = (count: number, of: (position: number) => string) => Array.from({ length: count }, (_, i) => of(i))

const flag = (page: string): SettingRule => ({
  page,
  takes: [true, false],
  refuses: [['must be true or false', null, 0, 1, 'true', 'false', [], {}]],
  typed: [
    [null, false],
    ['on', true],
  ],
})

const text = (page: string): SettingRule => ({
  page,
  takes: ['Thank you!\nA \t b', ' x ', '🦊'.repeat(1000), null],
  refuses: [
    [
      'must be 1 to 1000 characters, not only white space, or null',
      ...['', ' \n', 'x'.repeat(1001), '🦊'.repeat(1001), 1, [], ['x']],
    ],
  ],
  typed: [
    [' One\r\n\r\n<b>two ', 'One\n\n<b>two', 'One\r\n\r\n<b>two'],
    ['\r\n', null, ''],
  ],
  mistyped: [['Must be at most 1000 characters; got 1001.', '🦊'.repeat(1001)]],
})

const time: SettingRule = {
  page: '/visitors',
  with: { open: 'dates' },
  takes: ['2026-12-01T08:00:00.000Z', null],
  stores: [
    ['2026-12-01T08:00Z', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01t08:00:30.999999999+05:30', '2026-12-01T02:30:30.000Z'],
    ['2028-02-29T23:59:59-12:00', '2028-03-01T11:59:59.000Z'],
  ],
  refuses: [
    [
      'must be a date and time with an offset, such as 2026-12-01T08:00:00Z, or null',
      ...['', '2026-12-01', '2026-12-01T08:00', '2026-02-29T08:00Z', '2026-12-01T24:00Z', 1, true, {}],
      ...['9999-12-31T23:59-23:59', '0000-01-01T00:00+00:01'],
    ],
  ],
  typed: [
    ['2026-12-01T08:00', '2026-12-01T08:00:00.000Z'],
    [' 2026-12-24 12:00:30 ', '2026-12-24T12:00:30.000Z', '2026-12-24T12:00:30'],
    ['', null],
  ],
  mistyped: [
    ['Must be a date and time such as 2026-12-01 08:00, or empty.', 'tomorrow', '2026-12-01', '2026-02-30T08:00'],
  ],
}

interface Range {
  readonly page: string
  readonly min: number
  readonly max: number
  /** Whether it may be null. */
  readonly isRequired?: true
  /** The most that the operator allows. */
  readonly most?: number
  readonly variable?: string
}

const integer = ({ page, min, max, isRequired, most = max, variable }: Range): SettingRule => {
  const must = (highest: number, ending: string) =>
    `ust be a whole number from ${min} to ${highest}${isRequired ? '' : `, or ${ending}`}`
  const wrong = [String(min - 1), String(most + 1), '1.5', '1e1', '-1', 'x', '<i>', ...(isRequired ? [''] : [])]
  return {
    page,
    takes: [min, most, ...(isRequired ? [] : [null])],
    refuses: [
      [`m${must(max, 'null')}`, min - 1, max + 1, 1.5, String(min), true, [], {}, ...(isRequired ? [null] : [])],
      ...(variable === undefined
        ? []
        : ([[`must be at most ${most}, which is what this server allows (${variable})`, most + 1, max]] as const)),
    ],
    typed: [[` ${min} `, min, String(min)], [String(most), most], ...(isRequired ? [] : ([['', null]] as const))],
    mistyped: [[`M${must(most, 'empty')}.`, ...wrong]],
  }
}

const reply = { field: 'email', subject: 'Thank you, {name}', text: 'We answer soon.', copy: false }
const confirm = { field: 'email', subject: 'Please confirm', text: 'Open this link: {link}', days: 7 }
const only = { field: 'topic', equals: 'Sales' }
const longTerms = numbered(200, (i) => `${String(i).padStart(3, '0')}${'🦊'.repeat(17)}`)

/** A new setting is a row here: without it, types and tests fail. */
export const settingRules: { readonly [Name in SettingName]: SettingRule } = {
  open: {
    ...flag('/visitors'),
    typed: [
      ['', false],
      ['on', true],
    ],
  },
  opensAt: time,
  closesAt: time,
  maxSubmissions: integer({ page: '/visitors', min: 1, max: 1_000_000 }),
  closedText: text('/visitors'),
  allowedOrigins: {
    page: '/visitors',
    takes: [['https://example.com', 'http://localhost:3000'], numbered(20, (i) => `https://${i}.example`), []],
    stores: [
      [
        ['HTTPS://Shop.example:443/', 'https://shop.example', 'https://*.münchen.de'],
        ['https://shop.example', 'https://*.xn--mnchen-3ya.de'],
      ],
    ],
    refuses: [
      [
        'must be an array of at most 20 origins',
        ...[numbered(21, (i) => `https://${i}.example`), 'https://example.com', null, {}],
      ],
      [
        '1: must be an origin such as https://example.com or https://*.example.com, without a path',
        ...['example.com', 'https://example.com/contact', 'null', '*', '', 'https://a.*.com', 1, null].map((wrong) => [
          'https://example.com',
          wrong,
        ]),
      ],
    ],
    typed: [
      [
        ' HTTPS://Example.com/ \r\n\r\nhttps://*.example.com\r\nhttps://example.com',
        ['https://example.com', 'https://*.example.com'],
        'https://example.com\r\nhttps://*.example.com',
      ],
      ['', []],
    ],
    mistyped: [
      [
        'Each line must be an origin such as https://example.com or https://*.example.com, without a path; got "<b>".',
        'https://a\r\n<b>',
      ],
      ['Must be at most 20 lines; got 21.', numbered(21, (i) => `https://${i}.a`).join('\r\n')],
    ],
  },
  acceptFiles: flag('/visitors'),
  fileTypes: {
    page: '/visitors',
    takes: [
      ['image/*', 'application/pdf', '.docx', '.tar.gz', 'application/vnd.ms-excel', 'image/svg+xml'],
      numbered(20, (i) => `.a${i}`),
      [`.${'x'.repeat(99)}`],
      [],
    ],
    stores: [
      [
        ['.PDF', 'Image/*', '.pdf', 'APPLICATION/pdf'],
        ['.pdf', 'image/*', 'application/pdf'],
      ],
    ],
    refuses: [
      ['must be an array of at most 20 kinds of files', null, '.pdf', {}, numbered(21, (i) => `.a${i}`)],
      [
        '1: must be an extension such as .docx, a media type such as application/pdf, or image/*',
        ...['', '.', 'pdf', '*', '*/*', 'image/', '/png', 'image', '. pdf', '.pdf ', '.a,b', 'image/*;q=1', 'a/b/c']
          .concat('.a"b', '.ä', '..pdf', '.pdf\u0001', `.${'x'.repeat(100)}`)
          .map((wrong) => ['.pdf', wrong]),
        ...[1, null].map((wrong) => ['.pdf', wrong]),
      ],
    ],
    // Ticks come first.
    typed: [
      [
        ['image/*', '.doc .docx .odt .rtf', ' .EPUB, text/plain;.epub txt *.7z '],
        ['image/*', '.doc', '.docx', '.odt', '.rtf', '.epub', 'text/plain', '.txt', '.7z'],
        '.epub text/plain .txt .7z',
      ],
      ['', []],
    ],
    mistyped: [
      [
        'Each entry must be an extension such as .docx, a media type such as application/pdf, or image/*; got "photos".',
        ['image/*', 'photos'],
      ],
      ['Must be at most 20 entries; got 21.', numbered(21, (i) => `.a${i}`).join(' ')],
    ],
  },
  maxFiles: integer({ page: '/visitors', min: 1, max: 20 }),
  maxFileBytes: {
    ...integer({
      ...{ page: '/visitors', min: 1, max: 100 * 1024 * 1024 },
      ...{ most: 10 * 1024 * 1024, variable: 'FORMBOX_FILE_LIMIT' },
    }),
    typed: [
      ['1.5 MiB', 1_572_864, '1536 KiB'],
      ['2mb', 2_000_000, '2 MB'],
      ['500 kB', 500_000],
      ['10 MIB', 10_485_760, '10 MiB'],
      [' 77 bytes ', 77, '77 bytes'],
      ['', null],
    ],
    mistyped: [
      [
        'Must be a size such as 500 KiB or 2 MiB, up to 10 MiB, or empty.',
        ...['0 MiB', '5', '-1 MiB', '10.1 MiB', '1e3 kB', '1,5 MB', '2 GiB', 'MiB', '0.1 bytes', '9'.repeat(500)],
      ],
    ],
  },
  columns: {
    takes: [
      [...'abcdefgh'],
      [],
      ['', ' ', '__proto__', 'ü', '😀', 'a\nb', '"', 'x'.repeat(998)],
      ['that no submission has had'],
      null,
    ],
    refuses: [
      [
        'must be an array of at most 8 different names of at most 1000 bytes as JSON, or null',
        ...[[...'abcdefghi'], ['a', 'b', 'a'], ['x'.repeat(999)], [`${'ü'.repeat(499)}x`], ['a\0'], ['\ud83d'], [1]],
        ...[[null], 'a', { 0: 'a', length: 1 }],
      ],
    ],
  },
  thankYou: text('/visitors'),
  notify: {
    takes: [
      ['ada@example.com'],
      numbered(10, (i) => `a${i}@example.com`),
      ['Ada.Lovelace+forms@Example.COM', 'ada@XN--exmple-cua.de'],
      ['root@localhost', 'ada@mail.lan', { address: 'grace@example.com', only, digest: 'day' }],
      [{ address: 'ada@example.com', only: null, digest: 'week' }],
      [],
    ],
    stores: [
      [
        ['Ada@EXÄMPLE.de', 'Ada@Ｅxamp\u034fle。\u212aom'],
        ['Ada@xn--exmple-cua.de', 'Ada@example.kom'],
      ],
      [
        [
          'Ada@Example.COM',
          { address: 'Grace@EXÄMPLE.de', digest: 'day' },
          { address: 'c@example.com', only: { equals: 'Sales', field: 'topic' } },
        ],
        [
          'Ada@Example.COM',
          { address: 'Grace@xn--exmple-cua.de', only: null, digest: 'day' },
          { address: 'c@example.com', only, digest: null },
        ],
      ],
      [
        [{ address: 'ada@example.com', only: null, digest: null }, { address: 'b@example.com' }],
        ['ada@example.com', 'b@example.com'],
      ],
    ],
    refuses: [
      [
        'must be an array of at most 10 different email addresses such as ada@example.com, each as text or as {"address":"ada@example.com","only":{"field":"topic","equals":"Sales"},"digest":"day"}',
        numbered(11, (i) => `a${i}@example.com`),
        ['ada@example.com', 'Ada@example.com'],
        ['ada@exämple.de', 'ada@XN--exmple-cua.de'],
        ['ada'],
        ['@example.com'],
        ['ada@example.com,grace@example.com'],
        ['Ada <ada@example.com>'],
        [' ada@example.com'],
        ['ada@example.com\r\nBcc: all@example.com'],
        ['ada@example.com>\r\nRCPT TO:<all@example.com'],
        ['ada@example.com\0'],
        [`a@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.${'v'.repeat(9)}`],
        [''],
        [1],
        null,
        'ada@example.com',
        { 0: 'ada@example.com', length: 1 },
        [{ digest: 'day' }],
        [{ address: 'ada', digest: 'day' }],
        [{ address: 'ada@example.com', digest: 'month' }],
        [{ address: 'ada@example.com', only: { field: 'topic' } }],
        [{ address: 'ada@example.com', only: { field: '', equals: 'x' } }],
        [['ada@example.com']],
        ['ada@example.com', { address: 'Ada@example.com', digest: 'day' }],
      ],
    ],
  },
  timeZone: {
    page: '/visitors',
    takes: ['Europe/Berlin', 'Asia/Calcutta', 'UTC'],
    stores: [['america/new_york', 'America/New_York']],
    refuses: [
      [
        'must be the name of a time zone, such as Europe/Berlin, America/New_York or UTC',
        ...['', 'Berlin', '+01:00', 'Europe/Berlin ', 'x'.repeat(1000), null, 1, {}],
      ],
    ],
    typed: [
      [' america/new york ', 'America/New_York', 'America/New_York'],
      ['UTC', 'UTC'],
    ],
    mistyped: [['Must be the name of a time zone, such as Europe/Berlin, America/New_York or UTC.', 'Berlin', '']],
  },
  attachFiles: flag(''),
  reply: {
    takes: [reply, { field: 'é'.repeat(400), subject: '😀'.repeat(200), text: '😀\n'.repeat(2500), copy: false }, null],
    stores: [
      [
        { field: 'email', subject: 'S', text: 'T' },
        { field: 'email', subject: 'S', text: 'T', copy: false },
      ],
    ],
    refuses: [
      [
        'must be null, or an object with `field` (the name of a field), `subject` (1 to 200 characters in one line), `text` (1 to 5000 characters) and, if you like, `copy` (true or false)',
        'yes',
        [],
        {},
        { ...reply, field: undefined },
        { ...reply, field: '' },
        { ...reply, field: 'x'.repeat(999) },
        { ...reply, subject: ' ' },
        { ...reply, subject: 'x'.repeat(201) },
        { ...reply, subject: 'Thank you\r\nBcc: other@example.org' },
        { ...reply, text: '\n' },
        { ...reply, text: 'x'.repeat(5001) },
        { ...reply, text: 'a\0b' },
        { ...reply, copy: 'yes' },
      ],
    ],
  },
  honeypot: {
    page: '/spam',
    takes: ['website', '_Gotcha', 'a[b]', ' x ', '🦊'.repeat(64), '__proto__', '"><script>', '_gotcha'],
    refuses: [
      [
        'must be 1 to 64 characters, not only white space, and none of _next, _subject, _replyto, _language, _idempotency, _challenge',
        ...['_next', '_subject', '_replyto', '_idempotency', '_challenge', '_language', '', ' '],
        ...['x'.repeat(65), '🦊'.repeat(65), null, 1, true, [], ['website'], {}],
      ],
    ],
    typed: [[' "><b> ', '"><b>', '"><b>']],
    mistyped: [
      [
        'Must be 1 to 64 characters, not only white space, and none of _next, _subject, _replyto, _language, _idempotency, _challenge.',
        ...['', '_next', 'x'.repeat(65)],
      ],
    ],
  },
  challenge: flag('/spam'),
  blockedTerms: {
    page: '/spam',
    takes: [['casino', 'скидка'], longTerms, []],
    stores: [[['casino', 'casino'], ['casino']]],
    refuses: [
      ['must be an array of at most 200 texts', numbered(201, (i) => `term ${i}`), 'casino', null, {}],
      [
        '1: must be 2 to 100 characters, not only white space',
        ...['x', '🦊', 'x'.repeat(101), '  ', 1].map((term) => ['casino', term]),
      ],
      ['must be at most 4000 characters in total; got 4001', [...longTerms.slice(1), 'x'.repeat(21)]],
    ],
    typed: [
      [' casino \r\n\r\nскидка\r\ncasino', ['casino', 'скидка'], 'casino\r\nскидка'],
      [longTerms.join('\r\n'), longTerms],
      ['', []],
    ],
    mistyped: [
      ['Each line must be 2 to 100 characters, not only white space; got "x".', 'x'],
      [
        'Must be at most 4000 characters in total; got 20000.',
        numbered(200, (i) => `${i}`.padStart(3, '0').padEnd(100, 'x')).join('\r\n'),
      ],
    ],
  },
  maxLinks: integer({ page: '/spam', min: 0, max: 1000 }),
  spamDays: integer({ page: '/spam', min: 1, max: 365, isRequired: true }),
  retentionDays: integer({ page: '/people', min: 1, max: 3650 }),
  submitLimit: integer({
    ...{ page: '/spam', min: 1, max: 1_000_000 },
    ...{ most: 60, variable: 'FORMBOX_SUBMIT_LIMIT' },
  }),
  fields: {
    takes: [
      [{ name: 'email', type: 'email', label: 'Email', help: 'See https://example.com', required: true }],
      [{ name: 'n', type: 'number', min: -1.5, max: 3 }],
      [{ name: 'd', type: 'date', min: '2026-12-31' }],
      [{ name: 'c', type: 'choices', min: 1, max: 2, options: ['a', 'A', 'ä'], other: true }],
      [{ name: 'p', type: 'choice', options: ['a', 'b | c'], places: { a: 0, 'b | c': 1_000_000 }, showPlaces: true }],
      [
        { name: 'e', type: 'email', once: 'hold' },
        { name: 't', type: 'tel', once: 'refuse' },
      ],
      [{ name: 'f', type: 'file', fileTypes: ['image/*'], maxFiles: 3 }],
      Array.from({ length: 50 }, (_, i) => ({ name: `f${i}`, type: 'text', prefill: true })),
      [],
    ],
    refuses: [
      ['must be an array of at most 50 fields', Array.from({ length: 51 }, (_, i) => ({ name: `f${i}` })), {}],
      ['0: must be an object with `name` and `type`', [null], ['email']],
    ],
  },
  otherFields: {
    takes: ['refuse', 'keep'],
    refuses: [['must be one of keep, refuse', null, true, 'drop', '']],
  },
  language: {
    page: '/visitors',
    takes: ['de', 'en', null],
    refuses: [[`must be one of ${languages.join(', ')}, or null`, 'xx', 'DE', '', 1, []]],
    // It is chosen from a list.
    typed: [
      ['de', 'de'],
      ['', null],
    ],
  },
  learnSpam: flag('/spam'),
  page: {
    takes: [null],
    refuses: [
      [
        'must be null, or an object with `title`, `text`, `button` (texts, or null) and `frame` (true or false)',
        ...[0, true, 'x', []],
      ],
    ],
  },
  sender: {
    page: '',
    takes: [null],
    refuses: [
      ['must be null, or a sender that the operator of this server offers to the owner of the form', 'bakery'],
      ['must be the name of a sender: 1 to 60 letters, digits, _ and -, or null', '', 'a b', 'x'.repeat(61), 1, {}],
    ],
    typed: [],
  },
  group: {
    page: '/people',
    takes: ['Bakery', 'x'.repeat(60), '😀'.repeat(60), null],
    refuses: [
      [
        'must be 1 to 60 characters, not only white space, in one line, or null',
        '',
        ' ',
        'a\nb',
        'a\u2028b',
        'x'.repeat(61),
        1,
        [],
      ],
    ],
    typed: [
      [' Bakery ', 'Bakery', 'Bakery'],
      ['', null],
    ],
    mistyped: [['Must be 1 to 60 characters, not only white space, in one line, or empty.', 'x'.repeat(61)]],
  },
  address: {
    page: '/visitors',
    takes: ['abc', `a${'-1'.repeat(29)}`, null],
    refuses: [
      [
        `must be ${addressInWords}, or null`,
        ...[
          '',
          'ab',
          'x'.repeat(61),
          'Abc',
          'a--b',
          '-ab',
          'ab-',
          'a b',
          'ä12',
          'a.b',
          'new',
          'bulk',
          'none',
          'challenge',
        ],
        ...['0'.repeat(28), 'your-password', 1, []],
      ],
    ],
    typed: [
      [' Summer party ', 'summer-party', 'summer-party'],
      ['', null],
    ],
    mistyped: [[`Must be ${addressInWords}, or empty.`, 'a/b']],
  },
  quietDays: integer({ page: '', min: 1, max: 365 }),
  confirm: {
    // With others, in test/contract/confirm.test.ts.
    takes: [null],
    refuses: [
      [
        'must be null, or an object with `field` (the name of a field), `subject` (1 to 200 characters in one line), `text` (1 to 5000 characters) and, if you like, `days` (1 to 30)',
        'yes',
        [],
        {},
        { ...confirm, field: undefined },
        { ...confirm, field: '' },
        { ...confirm, subject: ' ' },
        { ...confirm, subject: 'x'.repeat(201) },
        { ...confirm, subject: 'Hello\nBcc: other@example.org' },
        { ...confirm, text: 'x'.repeat(5001) },
        { ...confirm, text: 'a\0b' },
        { ...confirm, days: 0 },
        { ...confirm, days: 31 },
        { ...confirm, days: 1.5 },
        { ...confirm, days: '7' },
      ],
    ],
  },
}
