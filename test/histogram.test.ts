import { describe, expect, test } from 'bun:test'
import { createHistogram } from '../src/base/histogram.ts'
import { counter, gauge, histogram } from '../src/server/metrics/text.ts'
import { parseMetrics } from './prometheus.ts'

describe('a histogram', () => {
  test('puts a value that is a bound into the bucket of that bound, and what is larger than all on top', () => {
    const values = createHistogram([1, 2, 5])
    for (const value of [0, 1, 1.5, 2, 5, 5.001, 1e9]) values.observe(value)
    expect(values.cumulative()).toEqual([2, 4, 5, 7])
    expect(values.sum()).toBeCloseTo(1_000_000_014.501, 6)
  })

  test('is written as Prometheus reads it', () => {
    const values = createHistogram([0.1, 1])
    for (const value of [0.05, 0.5, 2]) values.observe(value)
    expect(histogram('x_seconds', 'Time.', [[{ a: 'b' }, values]])).toBe(
      `# HELP x_seconds Time.
# TYPE x_seconds histogram
x_seconds_bucket{a="b",le="0.1"} 1
x_seconds_bucket{a="b",le="1"} 2
x_seconds_bucket{a="b",le="+Inf"} 3
x_seconds_sum{a="b"} 2.55
x_seconds_count{a="b"} 3
`,
    )
  })
})

test('labels may hold whatever there is, and values be small', () => {
  const text = gauge('x', 'A \\ and\nmore', [
    [{ path: 'a"b\\c\nd,}' }, 1e-9],
    [{ path: '' }, -3],
  ])
  expect(text).toContain('# HELP x A \\\\ and\\nmore\n')
  expect(parseMetrics(text).get('x')?.samples).toEqual([
    { name: 'x', labels: { path: 'a"b\\c\nd,}' }, value: 1e-9 },
    { name: 'x', labels: { path: '' }, value: -3 },
  ])
})

// The reader is what shows that /metrics is right, so it has to find what is wrong.
test.each([
  ['a last line without end', 'x 1'],
  ['no HELP', '# TYPE x gauge\nx 1\n'],
  ['no TYPE', '# HELP x Text\nx 1\n'],
  ['a value that is none', gauge('x', 'Text', [[{}, Number.NaN]])],
  [
    'a series for the second time',
    gauge('x', 'Text', [
      [{}, 1],
      [{}, 2],
    ]),
  ],
  ['a metric in two places', `${gauge('x', 'Text', [[{}, 1]]) + gauge('y', 'Text', [[{}, 1]])}x{a="b"} 1\n`],
  ['a counter without _total', counter('x', 'Text', [[{}, 1]])],
  ['a label without quotes', '# HELP x Text\n# TYPE x gauge\nx{a=b} 1\n'],
  ['a label with an open quote', '# HELP x Text\n# TYPE x gauge\nx{a="b"c"} 1\n'],
  ['an empty line', '# HELP x Text\n# TYPE x gauge\n\nx 1\n'],
  ['no bucket for all', '# HELP x Text\n# TYPE x histogram\nx_bucket{le="1"} 1\nx_sum 1\nx_count 1\n'],
  [
    'buckets that shrink',
    '# HELP x Text\n# TYPE x histogram\nx_bucket{le="1"} 2\nx_bucket{le="+Inf"} 1\nx_sum 1\nx_count 1\n',
  ],
  ['a count of its own', '# HELP x Text\n# TYPE x histogram\nx_bucket{le="+Inf"} 1\nx_sum 1\nx_count 2\n'],
])('the reader of the tests refuses %s', (_, text) => {
  expect(() => parseMetrics(text)).toThrow()
})
