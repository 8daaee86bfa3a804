import { statSync } from 'node:fs'
import { type Db, walFile } from '../db/open.ts'
import { openSnapshot, type Snapshot } from '../db/snapshot.ts'
import { hourMilliseconds } from '../durations.ts'
import { type AppError, invalid, tooManyRequests } from '../errors.ts'
import { accessIn, type Form } from '../forms/ownership.ts'
import type { SearchTurns } from '../submissions/search-turns.ts'
import { type ExportFormat, type ExportOptions, exportParts, type Part, sheetParts } from './export.ts'
import type { Filter } from './found.ts'

export type ExportStore = ReturnType<typeof openExportStore>

/** Somebody has exported submissions. */
export interface NotedExport {
  readonly userId: string
  readonly formIds: readonly string[]
  readonly format: ExportFormat
}

interface Options {
  /** Writes it down, beside the export, which does not fail if that does. */
  readonly note?: (noted: NotedExport) => void
  readonly folder: string
  /** Calls `holdLog` on a thread of its own, and returns what ends that. */
  readonly holdLog?: () => () => void
  readonly turns: Pick<SearchTurns, 'pause'>
  /** Exports that can run at the same time. Each has a connection of its own, which takes about 2 MB. */
  readonly maxInAll?: number
  readonly maxOfUser?: number
  readonly maxMilliseconds?: number
  /** From this size of the log on, another thread holds it: the commit after the last export would move so much into the file. */
  readonly heldWalBytes?: number
  readonly maxWalBytes?: number
}

interface Exported extends Omit<ExportOptions, 'filter'> {
  /** Only those that a search finds. */
  readonly filter?: Filter
}

/** Submissions as a file. */
export interface ExportedFile {
  readonly format: ExportFormat
  /** The title of the form, or another name. */
  readonly title: string
  /** Whether it is the spam of the form. */
  readonly isSpam?: boolean
  readonly parts: AsyncIterator<Part, void>
  /** Whether it may take long to find the next part. */
  readonly isSlow?: boolean
  /** Whether its reader may still read all forms that it is made of; absent where the caller knows the form. */
  readonly mayRead?: () => boolean
  /** To be called when the file was sent, or the sending ended early. May be called more than once. */
  close(): void
}

const retryAfterSeconds = 30

/**
 * The exports of users. While one is being sent, the write-ahead log grows with each write, and each read has to
 * search more of it. So only a few can run at the same time, and one ends after an hour, or when that log has 1 GiB. If a
 * slow line makes that happen, users can export date ranges, or use the command line.
 */
