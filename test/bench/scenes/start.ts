import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ofDurations } from '../measurement.ts'
import { compileBaseline, type Process, startCompiled, startFormbox } from '../process.ts'
import type { Scene } from '../scene.ts'
import { createForms, fillForms, signUp } from '../seed.ts'
import { send } from '../wrk.ts'

/** A file of so many is checked whole at each start, which is done up to 32 MiB: the slowest start. */
const checkedSubmissions = 190_000
const bare = 'start/elysia'
const checkedMegabytes = [28, 33.5] as const

/** From the start of the process to its first answer. */
export const startScene: Scene = {
  cases: ['start-1m', 'start-30mb'],
  baselines: ['start-empty', bare],
  goals: [
    {
      says: 'start to first response with an empty file: at most 3.5 times a bare Elysia with SQLite, compiled',
      of: 'start-empty',
      figure: 'p50',
      to: bare,
      atMost: 3.5,
    },
    {
      says: 'start to first response with 1,000,000 submissions: at most 1.5 times an empty file',
      of: 'start-1m',
      figure: 'p50',
      to: 'start-empty',
      atMost: 1.5,
    },
    {
      says: 'start to first response with 30 MB, checked as a whole: at most 2.5 times an empty file',
      of: 'start-30mb',
      figure: 'p50',
      to: 'start-empty',
      atMost: 2.5,
    },
  ],
  async open(world) {
    const empty = mkdtempSync(join(world.scratch, 'empty-'))
    await signUp(empty, 'ada@example.com')
    const checked = mkdtempSync(join(world.scratch, 'checked-'))
    await fillChecked(checked)
    const compiled = await compileBaseline(world.scratch)
    return {
      measures: {
        'start-1m': (seconds) => starts(world.folder, seconds),
        'start-30mb': (seconds) => starts(checked, seconds),
        'start-empty': (seconds) => starts(empty, seconds),
        [bare]: (seconds) => startsOf(() => startCompiled(compiled, join(empty, 'bare.db')), '/', seconds),
      },
      async close() {
        for (const folder of [empty, checked]) rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

/** @throws Error when rows have become so large or small that the case would show something else */
const fillChecked = async (folder: string): Promise<void> => {
  const [form = ''] = await createForms(folder, await signUp(folder, 'ada@example.com'))
  await fillForms(folder, [{ id: form, size: checkedSubmissions }], [Date.now() - 86_400_000, Date.now()])
  const megabytes = statSync(join(folder, 'formbox.db')).size / 1_000_000
  const [least, most] = checkedMegabytes
  if (megabytes < least || megabytes > most)
    throw new Error(`start-30mb: the file is ${megabytes.toFixed(1)} MB, and has to be ${least} to ${most}`)
}

const starts = (folder: string, seconds: number) => startsOf(() => startFormbox(folder), '/healthz', seconds)

const startsOf = async (start: () => Promise<Process>, path: string, seconds: number) => {
  const durations: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const begin = performance.now()
    const server = await start()
    await send(server, { path })
    durations.push(performance.now() - begin)
    await server.stop()
  }
  return ofDurations(durations)
}
