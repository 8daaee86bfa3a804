import { expect, test } from 'bun:test'
import { retryAfterMilliseconds } from '../../src/sending/webhooks/post.ts'

const now = Date.UTC(2026, 10, 22, 12, 0, 0)
const day = 86_400_000

test.each([
  ['0', 0],
  ['1', 1000],
  [' 120 ', 120_000],
  ['86400', day],
  ['86401', day],
  ['9'.repeat(400), day],
  ['Sun, 22 Nov 2026 12:00:30 GMT', 30_000],
  ['Sunday, 22-Nov-26 12:00:30 GMT', 30_000],
  ['Sun Nov 22 12:00:30 2026', 30_000],
  ['Tue Dec  1 12:00:00 2026', day],
  ['Sun, 22 Nov 2026 11:59:00 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', day],
  ['Sun, 22 Nov 2026 99:00:00 GMT', null],
  ['-1', null],
  ['1.5', null],
  ['1e9', null],
  ['soon', null],
  ['2026-11-22T12:00:30Z', null],
  ['Sun, 22 Nov 2026 12:00:30 +0100', null],
  ['', null],
  [undefined, null],
])('Retry-After: %p is %p ms', (value, expected) => {
  expect(retryAfterMilliseconds(value, now)).toBe(expected)
})
