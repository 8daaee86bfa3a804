import { AppError, invalid } from '../base/errors.ts'
import { newId } from '../base/id.ts'
import { shownLine } from '../base/short-text.ts'
import { isControlField } from '../forms/control-fields.ts'
import { foreign } from '../languages/foreign.ts'
import { because } from '../languages/texts.ts'
import { checkText, type Field, notAFile, type RefusedFile, textField } from '../submissions/fields.ts'
import type { CheckedFile } from '../submissions/files/file-rules.ts'
import type { NewFile } from '../submissions/files/file-writes.ts'
import { kindOf } from '../submissions/files/kind.ts'
import type { SentFile } from '../submissions/files/sent-file.ts'
import type { FileStore } from '../submissions/files/store.ts'

/** What takes the files of a submission while they arrive. */
export type FileTaker = Pick<FileStore, 'stage' | 'giveUp'>

/** A part of a body that is a file, as it was sent. */
interface Head {
  /** Name of the field. */
  readonly name: string
  /** Empty if no file was chosen. */
  readonly filename: string
  readonly type: string
}

interface Options {
  readonly store: FileTaker
  readonly maxFiles: number
  readonly maxFileBytes: number
  /** Name of the trap field. */
  readonly honeypot: string
  /** Returns why a field of the form does not take the file. @throws AppError for a file that the form does not take */
  readonly check: (file: CheckedFile) => RefusedFile | undefined
  /** How many files a field of the form takes; undefined for any other name. */
  readonly maxFilesOf: (field: string) => number | undefined
  /** Called before so many bytes are taken. @throws AppError if the server does not take them */
  readonly admit: (bytes: number) => void
  /** Whether the form takes files now. If not, the first one is refused. */
  readonly takesFiles: boolean
  readonly now: () => number
}

/** Bytes of a file that are written at once. */
const partBytes = 256 * 1024
const smallBytes = 32 * 1024

/**
 * The files of one submission while they arrive, one after the other. They are staged. Call `giveUp` in the end: it removes
 * what is not in a submission.
 */
export class IncomingFiles {
  private readonly complete: NewFile[] = []
  private readonly given: string[] = []
  private file: IncomingFile | undefined
  private count = 0
  /** By the name of the field. */
  private readonly countOf = new Map<string, number>()

  constructor(private readonly options: Options) {}

  /** @throws AppError `invalid` for a name that no submission may hold */
  begin({ name, filename, type }: Head): void {
    checkText(name, name)
    checkText(name, filename)
    this.file = new IncomingFile({ name, filename: lastPart(filename), type: checkText(name, type) }, this.options)
  }

  /** Takes the next bytes of the file. @throws AppError */
  async take(bytes: Uint8Array): Promise<void> {
    const file = this.file as IncomingFile
    if (file.size === 0) this.accept(file)
    this.options.admit(bytes.length)
    await file.take(bytes)
  }

  /** Ends the file, and makes it a value of the submission. @throws AppError */
  async end(): Promise<Field> {
    const file = this.file as IncomingFile
    // A browser sends this for a file input without a file.
    if (file.head.filename === '' && file.size === 0) return textField(file.head.name, '')
    if (file.size === 0) this.accept(file)
    await file.end()
    this.file = undefined
    if (file.isStaged) this.complete.push(file.stored())
    return file.toField()
  }

  /** The files of the submission, in order; undefined if there are none. */
  get all(): readonly NewFile[] | undefined {
    return this.complete.length > 0 ? this.complete : undefined
  }

  /** Bytes in memory. */
  get heldBytes(): number {
    return this.file?.heldBytes ?? 0
  }

  /** To be called when the files are in a submission. */
  keep(): void {
    this.given.length = 0
  }

  /** Removes what was staged and not kept. What cannot be removed now is removed when its time is over. */
  giveUp(): Promise<void> | undefined {
    return this.given.length > 0 ? this.giveUpAll() : undefined
  }

  private async giveUpAll(): Promise<void> {
    await this.file?.settle()
    await this.options.store.giveUp(this.given).catch(() => {})
  }

  private accept(file: IncomingFile): void {
    const { head, id } = file
    const { takesFiles, maxFiles, maxFilesOf, admit } = this.options
    if (!takesFiles) throw notAFile(head.name, 'takes none')
    admit(0)
    const mostOfField = maxFilesOf(head.name)
    const ofField = (this.countOf.get(head.name) ?? 0) + 1
    this.countOf.set(head.name, ofField)
    const isOver = ++this.count > maxFiles
    if (mostOfField !== undefined && (isOver || ofField > mostOfField)) {
      // It is told together with everything else that is wrong, so the others still arrive.
      file.refuse({ rule: 'maxFiles', bound: Math.min(mostOfField, maxFiles) })
    } else if (isOver) {
      const message = `must not be another file: a submission may have ${maxFiles}; got ${quoted(head.filename)}`
      throw invalid({ field: shownLine(head.name), message, reason: because('tooManyFiles', maxFiles) })
    }
    if (file.isStaged) this.given.push(id)
  }
}

