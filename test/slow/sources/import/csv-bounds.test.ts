// Files of which each is read for 16 MiB, byte by byte.
import { expect, test } from 'bun:test'
import { refusal } from '../../../import/csv-refusal.ts'

const endless = (start: string, more: string) => {
  let bytes = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(start)
    for (const chunk = Buffer.from(more.repeat(100_000 / more.length)); bytes < 100_000_000; bytes += chunk.length)
      yield chunk
  }
  return { chunks: chunks(), bytesRead: () => bytes }
}

test.each<[string, string, string, string]>([
  ['cell of quotation marks', 'a\n1\n"', '""', 'row 3: must be at most 16777216 bytes'],
  ['cell in quotation marks', 'a\n1\n"', 'x', 'row 3: must be at most 16777216 bytes'],
  ['cell without them', 'a\n1\n', 'x', 'row 3: must be at most 16777216 bytes'],
  ['row of large cells', 'a\n1\n', `${'x'.repeat(9999)},`, 'row 3: must be at most 16777216 bytes'],
  ['name in the header', '"', 'x', 'row 1: must be at most 16777216 bytes'],
  ['row of empty cells', 'a\n1\n', ',', 'row 3: must have at most 16384 cells'],
  ['header', '', ',', 'row 1: must have at most 16384 cells'],
])('reads no more than 33 MiB of a %s without an end', async (_, start, more, reason) => {
  const { chunks, bytesRead } = endless(start, more)
  expect(await refusal(chunks)).toStartWith(reason)
  expect(bytesRead()).toBeLessThan(33 * 1024 * 1024)
})
