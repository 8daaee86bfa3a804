import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterThisTest, temporaryFolder, writeTo } from '../harness.ts'
import { type Measurement, median, ofDurations, percentile } from './measurement.ts'
import { parseOptions, sizesUpTo } from './options.ts'
import { drawGrowth } from './plot.ts'
import { startBaseline } from './process.ts'
import { toAnswers } from './questions.ts'
import { replaceBetween } from './record.ts'
import { judge, toSummary, toTable, toVerdicts } from './report.ts'
import { chooseCases } from './run.ts'
import type { Scene } from './scene.ts'
import { statements } from './scenes/reads.ts'
import { send } from './wrk.ts'

const measured = (perSecond: number, more: Partial<Measurement> = {}): Measurement => ({
  perSecond,
  p50: 1,
  p99: 2,
  errors: 0,
  cpu: null,
  memory: null,
  anonymous: null,
  ...more,
})

describe('figures', () => {
  test.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])('the median of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle)
  })

  test('a percentile is a value that was measured', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i)
    expect([percentile(values, 50), percentile(values, 99), percentile([5], 99)]).toEqual([51, 100, 5])
  })

  test('operations one after another are as many a second as their durations allow', () => {
    expect(ofDurations([2, 2, 6, 10])).toMatchObject({ perSecond: 200, p50: 6, p99: 10, errors: 0 })
  })
})

describe('goals', () => {
  const goal = { says: 'fast', of: 'a', figure: 'perSecond', to: 'b', atLeast: 0.5 } as const

  test('a ratio is taken within each round, and the middle one counts', () => {
    const results = [
      { name: 'a', rounds: [measured(10), measured(100), measured(60)] },
      { name: 'b', rounds: [measured(10), measured(1000), measured(100)] },
    ]
    expect(judge([goal], results)).toEqual([{ goal, value: 0.6, isMet: true }])
  })

  test('a difference is taken within each round, too', () => {
    const goal = { says: 'p99', of: 'a', figure: 'p99', above: 'b', atMost: 5 } as const
    const p99s = (name: string, ...values: number[]) => ({ name, rounds: values.map((p99) => measured(1, { p99 })) })
    expect(judge([goal], [p99s('a', 3, 9, 100), p99s('b', 1, 4, 1)])).toEqual([{ goal, value: 5, isMet: true }])
  })

  test('a goal whose baseline was not measured is left out', () => {
    expect(judge([goal], [{ name: 'a', rounds: [measured(10)] }])).toEqual([])
  })

  test.each([
    [{ atMost: 2 }, true],
    [{ atMost: 1.9 }, false],
    [{ atLeast: 2 }, true],
    [{ atLeast: 2.1 }, false],
  ])('a figure of 2 within %j: %p', (bound, isMet) => {
    const verdicts = judge([{ says: 'p99', of: 'a', figure: 'p99', ...bound }], [{ name: 'a', rounds: [measured(1)] }])
    expect(verdicts.map((verdict) => verdict.isMet)).toEqual([isMet])
    expect(toSummary(verdicts)).toBe(isMet ? 'All 1 goals are met.' : '0 of 1 goals are met. Not met: p99 (2.00).')
    expect(toVerdicts(verdicts).endsWith(isMet ? ' ok |' : 'NOT |')).toBe(true)
  })

  test('processor time is compared where both have one', () => {
    const goal = { says: 'cheap', of: 'a', figure: 'cpu', to: 'b', atMost: 2 } as const
    const results = (cpu: number | null) => [
      { name: 'a', rounds: [measured(1, { cpu: 30 })] },
      { name: 'b', rounds: [measured(1, { cpu })] },
    ]
    expect(judge([goal], results(15)).map(({ isMet }) => isMet)).toEqual([true])
    expect(judge([goal], results(14)).map(({ isMet }) => isMet)).toEqual([false])
    expect(judge([goal], results(null)).map(({ isMet }) => isMet)).toEqual([false])
  })

  test('a figure that is missing meets nothing', () => {
    const [verdict] = judge(
      [{ says: 'm', of: 'a', figure: 'memory', atMost: 70 }],
      [{ name: 'a', rounds: [measured(1)] }],
    )
    expect(verdict?.isMet).toBe(false)
  })
})

test('the table has the middle of the rounds, and the errors of all of them', () => {
  const rounds = [measured(12345, { errors: 1 }), measured(20000, { errors: 2 }), measured(1)]
  expect(
    toTable([{ name: 'a', rounds }])
      .split('\n')
      .at(-1),
  ).toMatch(/^\| a +\| +12,345 \| +1\.00 \| +2\.00 \| +3 \|/)
})