class IncomingFile {
  readonly id: string
  /** The value of a field that is no data is not stored, and nothing that the form does not take. */
  isStaged: boolean
  private refused: RefusedFile | undefined
  /** Bytes that have arrived. */
  size = 0
  private kind: string | null = null
  private readonly hash = new Bun.CryptoHasher('sha256')
  /** The part that is not written yet, and room for the rest of it. */
  private part = new Uint8Array()
  private partLength = 0
  private writtenBytes = 0
  /** The part before it, which is written while the next one arrives: one upload is then faster by a third. */
  private writing = Promise.resolve()
  private heldByWriting = 0

  constructor(
    readonly head: Head,
    private readonly options: Options,
  ) {
    this.id = newId(options.now())
    this.isStaged = !isControlField(head.name, options.honeypot)
  }

  get heldBytes(): number {
    return this.part.length + this.heldByWriting
  }

  /** Lets the rest of it arrive, and keeps nothing. */
  refuse(refused: RefusedFile): void {
    this.refused = refused
    this.isStaged = false
  }

  async take(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length
    this.hash.update(bytes)
    const { maxFileBytes } = this.options
    if (this.size > maxFileBytes) throw tooLargeFile(this.head, maxFileBytes)
    if (this.refused) return
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.subarray(at, at + partBytes - this.partLength)
      this.makeRoom(taken.length)
      this.part.set(taken, this.partLength)
      this.partLength += taken.length
      at += taken.length
      if (this.partLength === partBytes) await this.writePart()
    }
  }

  async end(): Promise<void> {
    if (this.refused) return
    // An empty file is staged too.
    if (this.partLength > 0 || this.size === 0) await this.writePart()
    await this.writing
  }

  /** Resolves when nothing of it is being written any longer. */
  async settle(): Promise<void> {
    await this.writing.catch(() => {})
  }

  stored(): NewFile {
    const { filename: name, type } = this.head
    return { id: this.id, name, type, size: this.size, kind: this.kind }
  }

  toField(): Field {
    const { name, filename, type } = this.head
    const { id, size } = this
    const sha256 = this.hash.digest('hex')
    const sameAs = JSON.stringify({ filename, type, size, sha256 })
    if (this.refused) return { name, json: JSON.stringify(filename), sameAs, refused: this.refused }
    return { name, json: JSON.stringify({ filename, type, size, file: id } satisfies SentFile), sameAs }
  }

  private makeRoom(bytes: number): void {
    const length = this.partLength + bytes
    if (length <= this.part.length) return
    // Many files are smaller than a part.
    const larger = new Uint8Array(this.size <= smallBytes ? Math.min(smallBytes, 2 * length) : partBytes)
    larger.set(this.part.subarray(0, this.partLength))
    this.part = larger
  }

  private async writePart(): Promise<void> {
    const { store, check } = this.options
    const bytes = this.part.subarray(0, this.partLength)
    const offset = this.writtenBytes
    this.writtenBytes += bytes.length
    this.part = new Uint8Array()
    this.partLength = 0
    if (offset === 0) {
      const { name: field, filename, type } = this.head
      const refused = check({ field, filename, type, firstBytes: bytes })
      if (refused) {
        this.refuse(refused)
        return
      }
      this.kind = kindOf(bytes)
    }
    await this.writing
    if (!this.isStaged) return
    this.heldByWriting = bytes.length
    this.writing = store.stage(this.id, offset, bytes).finally(() => {
      this.heldByWriting = 0
    })
    // The next caller that waits for it gets its error.
    this.writing.catch(() => {})
  }
}

/** Some browsers send the folders before it. A pattern would try a name of 1 MiB that ends in a slash from each character on. */
const lastPart = (filename: string): string =>
  filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1) || filename

const tooLargeFile = ({ name, filename }: Head, maxBytes: number): AppError => {
  const message = `must be at most ${maxBytes} bytes; ${quoted(filename)} is larger`
  const reason = because('fileTooLarge', foreign(shownLine(filename)), maxBytes)
  return new AppError('too_large', 'Invalid input data', { issues: [{ field: shownLine(name), message, reason }] })
}

const quoted = (filename: string): string => `“${shownLine(filename)}”`
