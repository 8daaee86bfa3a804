// What strangers can make the server remember, who have as many addresses as they like.
import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../../src/base/errors.ts'
import { openSubmitLimits } from '../../../../src/collect/submit-limits.ts'
import type { Exchange } from '../../../../src/http/exchange.ts'
import { expectBelow, heapBytes } from '../../../expect-below.ts'

const submitLimit = 60
/** Windows that a rate limiter keeps. */
const most = 100_000

const prepare = () => {
  const clock = { now: Date.parse('2026-11-22T08:00:00Z') }
  const addressOf = (exchange: Exchange) => exchange.addressKey as string
  const limits = openSubmitLimits({ submitLimit, addressOf, now: () => clock.now })
  /** Whether it is let in. */
  const send = (number: number, addressKey: string, settings: string | null = null): boolean => {
    try {
      limits.count({ addressKey } as Exchange, { number, settings })
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return false
      throw error
    }
  }
  const sendAll = (number: number, address: string): void => {
    for (let i = 0; i < submitLimit; i++) expect(send(number, address)).toBe(true)
  }
  return { clock, send, sendAll }
}

/** One of the networks of someone who was given a /32. */
const networkOf = (i: number): string => `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::/64`

describe('openSubmitLimits', () => {
  test('takes less than 70 MB, from however many addresses', async () => {
    await expectBelow(70_000_000, () => {
      const { send } = prepare()
      const before = heapBytes()
      let refused = 0
      for (let i = 0; i < 4 * most; i++) if (!send(i % 1000, networkOf(i))) refused += 1
      expect(refused).toBe(0)
      const taken = heapBytes() - before
      // They are still in use.
      expect(send(1, networkOf(1))).toBe(true)
      return taken
    })
  })

  test('gives up the windows that began first, so that no one is refused whom no limit refuses', () => {
    const { send, sendAll } = prepare()
    sendAll(1, 'early')
    for (let i = 0; i < most / 2; i++) send(2, networkOf(i))
    sendAll(1, 'late')
    expect([send(1, 'early'), send(1, 'late')]).toEqual([false, false])

    for (let i = most / 2; i < most; i++) send(2, networkOf(i))

    expect([send(1, 'early'), send(1, 'late')]).toEqual([true, false])
  })

  test('lets one address fill no more than it may send to all forms', () => {
    const { send, sendAll } = prepare()
    sendAll(1, 'visitor')
    const sent = Array.from({ length: 2 * most }, (_, form) => send(form + 2, 'robot')).filter(Boolean)
    expect(sent).toHaveLength(5 * submitLimit)
    expect(send(1, 'visitor')).toBe(false)
  })

  test('gives back what a form refused, in the same window', () => {
    const { clock, send } = prepare()
    const one = JSON.stringify({ submitLimit: 1 })
    expect(send(1, 'visitor', one)).toBe(true)
    for (let i = 0; i < 10 * submitLimit; i++) expect(send(1, 'visitor', one)).toBe(false)
    clock.now += 59_999
    for (let form = 2; form < 5 * submitLimit + 1; form++) expect(send(form, 'visitor')).toBe(true)
    expect(send(2, 'visitor')).toBe(false)
    clock.now += 1
    expect([send(2, 'visitor'), send(1, 'visitor', one)]).toEqual([true, true])
  })
})