test('what users ask first is answered with the figures of the cases that were measured', () => {
  const rows = toAnswers([{ name: 'submit-json-256', rounds: [measured(34_567)] }])
    .split('\n')
    .slice(2)
  expect(rows.map((row) => row.split('|')[2]?.trim())).toEqual(['34,567 a second'])
  expect(toAnswers([])).toBe('')
})

describe('options', () => {
  test('are five seconds and three rounds of all cases unless set', () => {
    expect(parseOptions({})).toMatchObject({ cases: [], seconds: 5, rounds: 3, submissions: 1_000_000 })
    expect(parseOptions({ CASE: 'a, b', SECONDS: '1' })).toMatchObject({ cases: ['a', 'b'], seconds: 1 })
  })

  test.each(['0', '1.5', 'many'])('SECONDS=%s is refused', (text) => {
    expect(() => parseOptions({ SECONDS: text })).toThrow('SECONDS: must be a whole number above 0')
  })

  test('a run of some cases is not recorded', () => {
    expect(parseOptions({ RECORD: '1' }).isRecorded).toBe(true)
    expect(() => parseOptions({ CASE: 'a', RECORD: '1' })).toThrow('RECORD: takes a run of all cases')
  })

  test('the sizes are the powers of ten up to the greatest form', () => {
    expect(sizesUpTo(1_000_000)).toEqual([1000, 10_000, 100_000, 1_000_000])
    expect(sizesUpTo(1000)).toEqual([1000])
  })
})

test('a busy route answers the same bytes, after as long as it is told', async () => {
  const file = join(temporaryFolder(), 'answer.json')
  writeFileSync(file, '{"forms":[]}')
  const server = await startBaseline('elysia-busy', file, { busyMicroseconds: 20_000 })
  afterThisTest(server.stop)
  const begin = performance.now()
  expect(await send(server, { path: '/api/v1/forms' })).toBe('{"forms":[]}')
  expect(performance.now() - begin).toBeGreaterThanOrEqual(20)
  const { memory, anonymous } = server.memory()
  expect(anonymous).toBeGreaterThan(0)
  expect(memory).toBeGreaterThan(anonymous as number)
})

test.each(Object.entries(statements))('SQLite finds what the baseline for a %s reads by an index', (_, statement) => {
  const plan = `EXPLAIN QUERY PLAN ${statement}`
  const steps = writeTo(temporaryFolder(), ({ $client }) => $client.query<{ detail: string }, []>(plan).all())
  expect(steps.filter(({ detail }) => /^SCAN|TEMP B-TREE|form=\?\)/.test(detail))).toEqual([])
})

test('a chosen case brings the baselines of its scene, and no other case', () => {
  const scene = { cases: ['a', 'b'], baselines: ['c'] } as unknown as Scene
  expect(chooseCases(scene, ['b'])).toEqual(['b', 'c'])
  expect(chooseCases(scene, [])).toEqual(['a', 'b', 'c'])
  expect(chooseCases(scene, ['elsewhere'])).toEqual([])
})

test('the plot is well-formed XML with a point for every figure', () => {
  const points = [1000, 10_000].map((size) => [size, 0.25] as const)
  const svg = drawGrowth([
    { label: 'first page', points },
    { label: '90 % by date', points },
  ])
  const counts = { svg: 0, circle: 0 }
  new HTMLRewriter()
    .on('svg', { element: () => void counts.svg++ })
    .on('circle', { element: () => void counts.circle++ })
    .transform(svg)
  expect(counts).toEqual({ svg: 1, circle: 4 })
  expect(svg).not.toMatch(/NaN|Infinity|undefined/)
})

test('results replace the ones between the marks, which both pages have', async () => {
  for (const name of ['BENCHMARKS.md', 'docs/benchmarks-all.md']) {
    const text = await Bun.file(join(import.meta.dir, '../..', name)).text()
    expect(replaceBetween(text, 'new')).toContain('<!-- results -->\n\nnew\n\n<!-- end of results -->\n\n')
  }
  const page = 'a\n<!-- results -->\nold $1\n<!-- end of results -->\nb\n'
  const replaced = replaceBetween(page, 'new $&')
  expect(replaced).toBe('a\n<!-- results -->\n\nnew $&\n\n<!-- end of results -->\nb\n')
  expect(() => replaceBetween('no marks', 'new')).toThrow('has no marks')
})
