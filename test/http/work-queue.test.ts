import { expect, test } from 'bun:test'
import { createWorkQueue } from '../../src/api/json-body.ts'

test('a queue lets through in order what there is room for, and what is too large for it alone', async () => {
  const queue = createWorkQueue(10)
  const order: string[] = []
  const begin = async (name: string, size: number) => {
    const end = await queue.begin(size)
    order.push(name)
    return end
  }
  const endFirst = await begin('first', 6)
  const second = begin('second', 5)
  // There would be room for it.
  const third = begin('third', 1)
  const fourth = begin('fourth', 11)
  await Promise.resolve()
  expect(order).toEqual(['first'])

  endFirst()
  const [endSecond, endThird] = await Promise.all([second, third])
  expect(order).toEqual(['first', 'second', 'third'])
  endSecond()
  endThird()
  ;(await fourth)()
  expect(order).toEqual(['first', 'second', 'third', 'fourth'])
})
