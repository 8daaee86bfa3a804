import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ofDurations } from '../measurement.ts'
import { delayMilliseconds, type Options, type Process, startBaseline, startFormbox } from '../process.ts'
import { closeAll, type Goal, type Measure, type Scene } from '../scene.ts'
import { bearer, signUp, type World } from '../seed.ts'
import { load, type Request, send } from '../wrk.ts'
import { repeat } from './read.ts'

// About 110 bytes each.
const fields = { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Please call me back before the end of May' }
const jsonBody = JSON.stringify(fields)
const formBody = new URLSearchParams(fields).toString()

const newForm = { title: 'Contact', description: 'The form on the start page', returnUrl: 'https://example.com/thanks' }
const bulkItems = 1000
const loads = [1, 32, 256] as const
const asJson = { 'Content-Type': 'application/json' }

/** A fresh data folder, its server, and one form in it. */
export interface Writing {
  readonly server: Process
  readonly folder: string
  readonly key: string
  readonly formId: string
  readonly submitJson: Request
  readonly submitForm: Request
}

export const startWriting = async (world: World, options: Options = {}): Promise<Writing> => {
  const folder = mkdtempSync(join(world.scratch, 'write-'))
  const key = await signUp(folder, 'ada@example.com')
  const server = await startFormbox(folder, options)
  const created = await send(server, createForm(key))
  const formId: string = JSON.parse(created).id
  const path = `/s/${formId}`
  const submitJson = { method: 'POST', path, headers: asJson, body: jsonBody }
  const submitForm = { ...submitJson, headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: formBody }
  return { server, folder, key, formId, submitJson, submitForm }
}

export const createForm = (key: string): Request => ({
  method: 'POST',
  path: '/api/v1/forms',
  headers: { ...bearer(key), ...asJson },
  body: JSON.stringify(newForm),
})

/** Submissions to a form of which two webhooks are told. Nothing is sent: their names are of this machine. */
const told = 'submit-told-256'

const startTelling = async (world: World): Promise<Writing> => {
  const writing = await startWriting(world)
  const path = `/api/v1/forms/${writing.formId}/webhooks`
  const headers = { ...bearer(writing.key), ...asJson }
  for (const url of ['https://a.localhost/', 'https://b.localhost/'])
    await send(writing.server, { method: 'POST', path, headers, body: JSON.stringify({ url }) })
  return writing
}

/** Every operation that writes; once on the disk as it is, once on a slow one. */
export const writeScene = (isSlow: boolean): Scene => {
  const prefix = isSlow ? 'slow-' : ''
  const submits = (['json', 'form'] as const).flatMap((kind) =>
    loads.map((count) => `${prefix}submit-${kind}-${count}`),
  )
  const creates = loads.map((count) => `${prefix}create-form-${count}`)
  const oneCommits = loads.map((count) => `${prefix}submit/one-commit-${count}`)
  const elysias = isSlow ? [] : loads.map((count) => `submit/elysia-${count}`)

  const open = async (world: World) => {
    const writing = await startWriting(world, { isSlow })
    const { server, folder, key } = writing
    const answer = join(world.scratch, 'submitted.json')
    writeFileSync(answer, await send(server, writing.submitJson))
    const elysia = await startBaseline('elysia-body', answer)
    const telling = isSlow ? null : await startTelling(world)
    const oneCommit = await startBaseline('one-commit', join(folder, 'one-commit.db'), { isSlow })
    const measures: Record<string, Measure> = {
      [`${prefix}bulk-create`]: async (seconds) => (await bulk(server, key, seconds)).created,
      [`${prefix}bulk-delete`]: async (seconds) => (await bulk(server, key, seconds)).deleted,
      ...(telling && { [told]: (seconds: number) => load(telling.server, telling.submitJson, 256, seconds) }),
      'submit/sqlite': async (seconds) => repeat(insertInBatches(folder), seconds),
    }
    for (const [position, connections] of loads.entries()) {
      measures[submits[position] as string] = (seconds) => load(server, writing.submitJson, connections, seconds)
      measures[submits[position + 3] as string] = (seconds) => load(server, writing.submitForm, connections, seconds)
      measures[creates[position] as string] = (seconds) => load(server, createForm(key), connections, seconds)
      measures[oneCommits[position] as string] = (seconds) => load(oneCommit, writing.submitJson, connections, seconds)
      measures[`submit/elysia-${connections}`] = (seconds) => load(elysia, writing.submitJson, connections, seconds)
    }
    const close = async () => {
      await closeAll([server, elysia, oneCommit, ...(telling ? [telling.server] : [])])
      for (const one of [writing, telling]) if (one) rmSync(one.folder, { recursive: true, force: true })
    }
    return { measures, close }
  }

  return {
    cases: [...submits, ...(isSlow ? [] : [told]), ...creates, `${prefix}bulk-create`, `${prefix}bulk-delete`],
    baselines: [...oneCommits, ...elysias, ...(isSlow ? [] : ['submit/sqlite'])],
    goals: isSlow ? slowGoals : fastGoals,
    ...(isSlow && { isSlow }),
    open,
  }
}

const fastGoals: readonly Goal[] = [
  {
    says: 'POST /s/… at 256: at least 4 times one commit per request',
    of: 'submit-json-256',
    figure: 'perSecond',
    to: 'submit/one-commit-256',
    atLeast: 4,
  },
  {
    says: 'POST /s/… at 256: at most 4 times the processor time of the bare Elysia route that reads a JSON body',
    of: 'submit-json-256',
    figure: 'cpu',
    to: 'submit/elysia-256',
    atMost: 4,
  },
  {
    says: 'POST /s/… at 1: at most 2.5 times as long as one commit per request',
    of: 'submit-json-1',
    figure: 'p50',
    to: 'submit/one-commit-1',
    atMost: 2.5,
  },
  {
    says: 'POST /s/… at 256, sent to two webhooks: at least 0.7 of a form without',
    of: told,
    figure: 'perSecond',
    to: 'submit-json-256',
    atLeast: 0.7,
  },
]

const slowGoals: readonly Goal[] = [
  {
    says: `fsync ${delayMilliseconds} ms slower, POST /s/… at 256: at least 2,000 per second`,
    of: 'slow-submit-json-256',
    figure: 'perSecond',
    atLeast: 2000,
  },
  {
    says: `fsync ${delayMilliseconds} ms slower, POST /s/… at 1: at least 0.8 of one commit per request`,
    of: 'slow-submit-json-1',
    figure: 'perSecond',
    to: 'slow-submit/one-commit-1',
    atLeast: 0.8,
  },
]

/** Creates and deletes 1,000 forms at a time, one request after the other. */
const bulk = async (server: Process, key: string, seconds: number) => {
  const path = '/api/v1/forms/bulk'
  const headers = { ...bearer(key), ...asJson }
  const forms = JSON.stringify({ forms: Array.from({ length: bulkItems }, () => newForm) })
  const creations: number[] = []
  const deletions: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end || creations.length === 0) {
    const begin = performance.now()
    const created = await send(server, { method: 'POST', path, headers, body: forms })
    const middle = performance.now()
    await send(server, { method: 'DELETE', path, headers, body: JSON.stringify({ ids: JSON.parse(created).ids }) })
    creations.push(middle - begin)
    deletions.push(performance.now() - middle)
  }
  return { created: ofDurations(creations, server.memory()), deleted: ofDurations(deletions, server.memory()) }
}

/** As the product commits what 256 clients send at once, with nothing but the inserts. One call is one row. */
const insertInBatches = (folder: string): (() => void) => {
  const db = new Database(join(folder, 'batches.db'))
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run('DROP TABLE IF EXISTS submissions')
  db.run('CREATE TABLE submissions (form INTEGER, id TEXT, data TEXT, PRIMARY KEY (form, id)) STRICT, WITHOUT ROWID')
  const insert = db.prepare('INSERT INTO submissions VALUES (1, ?, ?)')
  let row = 0
  return () => {
    if (row % 256 === 0) db.run('BEGIN IMMEDIATE')
    insert.run(Bun.randomUUIDv7(), jsonBody)
    if (++row % 256 === 0) db.run('COMMIT')
  }
}
