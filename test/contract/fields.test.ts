// What the fields of a form take and refuse, whatever they are sent as.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readForms } from '../forms/applying.ts'
import { blocksOf } from '../guide-parts.ts'
import { readPage, unescaped } from '../read-page.ts'
import { solve } from '../solve.ts'
import { rowsOf } from '../storage/sound.ts'
import { filesOf, piecesOf } from '../stored-files.ts'
import { until } from '../until.ts'
import { type World, world } from '../world.ts'

type Values = string | readonly string[]

const json = { 'content-type': 'application/json' }

/** The same values of a field in each kind of body. */
const bodies = (values: Values, field = 'x'): readonly (readonly [BodyInit, Record<string, string>])[] => {
  const pairs = [values].flat().map((value): [string, string] => [field, value])
  const multipart = new FormData()
  for (const [name, value] of pairs) multipart.append(name, value)
  multipart.append('y', 'y')
  return [
    [new URLSearchParams([...pairs, ['y', 'y']]), {}],
    [multipart, {}],
    [`{${JSON.stringify(field)}:${JSON.stringify(values)},"y":"y"}`, json],
  ]
}

/** The rules that they break, in each kind of body; and what is stored if they break none. */
const verdicts = async ({ ada, path, post }: World, values: Values) => {
  const found: unknown[] = []
  for (const [body, headers] of bodies(values)) {
    const { status, body: answer } = await post(body, headers)
    if (status === 200) found.push((await ada.call('GET', `${path}/submissions/${answer.id}`)).body.data.x)
    else found.push([status, answer.issues.map(({ rule, path }: Record<string, string>) => `${rule} ${path}`)])
  }
  return found
}

const long = (length: number) => 'x'.repeat(length)
const choice = { type: 'choice', options: ['Red', ' Blue ', 'İ'] }
const choices = { type: 'choices', options: ['Red', 'Green', 'Blue', 'a,b'] }

