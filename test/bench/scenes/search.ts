import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, ofDurations } from '../measurement.ts'
import { startFormbox } from '../process.ts'
import { closeAll, type Measure, type Scene } from '../scene.ts'
import { bearer, copyData } from '../seed.ts'
import { load, probe, type Request, runWrk, send } from '../wrk.ts'
import { createForm } from './write.ts'

const beside = (name: string): string => `${name}-beside-search`
const without = (name: string): string => `${name}/without-search`

/** As many as arrive at once, and a client that sends one after the other. */
const writers = [1, 64] as const
const write = (count: number): string => `submit-${count}`
const read = 'read-1'
const readsPerSecond = 400
const searchBesideReads = 'search-beside-reads'
const searchAlone = 'search/alone'
const names = [...writers.map(write), read]

/**
 * Submissions to another form, and reads, while someone searches 1,000,000 submissions for what is in none of them, over and
 * over again.
 */
export const searchScene: Scene = {
  cases: [...names.map(beside), searchBesideReads],
  baselines: [...names.map(without), searchAlone],
  goals: [
    {
      says: `a search beside ${readsPerSecond} reads a second: at least 0.25 of one alone`,
      of: searchBesideReads,
      figure: 'perSecond',
      to: searchAlone,
      atLeast: 0.25,
    },
    ...writers.map((count) => ({
      says: `writes beside a search, ${count} at a time: at least 0.85`,
      of: beside(write(count)),
      figure: 'perSecond' as const,
      to: without(write(count)),
      atLeast: 0.85,
    })),
    {
      says: 'p99 of reads beside a search: at most 5 ms more',
      of: beside(read),
      figure: 'p99',
      above: without(read),
      atMost: 5,
    },
  ],
  async open(world) {
    const folder = mkdtempSync(join(world.scratch, 'search-'))
    copyData(world.folder, folder)
    const server = await startFormbox(folder)
    const formId: string = JSON.parse(await send(server, createForm(world.key))).id
    const submit: Request = {
      method: 'POST',
      path: `/s/${formId}`,
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Ada Lovelace"}',
    }
    const headers = bearer(world.key)
    const reading: Request = { path: `/api/v1/forms/${formId}`, headers }
    const searched = world.forms.at(-1)?.id
    let cursor: string | null = null
    /** Returns how many submissions were looked at. */
    const searchOn = async (): Promise<number> => {
      const path = `/api/v1/forms/${searched}/submissions/search?q=norway&cursor=${cursor ?? ''}`
      const result = JSON.parse(await send(server, { path, headers }))
      cursor = result.next
      return result.searched
    }
    /** How many submissions are looked at. */
    const search: Measure = async (seconds) => {
      const startedAt = performance.now()
      let count = 0
      while (performance.now() < startedAt + seconds * 1000) count += await searchOn()
      const milliseconds = (performance.now() - startedAt) / count
      return { ...ofDurations([milliseconds]), ...server.memory() }
    }
    const besideReads = async (measure: Measure, seconds: number): Promise<Measurement> => {
      let isOver = false
      const startedAt = performance.now()
      const reads: Promise<string>[] = []
      const sendAll = (async () => {
        for (; !isOver; await Bun.sleep(1))
          while (reads.length < ((performance.now() - startedAt) / 1000) * readsPerSecond)
            reads.push(send(server, reading))
      })()
      const measured = await measure(seconds)
      isOver = true
      await sendAll
      await Promise.all(reads)
      return measured
    }
    const besideSearch = async (measure: Measure, seconds: number): Promise<Measurement> => {
      let isOver = false
      const searching = (async () => {
        while (!isOver) await searchOn()
      })()
      const measured = await measure(seconds)
      isOver = true
      await searching
      return measured
    }
    const alone: Record<string, Measure> = {
      [read]: (seconds) => {
        const end = performance.now() + seconds * 1000
        return probe(server, reading, () => performance.now() > end)
      },
    }
    for (const count of writers) {
      await load(server, submit, count, 1)
      alone[write(count)] = (seconds) => runWrk(server, submit, count, seconds)
    }
    const measures: Record<string, Measure> = {
      [searchAlone]: search,
      [searchBesideReads]: (seconds) => besideReads(search, seconds),
    }
    for (const [name, measure] of Object.entries(alone)) {
      measures[without(name)] = measure
      measures[beside(name)] = (seconds) => besideSearch(measure, seconds)
    }
    const close = async () => {
      await closeAll([server])
      rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}
