import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFormbox } from '../process.ts'
import { teach } from '../scenes/signals.ts'
import { bearer, createForms, fillForms, signUp } from '../seed.ts'
import { answers, fields } from '../ten-fields.ts'
import { send } from '../wrk.ts'
import { type Cost, costOfCommand, costOnce, type Others } from './cost.ts'

export const ada = 'ada@example.com'
const bob = 'bob@example.com'
export const cara = 'cara@example.com'

/** A data folder with many submissions, and with many forms. */
export interface Filled {
  readonly folder: string
  /** Submissions of Ada's form, which has ten fields and learns. A tenth as much is in its spam, is done, or was not delivered. */
  readonly size: number
  readonly key: string
  readonly form: string
  /** Cara has a hundredth as many forms. */
  readonly manyKey: string
  readonly manyForms: number
  readonly otherKey: string
  readonly otherForm: string
  /** What it cost to get there. */
  readonly costs: Readonly<Record<string, Cost>>
}

/** Fills a folder in `scratch`, unless it is there already. */
export const fill = async (scratch: string, size: number): Promise<Filled> => {
  const memo = join(scratch, `${size}.json`)
  if (existsSync(memo)) return JSON.parse(readFileSync(memo, 'utf8'))
  const folder = join(scratch, String(size))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [key, otherKey, manyKey] = [await signUp(folder, ada), await signUp(folder, bob), await signUp(folder, cara)]
  const [form = ''] = await createForms(folder, key)
  const [otherForm = ''] = await createForms(folder, otherKey)
  const keys = { folder, size, key, form, manyKey, manyForms: size / 100, otherKey, otherForm }

  const file = join(scratch, `${size}.ndjson`)
  await writeSubmissions(file, size)
  const imported = await costOfCommand(['import', form, file, '--data', folder], size)
  rmSync(file)
  const bytes = statSync(join(folder, 'formbox.db')).size
  process.stdout.write(`${size}: imported, ${Math.round(bytes / size)} bytes of the file each\n`)
  const created = await createMany(keys)
  await fillForms(folder, [{ id: form, size: size / 10 }], [end - 10 * dayMilliseconds, end], 'spam')
  fillRest(keys)
  await giveFields(keys)
  const filled = { ...keys, costs: { 'import, a row': imported, 'create forms in bulk, a form': created } }
  writeFileSync(memo, JSON.stringify(filled))
  return filled
}

const dayMilliseconds = 86_400_000
const end = Date.now()
const start = end - 100 * dayMilliseconds

const writeSubmissions = async (path: string, size: number): Promise<void> => {
  const file = Bun.file(path).writer()
  for (let i = 0; i < size; i++) {
    const createdAt = new Date(Math.floor(start + ((end - start) * i) / size)).toISOString()
    const email = `ada${i % 99_991}@example.com`
    const data = { ...answers, name: `Ada Lovelace ${i % 997}`, email, message: `Please call me back, number ${i}` }
    file.write(`${JSON.stringify({ createdAt, data })}\n`)
    if (i % 10_000 === 0) await file.flush()
  }
  await file.end()
}

const formsOfRequest = 1000

const createMany = async ({ folder, manyKey, manyForms, ...keys }: Omit<Filled, 'costs'>): Promise<Cost> => {
  const server = await startFormbox(folder)
  const headers = { ...bearer(manyKey), 'Content-Type': 'application/json' }
  const forms = Array.from({ length: formsOfRequest }, (_, i) => ({ title: `Contact ${i}` }))
  const request = { method: 'POST', path: '/api/v1/forms/bulk', headers, body: JSON.stringify({ forms }) }
  try {
    return await costOnce(server, othersOf(keys), manyForms, async () => {
      for (let done = 0; done < manyForms; done += formsOfRequest) await send(server, request)
    })
  } finally {
    await server.stop()
  }
}

const giveFields = async ({ folder, key, form }: Omit<Filled, 'costs'>): Promise<void> => {
  const server = await startFormbox(folder)
  const path = `/api/v1/forms/${form}/settings`
  const headers = { ...bearer(key), 'Content-Type': 'application/json' }
  try {
    await send(server, { method: 'PATCH', path, headers, body: JSON.stringify({ fields, page: {} }) })
    await teach(server, key, form, answers)
  } finally {
    await server.stop()
  }
}

export const submission = (form: string) => ({
  method: 'POST',
  path: `/s/${form}`,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(answers),
})

export const othersOf = ({ otherKey, otherForm }: Pick<Filled, 'otherKey' | 'otherForm'>): Others => [
  { path: `/api/v1/forms/${otherForm}`, headers: bearer(otherKey) },
  submission(otherForm),
]

/** The newest tenth was done, and a webhook was not told of it. For each of these, there is something in the trail. */
const fillRest = ({ folder, size, form }: Omit<Filled, 'costs'>): void => {
  const db = new Database(join(folder, 'formbox.db'), { strict: true })
  const attempt = { at: end, milliseconds: 12, status: 500, error: 'The receiver responded with 500', answer: 'Oops' }
  const input = { form, count: size / 10, log: JSON.stringify(Array(5).fill(attempt)), now: end }
  const newest = 'FROM forms JOIN submissions ON form = number AND list = 0 WHERE forms.id = $form'
  const some = 'ORDER BY submissions.id DESC LIMIT $count'
  db.transaction(() => {
    const run = (sql: string): void => void db.query(sql).run(input)
    run(`INSERT INTO handling (form, submission, state, user_id, at)
      SELECT form, submissions.id, 'done', forms.user_id, $now ${newest} ${some}`)
    run(`INSERT INTO receivers (id, form, kind, target, host, format, secret, failed_count)
      SELECT forms.id, number, 'webhook', 'http://127.0.0.1:9/', '127.0.0.1:9', 'standard', 'whsec_AAAA', $count
      FROM forms WHERE id = $form`)
    run(`INSERT INTO deliveries (form, id, receiver, kind, submission, state, attempts, log)
      SELECT form, submissions.id, (SELECT max(number) FROM receivers), 'webhook', submissions.id, 'failed', 8, $log
      ${newest} ${some}`)
    run(`INSERT INTO trail (form, at, user_id, what, count)
      SELECT form, $now, forms.user_id, 'deleted', 1 ${newest} ${some}`)
  })()
  db.close()
}
