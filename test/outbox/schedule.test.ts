import { describe, expect, test } from 'bun:test'
import { delayAfter } from '../../src/outbox/schedule.ts'

const minute = 60_000
const hour = 60 * minute

describe('the schedule of a delivery', () => {
  test('is the one that Standard Webhooks recommends', () => {
    const delays = Array.from({ length: 10 }, (_, position) => delayAfter(position + 1, 0, null))
    expect(delays).toEqual([
      5000,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      null,
    ])
  })

  test('is put off by up to a tenth, so that what failed together is tried at different times', () => {
    expect(delayAfter(2, 0.5, null)).toBe(5.25 * minute)
    expect(delayAfter(2, 1, null)).toBe(5.5 * minute)
  })

  test('waits as long as the receiver asks for, up to 30 hours, and never less than it would', () => {
    expect(delayAfter(1, 0, minute)).toBe(minute)
    expect(delayAfter(3, 0, minute)).toBe(30 * minute)
    expect(delayAfter(1, 0, 1000 * hour)).toBe(30 * hour)
  })

  test('ends after the last attempt, whatever the receiver asks for', () => {
    expect(delayAfter(10, 0, minute)).toBeNull()
    expect(delayAfter(11, 0, minute)).toBeNull()
  })
})
