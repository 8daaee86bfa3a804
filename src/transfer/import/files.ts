import type { Database } from 'bun:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { dayMilliseconds } from '../../base/durations.ts'
import { invalid } from '../../base/errors.ts'
import { afterEveryId, isOwnId, newId } from '../../base/id.ts'
import { fileTypesOf } from '../../forms/fields/form-field.ts'
import { type FormSettings, maxMaxFiles } from '../../forms/settings/settings.ts'
import type { Connection } from '../../storage/open.ts'
import type { InputOf } from '../../storage/writer/batch.ts'
import type { Field } from '../../submissions/fields.ts'
import { maxFileBytesOf, maxFilesOf, refusedKind } from '../../submissions/files/file-rules.ts'
import { type FileWrites, fileWrites, type NewFile } from '../../submissions/files/file-writes.ts'
import { kindBytes, kindOf } from '../../submissions/files/kind.ts'
import { filesIn, isFile, type SentFile } from '../../submissions/files/sent-file.ts'
import type { AdoptedFiles } from '../../submissions/imports/add-rows.ts'
import { removalInSlices } from '../../submissions/removal.ts'
import { itemsIn } from '../../submissions/sent-fields.ts'
import { oneSlice } from '../../submissions/slices.ts'
import type { Archive, ArchivedFile } from './archive.ts'
import type { ImportWrite } from './bring-rows.ts'
import type { Imported } from './imported.ts'

/** A file that the data of a submission names, and that came with it. */
interface FoundFile {
  readonly id: string
  readonly name: string
  readonly type: string
  /** Among those of its submission, counted from 1. */
  readonly number: number
  /** Absent if it is in the archive. */
  readonly content?: Uint8Array
}

/** The fields of a submission, which name its files. */
interface WithFiles {
  readonly fields: readonly Field[]
  readonly found: readonly FoundFile[]
  /** How many it names that did not come with it. */
  readonly missing: number
}

type Content = Omit<FoundFile, 'number'> & { readonly content: Uint8Array }

/**
 * Finds the files of a submission: those that it names are in the archive. Without an archive, they are in its data, from
 * which those are taken out that the form takes. An export of Formbox has none there: what looks like one came from a visitor.
 *
 * @throws AppError `invalid` if one is not as the submission says
 */
export const findFiles = (
  sent: readonly Field[],
  { archived, isOwn = false }: Pick<Imported, 'archived' | 'isOwn'>,
  { archive, rules }: { readonly archive: Archive | undefined; readonly rules: FormSettings },
): WithFiles => {
  const found = new Map<number, FoundFile>()
  // From the end, so that of two the first one counts. The data may name thousands, and the list have a million.
  const numbers = new Map(archived?.files.map((id, i): [string, number] => [id, i + 1]).reverse())
  let missing = 0
  for (const { filename: name, type, size, file: id } of sent.flatMap(namedFiles)) {
    const number = numbers.get(id) ?? 0
    const inArchive = archived && number > 0 && isOwnId(id) ? archive?.find(archived.submission, number) : undefined
    if (!inArchive) missing++
    else if (inArchive.size !== size)
      throw invalid({
        message: `${inArchive.path} has ${inArchive.size} bytes in the archive, and ${size} by this submission`,
      })
    else found.set(number, { id, name, type, number })
  }
  const add = (field: string, file: Content): boolean => {
    const number = found.size + 1
    if (number > maxFilesOf(rules) || !isTaken(rules, field, file)) return false
    found.set(number, { ...file, number })
    return true
  }
  const fields = archive || isOwn ? sent : sent.map((field) => withoutContents(field, add))
  if (found.size > maxMaxFiles) throw invalid({ message: `must have at most ${maxMaxFiles} files` })
  return { fields, found: [...found.values()], missing }
}

const namedFiles = ({ json }: Field): SentFile[] => (json.includes('"file"') ? filesIn(JSON.parse(json)) : [])

const isTaken = (rules: FormSettings, field: string, { name: filename, type, content }: Content): boolean => {
  const described = rules.fields.find(({ name }) => name === field)
  const isSmall = content.length <= maxFileBytesOf(rules, Number.POSITIVE_INFINITY)
  return (
    rules.acceptFiles &&
    isSmall &&
    !refusedKind(rules.fileTypes, described ? fileTypesOf(described) : [], {
      field,
      filename,
      type,
      firstBytes: content,
    })
  )
}

/**
 * Takes out files: objects with the members `filename`, `type`, `size` and `base64`, and no others. What only looks like one
 * stays data: anyone may have sent it, and an export must not become one that cannot be imported.
 */
