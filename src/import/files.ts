import type { Database } from 'bun:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../db/open.ts'
import type { InputOf } from '../db/writer/batch.ts'
import { dayMilliseconds } from '../durations.ts'
import { invalid } from '../errors.ts'
import { type FileWrites, fileWrites, type NewFile } from '../files/file-writes.ts'
import { kindBytes, kindOf } from '../files/kind.ts'
import { maxMaxFiles } from '../forms/settings.ts'
import { afterEveryId, isOwnId } from '../id.ts'
import type { AdoptedFiles } from '../submissions/import-rows.ts'
import { oneSlice, removalInSlices } from '../submissions/removal.ts'
import { filesIn } from '../submissions/sent-fields.ts'
import type { Archive, ArchivedFile } from './archive.ts'
import type { Imported } from './imported.ts'
import type { LogWrite } from './through-log.ts'

/** A file that the data of a submission names, and that the archive has. */
interface FoundFile {
  readonly id: string
  readonly name: string
  readonly type: string
  /** Among those of its submission, counted from 1. */
  readonly number: number
}

/**
 * The files that a submission names.
 *
 * @param archived what its line says of them
 * @returns those that the archive has, and how many are missing
 * @throws AppError `invalid` if one is not as the submission says
 */
export const findFiles = (
  data: string,
  archived: Imported['archived'],
  archive: Archive | undefined,
): { readonly found: readonly FoundFile[]; readonly missing: number } => {
  if (!data.includes('"file"')) return none
  const found = new Map<number, FoundFile>()
  let missing = 0
  for (const { filename: name, type, size, file: id } of Object.values(JSON.parse(data)).flatMap(filesIn)) {
    if (id === undefined) continue
    const number = (archived?.files.indexOf(id) ?? -1) + 1
    const inArchive = archived && number > 0 && isOwnId(id) ? archive?.find(archived.submission, number) : undefined
    if (!inArchive) missing++
    else if (inArchive.size !== size)
      throw invalid({
        message: `${inArchive.path} has ${inArchive.size} bytes in the archive, and ${size} by this submission`,
      })
    else found.set(number, { id, name, type, number })
  }
  if (found.size > maxMaxFiles) throw invalid({ message: `must have at most ${maxMaxFiles} files` })
  return { found: [...found.values()], missing }
}

const none = { found: [], missing: 0 }

interface Options {
  readonly db: Connection
  /** Null on a standalone machine. */
  readonly write: LogWrite | null
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
 * Brings files to where the submissions that name them will adopt them. Nobody sees them until then. Between two
 * transactions, a running server can write.
 */
export const fileStaging = ({ db, write, stagedBy }: Options) => {
  const stagedUntil = Date.now() + stagedMilliseconds
  const { stageFile } = fileWrites(db)
  let waiting: Part[] = []
  let bytes = 0

  const flush = async (): Promise<void> => {
    const turn = waiting
    waiting = []
    bytes = 0
    if (turn.length === 0) return
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
    /** Reads a file of the archive, and stages it under this identifier. */
    async add({ id, name, type }: FoundFile, file: ArchivedFile): Promise<NewFile> {
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

/** As long as a transaction takes that has to wait for the disk. */
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
 * @param staging absent if the archive is only checked
 * @returns what each submission adopts
 */
export const bringFiles = async (
  client: Database,
  archive: Archive,
  staging: ReturnType<typeof fileStaging> | undefined,
  onProgress: (share: number) => void,
): Promise<AdoptedFiles> => {
  const all = client
    .query<FoundFile & { readonly submission: string; readonly folder: string }, []>(
      `SELECT rows.id AS submission, folder, files.number AS number, files.id AS id, name, type
       FROM staged.files JOIN staged.rows ON rows.number = row ORDER BY submission, files.number`,
    )
    .all()
    .map((file) => ({ ...file, inArchive: archive.find(file.folder, file.number) as ArchivedFile }))
  const files = new Map<string, NewFile>()
  let bytes = 0
  for (const file of all.toSorted((a, b) => a.inArchive.offset - b.inArchive.offset)) {
    if (staging) files.set(file.id, await staging.add(file, file.inArchive))
    else for await (const _ of file.inArchive.read());
    bytes += file.inArchive.size
    onProgress((archive.submissionBytes + bytes) / (archive.submissionBytes + archive.fileBytes))
  }
  await staging?.flush()
  return [...Map.groupBy(all, ({ submission }) => submission)].map(([submission, own]) => [
    submission,
    own.map((file) => files.get(file.id) ?? { ...file, size: file.inArchive.size, kind: null }),
  ])
}

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
