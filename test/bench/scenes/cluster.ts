import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../src/base/id.ts'
import { openLog } from '../../../src/storage/cluster/open-log.ts'
import { migrations } from '../../../src/storage/migrations.ts'
import { cleanUpFile, cleanUpTest } from '../../clean-ups.ts'
import { appliedOn } from '../../cluster/data-files.ts'
import { startPair } from '../../cluster/pair.ts'
import { whyNoPostgres } from '../../cluster/postgres.ts'
import { startRqlite, whyNoRqlite } from '../../cluster/rqlite.ts'
import { slowly, until } from '../../until.ts'
import { type Measurement, ofDurations } from '../measurement.ts'
import { type Process, startFormbox } from '../process.ts'
import { closeAll, type Goal, type Measure, type Scene } from '../scene.ts'
import { bearer, signUp, type World } from '../seed.ts'
import { type Request, runWrk, send } from '../wrk.ts'
import { createForm, startWriting } from './write.ts'

/** Connections by the bytes of a message. One address may have 16 MiB of bodies at a time, those of the warm-up among them. */
const sizes = { '': { bytes: 100, loads: [1, 32, 256] }, '-100kb': { bytes: 100_000, loads: [1, 32, 64] } } as const
const machines = 3

/** A machine of its own, or three of a cluster with one form, to which all of them take submissions. */
interface Subject {
  readonly servers: readonly Process[]
  readonly formId: string
  readonly key: string
}

interface Engine {
  readonly url: string
  /** Puts so many rows at the end of the log, each of which stores a submission. */
  appendRows(count: number, formId: string): Promise<void>
}

interface Kind {
  readonly name: string
  readonly label: string
  readonly whyNot: string | null
  start(): Promise<Engine>
}

const kinds: readonly Kind[] = [
  {
    name: 'postgres',
    label: 'PostgreSQL and a synchronous standby',
    whyNot: whyNoPostgres(),
    async start() {
      const pair = await startPair({ fsync: 'on' })
      return {
        url: pair.primary().urlOf(),
        appendRows: (count, formId) =>
          inPortions(count, async (first, last) => {
            await pair.primary().ask(`
              WITH head AS (
                UPDATE formbox_log_head SET seq = seq + ${last - first + 1}, previous_id = NULL, id = 'bench-${last}'
                RETURNING seq - ${last} AS before
              )
              INSERT INTO formbox_log (seq, id, version, batch)
                SELECT before + n, 'bench-' || n, ${migrations.length}, ${batchOf(formId, "lpad(n::text, 16, '0')")}
                FROM head, generate_series(${first}, ${last}) AS n`)
          }),
      }
    },
  },
  {
    name: 'rqlite',
    label: 'rqlite',
    whyNot: whyNoRqlite(),
    async start() {
      const { urls, ask } = await startRqlite(machines)
      return {
        url: urls.join(','),
        appendRows: (count, formId) =>
          inPortions(count, async (first, last) => {
            const answer = await ask('/db/execute', [
              `WITH RECURSIVE numbers (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})
              INSERT INTO formbox_log (seq, id, version, batch)
                SELECT before + n, 'bench-' || n, ${migrations.length}, ${batchOf(formId, "printf('%016d', n)")}
                FROM (SELECT max(seq) - ${first - 1} AS before FROM formbox_log) AS head, numbers`,
            ])
            if ((await answer.text()).includes('"error"')) throw new Error('rqlite took no rows')
          }),
      }
    },
  },
]

/** Few enough that no machine waits for long. */
const rowsAtOnce = 5000

const inPortions = async (count: number, append: (first: number, last: number) => Promise<void>): Promise<void> => {
  for (let done = 0; done < count; done += rowsAtOnce) await append(done + 1, Math.min(count, done + rowsAtOnce))
}

/** SQL for the text of a row, whose submissions differ in the end of their identifiers. */
const batchOf = (formId: string, ending: string): string => {
  const data = JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', message: 'Please call me back' })
  const submission = {
    formId,
    id: `${newId(Date.now()).slice(0, 12)}@`,
    data,
    fieldNames: ['name', 'email', 'message'],
  }
  const [start, end] = JSON.stringify([['createSubmission', submission]]).split('@"', 2)
  return `'${start}' || ${ending} || '"${end}'`
}

