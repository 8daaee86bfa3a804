import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from './machine.ts'

const root = join(import.meta.dir, '../..')
const page = join(root, 'BENCHMARKS.md')
const pageOfAll = join(root, 'docs/benchmarks-all.md')
const plot = join(import.meta.dir, 'latency.svg')

/** What goes on the pages: Markdown but for the plot. */
interface Recorded {
  readonly machine: Machine
  readonly answers: string
  readonly summary: string
  readonly verdicts: string
  readonly table: string
  readonly svg: string
}

/** Puts the results of a whole run between the marks in BENCHMARKS.md and the page of all, and the plot beside the benchmark. */
export const record = ({ machine, answers, summary, verdicts, table, svg }: Recorded): void => {
  const { processor, cores, memoryGigabytes, kernel, bun, date } = machine
  const about = `Measured on ${date}: ${processor}, ${cores} cores, ${memoryGigabytes} GB, Linux ${kernel}, Bun ${bun}.`
  put(page, `${about}\n\n${answers}\n\n${summary}`)
  put(pageOfAll, `${about}\n\n### Goals\n\n${verdicts}\n\n### All cases\n\n${table}`)
  writeFileSync(plot, svg)
}

const put = (path: string, results: string): void =>
  writeFileSync(path, replaceBetween(readFileSync(path, 'utf8'), results))

/** @throws Error when the marks are not there */
export const replaceBetween = (text: string, results: string): string => {
  const marked = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/
  if (!marked.test(text)) throw new Error('the page has no marks between which the results go')
  return text.replace(marked, (_, begin, end) => `${begin}\n${results}\n\n${end}`)
}
