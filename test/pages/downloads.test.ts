import { describe, expect, test } from 'bun:test'
import { findDownload } from '../../src/http/sent-download.ts'
import { toPieces } from '../../src/submissions/pieces.ts'
import type { FoundSubmissions } from '../../src/submissions/submission-reads.ts'
import { storedRow } from '../submissions/stored.ts'

/** A submission of this JSON text, stored as the writer stores it. */
const stored = (text: string): FoundSubmissions => {
  const pieces = toPieces(text)
  return {
    formId: 'form',
    submissions: [storedRow('id', pieces ? '' : text)],
    readPiece: (_, position) => pieces?.[position],
  }
}

const download = (text: string, position: number) => {
  const found = stored(text)
  const [submission] = found.submissions as [FoundSubmissions['submissions'][0]]
  return findDownload(found, submission, position)
}

const bytesOf = (text: string, position: number): Buffer | undefined => {
  const found = download(text, position)
  return found && Buffer.concat([...found.parts])
}

// Escapes as JSON.stringify writes them, and as others do.
const nasty = '\\u00e9\\ud83d\\ude00\\/\\\\\\"\\n\\u0001é😀日x'

describe('a download', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])(
    'is the text of a field, wherever the pieces end, %d characters later',
    (shift) => {
      const escaped = 'x'.repeat(shift) + nasty.repeat(8000)
      const json = `{"é\\"":[1] , "text" : "${escaped}"}`
      const expected = Buffer.from(JSON.parse(json).text)
      expect(expected.length).toBeGreaterThan(150_000)
      expect(bytesOf(json, 1)?.equals(expected)).toBe(true)
      expect(bytesOf(json, 0)?.toString()).toBe('[1]')
    },
  )

  test('holds one piece at a time', () => {
    const parts = [...(download(JSON.stringify({ text: 'x'.repeat(500_000) }), 0)?.parts ?? [])]
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024)
  })

  test('breaks off when the submission is deleted meanwhile', () => {
    const pieces = toPieces(JSON.stringify({ text: 'x'.repeat(300_000) }))
    let isDeleted = false
    const found = {
      ...stored(''),
      submissions: [storedRow('id', '')],
      readPiece: (_: string, position: number) => (isDeleted ? undefined : pieces?.[position]),
    }
    const parts = findDownload(found, storedRow('id', ''), 0)?.parts
    expect(parts?.next().done).toBe(false)
    isDeleted = true
    expect(() => parts?.next()).toThrow('deleted')
  })
})