/** Three machines on an engine, beside one alone. What cannot be started here is left out. */
export const clusterScene = (logRows: number): Scene => {
  const present = kinds.filter(({ whyNot }) => whyNot === null)
  for (const { label, whyNot } of kinds)
    if (whyNot !== null) process.stdout.write(`without the cases of a cluster on ${label}: ${whyNot}\n`)
  const names = (prefix: string) => Object.keys(submits(prefix))

  const open = async (world: World) => {
    const writing = await startWriting(world)
    const folders = [writing.folder]
    const alone: Subject = { ...writing, servers: [writing.server] }
    const subjects = [alone]
    const measures: Record<string, Measure> = measuresOf('alone', alone)
    for (const { name, start } of present) {
      const engine = await start()
      const seed = mkdtempSync(join(world.scratch, 'cluster-'))
      folders.push(seed)
      const subject = await startMachines(seed, engine.url)
      subjects.push(subject)
      let caughtUp: Promise<Measurement> | undefined
      Object.assign(measures, measuresOf(name, subject), {
        // Before there are other rows in the log, and so once.
        [`${name}-catch-up`]: () => (caughtUp ??= catchUp(subject, engine, seed, logRows)),
        [`${name}-seen`]: (seconds: number) => untilSeen(subject, seconds),
      })
    }
    const close = async () => {
      await closeAll(subjects.flatMap(({ servers }) => servers))
      await cleanUpTest()
      await cleanUpFile()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  }

  return {
    cases: present.flatMap(({ name }) => [`${name}-catch-up`, `${name}-seen`, ...names(name)]),
    baselines: names('alone'),
    goals: present.flatMap(goalsOf),
    open,
  }
}

const goalsOf = ({ name, label }: Kind): Goal[] => [
  {
    says: `POST /s/… at 256, three machines with ${label}: at least 0.4 of one alone`,
    of: `${name}-submit-256`,
    figure: 'perSecond',
    to: 'alone-submit-256',
    atLeast: 0.4,
  },
  {
    says: `seen on another machine, with ${label}: at most 250 ms`,
    of: `${name}-seen`,
    figure: 'p50',
    atMost: 250,
  },
]

/** Connections and bytes of the cases that send submissions. */
const submits = (prefix: string): Record<string, readonly [connections: number, bytes: number]> => ({
  ...Object.fromEntries(
    Object.entries(sizes).flatMap(([suffix, { bytes, loads }]) =>
      loads.map((connections) => [`${prefix}-submit${suffix}-${connections}`, [connections, bytes]]),
    ),
  ),
  [`${prefix}-submit-900kb-4`]: [4, 900_000],
})

const measuresOf = (prefix: string, subject: Subject): Record<string, Measure> =>
  Object.fromEntries(
    Object.entries(submits(prefix)).map(([name, [connections, bytes]]) => [
      name,
      (seconds) => (bytes > 100_000 ? submitInTurn : submitAll)(subject, connections, bytes, seconds),
    ]),
  )

const submission = (formId: string, bytes: number): Request => ({
  method: 'POST',
  path: `/s/${formId}`,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ email: 'ada@example.com', message: 'x'.repeat(bytes) }),
})

/** The connections are spread over the machines. */
const submitAll = async (
  { servers, formId }: Subject,
  connections: number,
  bytes: number,
  seconds: number,
): Promise<Measurement> => {
  const request = submission(formId, bytes)
  const shares = servers.slice(0, connections).map((server, position, { length }) => ({
    server,
    count: Math.floor((connections + position) / length),
  }))
  const run = (time: number) => Promise.all(shares.map(({ server, count }) => runWrk(server, request, count, time)))
  await run(Math.max(1, Math.round(seconds / 4)))
  return together(await run(seconds))
}

/** For bodies that are too long for a command line. */
const submitInTurn = async (
  { servers, formId }: Subject,
  clients: number,
  bytes: number,
  seconds: number,
): Promise<Measurement> => {
  const request = submission(formId, bytes)
  const end = performance.now() + seconds * 1000
  const one = async (position: number): Promise<Measurement> => {
    const durations: number[] = []
    while (performance.now() < end || durations.length === 0) {
      const begin = performance.now()
      await send(servers[position % servers.length] as Process, request)
      durations.push(performance.now() - begin)
    }
    return ofDurations(durations)
  }
  return together(await Promise.all(Array.from({ length: clients }, (_, position) => one(position))))
}

/** Of machines that worked at the same time. */
const together = (parts: readonly Measurement[]): Measurement => {
  const sum = (of: (part: Measurement) => number) => parts.reduce((total, part) => total + of(part), 0)
  const perSecond = sum((part) => part.perSecond)
  return {
    perSecond,
    p50: sum((part) => part.p50 * part.perSecond) / perSecond,
    p99: Math.max(...parts.map((part) => part.p99)),
    errors: sum((part) => part.errors),
    cpu: null,
    memory: null,
    anonymous: null,
  }
}

const startMachines = async (seed: string, url: string): Promise<Subject> => {
  const key = await signUp(seed, 'ada@example.com')
  const servers: Process[] = []
  for (let number = 1; number <= machines; number++) servers.push(await startMachine(seed, url, number))
  const [first] = servers as [Process]
  const formId: string = JSON.parse(await send(first, createForm(key))).id
  for (const server of servers) await until(() => hasForm(server, key, formId), 'the machine has the form', slowly)
  return { servers, formId, key }
}

const folderOf = (seed: string, number: number): string => join(seed, `machine${number}`)

/** With a copy of the data in `seed`. Resolves when it has caught up. */
const startMachine = async (seed: string, url: string, number: number): Promise<Process> => {
  const folder = folderOf(seed, number)
  cpSync(join(seed, 'formbox.db'), join(folder, 'formbox.db'))
  const settings = { FORMBOX_CLUSTER: url, FORMBOX_NODE: `bench${number}` }
  const server = await startFormbox(folder, { settings })
  await until(async () => (await fetch(`${server.url}/readyz`)).ok, 'the machine is ready', slowly)
  return server
}

const hasForm = async ({ url }: Process, key: string, formId: string): Promise<boolean> =>
  (await fetch(`${url}/api/v1/forms/${formId}`, { headers: bearer(key) })).ok

/** From the answer of one machine until another one shows the submission. */
const untilSeen = async ({ servers, formId, key }: Subject, seconds: number): Promise<Measurement> => {
  const [one, other] = servers as [Process, Process]
  const request = submission(formId, 100)
  const durations: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end || durations.length === 0; ) {
    const { id } = JSON.parse(await send(one, request))
    const begin = performance.now()
    const path = `${other.url}/api/v1/forms/${formId}/submissions/${id}`
    await until(async () => (await fetch(path, { headers: bearer(key) })).ok, 'the machine knows the key', slowly)
    durations.push(performance.now() - begin)
  }
  return ofDurations(durations)
}

/** A machine that has executed nothing, and was seen, keeps the others from trimming the log. */
const keepRows = async (url: string): Promise<void> => {
  const log = openLog(url.split(','))
  await log.report({
    name: 'absent',
    instance: 'absent',
    applied: 0,
    version: migrations.length,
    backedUp: null,
    url: null,
  })
  await log.close()
}

/** How long a new machine takes from its start until it has executed a log of so many rows, which the others have. */
const catchUp = async ({ formId }: Subject, { url, appendRows }: Engine, seed: string, rows: number) => {
  await keepRows(url)
  await appendRows(rows, formId)
  for (let number = 1; number <= machines; number++)
    await until(() => appliedOn({ folder: folderOf(seed, number) }) >= rows, 'the machine has executed the log', slowly)
  const begin = performance.now()
  const server = await startMachine(seed, url, machines + 1)
  const milliseconds = performance.now() - begin
  const memory = server.memory()
  await server.stop()
  return { ...ofDurations([milliseconds], memory), perSecond: (rows * 1000) / milliseconds }
}
