import { describe, expect, test } from 'bun:test'
import { assert, property, stringMatching } from 'fast-check'
import { withFormulas, withoutFormulas } from '../../src/transfer/export/formulas.ts'
import { expectQuick } from '../expect-below.ts'
import { runsOf } from '../runs.ts'

describe('withoutFormulas', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-2+3+cmd|’ /C calc’!A0', "'-2+3+cmd|’ /C calc’!A0"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\tHello', "'\tHello"],
    ['\rHello', "'\rHello"],
    ['\n=1', "'\n'=1"],
    ['  =1', "'  =1"],
    ['"=1', `'"=1`],
    ["'=1", "''=1"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1 x', "'－1 x"],
    ['＠SUM(1)', "'＠SUM(1)"],
    ['\u200b=1', "'\u200b=1"],
    ['\ufeff=1', "'\ufeff=1"],
    ['-', "'-"],
    ['Hello;=1+1', "Hello;'=1+1"],
    ['Hello\n=1+1\r\n"@x', `Hello\n'=1+1\r\n'"@x`],
    [';=1', ";'=1"],
    ['a\t\t+1', "a\t\t'+1"],
  ])('puts an apostrophe into %j', (text, cell) => {
    expect(withoutFormulas(text)).toBe(cell)
    expect(withFormulas(cell)).toBe(text)
  })

  test.each([
    '',
    'Ada',
    'ada@example.com',
    'a=b',
    '-5',
    '-5.5e+10',
    '0',
    "it's",
    "'quoted'",
    'a; b',
    'two\nlines',
    '{}',
  ])('leaves %j alone', (text) => {
    expect(withoutFormulas(text)).toBe(text)
    expect(withFormulas(text)).toBe(text)
  })

  test('is undone exactly, whatever the text', () => {
    assert(
      property(stringMatching(/^[-'"=+@;\t\r\n a1＝]{0,12}$/), (text) => {
        expect(withFormulas(withoutFormulas(text))).toBe(text)
      }),
      { numRuns: runsOf(20_000) },
    )
  })

  test.each([
    ['line breaks', '\n'],
    ['quotation marks', '"'],
    ['formulas', ';='],
    ['tabs and apostrophes', "\t'"],
  ])('takes a moment for 1 MiB of %s', async (_, repeated) => {
    const text = `${repeated.repeat(1024 * 1024)}=`
    await expectQuick(2000, () => expect(withFormulas(withoutFormulas(text))).toBe(text))
  })
})
