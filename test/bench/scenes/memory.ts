import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, type Memory, median, unknownMemory } from '../measurement.ts'
import { startFormbox } from '../process.ts'
import { closeAll, type Scene } from '../scene.ts'
import { signUp, type World } from '../seed.ts'
import { runWrk, send } from '../wrk.ts'
import { startWriting, type Writing } from './write.ts'

/** Seconds after the first answers at which the process is idle. */
const settleSeconds = 3
const connections = 256

/** Memory at rest, and while as many submissions arrive as `submissions` says. */
export const memoryScene = (submissions: number): Scene => ({
  cases: ['rest-memory', 'idle-memory', 'memory-1m', 'memory-1m/third-quarter', 'memory-1m/last-quarter'],
  baselines: [],
  maxRounds: 1,
  goals: [
    { says: 'memory at rest, with nothing asked for: at most 72 MB', of: 'rest-memory', figure: 'memory', atMost: 72 },
    { says: 'memory idle, with pages and API loaded: at most 90 MB', of: 'idle-memory', figure: 'memory', atMost: 90 },
    { says: 'anonymous memory idle: at most 33 MB', of: 'idle-memory', figure: 'anonymous', atMost: 33 },
    { says: 'memory after the write load: at most 160 MB', of: 'memory-1m', figure: 'memory', atMost: 160 },
    {
      says: 'memory in the last quarter of the write load: within 5 % of the third quarter',
      of: 'memory-1m/last-quarter',
      figure: 'memory',
      to: 'memory-1m/third-quarter',
      atMost: 1.05,
    },
  ],
  async open(world) {
    const writing = await startWriting(world)
    const { server, folder, submitJson } = writing
    let shown: Awaited<ReturnType<typeof fill>> | undefined
    const once = async () => (shown ??= await fill(writing, submissions))
    return {
      measures: {
        'rest-memory': () => memoryAtRest(world),
        'idle-memory': async () => {
          await send(server, submitJson)
          await Bun.sleep(settleSeconds * 1000)
          return atRest(server.memory())
        },
        'memory-1m': async () => (await once()).whole,
        'memory-1m/third-quarter': async () => atRest((await once()).thirdQuarter),
        'memory-1m/last-quarter': async () => atRest((await once()).lastQuarter),
      },
      async close() {
        await closeAll([server])
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
})

/** Of a server that has answered nothing but that it runs. */
const memoryAtRest = async ({ scratch }: World): Promise<Measurement> => {
  const folder = mkdtempSync(join(scratch, 'rest-'))
  await signUp(folder, 'ada@example.com')
  const server = await startFormbox(folder)
  await send(server, { path: '/healthz' })
  await Bun.sleep(settleSeconds * 1000)
  const memory = server.memory()
  await closeAll([server])
  rmSync(folder, { recursive: true, force: true })
  return atRest(memory)
}

const atRest = (memory: Memory): Measurement => ({
  perSecond: Number.NaN,
  p50: Number.NaN,
  p99: Number.NaN,
  errors: 0,
  cpu: null,
  ...memory,
})

const fill = async ({ server, submitJson }: Writing, submissions: number) => {
  const samples: number[] = []
  const sampling = setInterval(() => samples.push(server.memory().memory ?? Number.NaN), 100)
  const parts: Measurement[] = []
  for (let stored = 0; stored < submissions; ) {
    const part = await runWrk(server, submitJson, connections, 2)
    parts.push(part)
    stored += part.perSecond * 2
  }
  clearInterval(sampling)
  const quarter = Math.floor(samples.length / 4)
  const whole: Measurement = {
    perSecond: median(parts.map((part) => part.perSecond)),
    p50: median(parts.map((part) => part.p50)),
    p99: Math.max(...parts.map((part) => part.p99)),
    errors: parts.reduce((sum, part) => sum + part.errors, 0),
    cpu: median(parts.map((part) => part.cpu ?? Number.NaN)),
    ...server.memory(),
  }
  return {
    whole,
    thirdQuarter: { ...unknownMemory, memory: median(samples.slice(-2 * quarter, -quarter)) },
    lastQuarter: { ...unknownMemory, memory: median(samples.slice(-quarter)) },
  }
}
