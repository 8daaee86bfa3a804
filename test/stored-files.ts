import { newId } from '../src/base/id.ts'
import type { Connection } from '../src/storage/open.ts'
import { type Batch, createBatchExecutor, toError } from '../src/storage/writer/batch.ts'
import { kindBytes, kindOf } from '../src/submissions/files/kind.ts'
import { joinWrites } from '../src/upkeep/all-writes.ts'
import { type Server, writeTo } from './harness.ts'
import { rowsOf } from './storage/sound.ts'

interface GivenFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

interface Submitted {
  readonly id: string
  /** Identifiers, in the order of the files. */
  readonly files: readonly string[]
}

const partBytes = 512 * 1024

/**
 * Stores a submission with these files in the field `files`, as the server does, but whatever their names, types and sizes
 * are.
 */
export const submitFiles = (
  { folder }: Pick<Server, 'folder'>,
  formId: string,
  given: readonly GivenFile[],
  {
    isSpam = false,
    fields = {},
    id = newId(Date.now()),
  }: { readonly isSpam?: boolean; readonly fields?: object; readonly id?: string } = {},
): Submitted => {
  const files = given.map(({ name, type, bytes }) => ({
    id: newId(Date.now()),
    name,
    type,
    size: bytes.length,
    kind: kindOf(bytes.subarray(0, kindBytes)),
  }))
  const sent = files.map(({ id: file, name: filename, type, size }) => ({ filename, type, size, file }))
  writeTo(folder, (db) => {
    const execute = executorOf(db)
    const run = (name: string, input: object): void => {
      const [outcome] = execute([[name, input]])
      if (!outcome || !('result' in outcome)) throw toError(outcome ?? { failed: name })
    }
    given.forEach(({ bytes }, position) => {
      const part = { id: files[position]?.id, stagedBy: 'this', stagedUntil: Date.now() + 60_000 }
      for (let offset = 0; offset === 0 || offset < bytes.length; offset += partBytes)
        run('stageFile', { ...part, offset, bytes: bytes.subarray(offset, offset + partBytes) })
    })
    run('createSubmission', {
      formId,
      id,
      data: JSON.stringify({ ...fields, files: sent }),
      fieldNames: [...Object.keys(fields), 'files'],
      files,
      ...(isSpam && { reason: 'honeypot' }),
    })
  })
  return { id, files: files.map((file) => file.id) }
}

/** Stores submissions in one transaction, as if each had been sent then, and returns their identifiers. */
export const submitAll = (
  { folder }: Pick<Server, 'folder'>,
  formId: string,
  list: readonly object[],
  at = Date.now(),
): readonly string[] => {
  const ids = list.map(() => newId(at))
  const batch: Batch = list.map((data, i) => {
    return ['createSubmission', { formId, id: ids[i], data: JSON.stringify(data), fieldNames: Object.keys(data) }]
  })
  for (const outcome of writeTo(folder, (db) => executorOf(db)(batch)))
    if (!('result' in outcome)) throw toError(outcome)
  return ids
}

type Executor = ReturnType<typeof createBatchExecutor>

const executors = new WeakMap<Connection, Executor>()

const executorOf = (db: Connection): Executor => {
  const execute = executors.get(db) ?? createBatchExecutor(db, joinWrites(db))
  executors.set(db, execute)
  return execute
}

/** One transparent pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const otherFiles = 'SELECT number FROM files WHERE form <> (SELECT number FROM forms WHERE id = ?)'

/** Numbers of the files of a form, and of those that are of none. */
export const filesOf = (folder: string, formId: string) =>
  rowsOf(folder, `SELECT number FROM files WHERE number NOT IN (${otherFiles})`, formId)

/** Numbers of their pieces. */
export const piecesOf = (folder: string, formId: string) =>
  rowsOf(folder, `SELECT number FROM file_pieces WHERE number / 4096 NOT IN (${otherFiles})`, formId)