const withoutContents = (field: Field, add: (field: string, file: Content) => boolean): Field => {
  const { name: fieldName, json } = field
  if (!/^[{[]/.test(json) || !json.includes('"base64"')) return field
  let rest = ''
  let at = 0
  for (const item of itemsIn(json)) {
    const { base64, ...facts } = (JSON.parse(item.json) ?? {}) as Record<string, unknown>
    const file = { file: newId(Date.now()), ...facts }
    if (typeof base64 !== 'string' || !isFile(file) || Object.keys(facts).length !== 3) continue
    const { filename: name, type, size, file: id } = file
    const content = bytesOf(base64, size)
    if (!content || !add(fieldName, { id, name, type, content })) continue
    rest += json.slice(at, item.start) + JSON.stringify({ filename: name, type, size, file: id } satisfies SentFile)
    at = item.start + item.json.length
  }
  return { ...field, json: rest + json.slice(at) }
}

/** Undefined if that is not what the text is. */
const bytesOf = (base64: string, size: number): Uint8Array | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === size && bytes.toString('base64') === base64 ? bytes : undefined
}

interface Options {
  /** For what is written here, in its own transaction. */
  readonly db: Connection
  /** Null on the command line of a standalone machine. */
  readonly write: ImportWrite | null
  /** Name of this import. */
  readonly stagedBy: string
}

type Part = InputOf<FileWrites['stageFile']>

/** So much comes in one command, also as base64 in a row of a cluster's log. */
const partBytes = 512 * 1024
/** One transaction. A server's writes wait meanwhile: 20 ms. */
const turnBytes = 4 * 1024 * 1024
const maxTurnParts = 1000
/** No import takes longer. */
const stagedMilliseconds = dayMilliseconds

/**
 * Brings files to where the submissions that name them will adopt them. No one sees them until then. Between two
 * transactions, a running server can write.
 */
export const fileStaging = ({
  db,
  write,
  stagedBy,
}: Options | (Pick<Options, 'stagedBy'> & { readonly db: null; readonly write: ImportWrite })) => {
  const stagedUntil = Date.now() + stagedMilliseconds
  const stageFile = db && fileWrites(db).stageFile
  let waiting: Part[] = []
  let bytes = 0

  const flush = async (): Promise<void> => {
    const turn = waiting
    waiting = []
    bytes = 0
    if (turn.length === 0 || !db || !stageFile) return
    const startedAt = performance.now()
    db.$client.transaction(() => turn.forEach(stageFile)).immediate()
    await sleep(Math.min(maxPauseMilliseconds, performance.now() - startedAt))
  }

  const stage = async (id: string, offset: number, sent: Buffer): Promise<void> => {
    const part = { id, stagedBy, stagedUntil, offset }
    if (write) return await write('stageFile', { ...part, bytes: sent.toString('base64') })
    waiting.push({ ...part, bytes: sent })
    bytes += sent.length
    if (bytes >= turnBytes || waiting.length === maxTurnParts) await flush()
  }

  return {
    /** Reads a file, and stages it under this identifier. */
    async add({ id, name, type }: FoundFile, file: Pick<ArchivedFile, 'size' | 'read'>): Promise<NewFile> {
      let kind: string | null = null
      let offset = 0
      for await (const part of inParts(file.read())) {
        if (offset === 0) kind = kindOf(part.subarray(0, kindBytes))
        await stage(id, offset, part)
        offset += part.length
      }
      return { id, name, type, size: file.size, kind }
    },

    flush,
  }
}

/** The time of a transaction that has to wait for the disk. */
const maxPauseMilliseconds = 1000

/** Parts of which each but the last has `partBytes`. There is at least one. */
async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let part = Buffer.allocUnsafe(partBytes)
  let length = 0
  let isFirst = true
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + partBytes - length)
      part.set(taken, length)
      at += taken.length
      length += taken.length
      if (length < partBytes) continue
      yield part
      part = Buffer.allocUnsafe(partBytes)
      length = 0
      isFirst = false
    }
  if (isFirst || length > 0) yield part.subarray(0, length)
}

/**
 * Brings all files of the submissions that are to be imported.
 *
 * @param client has the rows of `Staged` attached
 * @param archive absent if they are staged with their submissions
 * @param staging absent if the files are only checked
 * @returns what each submission adopts
 */
export const bringFiles = async (
  client: Database,
  archive: Archive | undefined,
  staging: ReturnType<typeof fileStaging> | undefined,
  onProgress: (share: number) => void,
): Promise<AdoptedFiles> => {
  const all = client
    .query<FoundFile & { readonly submission: string; readonly folder: string; readonly size: number }, []>(
      `SELECT rows.id AS submission, folder, files.number AS number, files.id AS id, name, type, length(content) AS size
       FROM staged.files JOIN staged.rows ON rows.number = row ORDER BY submission, files.number`,
    )
    .all()
    .map((file) => ({
      ...file,
      from: archive ? (archive.find(file.folder, file.number) as ArchivedFile) : stagedFile(client, file),
    }))
  const files = new Map<string, NewFile>()
  let bytes = 0
  for (const file of all.toSorted((a, b) => a.from.offset - b.from.offset)) {
    if (staging) files.set(file.id, await staging.add(file, file.from))
    else for await (const _ of file.from.read());
    bytes += file.from.size
    if (archive) onProgress((archive.submissionBytes + bytes) / (archive.submissionBytes + archive.fileBytes))
  }
  await staging?.flush()
  return [...Map.groupBy(all, ({ submission }) => submission)].map(([submission, own]) => [
    submission,
    own.map((file) => files.get(file.id) ?? { ...file, size: file.from.size, kind: null }),
  ])
}

/** A file that is staged with its submission. */
const stagedFile = (client: Database, { id, size }: { id: string; size: number }): Omit<ArchivedFile, 'path'> => ({
  size,
  offset: 0,
  async *read() {
    yield client.query<{ content: Uint8Array }, [string]>('SELECT content FROM staged.files WHERE id = ?').get(id)
      ?.content ?? new Uint8Array()
  },
})

/** Gives up all that an import has staged, and removes it. */
export const giveUpFiles = async ({ db, write, stagedBy }: Options): Promise<void> => {
  const input = { stagedBy, before: afterEveryId }
  if (write) {
    if (!(await write('giveUpFiles', input))) return
    while ((await write('removeDeletedSlice', oneSlice)) > 0);
    return
  }
  const { giveUpFiles: giveUp } = fileWrites(db)
  const remove = removalInSlices(db)
  const inTurn = <T>(work: () => T): T => db.$client.transaction(work).immediate()
  if (!inTurn(() => giveUp(input))) return
  while (inTurn(() => remove(oneSlice)) > 0) await sleep(10)
}
