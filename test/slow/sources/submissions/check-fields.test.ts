// What it costs to hold a submission to the fields of its form, and to show these.
import { expect, test } from 'bun:test'
import { drawFields } from '../../../../src/forms/fields/draw-fields.ts'
import type { FormField } from '../../../../src/forms/fields/form-field.ts'
import { english } from '../../../../src/languages/english.ts'
import { fieldProblems, withLists, withoutUnticked } from '../../../../src/submissions/check-fields.ts'
import { textField } from '../../../../src/submissions/fields.ts'
import { expectBelow, expectQuick, processorMillisecondsOf } from '../../../expect-below.ts'

/** Repeats work that takes less time than a clock is good for. */
const repeat = (times: number, work: () => unknown) => (): void => {
  for (let i = 0; i < times; i++) work()
}

test('ten fields are judged in less than 10 µs', async () => {
  const all: readonly (readonly [FormField, string])[] = [
    [{ name: 'name', type: 'text', required: true, maxLength: 100 }, 'Ada Lovelace'],
    [{ name: 'email', type: 'email', required: true }, 'ada@example.com'],
    [{ name: 'phone', type: 'tel' }, '+49 30 1234567'],
    [{ name: 'site', type: 'url' }, 'example.com'],
    [{ name: 'guests', type: 'number', min: 1, max: 4 }, '3,5'],
    [{ name: 'day', type: 'date', min: '2026-01-01' }, '2026-12-31'],
    [{ name: 'size', type: 'choice', options: ['S', 'M', 'L'] }, 'M'],
    [{ name: 'tags', type: 'choices', options: ['a', 'b', 'c'], min: 1 }, 'a'],
    [{ name: 'message', type: 'lines', minLength: 5 }, 'Hello\r\nworld'],
    [{ name: 'agree', type: 'checkbox', required: true }, 'on'],
  ]
  const rules = { fields: all.map(([field]) => field), otherFields: 'refuse' } as const
  const sent = all.map(([{ name }, value]) => textField(name, value))
  expect(fieldProblems(sent, rules)).toEqual([])
  await expectQuick(
    10,
    repeat(1000, () => fieldProblems(sent, rules)),
  )
})

test.each(['text', 'email', 'tel', 'url', 'number', 'date'] as const)(
  'a megabyte in a field of the type %s is judged in less than 30 ms, whatever it is',
  async (type) => {
    const rules = { fields: [{ name: 'x', type }], otherFields: 'keep' } as const
    const groups = ' 000'.repeat(250_000)
    const parts = ["1'", '1', 'a.', 'a@', '@', '.', 'a-', '-', '/', 'http://', ' x']
    const bodies = parts.map((part) => part.repeat(1_000_000 / part.length))
    for (const some of [[`1${groups}`], [`1${groups}x`], bodies])
      await expectQuick(30 * some.length, () => some.map((text) => fieldProblems([textField('x', text)], rules)))
  },
)

const most = Array.from(
  { length: 50 },
  (_, i): FormField => ({
    name: `f${i}`,
    type: 'choices',
    options: Array.from({ length: 100 }, (_, option) => `o${option}`),
  }),
)

test('50 fields of 100 options, all of them ticked, take at most 1.5 times as long as parsing and looking up', async () => {
  const sent = most.flatMap(({ name, options = [] }) => options.map((option) => textField(name, option)))
  const rules = { fields: most, otherFields: 'keep' } as const
  expect(fieldProblems(sent, rules)).toEqual([])
  const known = new Set(most.flatMap(({ options = [] }) => options))
  const lookUp = repeat(20, () => sent.every(({ json }) => known.has(JSON.parse(json))))
  const judge = repeat(20, () => fieldProblems(sent, rules))
  await expectBelow(1.5, async () => {
    const lookingUp = await processorMillisecondsOf(lookUp)
    return (await processorMillisecondsOf(judge)) / lookingUp
  })
})

test('50 fields of 100 options, all of them ticked, are drawn in less than 5 ms', async () => {
  const form = { texts: english, values: new Map(most.map(({ name, options = [] }) => [name, options])) }
  expect(drawFields(most, form).map(({ markup }) => markup.split('checked').length - 1)).toEqual(most.map(() => 100))
  await expectQuick(
    50,
    repeat(10, () => drawFields(most, form)),
  )
})

const manyTypes = ['choices', 'choice', 'text', 'checkbox', 'file', 'hidden'] as const

test.each(manyTypes)(
  'half a million answers to a field of the type %s are refused sooner than they are parsed',
  async (type) => {
    const options = ['1', '2', '3']
    const rules = {
      fields: [{ name: 'x', type, ...(type.startsWith('choice') && { options }) }],
      otherFields: 'keep',
    } as const
    for (const item of ['1', '""', 'null']) {
      const json = `[${Array(500_000).fill(item).join()}]`
      const sent = [{ name: 'x', json }]
      const [problem] = fieldProblems(sent, rules)
      expect(problem).toMatchObject(
        type === 'choices' ? { rule: 'max', bound: 3 } : type === 'file' ? { rule: 'file' } : { rule: 'one' },
      )
      const work = () => {
        fieldProblems(sent, rules)
        // What fills in the trap is stored nevertheless.
        expect(withLists(withoutUnticked(sent, rules.fields), rules.fields)).toEqual(sent)
      }
      await expectBelow(1.5, async () => {
        const parsing = await processorMillisecondsOf(() => JSON.parse(json))
        return (await processorMillisecondsOf(work)) / parsing
      })
    }
  },
)

test('a field has at most 1,000 answers, in one list or in many, whether or not they are empty', () => {
  const rules = {
    fields: [{ name: 'x', type: 'choices', options: ['1', '2'], other: true, max: 2 }],
    otherFields: 'keep',
  } as const
  const list = (count: number, item: string) => ({ name: 'x', json: `[${Array(count).fill(item).join()}]` })
  expect(fieldProblems([list(1000, '"1"')], rules)).toEqual([])
  expect(fieldProblems([list(999, '""'), textField('x', '1')], rules)).toEqual([])
  for (const sent of [[list(1001, '"1"')], [list(1001, '""')], Array(3).fill(list(500, '"1"'))])
    expect(fieldProblems(sent, rules)).toMatchObject([{ rule: 'max', bound: 2 }])
  // Nothing hides behind what is empty.
  const email = { fields: [{ name: 'x', type: 'email' }], otherFields: 'keep' } as const
  const hidden = { name: 'x', json: `[${'"",'.repeat(200_000)}"nonsense"]` }
  expect(fieldProblems([hidden], email)).toMatchObject([{ rule: 'one' }])
})
