import { Database } from 'bun:sqlite'
import { hourMilliseconds } from '../../base/durations.ts'
import { invalid, notFound, tooManyRequests, unavailable } from '../../base/errors.ts'
import { semaphore } from '../../base/semaphore.ts'
import type { FormAccess, FormTo } from '../../forms/access.ts'
import { removePartial } from '../../storage/partial-file.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { FileWrites } from '../../submissions/files/file-writes.ts'
import { importReads, type StoredImport, stagedByImport } from '../../submissions/imports/import-reads.ts'
import type { ImportWrites } from '../../submissions/imports/import-writes.ts'
import type { SubmissionWrites } from '../../submissions/submission-writes.ts'
import type { ImportFormat } from '../formats.ts'
import { bringRows, type ImportWrite } from './bring-rows.ts'
import { type Report, toReport } from './plan.ts'
import { fileReceiver, type Read } from './take-file.ts'
import type { TimeOptions } from './time-column.ts'
import type { TaskResult, Understood } from './worker.ts'
import { startImportWorker } from './worker-thread.ts'

interface Options {
  readonly folder: string
  readonly reader: Reader
  readonly writer: Writer<FileWrites & ImportWrites & SubmissionWrites>
  readonly access: FormAccess
  /** Name of this machine. */
  readonly node: string
  readonly now: () => number
  /** Called when an import has become sure, or is to be taken back. */
  readonly onImport: () => void
  readonly onDeleted: () => void
  /** Aborted when the server ends. */
  readonly ending: AbortSignal
}

/** How a file is to be read. */
export interface Given {
  readonly format: ImportFormat
  readonly isRaw: boolean
  readonly time: TimeOptions
}

/** What is kept of an import. */
interface Kept {
  readonly report: Report
  /** Of a plan, so that it can be carried out as it was shown. */
  readonly given?: Given
  /** Why it cannot be carried out. */
  readonly problems?: readonly string[]
}

/** An import, for its page and the API. */
export interface ShownImport extends Kept, Pick<StoredImport, 'id' | 'added' | 'finishedAt'> {
  readonly state: StoredImport['state']
  /** From 0 to 1. */
  readonly progress: number
}

/** Longer than a plan is kept. */
const keptMilliseconds = 2 * hourMilliseconds
const retryAfterSeconds = 10
/** Of a user: each may take a hundred kilobytes. */
const maxPlans = 10

