import type { Histogram } from '../../base/histogram.ts'

type Labels = Readonly<Record<string, string | number>>
type Sample<T> = readonly [labels: Labels, value: T]

// Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
// Each function writes one metric with all its samples, which must not be separated.

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

const numbers =
  (type: string) =>
  (name: string, help: string, samples: readonly Sample<number>[]): string =>
    family(
      name,
      type,
      help,
      samples.map(([labels, value]) => line(name, labels, value)),
    )

/** A number that goes up and down. */
export const gauge = numbers('gauge')

/** A number that only grows, from 0 at the start of the process. */
export const counter = numbers('counter')

export const histogram = (name: string, help: string, samples: readonly Sample<Histogram>[]): string =>
  family(
    name,
    'histogram',
    help,
    samples.flatMap(([labels, values]) => toBuckets(name, labels, values)),
  )

const family = (name: string, type: string, help: string, lines: readonly string[]): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`

const toBuckets = (name: string, labels: Labels, { bounds, cumulative, sum }: Histogram): string[] => {
  // The sum is read first, because the writer's thread keeps counting: it must not include more than the counts.
  const total = sum()
  const counts = cumulative()
  const count = counts.at(-1) as number
  return [
    ...counts.map((upTo, bucket) => line(`${name}_bucket`, { ...labels, le: bounds[bucket] ?? '+Inf' }, upTo)),
    line(`${name}_sum`, labels, total),
    line(`${name}_count`, labels, count),
  ]
}

const line = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (character) => replacements[character] as string)
const replacements: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }
