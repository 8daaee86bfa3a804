import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, ofDurations } from '../measurement.ts'
import { startFormbox } from '../process.ts'
import { closeAll, type Scene } from '../scene.ts'
import { bearer, copyData, type World } from '../seed.ts'
import { runWrk, send } from '../wrk.ts'

/** Deletes the greatest form while others read and write. */
export const deletionScene: Scene = {
  cases: ['delete-1m', 'delete-1m/reads', 'delete-1m/writes'],
  baselines: [],
  maxRounds: 1,
  goals: ['reads', 'writes'].map((kind) => ({
    says: `deleting a form with 1,000,000 submissions: p99 of other ${kind} under 100 ms`,
    of: `delete-1m/${kind}`,
    figure: 'p99',
    atMost: 100,
  })),
  async open(world) {
    let shown: Awaited<ReturnType<typeof deleteLargest>> | undefined
    const once = async () => (shown ??= await deleteLargest(world))
    return {
      measures: {
        'delete-1m': async () => (await once()).deletion,
        'delete-1m/reads': async () => (await once()).reads,
        'delete-1m/writes': async () => (await once()).writes,
      },
      async close() {},
    }
  },
}

const deleteLargest = async (world: World) => {
  const folder = mkdtempSync(join(world.scratch, 'delete-'))
  copyData(world.folder, folder)
  const server = await startFormbox(folder)
  const db = new Database(join(folder, 'formbox.db'), { readonly: true })
  const left = db.prepare<{ deleted: number }, []>('SELECT count(*) AS deleted FROM forms WHERE deleted_at IS NOT NULL')
  const path = `/api/v1/forms/${world.forms.at(-1)?.id}`
  const headers = bearer(world.key)
  const read = { path: `/api/v1/forms/${world.forms[0]?.id}`, headers }
  const write = {
    method: 'POST',
    path: `/s/${world.forms[0]?.id}`,
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"Ada Lovelace","email":"ada@example.com"}',
  }
  try {
    const reads: Measurement[] = []
    const writes: Measurement[] = []
    const begin = performance.now()
    await send(server, { method: 'DELETE', path, headers })
    const answered = performance.now() - begin
    const after = await fetch(server.url + path, { headers })
    if (after.status !== 404) throw new Error(`the deleted form was answered with ${after.status}`)
    // A second at a time, until nothing is left to remove: the worst second counts.
    do {
      const [reading, writing] = await Promise.all([runWrk(server, read, 4, 1), runWrk(server, write, 4, 1)])
      reads.push(reading)
      writes.push(writing)
    } while ((left.get()?.deleted ?? 0) > 0)
    process.stdout.write(`  answered after ${answered.toFixed(1)} ms, removed after about ${reads.length} s\n`)
    return { deletion: ofDurations([answered], server.memory()), reads: worst(reads), writes: worst(writes) }
  } finally {
    db.close()
    await closeAll([server])
    rmSync(folder, { recursive: true, force: true })
  }
}

const worst = (seconds: readonly Measurement[]): Measurement =>
  seconds.reduce((one, other) => ({
    ...(other.p99 > one.p99 ? other : one),
    errors: one.errors + other.errors,
    // The process does both and the removal at once.
    cpu: null,
  }))
