import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from './machine.ts'

const page = join(import.meta.dir, '../../BENCHMARKS.md')
const plot = join(import.meta.dir, 'latency.svg')

/** What goes on the page: Markdown but for the plot. */
interface Recorded {
  readonly machine: Machine
  readonly answers: string
  readonly verdicts: string
  readonly table: string
  readonly svg: string
}

/** Puts the results of a whole run between the marks in BENCHMARKS.md, and the plot beside the benchmark. */
export const record = ({ machine, answers, verdicts, table, svg }: Recorded): void => {
  const { processor, cores, memoryGigabytes, kernel, bun, date } = machine
  const about = `Measured on ${date}: ${processor}, ${cores} cores, ${memoryGigabytes} GB, Linux ${kernel}, Bun ${bun}.`
  const results = `${about}\n\n${answers}\n\n### Goals\n\n${verdicts}\n\n### All cases\n\n${table}`
  writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), results))
  writeFileSync(plot, svg)
}

/** @throws Error when the marks are not there */
export const replaceBetween = (text: string, results: string): string => {
  const marked = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/
  if (!marked.test(text)) throw new Error('BENCHMARKS.md: has no marks between which the results go')
  return text.replace(marked, (_, begin, end) => `${begin}\n${results}\n\n${end}`)
}
