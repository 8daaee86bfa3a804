import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ofDurations } from '../measurement.ts'
import { startFormbox } from '../process.ts'
import type { Scene } from '../scene.ts'
import { signUp } from '../seed.ts'
import { send } from '../wrk.ts'

/** From the start of the process to its first answer. */
export const startScene: Scene = {
  cases: ['start-1m'],
  baselines: ['start-empty'],
  goals: [
    {
      says: 'start to first answer with 1,000,000 submissions: at most 100 ms',
      of: 'start-1m',
      figure: 'p50',
      atMost: 100,
    },
    {
      says: 'start to first answer with 1,000,000 submissions: at most 1.5 times an empty file',
      of: 'start-1m',
      figure: 'p50',
      to: 'start-empty',
      atMost: 1.5,
    },
  ],
  async open(world) {
    const empty = mkdtempSync(join(world.scratch, 'empty-'))
    await signUp(empty, 'ada@example.com')
    return {
      measures: {
        'start-1m': (seconds) => starts(world.folder, seconds),
        'start-empty': (seconds) => starts(empty, seconds),
      },
      async close() {
        rmSync(empty, { recursive: true, force: true })
      },
    }
  },
}

const starts = async (folder: string, seconds: number) => {
  const durations: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const begin = performance.now()
    const server = await startFormbox(folder)
    await send(server, { path: '/healthz' })
    durations.push(performance.now() - begin)
    await server.stop()
  }
  return ofDurations(durations)
}
