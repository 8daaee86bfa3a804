import { describe, expect, test } from 'bun:test'
import { toPieces } from '../../src/submissions/pieces.ts'
import { fieldsIn, itemsIn } from '../../src/submissions/sent-fields.ts'
import { firstText } from '../../src/submissions/whole-text.ts'

describe('fieldsIn', () => {
  test('finds each field with the text of its value', () => {
    expect(fieldsIn('{"a": 12345678901234567890 ,"b\\n":{"c":[1,{}]}}')).toEqual([
      { name: 'a', json: '12345678901234567890', start: 6 },
      { name: 'b\n', json: '{"c":[1,{}]}', start: 34 },
    ])
    expect(fieldsIn('{}')).toEqual([])
  })

  test.each([
    ['text', '"one two', '"one two…"'],
    ['text in the middle of an escape', '"one\\', '"one…"'],
    ['text in the middle of a code', '"one\\u00e', '"one…"'],
    ['text after a backslash', '"one\\\\', '"one\\\\…"'],
    ['text of which there is more than a list shows', `"${'x'.repeat(5000)}`, `"${'x'.repeat(1999)}…"`],
    ['an array', '["a",{"b":', '"[\\"a\\",{\\"b\\":…"'],
  ])('has the beginning of %s that was cut off, as valid JSON', (_, cut, json) => {
    const fields = fieldsIn(`{"first":1,"name":${cut}`)
    expect(fields).toEqual([
      { name: 'first', json: '1', start: 9 },
      { name: 'name', json, start: 18 },
    ])
    expect(() => JSON.parse(json)).not.toThrow()
  })

  test('takes a text that was cut anywhere', () => {
    const text = `{"a\\"b":"x\\\\\\u00e9","😀":[1,{"c":"]"}],"f":{"a\\"":"${'A'.repeat(3000)}"},"":null,"n":-1.5e3}`
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

describe('firstText', () => {
  const firstOf = (json: string) => {
    const pieces = toPieces(json)
    return firstText((_, position) => pieces?.[position], 'x')
  }

  test('is the first 64 KiB, without a character that was cut', () => {
    for (const shift of [0, 1, 2, 3]) {
      const json = JSON.stringify({ name: 'Ada', message: 'x'.repeat(shift) + '🦊'.repeat(20_000) })
      const { text, isWhole } = firstOf(json)
      expect(isWhole).toBe(false)
      expect(json).toStartWith(text)
      expect(Buffer.byteLength(text)).toBeWithin(64 * 1024 - 3, 64 * 1024 + 1)
    }
  })

  test('is all of it, if that is shorter; nothing, if the submission was deleted', () => {
    const json = JSON.stringify({ message: 'x'.repeat(10_000) })
    expect(firstOf(json)).toEqual({ text: json, isWhole: true })
    expect(firstText(() => undefined, 'x')).toEqual({ text: '', isWhole: false })
  })
})
