import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../src/base/id.ts'
import { startWriter } from '../../src/storage/writer/writer.ts'
import type { ListName } from '../../src/submissions/lists.ts'
import type { SubmissionWrites } from '../../src/submissions/submission-writes.ts'
import { runFormbox, startFormbox } from './process.ts'
import { send } from './wrk.ts'

/** The contents of the data folder. */
export interface World {
  /** Everything the benchmark writes is in here. */
  readonly scratch: string
  /** The data folder. It is only read; a case that writes uses a copy. */
  readonly folder: string
  /** The key of the user whose 20 forms include those with submissions. */
  readonly key: string
  /** The key of a user with 20 forms without submissions. */
  readonly otherKey: string
  /** A form of each size in `sizes`. */
  readonly forms: readonly { readonly id: string; readonly size: number; readonly someSubmission: string }[]
  /** A form of ten submissions. Its user has as many forms as the other two, and as many of them with submissions as Ada. */
  readonly formOfTen: string
  /** Leaves out the oldest 10 % of the submissions of each form. */
  readonly startDate: string
}

const days = 100
const dayMilliseconds = 86_400_000

/** Makes the data folder with the product's own commands, requests and writer, unless it exists already. */
export const seed = async (scratch: string, sizes: readonly number[]): Promise<World> => {
  const memo = join(scratch, `seed-${sizes.at(-1)}.json`)
  if (existsSync(memo)) return JSON.parse(readFileSync(memo, 'utf8'))
  const folder = join(scratch, `seed-${sizes.at(-1)}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const key = await signUp(folder, 'ada@example.com')
  const otherKey = await signUp(folder, 'bob@example.com')
  const ids = await createForms(folder, key)
  await createForms(folder, otherKey)
  const idsOfTen = await createForms(folder, await signUp(folder, 'cara@example.com'))

  const end = Date.now()
  const start = end - days * dayMilliseconds
  const forms = await fillForms(
    folder,
    sizes.map((size, position) => ({ id: ids[position] as string, size })),
    [start, end],
  )
  await fillForms(
    folder,
    sizes.map((_, position) => ({ id: idsOfTen[position] as string, size: 10 })),
    [start, end],
  )
  const [formOfTen = ''] = idsOfTen
  const startDate = new Date(start + (days * dayMilliseconds) / 10).toISOString()
  const world: World = { scratch, folder, key, otherKey, forms, formOfTen, startDate }
  writeFileSync(memo, JSON.stringify(world))
  return world
}

/** Adds a number of submissions to each form, or of spam, spread evenly between two moments, in the writer's own thread. */
export const fillForms = async (
  folder: string,
  sizes: readonly { readonly id: string; readonly size: number }[],
  [start, end]: readonly [start: number, end: number],
  list: ListName = 'inbox',
): Promise<World['forms']> => {
  const writer = startWriter<SubmissionWrites>({
    folder,
    worker: new Worker(new URL('../../src/upkeep/write-worker.ts', import.meta.url).href),
    onDeath: (reason) => process.stderr.write(`the writer died: ${reason}\n`),
  })
  await writer.started
  const forms: World['forms'][number][] = []
  for (const { id: formId, size } of sizes) {
    let someSubmission = ''
    for (let done = 0; done < size; done += chunk) {
      const writes: Promise<unknown>[] = []
      for (let i = done; i < Math.min(size, done + chunk); i++) {
        const id = newId(Math.floor(start + ((end - start) * i) / size))
        if (i === size >> 1) someSubmission = id
        const reason = list === 'spam' ? 'terms' : undefined
        writes.push(writer.run('createSubmission', { formId, id, data: dataOf(i), reason, fieldNames }))
      }
      await Promise.all(writes)
    }
    forms.push({ id: formId, size, someSubmission })
  }
  await writer.close()
  return forms
}

const chunk = 4000

/** A data folder with one user, and the user's key. */
export const signUp = async (folder: string, email: string): Promise<string> => {
  await runFormbox('user', 'create', email, '--data', folder)
  return newKey(folder, email)
}

export const newKey = (folder: string, email: string): Promise<string> =>
  runFormbox('key', 'create', '--user', email, '--name', 'Benchmark', '--data', folder)

const fieldNames = ['name', 'email', 'message']

const dataOf = (number: number): string =>
  JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', message: `Please call me back, number ${number}` })

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Twenty forms, as many as a page of the list has. */
export const createForms = async (folder: string, key: string): Promise<string[]> => {
  const server = await startFormbox(folder)
  const forms = Array.from({ length: 20 }, (_, number) => ({
    title: `Contact ${number}`,
    description: 'The form on the start page',
    returnUrl: 'https://example.com/thanks',
  }))
  const headers = { ...bearer(key), 'Content-Type': 'application/json' }
  const answer = await send(server, {
    method: 'POST',
    path: '/api/v1/forms/bulk',
    headers,
    body: JSON.stringify({ forms }),
  })
  await server.stop()
  return JSON.parse(answer).ids
}

/** Copies a data folder that no server has open, onto the disk: the first commit would wait for all of it otherwise. */
export const copyData = (from: string, to: string): void => {
  cpSync(from, to, { recursive: true })
  const file = openSync(join(to, 'formbox.db'), 'r+')
  fsyncSync(file)
  closeSync(file)
}
