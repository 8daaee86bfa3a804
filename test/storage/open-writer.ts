// A Writer with its thread on a folder of the test's own, and a gate that holds the thread up.
import { expect } from 'bun:test'
import { AppError } from '../../src/base/errors.ts'
import type { WriteMetrics } from '../../src/storage/writer/histograms.ts'
import { startWriter, type Writer } from '../../src/storage/writer/writer.ts'
import { folderWithData } from '../empty-data.ts'
import { afterThisTest } from '../harness.ts'
import { rowsOf } from './sound.ts'
import type { TestWrites } from './writer-thread.ts'

interface Options {
  readonly maxQueued?: number
  readonly maxQueuedBytes?: number
  readonly maxQueuedMilliseconds?: number
  readonly metrics?: WriteMetrics
}

export const openWriter = async (options: Options = {}) => {
  const folder = folderWithData()
  const deaths: string[] = []
  const writer = startWriter<TestWrites>({
    folder,
    worker: new Worker(new URL('./writer-thread.ts', import.meta.url).href),
    onDeath: (reason) => deaths.push(reason),
    ...options,
  })
  await writer.started
  afterThisTest(() => writer.close())
  const emails = () => rowsOf(folder, 'SELECT email FROM users ORDER BY id').map(({ email }) => email)
  return { folder, writer, deaths, emails }
}

/** Holds the thread in the middle of a batch: resolves when it stands still, until `release`. */
export const holdUp = async (writer: Writer<TestWrites>) => {
  const channel = new BroadcastChannel(crypto.randomUUID())
  const stands = new Promise<Int32Array>((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<Int32Array>) => resolve(data)
  })
  const held = writer.run('hold', channel.name)
  const release = async (): Promise<void> => {
    const gate = await stands
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
    await held
    channel.close()
  }
  afterThisTest(release)
  return { release, stands: async () => void (await stands) }
}

export const expectUnavailable = async (promise: Promise<unknown>, retryAfterSeconds: number): Promise<void> => {
  const error = await promise.then(
    (result) => result,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds })
  expect(error.message).toBe(`Temporarily unable to write, retry after ${retryAfterSeconds} seconds`)
}
