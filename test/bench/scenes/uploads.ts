import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireProgram } from '../machine.ts'
import { type Measurement, ofDurations } from '../measurement.ts'
import { startFormbox } from '../process.ts'
import { closeAll, type Measure, type Scene } from '../scene.ts'
import { bearer, signUp } from '../seed.ts'
import { probe, type Request, send } from '../wrk.ts'
import { createForm } from './write.ts'

/** 24 MiB in each upload, as files of 8 MiB: the largest that fit into the limits of a new server. */
const filesEach = 3
const fileBytes = 8 * 1024 * 1024
const uploadsAtOnce = 64

const submissions = `submit-under-${uploadsAtOnce}-uploads`
const reads = `read-under-${uploadsAtOnce}-uploads`
const idle = { [submissions]: 'submit-without-uploads', [reads]: 'read-without-uploads' } as const

/** One upload after the other, and 64 at once while others submit and read. `curl` sends them, each from an address of its own. */
export const uploadScene: Scene = {
  cases: ['upload-24m', submissions, reads],
  baselines: ['upload/sqlite', 'upload/dd', ...Object.values(idle)],
  goals: [
    {
      says: 'an upload of 24 MiB by one client: at least 0.4 of what SQLite alone stores',
      of: 'upload-24m',
      figure: 'perSecond',
      to: 'upload/sqlite',
      atLeast: 0.4,
    },
    {
      says: `p99 of submissions while ${uploadsAtOnce} send 24 MiB each: at most 50 ms more`,
      of: submissions,
      figure: 'p99',
      above: idle[submissions],
      atMost: 50,
    },
    {
      says: `p99 of reads while ${uploadsAtOnce} send 24 MiB each: at most 7 ms more`,
      of: reads,
      figure: 'p99',
      above: idle[reads],
      atMost: 7,
    },
    {
      says: `reads one after the other while ${uploadsAtOnce} send 24 MiB each: at least 0.4 of those without`,
      of: reads,
      figure: 'perSecond',
      to: idle[reads],
      atLeast: 0.4,
    },
  ],
  maxRounds: 3,
  async open(world) {
    requireProgram('curl')
    const folder = mkdtempSync(join(world.scratch, 'uploads-'))
    const key = await signUp(folder, 'ada@example.com')
    const server = await startFormbox(folder, { settings: { FORMBOX_TRUST_PROXY: '127.0.0.1' } })
    const formId: string = JSON.parse(await send(server, createForm(key))).id
    const file = join(folder, 'sent.bin')
    writeFileSync(file, crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(97).slice(0, fileBytes))

    let senders = 0
    const uploads = async (count: number): Promise<void> => {
      const one = () => [
        ...Array.from({ length: filesEach }, () => ['-F', `file=@${file}`]).flat(),
        ...['-H', `X-Forwarded-For: 10.0.${senders >> 8}.${senders++ & 255}`, '-H', 'Expect:'],
        ...['-s', '-o', '/dev/null', '-w', '%{http_code}\n', `${server.url}/s/${formId}`, '--next'],
      ]
      const words = Array.from({ length: count }, one).flat().slice(0, -1)
      const child = Bun.spawn(['curl', '--no-progress-meter', '-Z', '--parallel-max', String(count), ...words], {
        stdout: 'pipe',
      })
      const statuses = (await new Response(child.stdout).text()).trim().split('\n')
      const refused = statuses.filter((status) => status !== '200')
      if (refused.length > 0 || statuses.length !== count) throw new Error(`uploads were answered with ${refused[0]}`)
    }

    const asked: Record<string, Request> = {
      [submissions]: {
        method: 'POST',
        path: `/s/${formId}`,
        headers: { 'Content-Type': 'application/json' },
        body: '{"name":"Ada Lovelace"}',
      },
      [reads]: { path: `/api/v1/forms/${formId}`, headers: bearer(key) },
    }
    const measures: Record<string, Measure> = {
      'upload-24m': () => timed(6, () => uploads(1)),
      'upload/sqlite': () => timed(6, async () => storeWithSqlite(join(folder, 'stored.db'))),
      'upload/dd': () => timed(6, () => copyWithDd(file, join(folder, 'copied.bin'))),
    }
    for (const [name, baseline] of Object.entries(idle)) {
      const request = asked[name] as Request
      measures[name] = async () => {
        let isOver = false
        const uploading = uploads(uploadsAtOnce).finally(() => {
          isOver = true
        })
        const measured = await probe(server, request, () => isOver)
        await uploading
        return measured
      }
      measures[baseline] = (seconds) => {
        const end = performance.now() + seconds * 1000
        return probe(server, request, () => performance.now() > end)
      }
    }
    const close = async () => {
      await closeAll([server])
      rmSync(folder, { recursive: true, force: true })
    }
    return { measures, close }
  },
}

const timed = async (times: number, work: () => Promise<void>): Promise<Measurement> => {
  const durations: number[] = []
  for (let i = 0; i < times; i++) {
    const begin = performance.now()
    await work()
    durations.push(performance.now() - begin)
  }
  return ofDurations(durations)
}

/** As many bytes as an upload in the pieces that Formbox stores, with an fsync for each half MiB. */
const storeWithSqlite = (file: string): void => {
  const db = new Database(file)
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE IF NOT EXISTS pieces (number INTEGER PRIMARY KEY, bytes BLOB)')
  const insert = db.prepare('INSERT INTO pieces (bytes) VALUES (?)')
  const piece = new Uint8Array(64 * 1024).fill(65)
  const store = db.transaction(() => {
    for (let i = 0; i < 8; i++) insert.run(piece)
  })
  for (let stored = 0; stored < filesEach * fileBytes; stored += 8 * piece.length) store.immediate()
  db.close()
}

/** As many bytes as an upload, with one fsync at the end. */
const copyWithDd = async (from: string, to: string): Promise<void> => {
  const child = Bun.spawn(
    ['sh', '-c', `for i in 1 2 3; do cat "$1"; done | dd of="$2" bs=1M iflag=fullblock conv=fsync`, 'sh', from, to],
    { stderr: 'ignore' },
  )
  if ((await child.exited) !== 0) throw new Error('dd failed')
}