/** Imports of files while the server runs. Functions throw the AppErrors `not_found` and `forbidden`, as of any form. */
export const openImportStore = (options: Options) => {
  const { folder, reader, writer, access, node, now, onImport, onDeleted, ending } = options
  const reads = importReads(reader.db)
  const { receive, giveUp } = fileReceiver({ writer, now, onDeleted })
  const write: ImportWrite = (name, input) => writer.run(name, input)
  /** Users whose file arrives or is read. */
  const busy = new Set<string>()
  // Each takes as much memory as the command.
  const threads = semaphore({ room: 1 })

  const alone = async <T>(userId: string, work: () => Promise<T>): Promise<T> => {
    if (busy.has(userId) || reads.findRunning(userId) !== undefined)
      throw tooManyRequests(retryAfterSeconds, 'one import of a user at a time')
    busy.add(userId)
    try {
      return await work()
    } finally {
      busy.delete(userId)
    }
  }

  /** Forgets plans of a user so that one more can be kept: all that have a file if that one will, and the oldest. */
  const makeRoom = async (userId: string, willHaveFile: boolean): Promise<void> => {
    const plans = reads.plansOf(userId)
    for (const [place, { id, formId, hasFile }] of plans.entries()) {
      if (!(willHaveFile && hasFile) && place > plans.length - maxPlans) continue
      await write('endImport', { importId: id, formId, userId, now: now() }).catch(() => {})
      await giveUp(id)
    }
  }

  /** @param signal aborted if no one waits for it any more */
  const understand = async (
    { number, settings }: FormTo<'import'>,
    id: string,
    given: Given,
    signal?: AbortSignal,
  ): Promise<TaskResult> => {
    const done = await threads.enter({})
    const task = { folder, id, form: { number, settings }, ...given, now: now() }
    const { result, ended } = startImportWorker(task, signal ? AbortSignal.any([signal, ending]) : ending)
    void ended.then(done)
    return await result
  }

  /** Understands a file, or says why that cannot be done. Call `removeFiles` with what it returns. */
  const understood = async (...file: Parameters<typeof understand>): Promise<Understood> => {
    const result = await understand(...file)
    if (result.state === 'understood') return result
    throw result.state === 'refused' ? invalid(...result.issues) : failure(result)
  }

  /** Begins an import, and goes on with it after it has returned. */
  const begin = async (userId: string, formId: string, id: string, given: Given): Promise<void> => {
    const file = await understood(access.findFormTo('import', userId, formId), id, given)
    try {
      const report = JSON.stringify({ report: { ...reportOf(file, given), examples: [] } } satisfies Kept)
      await write('beginImport', { id, userId, formId, node, report, now: now() })
      void bring(id, report, file, given).catch(() => {})
    } catch (error) {
      removeFiles(file)
      throw error
    }
  }

  const bring = async (id: string, report: string, file: Understood, { format }: Given): Promise<void> => {
    const client = new Database(':memory:')
    try {
      client.run('ATTACH ? AS staged', [file.stagedPath])
      const files = await bringFilesOf(client, { id, file, format, write })
      const { fieldNames, plan } = file
      await bringRows({ client, write }, { importId: id, fieldNames, report, count: plan.rows, files, now })
    } finally {
      client.close()
      removeFiles(file)
      await giveUp(id)
      onImport()
    }
  }

  const shown = ({ id, state, report, done, added, finishedAt }: StoredImport): ShownImport => {
    const kept = JSON.parse(report) as Kept
    const rows = Math.max(1, state === 'removing' ? added : kept.report.rows)
    const share = Math.min(1, done / rows)
    const progress = progressIn(state, share)
    return { id, state, added, finishedAt, progress, ...kept }
  }

  /** @throws AppError `not_found` */
  const find = (form: FormTo<'import'>, id: string): ShownImport => {
    const found = reads.find(form.number, id)
    if (!found) throw notFound('Import')
    return shown(found)
  }

  return {
    find,

    /** Those of a form that are under way, or can be taken back. */
    listRecent: (form: FormTo<'import'>): ShownImport[] => reads.list(form.number).map(shown),

    /**
     * Takes a file, and says what would be imported. Nothing of it is kept but that.
     *
     * @param signal aborted when the client has gone
     * @throws AppError `invalid` that says what is wrong with the file, `too_large`, or `rate_limited`
     */
    check: (userId: string, formId: string, read: Read, given: Given, signal: AbortSignal): Promise<string> =>
      alone(userId, async () => {
        access.findFormTo('import', userId, formId)
        const id = await receive(read)
        try {
          const file = await understood(access.findFormTo('import', userId, formId), id, given, signal)
          removeFiles(file)
          await makeRoom(userId, false)
          const kept: Kept = { report: reportOf(file, given) }
          await write('planImport', { id, userId, formId, node, report: JSON.stringify(kept) })
          return id
        } finally {
          await giveUp(id)
        }
      }),

    /** Takes a file and imports it. Returns when that has begun. @throws as `check` */
    import: (userId: string, formId: string, read: Read, given: Given): Promise<string> =>
      alone(userId, async () => {
        access.findFormTo('import', userId, formId)
        const id = await receive(read)
        await begin(userId, formId, id, given).catch(async (error) => {
          await giveUp(id)
          throw error
        })
        return id
      }),

    /**
     * Takes a file and keeps it for an hour with what it was understood as, or why it was not. Earlier ones are forgotten.
     *
     * @param toGiven called when the file has arrived @param signal aborted when the client has gone
     */
    plan: (userId: string, formId: string, read: Read, toGiven: () => Given, signal: AbortSignal): Promise<string> =>
      alone(userId, async () => {
        access.findFormTo('import', userId, formId)
        await makeRoom(userId, true)
        const id = await receive(read)
        await planAgain(userId, formId, id, toGiven(), signal).catch(async (error) => {
          await giveUp(id)
          throw error
        })
        return id
      }),

    /** Understands the file of a plan in another way. */
    replan: (userId: string, formId: string, id: string, given: Given, signal: AbortSignal): Promise<void> =>
      alone(userId, async () => {
        refuseBegun(find(access.findFormTo('import', userId, formId), id))
        await planAgain(userId, formId, id, given, signal)
      }),

    /** Carries a plan out. @throws AppError `invalid` if it cannot be, or was already */
    carryOut: (userId: string, formId: string, id: string): Promise<void> =>
      alone(userId, async () => {
        const { given } = refuseBegun(find(access.findFormTo('import', userId, formId), id))
        if (!given) throw invalid({ message: 'the file was only checked; send it again' })
        await begin(userId, formId, id, given)
      }),

    /** Forgets a plan, cancels an import, or takes it back. @throws AppError `invalid` after an hour */
    async end(userId: string, formId: string, id: string): Promise<void> {
      access.findFormTo('import', userId, formId)
      await write('endImport', { importId: id, formId, userId, now: now() })
      await giveUp(id)
      onImport()
    },
  }

  async function planAgain(
    userId: string,
    formId: string,
    id: string,
    given: Given,
    signal: AbortSignal,
  ): Promise<void> {
    const result = await understand(access.findFormTo('import', userId, formId), id, given, signal)
    if (result.state === 'failed') throw failure(result)
    if (result.state === 'understood') removeFiles(result)
    const fieldNames = result.state === 'understood' ? result.fieldNames : []
    const kept: Kept = {
      report: toReport(result.plan, given.format, fieldNames),
      given,
      ...(result.state === 'refused' && {
        problems: result.issues.map(({ field, message }) => (field ? `${field}: ${message}` : message)),
      }),
    }
    await write('planImport', {
      id,
      userId,
      formId,
      node,
      report: JSON.stringify(kept),
      keepUntil: now() + keptMilliseconds,
    })
  }
}