/** Values that a field takes, and then others with the rule that each breaks. */
const table: readonly (readonly [
  field: object,
  taken: readonly Values[],
  refused: readonly (readonly [Values, string])[],
])[] = [
  [
    { type: 'text' },
    ['', ' ', 'a', ' a ', 'a\r\nb', '<b>', '{}', '[1]', 'null', 'false', long(300_000)],
    [[['a', 'b'], 'one /x']],
  ],
  [
    { required: true },
    ['a', '0', 'false'],
    ['', ' \t\r\n\u00a0\u2003', [], ['', ' ']].map((x) => [x, 'required /x'] as const),
  ],
  [
    { minLength: 2, maxLength: 3 },
    ['', 'ab', ' abc ', '😀', '😀😀😀'],
    [
      ['a', 'minLength /x'],
      [' a ', 'minLength /x'],
      ['abcd', 'maxLength /x'],
      ['😀😀😀😀', 'maxLength /x'],
      [long(300_000), 'maxLength /x'],
    ],
  ],
  [{ type: 'lines', maxLength: 3 }, ['a\r\nb'], [['a\r\nbc', 'maxLength /x']]],
  [
    { type: 'email' },
    [
      ...[
        '',
        'ada@example.com',
        ' ada@example.com ',
        "o'neil@example.com",
        'a..b@docomo.ne.jp',
        'ada+shop@example.museum',
      ],
      ...[
        'ada@exämple.de',
        'ada@例え.テスト',
        'ada@localhost',
        `${long(64)}@example.com`,
        '.a@example.com',
        'A@EXAMPLE.COM',
        // Browsers leave it out, as the domain is made ASCII.
        'ada@example.com\u200b',
      ],
    ],
    [
      ...['ada', 'ada@', '@example.com', 'ada@exa mple.com', 'ada@example..com', 'ada@-example.com', 'ä@example.com'],
      ...['ada@example.com, bob@example.com', 'Ada <ada@example.com>', `${long(250)}@a.de`],
      ...[
        `a@${long(64)}.de`,
        `${'a@'.repeat(100_000)}`,
        `a@${'ä'.repeat(100_000)}`,
        'ada@exämple.de@',
        'a@[127.0.0.1]',
      ],
    ].map((x) => [x, 'email /x'] as const),
  ],
  [
    { type: 'tel' },
    ['604 GOT JUNK', '+49 (0)30 123', '٠١٢', '123', '110 (Notruf)', '0049/30-1234', '１２３'],
    ['12', '++--', 'none', `123${long(38)}`, `${'1'.repeat(100_000)}`].map((x) => [x, 'tel /x'] as const),
  ],
  [
    { type: 'url' },
    [
      ...['https://example.com', 'example.com', 'HTTP://example.com/a?b#c', 'exämple.de', 'example.com:8080/x', 'a.b'],
      ...['https://user@example.com', 'https://example.com/a b', '例え。テスト'],
    ],
    [
      ...[
        'localhost',
        'http://localhost',
        'ftp://example.com',
        'javascript:alert(1).com',
        'mailto:ada@example.com',
        '1',
      ],
      ...[
        'not a url.com',
        'https://',
        'https:example',
        '.',
        'a.',
        '//example.com',
        `${'a.'.repeat(100_000)}`,
        'data:text/html,a.b',
      ],
    ].map((x) => [x, 'url /x'] as const),
  ],
  [
    { type: 'number', min: -2, max: 3000 },
    [
      '0',
      '-2',
      '3,2',
      '3.2',
      '.5',
      ',5',
      '1 000',
      "1'000",
      '1’000',
      '1\u00a0000',
      '1\u202f234,5',
      '007',
      '٣',
      '３',
      '−1',
      ' 7 ',
      '2999.99',
    ],
    [
      ...[
        '1.000,5',
        '1,000.5',
        'x',
        '1e3',
        '--1',
        '-',
        '.',
        '1.',
        '0x1f',
        '1 00',
        '10 0000',
        '1  000',
        'Infinity',
        '3000 €',
        '½',
        '1e400',
        '-1e400',
        'NaN',
      ].map((x) => [x, 'number /x'] as const),
      ['-3', 'min /x'],
      ['-2,001', 'min /x'],
      ['3 001', 'max /x'],
      ['9'.repeat(100_000), 'max /x'],
    ],
  ],
  [
    { type: 'date', min: '2026-01-31', max: '2028-02-29' },
    ['2026-01-31', '2028-02-29', ' 2026-12-31 ', ''],
    [
      ...[
        '2026-02-29',
        '2026-13-01',
        '2026-04-31',
        '31.12.2026',
        '12/31/2026',
        '2026-1-31',
        '0000-01-01',
        '2026-00-10',
      ].map((x) => [x, 'date /x'] as const),
      ...['12026-01-01', '2026-12-31T00:00', '٢٠٢٦-٠١-٣١'].map((x) => [x, 'date /x'] as const),
      ['2026-01-30', 'min /x'],
      ['2028-03-01', 'max /x'],
    ],
  ],
  [
    { type: 'date' },
    ['2000-02-29', '0004-02-29', '9999-12-31', '0001-01-01'],
    ['1900-02-29', '2100-02-29', '2026-02-30', '２０２６-01-31', '-2026-01-01'].map((x) => [x, 'date /x'] as const),
  ],
  // These look the same, or nearly, and are others.
  [
    { type: 'choice', options: ['é', 'e\u0301', 'É', 'a', 'ａ'] },
    ['é', 'e\u0301', 'É', 'ａ'],
    ['E\u0301', 'A', 'á'].map((x) => [x, 'option /x'] as const),
  ],
  [
    choice,
    ['', 'Red', ' Red ', 'Blue', 'İ', ['', 'Red'], ['Red', ' ']],
    [
      ['red', 'option /x'],
      ['Green', 'option /x'],
      ['i̇', 'option /x'],
      [['Red', 'Blue'], 'one /x'],
      [['Red', 'Red'], 'one /x'],
      ['constructor', 'option /x'],
    ],
  ],
  [
    { ...choice, other: true, required: true },
    ['Green', ['', 'Green'], 'x'.repeat(200), '😀'.repeat(200)],
    [
      [['', ''], 'required /x'],
      [['Red', 'left over'], 'one /x'],
      [long(201), 'maxLength /x'],
    ],
  ],
  [
    { ...choices, required: true, min: 1, max: 3 },
    ['Red', ['Red'], ['Red', '', 'Green'], [' Red ', 'a,b']],
    [
      ['', 'required /x'],
      [[], 'required /x'],
      [['', ''], 'required /x'],
      [['Red', 'Pink', 'Green', 'Grey'], 'option /x/1,option /x/3,max /x'],
      ['Red,Green', 'option /x/0'],
    ],
  ],
  [
    { ...choices, min: 2 },
    ['', ['Red', 'Green']],
    [
      ['Red', 'min /x'],
      [['Red', 'Red'], 'min /x'],
    ],
  ],
  [
    { ...choices, other: true },
    [['Red', 'own'], 'own', ['', 'own'], ['Red', ''], ['', ' ']],
    [
      [['own', 'another'], 'option /x/1'],
      [['Red', long(201)], 'maxLength /x/1'],
    ],
  ],
  [
    { type: 'checkbox', required: true },
    ['on', '1', 'I agree', 'nope', ['0', '1'], ['true', 'false'], ['', 'on'], ['off', 'no', 'yes', 'OFF']],
    [
      ...['', ' ', '0', 'false', 'off', ' No ', 'FALSE', ['0', 'false']].map((x) => [x, 'required /x'] as const),
      [['a', 'b'], 'one /x'],
      [['0', 'a', 'b'], 'one /x'],
    ],
  ],
  [{ type: 'checkbox' }, ['', 'on', '0', 'no', ['0', '1'], ['0', '0']], [[['a', 'b'], 'one /x']]],
  [{ type: 'hidden' }, ['', 'anything'], [[['a', 'b'], 'one /x']]],
  [
    { type: 'file', required: true },
    [],
    [
      ['', 'required /x'],
      ['cv.pdf', 'file /x'],
      [['', 'cv.pdf'], 'file /x'],
    ],
  ],
]

