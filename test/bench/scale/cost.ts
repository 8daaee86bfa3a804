import { readFileSync, writeFileSync } from 'node:fs'
import { percentile } from '../measurement.ts'
import { executable, type Process } from '../process.ts'
import { load, type Request, send } from '../wrk.ts'

/** What something cost. */
export interface Cost {
  /** Microseconds of processor time for each row, form or request. */
  readonly each: number
  readonly seconds: number
  /** The most memory of the process that did it, in MB. */
  readonly peak: number
  /** Milliseconds that 99 of 100 requests of others took meanwhile, and the slowest; null if no one made any. */
  readonly others: readonly [p99: number, most: number] | null
}

/** What others ask for while something is measured: they read and write in turn. */
export type Others = readonly [read: Request, write: Request]

/** Of something that a server does once, for so many rows. */
export const costOnce = async (
  server: Process,
  others: Others | undefined,
  rows: number,
  work: () => Promise<unknown>,
): Promise<Cost> => {
  // The most so far is forgotten (proc(5)).
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const before = server.processorTime()
  const begin = performance.now()
  const waiting = others && startOthers(server, others)
  await work()
  const seconds = (performance.now() - begin) / 1000
  return {
    each: (server.processorTime() - before) / rows,
    seconds,
    peak: peakOf(server.pid),
    others: waiting ? await waiting.end() : null,
  }
}

/** Of a request that a server answers again and again. */
export const costOfRequest = async (server: Process, request: Request, seconds: number): Promise<Cost> => {
  await send(server, request)
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const { cpu, p50 } = await load(server, request, 1, seconds)
  return { each: cpu ?? Number.NaN, seconds: p50 / 1000, peak: peakOf(server.pid), others: null }
}

/** Of a command line, with the requests of others to a server beside it. */
export const costOfCommand = async (
  words: readonly string[],
  rows: number,
  beside?: { readonly server: Process; readonly others: Others },
  command: readonly string[] = [executable],
): Promise<Cost> => {
  const begin = performance.now()
  const waiting = beside && startOthers(beside.server, beside.others)
  const child = Bun.spawn([...command, ...words], { stdout: 'ignore', stderr: 'inherit', env: {} })
  if ((await child.exited) !== 0) throw new Error(`formbox ${words.join(' ')} failed`)
  const seconds = (performance.now() - begin) / 1000
  const usage = child.resourceUsage()
  return {
    each: Number(usage?.cpuTime.total ?? 0) / rows,
    seconds,
    peak: (usage?.maxRSS ?? 0) / 1e6,
    others: waiting ? await waiting.end() : null,
  }
}

const pauseMilliseconds = 10

const startOthers = (server: Process, others: Others) => {
  const took: number[] = []
  let isOver = false
  const running = (async () => {
    while (!isOver)
      for (const request of others) {
        const begin = performance.now()
        await send(server, request)
        took.push(performance.now() - begin)
        await Bun.sleep(pauseMilliseconds)
      }
  })()
  return {
    async end(): Promise<Cost['others']> {
      isOver = true
      await running
      return [percentile(took, 99), Math.max(...took)]
    },
  }
}

const peakOf = (pid: number): number =>
  (Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1_000_000
