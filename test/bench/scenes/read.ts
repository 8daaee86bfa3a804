import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, ofDurations } from '../measurement.ts'
import { startBaseline, startFormbox } from '../process.ts'
import { closeAll, type Goal, type Measure, type Scene } from '../scene.ts'
import { bearer, newKey, type World } from '../seed.ts'
import { load, send } from '../wrk.ts'

interface Definition {
  /** Its baselines are called after it: `NAME/elysia`, `NAME/bun`, `NAME/sqlite`, `NAME/elysia-busy`. */
  readonly name: string
  readonly connections: number
  /** Path of each case below `/api/v1`; the first one's answer is what the baselines answer. */
  readonly paths: Readonly<Record<string, (world: World) => string>>
  /** For which cases each request asks for another one of so many pages, so that no answer can be remembered. */
  readonly pages?: Readonly<Record<string, (world: World) => number>>
  /** Whose key is sent for a case, instead of Ada's. */
  readonly keys?: Readonly<Record<string, (world: World) => string>>
  /** Requests a key and minute; each measurement has a key of its own then, so that none is refused. */
  readonly rateLimit?: number
  readonly isLogged?: false
  /** The same read by a prepared statement in a loop. */
  readonly statement?: (db: Database, world: World) => () => unknown
  readonly hasBaselines?: false
  readonly goals: readonly Goal[]
}

/** Requests that only read, on the seeded folder. */
export const readScene = (definition: Definition): Scene => {
  const { name, connections, paths, pages = {}, keys = {}, rateLimit = 0, statement, goals } = definition
  const baselines = definition.hasBaselines === false ? [] : [`${name}/elysia`, `${name}/bun`]
  if (statement) baselines.push(`${name}/sqlite`, `${name}/elysia-busy`)

  const open = async (world: World) => {
    const server = await startFormbox(world.folder, { rateLimit, isLogged: definition.isLogged !== false })
    const processes = [server]
    const measures: Record<string, Measure> = {}
    for (const [name, path] of Object.entries(paths)) {
      measures[name] = async (seconds) => {
        const key = rateLimit > 0 ? await newKey(world.folder, 'ada@example.com') : (keys[name]?.(world) ?? world.key)
        const request = { path: `/api/v1${path(world)}`, headers: bearer(key), pages: pages[name]?.(world) ?? 0 }
        return load(server, request, connections, seconds)
      }
    }
    const request = { path: `/api/v1${Object.values(paths)[0]?.(world)}`, headers: bearer(world.key) }
    const file = join(world.scratch, 'answer.json')
    if (definition.hasBaselines !== false) {
      writeFileSync(file, await send(server, request))
      for (const kind of ['elysia', 'bun']) {
        const baseline = await startBaseline(kind, file)
        processes.push(baseline)
        measures[`${name}/${kind}`] = (seconds) => load(baseline, request, connections, seconds)
      }
    }
    const db = new Database(join(world.folder, 'formbox.db'), { readonly: true })
    if (statement) {
      const run = statement(db, world)
      measures[`${name}/sqlite`] = async (seconds) => repeat(run, seconds)
      const busy = await startBaseline('elysia-busy', file, { busyMicroseconds: repeat(run, 0.5).p50 * 1000 })
      processes.push(busy)
      measures[`${name}/elysia-busy`] = (seconds) => load(busy, request, connections, seconds)
    }
    const close = async () => {
      db.close()
      await closeAll(processes)
    }
    return { measures, close }
  }

  return { cases: Object.keys(paths), baselines, goals, open }
}

/** The operation in a loop in this process: the most that SQLite can do. */
export const repeat = (operation: () => unknown, seconds: number): Measurement => {
  const durations: number[] = []
  const end = performance.now() + seconds * 1000
  for (let before = performance.now(); before < end; ) {
    operation()
    const after = performance.now()
    durations.push(after - before)
    before = after
  }
  return ofDurations(durations)
}
