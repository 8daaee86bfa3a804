// Submissions with files in a data folder, and archives as yauzl reads them.
import type { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'
import { fromBufferPromise, openPromise } from 'yauzl'
import { newId } from '../../src/base/id.ts'
import type { openData } from '../storage/data.ts'

interface Sent {
  readonly name: string
  readonly bytes: Uint8Array
  readonly type?: string
}

const partBytes = 512 * 1024
const later = Date.UTC(2100, 0, 1)

/** Adds a submission with these files, the first of each field first. Returns its identifier, and those of the files. */
export const submitFiles = (
  { formId, run }: Pick<ReturnType<typeof openData>, 'formId' | 'run'>,
  fields: Readonly<Record<string, string | readonly Sent[]>>,
  time = Date.now(),
) => {
  const id = newId(time)
  const files: { id: string; name: string; type: string; size: number; kind: null }[] = []
  const stage = ({ name, bytes, type = 'application/octet-stream' }: Sent) => {
    const file = { id: newId(time), name, type, size: bytes.length, kind: null }
    for (let offset = 0; offset === 0 || offset < bytes.length; offset += partBytes)
      run('stageFile', {
        id: file.id,
        stagedBy: 'test',
        stagedUntil: later,
        offset,
        bytes: bytes.slice(offset, offset + partBytes),
      })
    files.push(file)
    return { filename: name, type, size: bytes.length, file: file.id }
  }
  const data = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const sent = typeof value === 'string' ? value : value.map(stage)
      return [name, Array.isArray(sent) && sent.length === 1 ? sent[0] : sent]
    }),
  )
  run('createSubmission', { formId, id, data: JSON.stringify(data), fieldNames: Object.keys(data), files })
  return { id, files: files.map((file) => file.id) }
}

/** Adds so many files without bytes to a submission that has one. */
export const addFiles = (client: Database, submission: string, count: number): void =>
  void client.run(
    `INSERT INTO files (id, form, list, submission, position)
     WITH numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     SELECT id, form, list, submission, n FROM files JOIN numbers WHERE submission = ?`,
    [count, submission],
  )

export const someBytes = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(size))

interface ReadEntry {
  readonly bytes: Buffer
  readonly date: Date
}

/** All entries of an archive, in its order. */
export const entriesOf = async (archive: string | Uint8Array): Promise<Map<string, ReadEntry>> => {
  const zip = await (typeof archive === 'string' ? openPromise(archive) : fromBufferPromise(Buffer.from(archive)))
  const entries = new Map<string, ReadEntry>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    entries.set(entry.fileName, { bytes: Buffer.concat(chunks), date: entry.getLastModDate() })
  }
  return entries
}
