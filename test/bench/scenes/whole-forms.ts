import { type Measurement, ofDurations } from '../measurement.ts'
import { type Process, startFormbox } from '../process.ts'
import type { Measure, Scene } from '../scene.ts'
import { bearer } from '../seed.ts'
import { send } from '../wrk.ts'

const adding = 'answers-100k'
const xlsx = 'export-xlsx-100k'
const csv = 'export-csv-100k'
const most = 100_000

/** What reads all submissions of a form: its answers are added up, or a file of them is made. */
export const wholeFormScene: Scene = {
  cases: [adding, xlsx],
  baselines: [csv],
  maxRounds: 2,
  goals: [
    { says: 'answers of 100,000 submissions: at most 600 ms', of: adding, figure: 'p50', atMost: 600 },
    {
      says: '100,000 submissions as XLSX: at most 3 times as long as CSV',
      of: xlsx,
      figure: 'p50',
      to: csv,
      atMost: 3,
    },
  ],
  async open(world) {
    const server = await startFormbox(world.folder)
    const form = world.forms.findLast(({ size }) => size <= most)?.id
    const headers = bearer(world.key)
    const exportAs = (format: string) => async () => {
      const path = `/api/v1/forms/${form}/export?format=${format}`
      const response = await fetch(server.url + path, { headers })
      if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`)
      for await (const _ of response.body as ReadableStream<Uint8Array>);
    }
    const addUp = async () => {
      let cursor = ''
      do {
        const path = `/api/v1/forms/${form}/answers?cursor=${cursor}`
        cursor = JSON.parse(await send(server, { path, headers })).next ?? ''
      } while (cursor !== '')
    }
    const measures: Record<string, Measure> = {
      [adding]: (seconds) => repeatedly(server, addUp, seconds),
      [xlsx]: (seconds) => repeatedly(server, exportAs('xlsx'), seconds),
      [csv]: (seconds) => repeatedly(server, exportAs('csv'), seconds),
    }
    return { measures, close: () => server.stop() }
  },
}

/** One after the other, at least once. */
const repeatedly = async (server: Process, run: () => Promise<void>, seconds: number): Promise<Measurement> => {
  const durations: number[] = []
  const end = performance.now() + seconds * 1000
  do {
    const begin = performance.now()
    await run()
    durations.push(performance.now() - begin)
  } while (performance.now() < end)
  return ofDurations(durations, server.memory())
}
