import { statSync } from 'node:fs'
import { hourMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { type AppError, invalid, tooManyRequests } from '../../base/errors.ts'
import { accessIn, type FormTo } from '../../forms/access.ts'
import { type Db, walFile } from '../../storage/open.ts'
import { openSnapshot, type Snapshot } from '../../storage/snapshot.ts'
import type { Filter } from '../../submissions/search/filter.ts'
import type { SearchTurns } from '../../submissions/search/turns.ts'
import type { ExportFormat } from '../formats.ts'
import { type ExportOptions, exportParts, type Part, sheetParts } from './export.ts'
import { type ExportedInbox, inboxExport } from './inbox.ts'

export type ExportStore = ReturnType<typeof openExportStore>

/** Someone has exported submissions. */
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
  /** The limit for sheets, which anyone who knows an address may read. */
  readonly maxSheetsInAll?: number
  readonly maxSheetsOfUser?: number
  /** A sheet may be read for so long, and for a second more for each `sheetBytesPerSecond` of it. */
  readonly maxSheetMilliseconds?: number
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
  /** Whether it may take longer than the server's idle timeout to find the next part. */
  readonly isSlow?: boolean
  /** Whether its reader may still read all forms that it is made of; absent where the caller knows the form. */
  readonly mayRead?: () => boolean
  /** Aborted when the file is broken off. */
  readonly signal: AbortSignal
  /** To be called when the file was sent, or the sending ended early. May be called more than once. */
  close(): void
}

const retryAfterSeconds = 30

const sheetBytesPerSecond = 256 * 1024

/**
 * The exports of users, and sheets. While one is being sent, the write-ahead log grows with each write, and each read has to
 * search more of it. So only a few can run at the same time, and one ends after an hour, or when that log has 1 GiB. If a
 * slow line makes that happen, users can export date ranges, or use the command line.
 *
 * Sheets count apart from exports, because a stranger may have learnt an address. Each has one reader at a time, and a slow one
 * is broken off.
 */
export const openExportStore = ({
  folder,
  holdLog = () => () => {},
  note = () => {},
  turns,
  maxInAll = 4,
  maxOfUser = 2,
  maxMilliseconds = hourMilliseconds,
  maxSheetsInAll = 8,
  maxSheetsOfUser = 4,
  maxSheetMilliseconds = minuteMilliseconds,
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
      else if (now - one.startedAt > longestOf(one)) one.end('it took too long')
  }

  const longestOf = ({ sheetId, bytes }: RunningExport): number =>
    sheetId === undefined
      ? maxMilliseconds
      : Math.min(maxMilliseconds, maxSheetMilliseconds + (bytes / sheetBytesPerSecond) * 1000)

  const begin = (userId: string, sheetId?: string): RunningExport => {
    const isSheet = sheetId !== undefined
    const [inAll, mostOfUser] = isSheet ? [maxSheetsInAll, maxSheetsOfUser] : [maxInAll, maxOfUser]
    const alike = [...running].filter((one) => (one.sheetId !== undefined) === isSheet)
    const ofUser = alike.filter((one) => one.userId === userId)
    const isRead = isSheet && ofUser.some((one) => one.sheetId === sheetId)
    if (isRead || ofUser.length >= mostOfUser || alike.length >= inAll) throw tooManyRequests(retryAfterSeconds)
    const one = new RunningExport(userId, sheetId, openSnapshot(folder), () => {
      running.delete(one)
      if (running.size > 0) return
      clearInterval(timer)
      timer = undefined
      endHold?.()
      endHold = undefined
    })
    running.add(one)
    timer ??= setInterval(look, Math.min(1000, maxMilliseconds / 4, maxSheetMilliseconds / 4)).unref()
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
    sheetId?: string,
  ): ExportedFile => {
    const one = begin(userId, sheetId)
    try {
      const { parts, ...rest } = make(one.snapshot.db)
      return { ...rest, parts: one.parts(parts), signal: one.signal, close: one.close }
    } catch (error) {
      one.close()
      throw error
    }
  }

  const exportForm = (
    userId: string,
    formId: string,
    format: ExportFormat,
    toParts: (db: Db, form: FormTo<'read'>) => Made['parts'],
    sheetId?: string,
  ): ExportedFile =>
    exportFrom(
      userId,
      (db) => {
        const form = accessIn(db).findFormTo('read', userId, formId)
        return { format, title: form.title, parts: toParts(db, form) }
      },
      sheetId,
    )

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

    /**
     * Submissions of several forms as one file.
     *
     * @param formIds of forms whose submissions are in it; those that the user may not read are left out
     * @param mayRead whether the user may still read these
     * @throws AppError `rate_limited` while too many are under way
     */
    exportInbox(
      userId: string,
      { formIds, ...what }: Omit<ExportedInbox, 'forms'> & Pick<NotedExport, 'formIds'>,
      mayRead: () => boolean,
    ): ExportedFile {
      const file = exportFrom(userId, (db) => {
        const forms = accessIn(db).findReadable(userId, formIds)
        return { format: what.format, title: 'Inbox', parts: inboxExport(db, { ...what, forms }), mayRead }
      })
      note({ userId, formIds, format: what.format })
      return file
    },

    /**
     * The newest submissions of a sheet's form as CSV, newest first.
     *
     * @throws AppError `not_found`, or `rate_limited` while this one is read, or too many others are
     */
    exportSheet: ({ id, userId, formId }: SheetOfForm, limit: number): ExportedFile =>
      exportForm(userId, formId, 'csv', (db, form) => sheetParts(db, form, limit), id),
  }
}

/** A sheet, and the form and owner that it belongs to. */
interface SheetOfForm {
  readonly id: string
  readonly formId: string
  readonly userId: string
}

/** Makes the first part of an archive, so that one of too many files is refused before the response begins. */
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

/** No one reads it, but in the log it is no fault of the server. */
const gone = (): AppError => invalid({ message: 'the client disconnected' })

interface Made {
  readonly parts: Iterable<Part> | AsyncIterable<Part>
}

class RunningExport {
  readonly startedAt = performance.now()
  /** The bytes of the parts that were made so far. */
  bytes = 0
  private readonly ended = new AbortController()
  readonly signal = this.ended.signal

  constructor(
    readonly userId: string,
    /** Undefined for an export. */
    readonly sheetId: string | undefined,
    readonly snapshot: Snapshot,
    private readonly onClosed: () => void,
  ) {}

  /** Closes the snapshot at once, and the connection. Asking for the next part then throws. */
  end(reason: string): void {
    this.close()
    const what = this.sheetId === undefined ? 'an export' : 'a sheet'
    this.ended.abort(new Error(`${what} was broken off: ${reason}`))
  }

  readonly close = (): void => {
    this.snapshot.close()
    this.onClosed()
  }

  async *parts(parts: Iterable<Part> | AsyncIterable<Part>): AsyncGenerator<Part, void> {
    try {
      for await (const part of parts) {
        this.bytes += Buffer.byteLength(part)
        yield part
        this.signal.throwIfAborted()
      }
    } catch (error) {
      // A part was being made when the snapshot was closed.
      throw this.signal.aborted ? this.signal.reason : error
    }
  }
}

const walBytes = (folder: string): number => statSync(walFile(folder), { throwIfNoEntry: false })?.size ?? 0
