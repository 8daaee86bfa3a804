import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, median } from '../measurement.ts'
import { startFormbox } from '../process.ts'
import { closeAll, type Scene } from '../scene.ts'
import { bearer, copyData, type World } from '../seed.ts'
import { runWrk } from '../wrk.ts'

const kinds = ['reads', 'writes'] as const
type Kind = (typeof kinds)[number]

/** Has the greatest form delete nearly all of its submissions for their age, while others read and write. */
export const retentionScene: Scene = {
  cases: kinds.flatMap((kind) => [`retire-1m/${kind}`, `retire-1m/${kind}-idle`]),
  baselines: [],
  maxRounds: 1,
  goals: kinds.map((kind) => ({
    says: `deleting 1,000,000 submissions for their age: p99 of other ${kind} at most 3 times as long as idle`,
    of: `retire-1m/${kind}`,
    to: `retire-1m/${kind}-idle`,
    figure: 'p99',
    atMost: 3,
  })),
  async open(world) {
    let shown: Promise<Record<string, Measurement>> | undefined
    const once = () => (shown ??= retireLargest(world))
    const measure = (name: string) => async () => (await once())[name] as Measurement
    return {
      measures: Object.fromEntries(retentionScene.cases.map((name) => [name, measure(name)])),
      async close() {},
    }
  },
}

const retireLargest = async (world: World): Promise<Record<string, Measurement>> => {
  const folder = mkdtempSync(join(world.scratch, 'retire-'))
  copyData(world.folder, folder)
  const path = join(folder, 'formbox.db')
  const form = world.forms.at(-1)?.id ?? ''
  const set = new Database(path)
  // Before the start, because the job runs at once then, and after that once an hour.
  set.query(`UPDATE forms SET settings = '{"retentionDays":1}' WHERE id = ?`).run(form)
  const old = set.query<{ count: number }, []>('SELECT count(*) AS count FROM submissions').get()?.count ?? 0
  set.close()

  const server = await startFormbox(folder)
  const db = new Database(path, { readonly: true })
  const left = db.prepare<{ count: number }, [string]>('SELECT submission_count AS count FROM forms WHERE id = ?')
  const count = (): number => left.get(form)?.count ?? 0
  try {
    // What is left is younger than a day: a hundredth.
    const busy = await measureWhile(() => count() > old / 50, server, world)
    process.stdout.write(`  ${count()} left after about ${busy.reads.length} s\n`)
    let seconds = busy.reads.length
    const idle = await measureWhile(() => --seconds > 0, server, world)
    return Object.fromEntries(
      kinds.flatMap((kind) => [
        [`retire-1m/${kind}`, middle(busy[kind])],
        [`retire-1m/${kind}-idle`, middle(idle[kind])],
      ]),
    )
  } finally {
    db.close()
    await closeAll([server])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A second at a time, at least one. */
const measureWhile = async (
  goesOn: () => boolean,
  server: Awaited<ReturnType<typeof startFormbox>>,
  world: World,
): Promise<Record<Kind, Measurement[]>> => {
  const [smallest] = world.forms
  const read = { path: `/api/v1/forms/${smallest?.id}`, headers: bearer(world.key) }
  const write = {
    method: 'POST',
    path: `/s/${smallest?.id}`,
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"Ada Lovelace","email":"ada@example.com"}',
  }
  const measured: Record<Kind, Measurement[]> = { reads: [], writes: [] }
  do {
    const [reads, writes] = await Promise.all([runWrk(server, read, 4, 1), runWrk(server, write, 4, 1)])
    measured.reads.push(reads)
    measured.writes.push(writes)
  } while (goesOn())
  return measured
}

const middle = (seconds: readonly Measurement[]): Measurement => {
  const of = (figure: 'perSecond' | 'p50' | 'p99') => median(seconds.map((second) => second[figure]))
  return {
    ...(seconds[0] as Measurement),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    errors: seconds.reduce((sum, { errors }) => sum + errors, 0),
    // The process does all at once.
    cpu: null,
  }
}
