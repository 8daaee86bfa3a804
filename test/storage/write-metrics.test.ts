import { expect, test } from 'bun:test'
import { openWriteMetrics } from '../../src/storage/writer/histograms.ts'
import { expectUnavailable, holdUp, openWriter } from './open-writer.ts'

test('the thread that writes tells how large its batches are and what their commits take, the queue how long it is', async () => {
  const startedAt = performance.now()
  const metrics = openWriteMetrics()
  const { writer } = await openWriter({ metrics })
  expect([writer.isOpen(), writer.queued()]).toEqual([true, 0])

  const held = await holdUp(writer)
  await held.stands()
  const waiting = Array.from({ length: 30 }, (_, i) => writer.run('addUser', `${i}@example.com`))
  expect(writer.queued()).toBe(31)
  expect(metrics.batchSizes.cumulative().at(-1)).toBe(0)
  await held.release()
  await Promise.all(waiting)

  expect(writer.queued()).toBe(0)
  const sizes = metrics.batchSizes
  // The one that was held, and the thirty that waited for it, between 20 and 50.
  expect(sizes.bounds.slice(0, 6)).toEqual([1, 2, 5, 10, 20, 50])
  expect(sizes.cumulative().slice(0, 6)).toEqual([1, 1, 1, 1, 1, 2])
  expect(sizes.sum()).toBe(31)
  expect(metrics.commitSeconds.cumulative().at(-1)).toBe(2)
  expect(metrics.commitSeconds.sum()).toBeGreaterThan(0)
  expect(metrics.commitSeconds.sum()).toBeLessThan((performance.now() - startedAt) / 1000)

  await writer.close()
  expect(writer.isOpen()).toBe(false)
})

test('a batch that was not committed is not measured', async () => {
  const metrics = openWriteMetrics()
  const { writer } = await openWriter({ metrics })
  await writer.run('leavePages', 0)
  const before = metrics.batchSizes.cumulative().at(-1)

  await expectUnavailable(writer.run('addUser', 'x'.repeat(10_000)), 5)

  expect(metrics.batchSizes.cumulative().at(-1)).toBe(before)
  expect(metrics.commitSeconds.cumulative().at(-1)).toBe(before)
})

test('a dead thread leaves a writer that is not open', async () => {
  const { writer, deaths } = await openWriter()
  await expectUnavailable(writer.run('exit', undefined), 1)
  expect(writer.isOpen()).toBe(false)
  expect(deaths).toHaveLength(1)
})
