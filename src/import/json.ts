import { invalid } from '../errors.ts'
import type { Entry } from './imported.ts'
import { jsonItems } from './json-items.ts'
import { fromJson } from './recognise.ts'

/** Bytes of one submission in the file. Its data is at most 2 MiB, but may be written with escapes and blanks. */
const maxBytes = 8 * 1024 * 1024

/** The lines of an NDJSON file. */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void> {
  let line = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      line++
      const isEmpty = end === start || (end === start + 1 && bytes[start] === 0x0d)
      // Millions of them took 0.5 µs each.
      if (!isEmpty) yield* toEntry(bytes.subarray(start, end), `line ${line}`)
      start = end + 1
    }
    rest = bytes.subarray(start)
    refuseTooLong(rest.length, `line ${line + 1}`)
  }
  yield* toEntry(rest, `line ${line + 1}`)
}

/**
 * The items of a JSON array, or of the array `submissions` in an object, as the APIs of Formbase and Formspree answer.
 *
 * @throws AppError `invalid` if it is neither
 */
export async function* readJson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void> {
  const { find, isWhole } = jsonItems('submissions')
  let count = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const { items, restStart } = find(bytes, rest.length)
    for (const [start, end] of items) yield* toEntry(bytes.subarray(start, end), `submission ${++count}`)
    rest = bytes.subarray(restStart)
    refuseTooLong(rest.length, `submission ${count + 1}`)
  }
  if (!isWhole())
    throw invalid({
      message: 'is not a complete JSON array of submissions; use --format ndjson for one submission per line',
    })
}

function* toEntry(bytes: Buffer, place: string): Generator<Entry, void> {
  const text = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .trim()
  if (text !== '') yield { place, parse: () => fromJson(text) }
}

const refuseTooLong = (bytes: number, place: string): void => {
  if (bytes > maxBytes) throw invalid({ field: place, message: `must be at most ${maxBytes} bytes long` })
}
