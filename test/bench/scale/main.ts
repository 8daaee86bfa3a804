// `bun test/bench/scale/main.ts 100000 10000000`: what things cost in a data folder with so many submissions in one
// form, and beside it with more. SEED=DIR keeps the folders for the next run; CASE=NAME,… takes only some steps, by a part of
// their names. 10,000,000 take an hour and 30 GB of disk.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine } from '../machine.ts'
import { align, short } from '../report.ts'
import type { Cost } from './cost.ts'
import { type Filled, fill } from './fill.ts'
import { readingSteps, type Steps } from './reading.ts'
import { upkeepSteps } from './upkeep.ts'
import { writingSteps } from './writing.ts'

interface Measured {
  readonly size: number
  readonly costs: Map<string, Cost>
}

/** Measures a step at all sizes in turn, so that a disturbance of the machine affects them alike. */
const take = async (all: readonly Steps[], results: readonly Measured[], rounds: number): Promise<void> => {
  for (const name of Object.keys(all[0] ?? {}).filter(isChosen)) {
    const measured: Cost[][] = all.map(() => [])
    for (let round = 0; round < rounds; round++)
      for (const [i, steps] of all.entries()) measured[i]?.push((await steps[name]?.()) as Cost)
    for (const [i, { size, costs }] of results.entries()) {
      const middle = measured[i]?.toSorted((one, other) => one.each - other.each)[rounds >> 1] as Cost
      costs.set(name, middle)
      process.stdout.write(`${size} | ${toCells(name, middle).join(' | ')}\n`)
    }
  }
}

const measure = async (): Promise<readonly Measured[]> => {
  const filled: Filled[] = []
  for (const size of sizes) filled.push(await fill(scratch, size))
  const results = filled.map(({ size, costs }) => ({ size, costs: new Map(Object.entries(costs)) }))
  const reading = await Promise.all(filled.map(readingSteps))
  const close = async () => void (await Promise.all(reading.map((one) => one.close())))
  try {
    await take(
      reading.map(({ requests }) => requests),
      results,
      3,
    )
    await take(
      reading.map(({ scans }) => scans),
      results,
      1,
    )
  } finally {
    await close()
  }
  await take(
    filled.map((one) => upkeepSteps(one, scratch)),
    results,
    1,
  )
  const folder = mkdtempSync(join(scratch, 'copy-'))
  for (const [i, one] of filled.entries()) {
    cpSync(one.folder, folder, { recursive: true })
    const writing = await writingSteps({ ...one, folder })
    await take([writing.steps], results.slice(i, i + 1), 1).finally(writing.close)
    rmSync(folder, { recursive: true })
  }
  return results
}

const toCells = (name: string, { each, seconds, peak, others }: Cost): string[] => [
  name,
  short(each),
  short(seconds * 1000),
  short(peak),
  others ? others.map(short).join(' / ') : '',
]

const sizes = process.argv.slice(2).map(Number)
const chosen = (process.env.CASE ?? '').split(',')
const scratch = process.env.SEED ?? mkdtempSync(join(tmpdir(), 'formbox-scale-'))
const isChosen = (name: string): boolean => chosen.some((part) => name.includes(part))
try {
  const results = await measure()
  const [small, large] = [results.at(0)?.costs, results.at(-1)?.costs]
  const rows = [...(large ?? [])].map(([name, cost]) => {
    const beside = small?.get(name)?.each ?? Number.NaN
    return [name, short(beside), ...toCells(name, cost).slice(1), short(cost.each / beside)]
  })
  const head = ['step', `µs at ${sizes.at(0)}`, `µs at ${sizes.at(-1)}`, 'ms', 'MB', 'others, ms', 'ratio']
  process.stdout.write(`${JSON.stringify(describeMachine())}\n${align(head, rows)}\n`)
} finally {
  if (!process.env.SEED) rmSync(scratch, { recursive: true })
}