export const openExportStore = ({
  folder,
  holdLog = () => () => {},
  note = () => {},
  turns,
  maxInAll = 4,
  maxOfUser = 2,
  maxMilliseconds = hourMilliseconds,
  heldWalBytes = 16 * 1024 * 1024,
  maxWalBytes = 1024 * 1024 * 1024,
}: Options) => {
  const running = new Set<RunningExport>()
  let timer: Timer | undefined
  let endHold: (() => void) | undefined

  const look = (): void => {
    const bytes = walBytes(folder)
    if (bytes > heldWalBytes) endHold ??= holdLog()
    const isWalLong = bytes > maxWalBytes
    const now = performance.now()
    for (const one of running)
      if (isWalLong) one.end('the log of the data file grew too long')
      else if (now - one.startedAt > maxMilliseconds) one.end('it took too long')
  }

  const begin = (userId: string): RunningExport => {
    const ofUser = [...running].filter((one) => one.userId === userId).length
    if (ofUser >= maxOfUser || running.size >= maxInAll) throw tooManyRequests(retryAfterSeconds)
    const one = new RunningExport(userId, openSnapshot(folder), () => {
      running.delete(one)
      if (running.size > 0) return
      clearInterval(timer)
      timer = undefined
      endHold?.()
      endHold = undefined
    })
    running.add(one)
    timer ??= setInterval(look, Math.min(1000, maxMilliseconds / 4)).unref()
    return one
  }

  /**
   * A file that is made of the data as it is now.
   *
   * @throws AppError `rate_limited` while too many are under way, and what `make` throws
   */
  const exportFrom = (
    userId: string,
    make: (db: Db) => Pick<ExportedFile, 'format' | 'title' | 'mayRead'> & Made,
  ): ExportedFile => {
    const one = begin(userId)
    try {
      const { parts, ...rest } = make(one.snapshot.db)
      return { ...rest, parts: one.parts(parts), close: one.close }
    } catch (error) {
      one.close()
      throw error
    }
  }

  const exportForm = (
    userId: string,
    formId: string,
    format: ExportFormat,
    toParts: (db: Db, form: Form) => Made['parts'],
  ): ExportedFile =>
    exportFrom(userId, (db) => {
      const form = accessIn(db).findFormTo('read', userId, formId)
      return { format, title: form.title, parts: toParts(db, form) }
    })

  return {
    exportFrom,
    note,

    /**
     * The submissions of a form as they are now.
     *
     * @param signal aborted when the client goes away
     * @throws AppError `not_found`, `forbidden`, `rate_limited` while too many are under way, or `invalid` (see `exportParts`)
     */
    async exportSubmissions(
      userId: string,
      formId: string,
      { filter, ...options }: Exported,
      signal?: AbortSignal,
    ): Promise<ExportedFile> {
      const filtering = filter && { filter: { ...filter, userId, pause: turns.pause } }
      const made = exportForm(userId, formId, options.format, (db, form) =>
        exportParts(db, form, { ...options, ...filtering }),
      )
      const file = filter && options.format === 'zip' ? await begun(made, signal) : made
      note({ userId, formIds: [formId], format: options.format })
      return { ...file, isSpam: options.list === 'spam', isSlow: filter !== undefined }
    },

    /** The newest submissions of a form as CSV, newest first. @throws as `exportSubmissions` */
    exportSheet: (userId: string, formId: string, limit: number): ExportedFile =>
      exportForm(userId, formId, 'csv', (db, form) => sheetParts(db, form, limit)),
  }
}

/** Makes the first part of an archive, so that one of too many files is refused before the answer begins. */
const begun = async (file: ExportedFile, signal?: AbortSignal): Promise<ExportedFile> => {
  const { parts, close } = file
  signal?.addEventListener('abort', close)
  let first: IteratorResult<Part, void> | undefined
  try {
    first = await parts.next()
    if (signal?.aborted) throw gone()
  } catch (error) {
    close()
    // Of a client that has gone away, the error is that the snapshot was closed.
    throw signal?.aborted ? gone() : error
  } finally {
    signal?.removeEventListener('abort', close)
  }
  const next = async (): Promise<IteratorResult<Part, void>> => {
    const part = first ?? (await parts.next())
    first = undefined
    return part
  }
  return { ...file, parts: { next } }
}

/** Nobody reads it, but in the log it is no fault of the server. */
const gone = (): AppError => invalid({ message: 'the client disconnected' })

interface Made {
  readonly parts: Iterable<Part> | AsyncIterable<Part>
}

class RunningExport {
  readonly startedAt = performance.now()
  private endedFor: string | undefined

  constructor(
    readonly userId: string,
    readonly snapshot: Snapshot,
    private readonly onClosed: () => void,
  ) {}

  /** Closes the snapshot at once. Asking for the next part then throws. */
  end(reason: string): void {
    this.endedFor = reason
    this.close()
  }

  readonly close = (): void => {
    this.snapshot.close()
    this.onClosed()
  }

  async *parts(parts: Iterable<Part> | AsyncIterable<Part>): AsyncGenerator<Part, void> {
    try {
      for await (const part of parts) {
        yield part
        if (this.endedFor !== undefined) break
      }
    } catch (error) {
      // A part was being made when the snapshot was closed.
      if (this.endedFor === undefined) throw error
    }
    if (this.endedFor !== undefined) throw new Error(`an export was broken off: ${this.endedFor}`)
  }
}

const walBytes = (folder: string): number => statSync(walFile(folder), { throwIfNoEntry: false })?.size ?? 0
