import { describe, expect, test } from 'bun:test'
import { checkText, type Field, toData as join, toSentSubmission } from '../../src/submissions/fields.ts'
import { refusalOf } from '../refusal.ts'

const fields = (...pairs: [name: string, json: string][]): Field[] => pairs.map(([name, json]) => ({ name, json }))

const toData = (sent: readonly Field[], honeypot = '_gotcha') => {
  const { fields: data, control } = toSentSubmission(sent, honeypot)
  return { ...join(data), ...control }
}

describe('toData', () => {
  test('keeps the fields in order, as they were written', () => {
    expect(toData(fields(['b', '1e400'], ['a', '"x"'], ['10', 'null'], ['9', '{ "c": [] }']))).toMatchObject({
      data: '{"b":1e400,"a":"x","10":null,"9":{ "c": [] }}',
      names: ['b', 'a', '10', '9'],
      isTrapFilled: false,
    })
  })

  test('makes an array of a name given more than once, where it stood first', () => {
    const { data, names } = toData(fields(['a', '1'], ['b', '2'], ['a', '[3]'], ['a', '""']))

    expect(data).toBe('{"a":[1,[3],""],"b":2}')
    expect(names).toEqual(['a', 'b'])
  })

  test.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'x[30000000]',
    '',
    'a"b\\c',
    '\n',
    '\u2028',
    '😀',
  ])('keeps a field named %p', (name) => {
    const { data, names } = toData(fields([name, '1'], [name, '2']))

    expect(Object.entries(JSON.parse(data))).toEqual([[name, [1, 2]]])
    expect(names).toEqual([name])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  test.each([
    ['"spam"', true],
    ['" "', true],
    ['{}', true],
    ['[]', true],
    ['0', true],
    ['true', true],
    ['""', false],
    ['null', false],
    ['false', false],
  ])('takes a honeypot that holds %s for filled: %p', (json, isTrapFilled) => {
    expect(toData(fields(['a', '1'], ['_gotcha', json]))).toMatchObject({ data: '{"a":1}', names: ['a'], isTrapFilled })
  })

  test('treats no other spelling as the honeypot', () => {
    const names = ['gotcha', '_Gotcha', '_gotcha ', '_gotcha[]']

    expect(toData(fields(...names.map((name): [string, string] => [name, '"x"'])))).toMatchObject({
      names,
      isTrapFilled: false,
    })
  })

  test.each(['website', 'a[b]', '__proto__', 'ü', 'data'])('leaves a trap of the name %p out, and no other', (name) => {
    const sent = fields(['a', '1'], [name, '"x"'], ['_gotcha', '"y"'], [`${name}[]`, '2'])
    expect(toData(sent, name)).toMatchObject({
      data: `{"a":1,"_gotcha":"y","${name}[]":2}`,
      names: ['a', '_gotcha', `${name}[]`],
      isTrapFilled: true,
      subject: undefined,
    })
    expect(toData(fields(['a', '1'], [name, '""']), name).isTrapFilled).toBe(false)
  })

  test.each<[string, string[], { next?: string; subject?: string; idempotencyKey?: string; challenge?: string }]>([
    ['_next', ['"https://example.com"'], { next: 'https://example.com' }],
    ['_next', ['7', '{"a":1}', '"first"', '"second"'], { next: 'first' }],
    ['_next', ['null'], {}],
    ['_subject', ['"a\\r\\nb"'], { subject: 'a b' }],
    ['_subject', ['["x"]', '" "', '"first"', '"second"'], { subject: 'first' }],
    ['_subject', ['true'], {}],
    ['_idempotency', ['"key"', '1'], { idempotencyKey: 'key' }],
    ['_idempotency', ['""'], {}],
    ['_idempotency', ['7', '"key"'], { idempotencyKey: '' }],
    ['_challenge', ['""', '{}', '"solved"'], { challenge: 'solved' }],
  ])('leaves %s out of the data', (name, values, asked) => {
    const control = values.map((json): [string, string] => [name, json])
    const sent = fields(['a', '1'], ...control, ['a', '2'])
    expect(toData(sent)).toEqual({
      data: '{"a":[1,2]}',
      names: ['a'],
      isTrapFilled: false,
      next: undefined,
      subject: undefined,
      idempotencyKey: undefined,
      challenge: undefined,
      ...asked,
    })
  })

  test('keeps _replyto, and treats no other spelling as a control field', () => {
    const names = ['_replyto', '_Next', 'next', '_next[]', '_subject ', '_idempotency2', '_cc']
    const sent = fields(...names.map((name): [string, string] => [name, '"x"']))
    const { data, next, subject } = toData(sent)
    expect(Object.keys(JSON.parse(data))).toEqual(names)
    expect([next, subject]).toEqual([undefined, undefined])
  })

  test.each([
    ['no field', []],
    ['an empty honeypot and no field', fields(['_gotcha', '""'])],
    ['control fields and no other', fields(['_next', '"x"'], ['_subject', '"x"'], ['_idempotency', '"x"'])],
  ])('refuses %s', (_what, none) => {
    expect(refusalOf(() => toData(none))).toBe('body: must hold at least one field')
  })

  test('takes 1,000 fields, the honeypot among them, and refuses one more', () => {
    const many = fields(['_gotcha', '""'], ...Array.from({ length: 999 }, (_, i): [string, string] => [`${i}`, '0']))

    expect(toData(many).names).toHaveLength(999)
    expect(refusalOf(() => toData([...many, { name: 'x', json: '0' }]))).toBe('body: must hold at most 1000 fields')
  })
})

describe('checkText', () => {
  test.each(['', 'x', 'größe 😀', '\t\r\n', '\u0001\u007f', '\ufeff\ufffd\uffff\u2028'])('returns %p', (text) => {
    expect(checkText('name', text)).toBe(text)
  })

  test.each([
    ['a', '\0', 'a: must not contain NUL'],
    ['a', 'x\0y', 'a: must not contain NUL'],
    ['a', '\ud800', 'a: must be well-formed Unicode'],
    ['a', 'x\udfff', 'a: must be well-formed Unicode'],
    ['a', '\ude00\ud83d', 'a: must be well-formed Unicode'],
    ['a\0b', 'a\0b', 'a\ufffdb: must not contain NUL'],
    ['\ud800', '\ud800', '\ufffd: must be well-formed Unicode'],
    ['', '\0', 'body: must not contain NUL'],
    ['n'.repeat(101), '\0', `${'n'.repeat(100)}…: must not contain NUL`],
    [`${'n'.repeat(99)}😀`, '\0', `${'n'.repeat(99)}\ufffd…: must not contain NUL`],
  ])('names the field %p and what is wrong with %p', (name, text, message) => {
    expect(refusalOf(() => checkText(name, text))).toBe(message)
  })
})