const unticked = /^(|0|false|off|no)$/i

/** What is stored of these values: of several choices, always a list of the answers; of a check box, the tick alone. */
const storedOf = (field: { readonly type?: string }, values: Values): unknown => {
  if (field.type === 'choices') return [values].flat().filter((value) => value.trim() !== '')
  if (field.type === 'checkbox') return [values].flat().find((value) => !unticked.test(value)) ?? values
  return values
}

describe('POST /s/:formId of a form with fields', () => {
  test.each(table)('has the same verdict for every kind of body: %j', async (field, taken, refused) => {
    const here = await world({ form: { fields: [{ name: 'x', ...field }] } })
    for (const values of taken) {
      const stored = storedOf(field, values)
      expect([values, await verdicts(here, values)]).toEqual([values, [stored, stored, stored]])
    }
    for (const [values, rules] of refused) {
      const verdict = [400, rules.split(',')]
      expect([values, await verdicts(here, values)]).toEqual([values, [verdict, verdict, verdict]])
    }
  })

  test.each(['__proto__', 'constructor', 'toString', 'a[b]', 'a[]', 'a.b', ' x ', '"', '😀', '0'])(
    'checks a field called %j as any other, whatever it is sent as',
    async (name) => {
      const { ada, path, post } = await world({ form: { fields: [{ name, type: 'email', required: true }] } })
      const pointer = `/${name}`
      for (const [body, headers] of bodies('no', name))
        expect((await post(body, headers)).body.issues).toMatchObject([{ path: pointer, rule: 'email' }])
      for (const [body, headers] of bodies('a@b.c', name)) {
        const { status, body: stored } = await post(body, headers)
        expect(status).toBe(200)
        const { data } = (await ada.call('GET', `${path}/submissions/${stored.id}`)).body
        expect(Object.entries(data)).toContainEqual([name, 'a@b.c'])
      }
      expect((await post('y=y')).body.issues).toMatchObject([{ path: pointer, rule: 'required' }])
    },
  )

  test('takes a name that is absent, and does not make one up', async () => {
    const types = ['text', 'email', 'checkbox', 'file', 'hidden']
    const optional = [...types.map((type) => ({ name: type, type })), { name: 'choices', ...choices }]
    const { send, submissions } = await world({ form: { fields: optional } })
    expect((await send({ y: 1 })).status).toBe(200)
    expect((await submissions())[0].data).toEqual({ y: 1 })
  })

  test.each<[object, unknown, string | null]>([
    [{ type: 'number', max: 5 }, 3.5, null],
    [{ type: 'number', max: 5 }, 6, 'max /x'],
    [{ type: 'number' }, true, 'number /x'],
    [{ type: 'text', required: true }, 0, null],
    [{ type: 'text', required: true }, null, 'required /x'],
    [{ type: 'text', required: true }, [], 'required /x'],
    [{ type: 'text', required: true }, [null, ''], 'required /x'],
    [{ type: 'text' }, {}, 'type /x'],
    [{ type: 'text' }, [['a']], 'type /x'],
    [{ type: 'text' }, ['a', {}], 'type /x/1'],
    [{ type: 'checkbox', required: true }, true, null],
    [{ type: 'checkbox', required: true }, false, 'required /x'],
    [{ type: 'checkbox', required: true }, 0, 'required /x'],
    [{ type: 'checkbox', required: true }, 'false', 'required /x'],
    [{ type: 'checkbox', required: true }, [0, null, false], 'required /x'],
    [{ type: 'checkbox', required: true }, [1, 0, 2], 'one /x'],
    [{ type: 'checkbox' }, 0, null],
    [{ type: 'checkbox' }, [false, null], null],
    [{ type: 'checkbox' }, {}, 'type /x'],
    [{ ...choices, options: ['1', 'true'] }, [1, true], null],
    [choices, [{}], 'type /x/0'],
    [{ type: 'choice', options: ['1'] }, 1, null],
    [{ ...choices, required: true }, [null, [], ''], 'required /x'],
    [{ type: 'file' }, { filename: 'cv.pdf', type: '', size: 1, file: 'x' }, 'file /x'],
    [{ type: 'file' }, 'cv.pdf', 'file /x'],
  ])('counts what JSON has as its text: %j may be %j: %j', async (field, x, rules) => {
    const { send, submissions } = await world({ form: { fields: [{ name: 'x', ...field }] } })
    const { status, body } = await send({ x, y: 1 })
    const found =
      status === 200 ? null : body.issues.map((one: { rule: string; path: string }) => `${one.rule} ${one.path}`).join()
    expect(found).toBe(rules)
    expect(await submissions()).toHaveLength(rules === null ? 1 : 0)
    if (rules === null) expect((await submissions())[0].data).toEqual({ x, y: 1 })
  })

  test('stores of several choices only answers, also where JSON has something empty', async () => {
    const { send, submissions } = await world({ form: { fields: [{ name: 'x', ...choices, other: true }] } })
    await send({ x: ['Red', null, [], ' ', 'own'] })
    await send({ x: null, y: 1 })
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([
      { x: [], y: 1 },
      { x: ['Red', 'own'] },
    ])
  })

  test('tells everything at once, in the order of the form, with the name and its pointer', async () => {
    const fields = [
      { name: 'a/b~c', type: 'email', label: 'Your address' },
      { name: 'tags', ...choices, required: true },
      { name: 'agree', type: 'checkbox', required: true },
    ]
    const { send, submissions } = await world({ form: { fields, otherFields: 'refuse' } })
    const { status, body } = await send({
      z: 1,
      'a/b~c': 'x',
      _replyto: 'x',
      _language: 'de',
      _subject: 'Hi',
      _gotcha: '',
    })
    expect([status, body.code, body.message]).toEqual([400, 'BAD_REQUEST', 'Invalid input data'])
    expect(body.issues).toMatchObject([
      { message: 'a/b~c: must be an email address such as ada@example.com', path: '/a~1b~0c', rule: 'email' },
      { message: 'tags: must be at least one of the options', path: '/tags', rule: 'required' },
      { message: 'agree: must be ticked', path: '/agree', rule: 'required' },
      { message: 'z: must be left out: the form has no such field', path: '/z', rule: 'other' },
    ])
    expect(await submissions()).toEqual([])
  })

  test('tells at most 50 problems, and no more of a long name than anyone needs', async () => {
    const fields = Array.from({ length: 50 }, (_, i) => ({ name: `f${i}`, required: true }))
    const { send, change } = await world({ form: { fields, otherFields: 'refuse' } })
    expect((await send({ ['x'.repeat(500_000)]: 1 })).body.issues.map(({ path }: { path: string }) => path)).toEqual(
      fields.map(({ name }) => `/${name}`),
    )
    await change({ fields: [{ name: 'a' }] })
    const { body } = await send(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}${long(5000)}`, 1])))
    expect(body.issues).toHaveLength(50)
    expect(JSON.stringify(body).length).toBeLessThan(20_000)
  })

  test('keeps other fields, unless they are to be refused', async () => {
    const { send, change, submissions } = await world({ form: { fields: [{ name: 'a' }] } })
    expect((await send({ z: { deep: [1] } })).status).toBe(200)
    await change({ otherFields: 'refuse' })
    expect((await send({ z: 1 })).status).toBe(400)
    expect((await send({ _replyto: 'x', _language: 'xx', _next: 'x', _subject: 'x' })).status).toBe(200)
    await change({ fields: [] })
    expect((await send({ z: 2 })).status).toBe(200)
    expect((await submissions()).map(({ data }: { data: object }) => data)).toEqual([
      { z: 2 },
      { _replyto: 'x', _language: 'xx' },
      { z: { deep: [1] } },
    ])
  })

  test('answers what fills in the trap as success, whatever else is wrong with it', async () => {
    const { send, post, spam } = await world({ form: { fields: [{ name: 'x', type: 'email', required: true }] } })
    const good = await send({ x: 'ada@example.com' })
    const caught = await send({ x: 'no', _gotcha: 'x' })
    expect([caught.status, Object.keys(caught.body)]).toEqual([good.status, Object.keys(good.body)])
    const page = { accept: 'text/html' }
    const thanks = await post('x=ada@example.com', page)
    expect(await post('x=no&_gotcha=x', page)).toMatchObject({ status: 200, body: thanks.body })
    expect((await spam()).map(({ data }: { data: object }) => data)).toEqual([{ x: 'no' }, { x: 'no' }])
  })

  test('answers a repeat as the first one, also after the rules were changed', async () => {
    const { send, change, submissions } = await world({ form: { fields: [{ name: 'x' }] } })
    const first = await send({ x: 'no' }, { 'idempotency-key': 'k' })
    await change({ fields: [{ name: 'x', type: 'email' }] })
    expect((await send({ x: 'no' })).status).toBe(400)
    expect((await send({ x: 'no' }, { 'idempotency-key': 'k' })).body).toEqual(first.body)
    expect(await submissions()).toHaveLength(1)
  })

  test('spends no proof of work on what it refuses', async () => {
    const { server, formId, send } = await world({ form: { challenge: true, fields: [{ name: 'x', type: 'email' }] } })
    const challenge = await (await server.fetch(`/s/${formId}/challenge`)).json()
    const _challenge = solve(challenge)
    expect((await send({ x: 'no', _challenge })).body.issues[0].rule).toBe('email')
    expect((await send({ x: 'ada@example.com', _challenge })).status).toBe(200)
    expect((await send({ x: 'ada@example.com', _challenge })).status).toBe(400)
  })

  test('stores what follows the rules byte for byte as without them', async () => {
    const fields = [
      { name: 'a', required: true, maxLength: 1000 },
      { name: 'b', type: 'lines' },
      { name: 'n', type: 'number' },
      { name: 'h', type: 'hidden' },
    ]
    const one = await world({ form: { fields } })
    const two = await world({ server: one.server })
    const dataOf = async ({ server, formId }: World, body: string) => {
      const headers = { 'content-type': 'application/json' }
      const { id } = await (await server.fetch(`/s/${formId}`, { method: 'POST', body, headers })).json()
      return rowsOf(server.folder, `SELECT data FROM submissions WHERE id = '${id}'`)
    }
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    const sent = fc.record({
      a: fc.string({ minLength: 1 }).map((text) => `a${text}`),
      b: fc.string(),
      z: value,
      __x: fc.json(),
    })
    await fc.assert(
      fc.asyncProperty(sent, async (data) => {
        const body = JSON.stringify({ ...data, n: -1.5 }, null, 1).replaceAll('\\u0000', '')
        expect(await dataOf(one, body)).toEqual(await dataOf(two, body))
      }),
      { numRuns: 30 },
    )
  })
})

describe('files of a form with fields', () => {
  const fields = [
    { name: 'name', required: true },
    { name: 'cv', type: 'file', required: true, fileTypes: ['.pdf'] },
    { name: 'photos', type: 'file', fileTypes: ['image/*'], maxFiles: 2 },
  ]
  const pdf = new File(['%PDF-1.4'], 'cv.pdf', { type: 'application/pdf' })
  const png = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])], 'a.png', { type: 'image/png' })
  const program = new File(['MZ\0\0'], 'cv.pdf', { type: 'application/pdf' })

  const prepare = async () => {
    // A server of which only these tests use the files.
    const here = await world({ environment: { FORMBOX_FILE_LIMIT: '1MiB' }, form: { fields } })
    const sendFiles = (...parts: readonly (readonly [string, string | File])[]) => {
      const body = new FormData()
      for (const [name, value] of parts) body.append(name, value)
      return here.post(body)
    }
    const { folder } = here.server
    const filesLeft = () => [...filesOf(folder, here.formId), ...piecesOf(folder, here.formId)]
    return { ...here, sendFiles, filesLeft }
  }

  const brief = ({ status, body }: { status: number; body: { issues?: Record<string, string>[] } }) => [
    status,
    body.issues?.map(({ rule, path }) => `${rule} ${path}`),
  ]

  test('takes those that follow their rules, and stores them as before', async () => {
    const { sendFiles, submissions } = await prepare()
    expect((await sendFiles(['name', 'Ada'], ['cv', pdf], ['photos', png], ['photos', png])).status).toBe(200)
    const [{ data }] = await submissions()
    expect(data).toMatchObject({
      cv: { filename: 'cv.pdf', size: 8 },
      photos: [{ filename: 'a.png' }, { filename: 'a.png' }],
    })
  })

  test('tells what is wrong with each, and with the texts, and leaves nothing of them', async () => {
    const { sendFiles, filesLeft, submissions, change } = await prepare()
    expect(brief(await sendFiles(['cv', program], ['photos', png], ['photos', pdf], ['photos', png]))).toEqual([
      400,
      ['required /name', 'fileTypes /cv', 'fileTypes /photos/1', 'maxFiles /photos'],
    ])
    expect(brief(await sendFiles(['cv', 'cv.pdf'], ['name', 'Ada']))).toEqual([400, ['file /cv']])
    expect(brief(await sendFiles(['cv', new File([], '')], ['name', 'Ada']))).toEqual([400, ['required /cv']])
    expect(brief(await sendFiles(['cv', pdf], ['name', png]))).toEqual([400, ['type /name']])
    // What the form says holds as well.
    await change({ fileTypes: ['image/*'], maxFiles: 1 })
    expect(brief(await sendFiles(['name', 'Ada'], ['cv', pdf]))).toEqual([400, ['fileTypes /cv']])
    expect(brief(await sendFiles(['name', 'Ada'], ['photos', png], ['photos', png]))).toEqual([
      400,
      ['required /cv', 'maxFiles /photos'],
    ])
    await until(() => filesLeft().length === 0, 'nothing of the files is left')
    expect(await submissions()).toEqual([])
  })

  test('stores the name of a file that is refused where the trap is filled in', async () => {
    const { sendFiles, spam, filesLeft } = await prepare()
    expect((await sendFiles(['name', 'Robot'], ['cv', program], ['_gotcha', 'x'])).status).toBe(200)
    expect((await spam()).map(({ data }: { data: object }) => data)).toEqual([{ name: 'Robot', cv: 'cv.pdf' }])
    await until(() => filesLeft().length === 0, 'nothing of the file is left')
  })
})

describe('what the sender of a wrong submission reads', () => {
  const fields = [
    { name: 'email', type: 'email', label: 'Adresse', required: true },
    { name: 'text', type: 'lines', maxLength: 3 },
  ]
  const browser = { accept: 'text/html' }

  test('is for a script the same, and a sentence in the language of the visitor', async () => {
    const { send } = await world({ form: { fields } })
    const answerIn = async (language: string) => (await send({ email: 'x' }, { 'accept-language': language })).body
    const { issues, ...rest } = await answerIn('de-AT, en;q=0.5')
    expect(issues).toEqual([
      {
        message: 'email: must be an email address such as ada@example.com',
        path: '/email',
        rule: 'email',
        text: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
      },
    ])
    const english = await answerIn('xx')
    expect(english).toEqual({
      ...rest,
      issues: [{ ...issues[0], text: 'Enter an email address, such as ada@example.com.' }],
    })
  })

  test('says of options what is wrong with them: too few, or one that is none', async () => {
    const { send } = await world({ form: { fields: [{ name: 'x', ...choices, required: true }] } })
    const textOf = async (x: string[]) => (await send({ x })).body.issues.map(({ text }: { text: string }) => text)
    expect(await textOf([])).toEqual(['Choose at least one of the options.'])
    expect(await textOf(['Red', 'Pink'])).toEqual(['Choose only from the options.'])
  })

  test('has bounds as they are written in that language, and as they may be typed', async () => {
    const { post, send } = await world({
      form: {
        fields: [
          { name: 'n', type: 'number', min: 1000.5 },
          { name: 'd', type: 'date', max: '2026-12-31' },
          { name: 't', minLength: 2000 },
        ],
      },
    })
    const textsIn = async (language: string) =>
      (await send({ n: '5', d: '2027-01-01', t: 'x' }, { 'accept-language': language })).body.issues.map(
        ({ text }: { text: string }) => text,
      )
    expect(await textsIn('de')).toEqual([
      'Geben Sie eine Zahl von mindestens 1000,5 ein.',
      'Geben Sie ein Datum bis zum 31. Dezember 2026 ein.',
      'Geben Sie mindestens 2.000 Zeichen ein.',
    ])
    expect(await textsIn('ja')).toEqual([
      '1000.5以上の数値を入力してください。',
      '2026年12月31日以前の日付を入力してください。',
      '2,000文字以上で入力してください。',
    ])
    expect((await send({ n: '1000,5' })).status).toBe(200)
    // As in a list, with the label.
    const { texts } = readPage((await post('n=5', { ...browser, 'accept-language': 'fr' })).body)
    expect(texts).toContain('n\u202f: Saisissez un nombre supérieur ou égal à 1000,5.')
  })

  test('says of a file whether it is the field or the form that takes no such file', async () => {
    const cv = { name: 'cv', type: 'file', fileTypes: ['.pdf'] }
    const { post, change } = await world({ form: { fields: [cv, { name: 'photo', type: 'file' }] } })
    const textsOf = async (field: string) => {
      const body = new FormData()
      body.append(field, new File(['MZ\0\0'], `${field}.pdf`, { type: 'application/pdf' }))
      return (await post(body)).body.issues.map(({ text }: { text: string }) => text)
    }
    expect(await textsOf('cv')).toEqual(['This field takes only PDFs, and “cv.pdf” is a program.'])
    await change({ fileTypes: ['.pdf', '.odt'] })
    expect(await textsOf('cv')).toEqual(['This field takes only PDFs, and “cv.pdf” is a program.'])
    expect(await textsOf('photo')).toEqual(['This form takes only PDFs and ODT files, and “photo.pdf” is a program.'])
  })

  test('is for a browser the form in the language of the visitor, in which what was typed is only values', async () => {
    const { post, formId, server } = await world({
      form: { title: 'Kontakt', fields, returnUrl: 'https://example.com/x' },
    })
    const evil = '"><script>alert(1)</script>'
    const body = new URLSearchParams({ email: evil, text: 'a\r\nb', [evil]: evil, _language: 'de', _next: evil })
    const { status, headers, body: page } = await post(body, browser)
    expect(status).toBe(400)
    expect(headers.get('content-language')).toBe('de')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("form-action 'self' https://example.com;")
    expect(page).toContain('<html lang="de">')
    expect(page).toContain('<title>Fehler: Kontakt</title>')
    expect(page).not.toContain('<script>')
    const shown = readPage(page)
    expect(shown.headings).toEqual(['Kontakt', 'Ihre Nachricht wurde nicht gesendet'])
    const form = new URLSearchParams(formIn(page))
    expect(form.get('_idempotency')).not.toBe('')
    form.delete('_idempotency')
    const lines = (all: Iterable<[string, string]>) =>
      [...all].map(([name, value]) => `${name}=${value.replaceAll('\r\n', '\n')}`).sort()
    expect(lines(form)).toEqual(lines(body))
    expect(
      (
        await server.fetch(`/s/${formId}`, {
          method: 'POST',
          body: new URLSearchParams({ ...Object.fromEntries(body), email: 'a@b.c' }),
          headers: { accept: 'text/html' },
          redirect: 'manual',
        })
      ).status,
    ).toBe(303)
  })

  test('has a key of its own, so that a double click on the page is stored once', async () => {
    const { post, submissions, change } = await world({ form: { fields } })
    const form = new URLSearchParams(formIn((await post('email=x', browser)).body))
    form.set('email', 'ada@example.com')
    for (let i = 0; i < 2; i++) expect((await post(new URLSearchParams(form), browser)).status).toBe(200)
    expect(await submissions()).toHaveLength(1)
    // A key that came with it is kept.
    await change({ fields: [{ name: 'email', type: 'email' }] })
    expect(
      new URLSearchParams(formIn((await post('email=x&_idempotency=mine', browser)).body)).getAll('_idempotency'),
    ).toEqual(['mine'])
  })

  test('shows again up to 64 KiB, and otherwise says what is wrong', async () => {
    const { post } = await world({ form: { fields } })
    const pageWith = async (length: number, of = 'x') =>
      (await post(new URLSearchParams({ email: 'x', z: of.repeat(length) }), browser)).body
    const most = 64 * 1024 - 'emailxz'.length
    expect(readPage(await pageWith(most)).headings).toHaveLength(2)
    const shown = readPage(await pageWith(most + 1))
    expect(shown.headings).toEqual(['Your message was not sent'])
    expect(shown.texts).toContain('Adresse: Enter an email address, such as ada@example.com.')
    // Escaped, it is six times as long.
    expect((await pageWith(most, '"')).length).toBeLessThan(400_000)
  })

  test.each([
    ['shown again with 50 fields of 100 options', 'f', 2],
    ['only told what is wrong where long names make it longer than 400 kB', '&'.repeat(5), 1],
  ])('is %s', async (_, name, headings) => {
    const options = Array.from({ length: 100 }, (_, i) => `o${i}`)
    const most = Array.from({ length: 50 }, (_, i) => ({
      name: `${name}${i}`,
      type: 'choices',
      options,
      required: true,
    }))
    const { post } = await world({ form: { fields: most } })
    const { status, body } = await post('a=b', browser)
    expect(status).toBe(400)
    expect(readPage(body).headings).toHaveLength(headings)
    expect(body.match(/Choose at least one of the options/g)).toHaveLength(50 * headings)
    expect(Buffer.byteLength(body)).toBeLessThan(400_000)
  })

  const few = { type: 'choice', options: ['S', 'M'] }
  const many = { type: 'choice', options: Array.from({ length: 9 }, (_, i) => `o${i}`) }
  test.each<[object, typed: string[], sentAgain: string[], beside: string[]]>([
    [{ type: 'text' }, ['a', 'b\nc'], ['a', 'b\nc'], []],
    [{ type: 'lines' }, ['a', '\nb'], ['a', '\nb'], []],
    [{ type: 'email' }, ['a', 'b', 'c'], ['a', 'b', 'c'], []],
    [few, ['S', 'own'], ['S'], ['own']],
    [few, ['own'], [], ['own']],
    [many, ['own'], [], ['own']],
    [{ ...few, other: true }, ['', 'own', 'more'], ['', 'own'], ['more']],
    [{ ...many, other: true }, ['own', 'more'], ['own'], ['more']],
    [{ ...choices, other: true }, ['own', 'Red', 'a', 'b'], ['Red', 'own'], ['a\nb']],
    [choices, ['Pink', 'Red'], ['Red'], ['Pink']],
  ])(
    'has everything that was typed, also what the field cannot take: %j of %j',
    async (field, typed, again, beside) => {
      const { post } = await world({ form: { fields: [{ name: 'x', ...field }] } })
      const page = (await post(new URLSearchParams(typed.map((value) => ['x', value])), browser)).body
      const sent = formIn(page).filter(([name]) => name === 'x')
      expect(sent.map(([, value]) => value)).toEqual(again)
      const shown = [...page.matchAll(/<textarea readonly aria-label="Another answer" dir="auto">\n([^<]*)</g)]
      expect(shown.map(([, value]) => value)).toEqual(beside)
    },
  )

  const boxed = [
    { name: 'email', type: 'email', required: true },
    { name: 'news', type: 'checkbox', label: 'Yes, send me news' },
    { name: 'terms', type: 'checkbox' },
    { ...few, name: 'size' },
    { ...choices, name: 'tags' },
  ]
  test.each([
    ['boxes with values of the site', 'news=on&terms= Yes &tags=Red'],
    ['a hidden 0 before a box that is ticked', 'news=0&news=1&terms=0'],
    ['a hidden false behind a box that is ticked', 'news=true&news=false&terms=false'],
    ['a hidden empty text before a box that is ticked', 'news=&news=on&terms='],
    ['hidden empty texts with groups of options', 'size=&tags='],
    ['hidden empty texts before options', 'size=&size=M&tags=&tags=Red&tags=Blue'],
  ])('stores after its correction the same as without one: %s', async (_what, sent) => {
    const only = { field: 'news', equals: 'on' }
    const { ada, path, post, submissions } = await world({ form: { fields: boxed } })
    expect((await ada.call('POST', `${path}/webhooks`, { url: 'http://hook.localhost:1/', only })).status).toBe(200)
    const again = new URLSearchParams(formIn((await post(`email=x&${sent}`, browser)).body))
    again.delete('_idempotency')
    again.set('email', 'a@b.c')
    expect((await post(again)).status).toBe(200)
    expect((await post(`email=a@b.c&${sent}`)).status).toBe(200)
    const [uncorrected, corrected] = await submissions()
    expect(corrected.data).toEqual(uncorrected.data)
    const told = (await ada.call('GET', `${path}/deliveries`)).body.pagination.total
    expect(told).toBe(uncorrected.data.news === 'on' ? 2 : 0)
  })

  test('sends for a box that was not ticked what the site would, as far as it is known', async () => {
    const fields = ['0', 'False', 'off', ' no '].map((name) => ({ name, type: 'checkbox', required: true }))
    const { post } = await world({ form: { fields: [...fields, { name: 'plain', label: 'No', type: 'checkbox' }] } })
    const typed = new URLSearchParams(fields.map(({ name }) => [name, name]))
    const page = (await post(typed, browser)).body
    expect(formIn(page).filter(([name]) => name !== '_idempotency')).toEqual([...typed])
    // Ticked, all are taken.
    const all = new URLSearchParams(formIn(page.replaceAll('type="checkbox"', 'type="checkbox" checked')))
    all.delete('_idempotency')
    expect([...all.values()]).toEqual(['0', '1', 'False', 'true', 'off', 'on', ' no ', 'yes', 'on'])
    expect((await post(all)).status).toBe(200)
  })

  test('names a file at its input that arrived as its name alone, and asks for none where there is none', async () => {
    const { post, change } = await world({ form: { fields: [{ name: 'cv', type: 'file' }] } })
    const again = 'Choose “cv.pdf” again.'
    const page = (await post('cv=cv.pdf', browser)).body
    expect(readPage(page).texts).toContain(`The file did not arrive. Choose it again. ${again}`)
    expect(page).toContain('<input id="field-0" name="cv" type="file" required')
    await change({ fields: [{ name: 'cv' }] })
    const body = new FormData()
    body.append('cv', new File(['%PDF-1.4'], 'cv.pdf'))
    const { texts } = readPage((await post(body, browser)).body)
    expect(texts).toContain('Enter this as text.')
    expect(texts.join()).not.toContain(again)
  })

  test('has no inputs for what the form refuses, and says that it will not be sent', async () => {
    const { post } = await world({ form: { fields, otherFields: 'refuse' } })
    const page = (await post('email=a@b.c&z=Hello', browser)).body
    expect(page).toContain(
      '<textarea id="field-2" readonly aria-labelledby="field-2-error" dir="auto">\nHello</textarea>',
    )
    expect(page).toContain('<li><a href="#field-2">')
    expect(formIn(page).map(([name]) => name)).not.toContain('z')
    const body = new FormData()
    body.append('email', 'a@b.c')
    body.append('photo', new File(['x'], 'sea.png'))
    const { body: withFile } = await post(body, browser)
    expect(withFile).toContain('aria-labelledby="field-2-error" dir="auto">\nsea.png</textarea>')
    expect(withFile).not.toContain('type="file"')
  })
})

test('docs/fields.md has one form in three ways, and what a script gets', async () => {
  const guide = await Bun.file('docs/fields.md').text()
  const blockOf = (heading: string, language: string) => blocksOf(guide, heading, language)[0] as string
  const { post, send, settings } = await world({ form: JSON.parse(blockOf('# Fields', 'json')) })
  const { fields } = await settings()
  const [file] = readForms(blockOf('# Fields', 'toml'))
  expect(fields).toMatchObject(file?.settings.fields as never)
  const form = formIn(blockOf('# Fields', 'html'))
  expect(form.map(([name]) => name)).toEqual(fields.map(({ name }: { name: string }) => name))
  const typed = new URLSearchParams({ ...Object.fromEntries(form), name: 'Ada', email: 'ada@example.com' })
  expect((await post(typed)).status).toBe(200)
  const { body } = await send({ name: 'Ada', email: 'ada' }, { 'accept-language': 'de' })
  expect(body).toMatchObject(JSON.parse(blockOf('What a script gets', 'json')))
})

/** What a browser would send of the form on a page. */
const formIn = (page: string): [string, string][] => {
  const inputs: [string, string][] = []
  let lines = ''
  new HTMLRewriter()
    .on('input', {
      element(input) {
        const isOff = /^(checkbox|radio)$/.test(input.getAttribute('type') ?? '') && !input.hasAttribute('checked')
        if (!isOff)
          inputs.push([unescaped(input.getAttribute('name') ?? ''), unescaped(input.getAttribute('value') ?? '')])
      },
    })
    .on('textarea[name]', {
      element(input) {
        lines = ''
        const name = input.getAttribute('name') ?? ''
        input.onEndTag(() => void inputs.push([unescaped(name), unescaped(lines).slice(1)]))
      },
      text({ text }) {
        lines += text
      },
    })
    .transform(page)
  return inputs
}
