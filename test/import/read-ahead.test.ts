import { expect, test } from 'bun:test'
import { putBack } from '../../src/transfer/import/read-ahead.ts'

test('what was read ahead comes first, and the rest is closed if its reader stops', async () => {
  let isClosed = false
  async function* numbers() {
    try {
      for (let number = 1; ; number++) yield number
    } finally {
      isClosed = true
    }
  }
  const rest = numbers()
  const first = [await rest.next(), await rest.next()].map(({ value }) => value as number)
  const read: number[] = []
  for await (const number of putBack(first, rest)) {
    read.push(number)
    if (number === 4) break
  }
  expect(read).toEqual([1, 2, 3, 4])
  expect(isClosed).toBe(true)
})
