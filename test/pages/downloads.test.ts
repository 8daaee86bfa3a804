import { describe, expect, test } from 'bun:test'
import { findDownload } from '../../src/site/sent-download.ts'
import { toPieces } from '../../src/submissions/pieces.ts'
import type { FoundSubmissions } from '../../src/submissions/submission-reads.ts'

/** A submission of this JSON text, stored as the writer stores it. */
const stored = (text: string): FoundSubmissions => {
  const pieces = toPieces(text)
  return {
    formId: 'form',
    submissions: [['id', pieces ? '' : text, null]],
    readPiece: (_, position) => pieces?.[position],
  }
}

const download = (text: string, position: number, file?: number) => {
  const found = stored(text)
  const [submission] = found.submissions as [FoundSubmissions['submissions'][0]]
  return findDownload(found, submission, position, file)
}

const bytesOf = (text: string, position: number, file?: number): Buffer | undefined => {
  const found = download(text, position, file)
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

  test.each([0, 1, 2, 3, 4, 5])('is the file that was sent, of 200,000 + %d bytes', (more) => {
    const content = Buffer.alloc(200_000 + more, 'formbox')
    const file = { filename: 'a.bin', type: '', size: content.length, base64: content.toString('base64') }
    for (const rewrite of [
      (json: string) => json,
      (json: string) => json.replaceAll('/', '\\/').replaceAll('m', '\\u006d'),
    ]) {
      const json = rewrite(JSON.stringify({ first: 'é', files: ['x', file, { ...file, filename: 'b' }] }))
      expect(bytesOf(json, 1, 1)?.equals(content)).toBe(true)
      expect(bytesOf(json, 1, 2)?.equals(content)).toBe(true)
      expect(download(json, 1, 2)?.name).toBe('b')
      expect(download(json, 1, 0)).toBeUndefined()
      expect(download(json, 1, 3)).toBeUndefined()
    }
    expect(bytesOf(JSON.stringify({ file }), 0, 0)?.equals(content)).toBe(true)
  })

  test('has the content that counts where a name stands twice', () => {
    const json = '{"f":{"filename":"a","base64":"QQ==","type":"","size":1,"base64":"Qg=="}}'
    expect(bytesOf(json, 0, 0)?.toString()).toBe('B')
  })

  test('holds one piece at a time', () => {
    const parts = [...(download(JSON.stringify({ text: 'x'.repeat(500_000) }), 0)?.parts ?? [])]
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024)
  })

  test('breaks off when the submission is deleted meanwhile', () => {
    const pieces = toPieces(JSON.stringify({ text: 'x'.repeat(300_000) }))
    let isDeleted = false
    const found = {
      ...stored(''),
      submissions: [['id', '', null] as const],
      readPiece: (_: string, position: number) => (isDeleted ? undefined : pieces?.[position]),
    }
    const parts = findDownload(found, ['id', '', null], 0, undefined)?.parts
    expect(parts?.next().done).toBe(false)
    isDeleted = true
    expect(() => parts?.next()).toThrow('deleted')
  })
})
