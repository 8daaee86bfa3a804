import { closeSync, readSync, writeSync } from 'node:fs'
import { invalid } from '../../base/errors.ts'
import { openUnnamed } from './input.ts'

/** Texts by their number, on the disk: a spreadsheet keeps all of its texts in one place, and its cells point there. */
export interface Texts {
  add(text: string): void
  /** Undefined if there are not so many. To be called after the last one was added. */
  get(number: number): string | undefined
  close(): void
}

/** A cell of Excel has at most 32,767 characters, and `_x0009_` stands for one of them: eight times that is enough. */
export const maxTextCharacters = 8 * 32_767

/** What is in memory: 4 bytes for each, and some pages. */
const maxTexts = 8 * 1024 * 1024
const endsPerBlock = 64 * 1024
const pageBytes = 64 * 1024
const maxPages = 32

/** @param folder where they are until they are closed */
export const openTexts = (folder: string): Texts => {
  const file = openUnnamed(folder)
  /** Where each text ends. */
  const ends: Uint32Array[] = []
  let count = 0
  let bytes = 0
  const waiting = Buffer.allocUnsafe(pageBytes)
  let waitingBytes = 0
  const pages = new Map<number, Buffer>()

  const write = (all: Buffer): void => {
    for (let at = 0; at < all.length; ) at += writeSync(file, all, at)
  }
  const flush = (): void => {
    write(waiting.subarray(0, waitingBytes))
    waitingBytes = 0
  }
  const endOf = (number: number): number => ends[Math.floor(number / endsPerBlock)]?.[number % endsPerBlock] ?? 0
  const readAt = (from: number, to: number): Buffer => {
    const found = Buffer.allocUnsafe(to - from)
    for (let at = 0; at < found.length; ) {
      const read = readSync(file, found, at, found.length - at, from + at)
      if (read === 0) throw new Error('a file that is kept for an import is shorter than it was')
      at += read
    }
    return found
  }
  /** Cells mostly point to texts that are near each other. */
  const pageAt = (page: number): Buffer => {
    const known = pages.get(page)
    if (known) return known
    const read = readAt(page * pageBytes, Math.min(bytes, (page + 1) * pageBytes))
    if (pages.size === maxPages) pages.delete(pages.keys().next().value as number)
    pages.set(page, read)
    return read
  }

  return {
    add(text) {
      if (count === maxTexts) throw invalid({ message: `must have at most ${maxTexts} different texts` })
      const length = Buffer.byteLength(text)
      if (waitingBytes + length > pageBytes) flush()
      // Millions of short ones would leave a buffer each.
      if (length > pageBytes) write(Buffer.from(text))
      else waitingBytes += waiting.write(text, waitingBytes)
      bytes += length
      if (count % endsPerBlock === 0) ends.push(new Uint32Array(endsPerBlock))
      ;(ends.at(-1) as Uint32Array)[count++ % endsPerBlock] = bytes
    },
    get(number) {
      if (!(number >= 0 && number < count)) return undefined
      if (waitingBytes > 0) flush()
      const [from, to] = [number === 0 ? 0 : endOf(number - 1), endOf(number)]
      const page = Math.floor(from / pageBytes)
      if (to > (page + 1) * pageBytes) return readAt(from, to).toString()
      return pageAt(page).toString('utf8', from - page * pageBytes, to - page * pageBytes)
    },
    close: () => closeSync(file),
  }
}
