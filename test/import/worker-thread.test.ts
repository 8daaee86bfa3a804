import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { timeFlags } from '../../src/commands/import.ts'
import { uploadPath } from '../../src/transfer/import/task-files.ts'
import { type Patience, startImportWorker } from '../../src/transfer/import/worker-thread.ts'
import { temporaryFolder } from '../harness.ts'

const start = (id: string, signal: AbortSignal, patience: Patience) => {
  const folder = temporaryFolder()
  writeFileSync(uploadPath({ folder, id }), 'a')
  const time = { timeZone: 'UTC', isOff: false, words: timeFlags }
  const task = { folder, id, form: { number: 1, settings: null }, format: 'csv', isRaw: false, time, now: 0 } as const
  const path = new URL('./endless-worker.ts', import.meta.url).href
  const { result, ended } = startImportWorker(task, signal, patience, path)
  const leftAtEnd = ended.then(() => readdirSync(folder))
  return { result: result.catch((error) => error.code), leftAtEnd }
}
const hour = 3_600_000

test.each(['polite', 'stubborn'])('a %s thread ends when no one waits for it, and leaves nothing', async (id) => {
  const client = new AbortController()
  const graceMilliseconds = id === 'polite' ? hour : 1
  const { result, leftAtEnd } = start(id, client.signal, { idleMilliseconds: hour, graceMilliseconds })
  client.abort()
  expect(await result).toBe('unavailable')
  expect(await leftAtEnd).toEqual([])
  // Before it has begun.
  const late = start(id, client.signal, { idleMilliseconds: hour, graceMilliseconds })
  expect(await late.result).toBe('unavailable')
  expect(await late.leftAtEnd).toEqual([])
})

test('a thread that finds nothing more ends, and the file is refused', async () => {
  const { signal } = new AbortController()
  const { result, leftAtEnd } = start('stubborn', signal, { idleMilliseconds: 60, graceMilliseconds: 1 })
  expect(await result).toMatchObject({
    state: 'refused',
    issues: [{ message: 'cannot be read: nothing was found in it for 1 minutes' }],
  })
  expect(await leftAtEnd).toEqual([])
})
