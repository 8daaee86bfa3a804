import { expect, test } from 'bun:test'
import { until } from './until.ts'

test('waits until the condition holds', async () => {
  let checks = 0
  await until(async () => ++checks === 3, 'it was checked three times')
  expect(checks).toBe(3)
})

test.each([
  ['does not hold', () => false],
  ['never answers', () => new Promise<boolean>(() => {})],
])('says what it waited for if the condition %s', async (_, condition) => {
  const error = await until(condition, 'the mail has arrived', { seconds: 0.01 }).catch((reason) => reason)
  expect(error.message).toBe('not so within 0.01 s: the mail has arrived')
})
