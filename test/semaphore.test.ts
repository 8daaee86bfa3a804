import { expect, test } from 'bun:test'
import { semaphore } from '../src/base/semaphore.ts'

test('a semaphore lets through in order what there is room for, and what is too large for it alone', async () => {
  const queue = semaphore({ room: 10 })
  const order: string[] = []
  const begin = async (name: string, size: number) => {
    const end = await queue.enter({ size })
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

test('lower ranks come first, a busy group later, and the last of too many is refused', async () => {
  const queue = semaphore({ room: 1, maxWaiting: 3, refusal: () => new Error('full') })
  const end = await queue.enter()
  const order: string[] = []
  const enter = (name: string, turn: { readonly rank?: number; readonly group?: string }) =>
    queue.enter(turn).then(
      (done) => {
        order.push(name)
        done()
      },
      (error: Error) => order.push(`${name}: ${error.message}`),
    )
  const all = [
    enter('slow', { rank: 5 }),
    enter('one of a network', { group: 'a' }),
    enter('another of it', { group: 'a' }),
    enter('alone', {}),
  ]
  await all[0]
  expect(order).toEqual(['slow: full'])
  end()
  await Promise.all(all)
  expect(order).toEqual(['slow: full', 'one of a network', 'alone', 'another of it'])
})