const progressIn = (state: StoredImport['state'], share: number): number => {
  if (state === 'planned') return 0
  if (state === 'staging') return share / 2
  if (state === 'adding') return 0.5 + share / 2
  return state === 'removing' ? share : 1
}

const refuseBegun = (found: ShownImport): ShownImport => {
  if (found.state !== 'planned') throw invalid({ message: 'the import was begun already' })
  return found
}

const reportOf = ({ plan, fieldNames }: Understood, { format }: Given): Report => toReport(plan, format, fieldNames)

/** The disk is full, for example. */
const failure = ({ isOfMachine, reason }: TaskResult & { state: 'failed' }): Error =>
  isOfMachine ? unavailable(retryAfterSeconds) : new Error(`a file could not be read for an import: ${reason}`)

const removeFiles = ({ path, stagedPath }: Understood): void => {
  removePartial(path)
  removePartial(stagedPath)
}

interface Brought {
  readonly id: string
  readonly file: Understood
  readonly format: ImportFormat
  readonly write: ImportWrite
}

/** Stages the files of the submissions. */
const bringFilesOf = async (client: Database, { id, file, format, write }: Brought) => {
  // Hardly any import has files.
  const { bringFiles, fileStaging } = await import('./files.ts')
  const { openArchive } = await import('./archive.ts')
  if (client.query('SELECT 1 FROM staged.files').get() === null) return []
  const archive = format === 'zip' ? await openArchive(file.path) : undefined
  try {
    return await bringFiles(client, archive, fileStaging({ db: null, write, stagedBy: stagedByImport(id) }), () => {})
  } finally {
    archive?.close()
  }
}
