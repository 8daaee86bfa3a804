import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toPieces } from '../../src/submissions/pieces.ts'
import { fieldsIn, itemsIn } from '../../src/submissions/sent-fields.ts'
import { textWithoutFiles } from '../../src/submissions/whole-text.ts'

describe('fieldsIn', () => {
  test('finds each field with the text of its value', () => {
    expect(fieldsIn('{"a": 12345678901234567890 ,"b\\n":{"c":[1,{}]}}')).toEqual([
      { name: 'a', json: '12345678901234567890', start: 6 },
      { name: 'b\n', json: '{"c":[1,{}]}', start: 34 },
    ])
    expect(fieldsIn('{}')).toEqual([])
  })

  const file = `{"filename":"c\\"v.pdf","type":"application/pdf","size":900000,"base64":"${'A'.repeat(3000)}`

  test.each([
    ['text', '"one two', '"one two…"'],
    ['text in the middle of an escape', '"one\\', '"one…"'],
    ['text in the middle of a code', '"one\\u00e', '"one…"'],
    ['text after a backslash', '"one\\\\', '"one\\\\…"'],
    ['text of which there is more than a list shows', `"${'x'.repeat(5000)}`, `"${'x'.repeat(1999)}…"`],
    ['an array', '["a",{"b":', '"[\\"a\\",{\\"b\\":…"'],
    ['a file', file, `${file.slice(0, file.indexOf('A'.repeat(9)))}"}`],
    ['files', `[${file}`, '"c\\"v.pdf, …"'],
  ])('has the beginning of %s that was cut off, as valid JSON', (_, cut, json) => {
    const fields = fieldsIn(`{"first":1,"name":${cut}`)
    expect(fields).toEqual([
      { name: 'first', json: '1', start: 9 },
      { name: 'name', json, start: 18 },
    ])
    expect(() => JSON.parse(json)).not.toThrow()
  })

  test('takes a text that was cut anywhere', () => {
    const text = `{"a\\"b":"x\\\\\\u00e9","😀":[1,{"c":"]"}],"f":${file}"},"":null,"n":-1.5e3}`
    for (let end = 0; end <= text.length; end++)
      for (const { json } of fieldsIn(text.slice(0, end))) expect(() => JSON.parse(json)).not.toThrow()
  })
})

describe('itemsIn', () => {
  test.each([
    ['[]', []],
    ['[ 1 ,"a,]",[2,{}]]', ['1', '"a,]"', '[2,{}]']],
    ['{"a":[1]}', ['{"a":[1]}']],
    ['"[1,2]"', ['"[1,2]"']],
  ])('finds each item of %s', (json, items) => {
    const found = itemsIn(json)
    expect(found.map((item) => item.json)).toEqual(items)
    for (const { json: item, start } of found) expect(json.slice(start, start + item.length)).toBe(item)
  })
})

describe('textWithoutFiles', () => {
  // Their content ends where a piece of 64 KiB does, or a little before or after it.
  const bytes = fc.oneof(
    fc.nat(100),
    fc.integer({ min: 48_900, max: 49_300 }),
    fc.integer({ min: 97_900, max: 98_400 }),
  )
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  const file = fc.record({ filename: text, type: text, bytes }).map(({ filename, type, bytes }) => {
    const content = Buffer.alloc(bytes, 0xfb)
    return { filename, type, size: bytes, base64: content.toString('base64') }
  })
  const value = fc.oneof(
    text,
    file,
    fc.array(fc.oneof(file, text), { maxLength: 2 }),
    fc.constantFrom('', null, 'ü'.repeat(999)),
  )
  const withoutContents = (json: string): string => json.replaceAll(/"base64":"[^"]*"/g, '"base64":""')

  test('has all fields in order, wherever large files end', () => {
    let skipped = 0
    const property = fc.property(fc.dictionary(text, value, { maxKeys: 5 }), (data) => {
      const whole = JSON.stringify(data)
      const pieces = toPieces(whole)
      if (!pieces) return
      const { text, isWhole } = textWithoutFiles((_, position) => pieces[position], 'x')
      const fields = (of: string) => fieldsIn(of).map(({ name, json }) => [name, withoutContents(json)])
      expect(fields(text)).toEqual(fields(whole))
      expect(isWhole).toBe(true)
      if (text.length < whole.length) skipped++
    })
    fc.assert(property, { numRuns: 300, seed: 5 })
    expect(skipped).toBeGreaterThan(100)
  })
})
