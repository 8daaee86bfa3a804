import { invalid } from '../base/errors.ts'
import { malformed, PartHeads } from './part-heads.ts'

/** Something that was found in a multipart body. Its bytes count until the next call to the parser. */
export type Found =
  | { readonly kind: 'text'; readonly name: string; readonly type: string; readonly content: Uint8Array }
  | { readonly kind: 'file'; readonly name: string; readonly filename: string; readonly type: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end of file' }

type Steps<Result = void> = Generator<Found | undefined, Result, void>

/**
 * Parses a `multipart/form-data` body (RFC 7578) as it arrives, in pieces of any size. A text is found when it is
 * complete, the content of a file in pieces. The caller bounds the texts: the parser holds the one that is arriving.
 *
 * Written by hand, because Bun's parser throws on the empty file input that every browser sends, derives a file's type
 * from its name, and silently drops parts and cuts names at NUL. @fastify/busboy, the best library, cuts names to their
 * base name, and accepts parts without a name and invalid UTF-8.
 */
export class MultipartParser {
  private readonly delimiter: Buffer
  private readonly steps: Steps
  private readonly input = new Input()
  private readonly heads = new PartHeads()
  private isOver = false

  /** @throws AppError `invalid` if the content type names no boundary */
  constructor(contentType: string) {
    this.delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
    this.steps = this.parse()
  }

  /** Adds the next piece of the body. Its memory is not used afterwards. */
  add(piece: Uint8Array): void {
    this.input.add(piece)
  }

  /**
   * Returns what was found next, or undefined until another piece is added.
   *
   * @throws AppError `invalid` if the body is malformed, a name is not UTF-8, or the content of a part is encoded
   */
  next(): Found | undefined {
    return this.steps.next().value as Found | undefined
  }

  /** To be called when the whole body was added. @throws AppError `invalid` if that is not all of it */
  end(): void {
    if (!this.isOver) throw malformed()
  }

  private *parse(): Steps {
    const { input, delimiter } = this
    // A line break is part of each delimiter except the first, which may be at the start of the body.
    const first = delimiter.subarray(2)
    input.skip((input.find(first) ?? (yield* this.search(first))) + first.length)
    while (!(input.isLast() ?? (yield* this.isLast()))) yield* this.parsePart()
    this.isOver = true
    for (;;) {
      input.skip(input.length)
      yield
    }
  }

  private *parsePart(): Steps {
    const { input, delimiter } = this
    // The rest of a delimiter's line may only be white space. Its line break may belong to the next delimiter.
    const lineEnd = input.find(lineBreak) ?? (yield* this.search(lineBreak))
    if (lineEnd > 0 && input.view(0, lineEnd).toString('latin1').trim() !== '') throw malformed()
    input.skip(lineEnd)
    // A part without headers has its empty line right after the delimiter. It has no name, so it is malformed.
    const headersEnd = input.find(emptyLine, 2) ?? (yield* this.search(emptyLine, 2))
    const headers = input.view(0, headersEnd + 2)
    if (headers.includes(delimiter)) throw malformed()
    const { name, filename, type } = this.heads.read(headers)
    // The second line break of an empty line may belong to the next delimiter.
    input.skip(headersEnd + 2)
    if (filename === null) {
      const end = input.find(delimiter) ?? (yield* this.search(delimiter))
      yield { kind: 'text', name, type, content: input.view(2, Math.max(2, end)) }
      input.skip(end + delimiter.length)
    } else {
      yield { kind: 'file', name, filename, type }
      yield* this.parseFile()
      yield { kind: 'end of file' }
    }
  }

  private *parseFile(): Steps {
    const { input, delimiter } = this
    // Behind the line break that ends the headers.
    for (let start = 2; ; ) {
      const found = input.find(delimiter)
      // A delimiter may have begun in the last bytes.
      const end = found ?? input.length - delimiter.length + 1
      if (end > start) yield { kind: 'bytes', bytes: input.view(start, end) }
      if (found !== undefined) return input.skip(found + delimiter.length)
      if (end > start) {
        input.skip(end)
        start = 0
      }
      yield
    }
  }

  private *isLast(): Steps<boolean> {
    for (;;) {
      yield
      const isLast = this.input.isLast()
      if (isLast !== undefined) return isLast
    }
  }

  /** Waits for these bytes, which are not there yet, and returns their position. */
  private *search(wanted: Buffer, from = 0): Steps<number> {
    for (;;) {
      const searched = Math.max(from, this.input.length - wanted.length + 1)
      yield
      const at = this.input.find(wanted, searched)
      if (at !== undefined) return at
    }
  }
}

const lineBreak = Buffer.from('\r\n')
const hyphen = 45
const emptyLine = Buffer.from('\r\n\r\n')

/**
 * Bytes that were not parsed yet. Copied into one buffer: 1,000,000 pieces of one byte would take 200 MB. Positions count
 * from the first of them. A view costs as much as a search in a small body, so there are few.
 */
class Input {
  private buffer = Buffer.alloc(0)
  private start = 0
  private end = 0

  get length(): number {
    return this.end - this.start
  }

  view(from: number, to: number): Buffer {
    return this.buffer.subarray(this.start + from, this.start + to)
  }

  find(wanted: Buffer, from = 0): number | undefined {
    // Behind the end there may be what was parsed before, which is not searched again for each piece. A small body has none.
    const filled = this.end === this.buffer.length ? this.buffer : this.buffer.subarray(0, this.end)
    const at = filled.indexOf(wanted, this.start + from)
    return at === -1 ? undefined : at - this.start
  }

  /** Whether two hyphens come next; undefined if there are not enough bytes to say. */
  isLast(): boolean | undefined {
    if (this.length < 2) return undefined
    return this.buffer[this.start] === hyphen && this.buffer[this.start + 1] === hyphen
  }

  add(piece: Uint8Array): void {
    if (this.end + piece.length > this.buffer.length) this.makeRoom(piece.length)
    this.buffer.set(piece, this.end)
    this.end += piece.length
  }

  skip(count: number): void {
    this.start += count
  }

  private makeRoom(bytes: number): void {
    const { length } = this
    const isEnough = length + bytes <= this.buffer.length
    const larger = isEnough ? this.buffer : Buffer.allocUnsafeSlow(Math.max(2 * length, length + bytes))
    this.buffer.copy(larger, 0, this.start, this.end)
    this.buffer = larger
    this.start = 0
    this.end = length
  }
}

/** RFC 2046 section 5.1.1: 1 to 70 characters, in quotation marks or not. */
const boundaryOf = (contentType: string): string => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw noBoundary()
  return boundary
}

const noBoundary = () =>
  invalid({
    field: 'Content-Type',
    message:
      'must name the boundary of multipart/form-data; leave it to the browser or the library to write this header',
  })
