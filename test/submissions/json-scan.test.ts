import { describe, expect, test } from 'bun:test'
import { scanJson } from '../../src/base/json-scan.ts'

describe('scanJson', () => {
  test.each([
    ['0', 0, 1],
    ['"[{,"', 0, 1],
    ['[]', 1, 1],
    ['[1,[2,{"a":"]"}],{}]', 3, 4],
    ['{"a\\"[[[":"\\\\","b":[[]]}', 3, 2],
    ['{"\\\\\\"[[":0}', 1, 1],
  ])('counts levels and values outside of strings: %s', (text, depth, values) => {
    expect(scanJson(text)).toMatchObject({ depth, values })
  })

  test.each([
    ['', 0, 1],
    ['"', 0, 1],
    ['"\\', 0, 1],
    ['"\\"[', 0, 1],
    ['\\"[[', 0, 1],
    ['[[[', 3, 1],
    [']]]],,[', 0, 3],
    ['1[', 1, 1],
    ['[1e', 1, 1],
  ])('comes to the end of what is not JSON: %s', (text, depth, values) => {
    expect(scanJson(text)).toMatchObject({ depth, values })
  })

  test('tells the positions between the members of the outermost object, as many as are asked for', () => {
    const text = ' {"a:" : {"b":[1,2]} ,"c,":[3,4]} '

    expect(scanJson(text, 2).cuts).toEqual([1, 7, 21, 26, 32])
    expect(scanJson(text, 1000).cuts).toEqual([1, 7, 21, 26, 32])
    expect(scanJson(text, 1).cuts).toEqual([1, 7, 21])
    expect(scanJson('{}', 2).cuts).toEqual([0, 1])
  })

  test('looks for numbers that cannot be read only within the members that are asked for', () => {
    const text = '{"a":1e308,"b":[{"c":"1e400","d":-9e308}],"e":1e999}'

    expect(scanJson(text, 1).badNumber).toBeUndefined()
    expect(scanJson(text, 2).badNumber?.at).toBe(text.indexOf('9e308'))
  })
})
