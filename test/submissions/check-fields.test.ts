// What it costs to hold a submission to the fields of its form, and to show these.
import { expect, test } from 'bun:test'
import { drawFields } from '../../src/forms/fields/draw-fields.ts'
import type { FormField } from '../../src/forms/fields/form-field.ts'
import { english } from '../../src/languages/english.ts'
import { fieldProblems } from '../../src/submissions/check-fields.ts'
import { textField } from '../../src/submissions/fields.ts'
import { expectQuick } from '../expect-below.ts'

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

test('50 fields of 100 options, all of them ticked, are judged in less than 1 ms', async () => {
  const sent = most.flatMap(({ name, options = [] }) => options.map((option) => textField(name, option)))
  const rules = { fields: most, otherFields: 'keep' } as const
  expect(fieldProblems(sent, rules)).toEqual([])
  await expectQuick(
    20,
    repeat(20, () => fieldProblems(sent, rules)),
  )
})

test('50 fields of 100 options, all of them ticked, are drawn in less than 5 ms', async () => {
  const form = { texts: english, values: new Map(most.map(({ name, options = [] }) => [name, options])) }
  expect(drawFields(most, form).map(({ markup }) => markup.split('checked').length - 1)).toEqual(most.map(() => 100))
  await expectQuick(
    50,
    repeat(10, () => drawFields(most, form)),
  )
})
