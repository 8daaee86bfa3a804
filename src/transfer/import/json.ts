import { invalid } from '../../base/errors.ts'
import type { Entry } from './imported.ts'
import { fromJson } from './service-fields.ts'
import { UnreadBytes } from './unread-bytes.ts'

/** Bytes of one submission in the file. Its data is at most 2 MiB, but may be written with escapes and blanks. */
const maxBytes = 8 * 1024 * 1024

/** The lines of an NDJSON file. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void> {
  const unread = new UnreadBytes()
  let line = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const before = rest.length
    const bytes = unread.add(chunk)
    let start = 0
    for (let end = bytes.indexOf(0x0a, before); end !== -1; end = bytes.indexOf(0x0a, start)) {
      line++
      const isEmpty = end === start || (end === start + 1 && bytes[start] === 0x0d)
      // Millions of them took 0.5 µs each.
      if (!isEmpty) yield* toEntry(bytes.subarray(start, end), `line ${line}`)
      start = end + 1
    }
    rest = unread.skipTo(start)
    refuseTooLong(rest.length, `line ${line + 1}`)
  }
  yield* toEntry(rest, `line ${line + 1}`)
}

/**
 * The items of a JSON array, or of the array `submissions` in an object, as the APIs of Formbase, Formspree and Basin reply,
 * or of `submissions` in `data`, as that of Getform does.
 *
 * @throws AppError `invalid` if it is neither
 */
export async function* readJson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void> {
  const { find, isWhole } = jsonItems()
  const unread = new UnreadBytes()
  let count = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = unread.add(chunk)
    const { items, restStart } = find(bytes, rest.length)
    for (const [start, end] of items) yield* toEntry(bytes.subarray(start, end), `submission ${++count}`)
    rest = unread.skipTo(restStart)
    refuseTooLong(rest.length, `submission ${count + 1}`)
  }
  if (!isWhole())
    throw invalid({
      message:
        'is not a complete JSON array of submissions, or object with one in submissions or data.submissions; one ' +
        'submission per line is NDJSON (.ndjson, or --format ndjson)',
    })
}

function* toEntry(bytes: Buffer, location: string): Generator<Entry, void> {
  const text = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .trim()
  if (text !== '') yield { location, length: text.length, parse: () => fromJson(text) }
}

const refuseTooLong = (bytes: number, location: string): void => {
  if (bytes > maxBytes) throw invalid({ field: location, message: `must be at most ${maxBytes} bytes long` })
}

/** Findings in a chunk. */
interface Found {
  /** Where items begin and end. */
  readonly items: readonly (readonly [start: number, end: number])[]
  /** Where the rest begins, which the caller puts before the next chunk. */
  readonly restStart: number
}

/**
 * Finds the items of a JSON array, or of the array `submissions` in an object or in its `data`, in a text that arrives in
 * chunks. It looks only at brackets, commas and quotation marks, whose bytes UTF-8 uses for nothing else. Whether an item
 * is valid shows when it is parsed.
 */
const jsonItems = () => {
  let depth = 0
  /** Depth inside the array; 0 before it and -1 after it. */
  let arrayDepth = 0
  let itemStart = -1
  let stringStart = -1
  let isEscaped = false
  /** The last string of the object, and of the one in it. */
  let lastName = ''
  let innerName = ''
  let isBroken = false

  /** Returns whether the byte was part of a string. */
  const skipString = (bytes: Buffer, at: number): boolean => {
    if (stringStart === -1) return false
    if (isEscaped) isEscaped = false
    else if (bytes[at] === 0x5c) isEscaped = true
    else if (bytes[at] === 0x22) {
      if (arrayDepth === 0 && depth === 1) lastName = bytes.toString('utf8', stringStart + 1, at)
      if (arrayDepth === 0 && depth === 2) innerName = bytes.toString('utf8', stringStart + 1, at)
      stringStart = -1
    }
    return true
  }

  const open = (isArray: boolean): void => {
    const isNamed =
      depth === 0 ||
      (depth === 1 && lastName === 'submissions') ||
      (depth === 2 && lastName === 'data' && innerName === 'submissions')
    const isIt = isArray && arrayDepth === 0 && isNamed
    depth++
    if (isIt) arrayDepth = depth
  }

  /** @param bytes the rest of the last call, and then the next chunk @param from length of that rest */
  const find = (bytes: Buffer, from: number): Found => {
    const items: [number, number][] = []
    const endItem = (at: number): void => {
      if (itemStart !== -1) items.push([itemStart, at])
      itemStart = -1
    }
    for (let at = from; at < bytes.length; at++) {
      if (skipString(bytes, at)) continue
      const byte = bytes[at] as number
      if (isSpace(byte)) continue
      const isEnd = byte === 0x5d || byte === 0x7d
      const isInArray = arrayDepth > 0 && depth === arrayDepth
      if (isInArray && (byte === 0x2c || isEnd)) endItem(at)
      else if (isInArray && itemStart === -1) itemStart = at
      if (depth === 0 && (arrayDepth !== 0 || lastName !== '' || (byte !== 0x5b && byte !== 0x7b))) isBroken = true
      if (byte === 0x22) stringStart = at
      else if (byte === 0x5b || byte === 0x7b) open(byte === 0x5b)
      else if (isEnd && depth-- === arrayDepth) arrayDepth = -1
    }
    const restStart = itemStart !== -1 ? itemStart : stringStart !== -1 ? stringStart : bytes.length
    if (itemStart !== -1) itemStart -= restStart
    if (stringStart !== -1) stringStart -= restStart
    return { items, restStart }
  }

  return { find, isWhole: (): boolean => arrayDepth === -1 && depth === 0 && !isBroken }
}

/** Includes the bytes of a byte order mark. */
const isSpace = (byte: number): boolean =>
  byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf
