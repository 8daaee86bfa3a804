import { unavailable } from '../../errors.ts'
import type { Commands } from './batch.ts'
import { createDispatch } from './dispatch.ts'
import type { WriteMetrics } from './histograms.ts'
import { createQueue } from './queue.ts'
import { startWorker } from './start-worker.ts'

/** Where every write goes. */
export interface Writer<C extends Commands> {
  /**
   * Resolves after the commit that holds this command is on the disk. Rejects with the AppError that the command threw,
   * or with `unavailable` when the queue is full or the disk does not take writes; then nothing has changed.
   *
   * @param bytes how much of the queue's memory it takes, where that is worth counting
   */
  run<N extends keyof C & string>(name: N, input: Parameters<C[N]>[0], bytes?: number): Promise<ReturnType<C[N]>>
  /** Whether the disk did not take the last batch. */
  isFailing(): boolean
  /** False from `close` or the death of the Worker on. */
  isOpen(): boolean
  /** Commands that wait for their commit. */
  queued(): number
  /** Waits for what is queued. Afterwards every write is refused. */
  close(): Promise<void>
}

export interface WriterOptions {
  readonly folder: string
  /** Module that runs `runWriter` in a Worker. */
  readonly module: URL
  /** Where the Worker writes what it measures; without, it measures nothing. */
  readonly metrics?: WriteMetrics | undefined
  /** Told once when the Worker is gone without having been closed. */
  readonly onDeath: (reason: string) => void
  /** Called when a batch was committed or refused, before those who wait for it are told. */
  readonly onSettled?: () => void
  /** Commands that may wait; the next one is refused. */
  readonly maxQueued?: number
  /** Bytes that may wait. */
  readonly maxQueuedBytes?: number
}

/** At 20,000 commands a second, half a second of waiting. */
const defaultMaxQueued = 10_000
const defaultMaxQueuedBytes = 64 * 1024 * 1024
const retryAfterSeconds = 1

export const startWriter = async <C extends Commands>(options: WriterOptions): Promise<Writer<C>> => {
  const { folder, module, metrics, onDeath, onSettled = () => {} } = options
  const { maxQueued = defaultMaxQueued, maxQueuedBytes = defaultMaxQueuedBytes } = options
  let isOpen = true
  let closed: Promise<void> | undefined
  let onIdle = (): void => {}
  const queue = createQueue({ maxQueued, maxQueuedBytes })
  const dispatch = createDispatch({ queue, send: (batch) => worker.send(batch), onSettled, onIdle: () => onIdle() })

  const die = (reason: string): void => {
    isOpen = false
    for (const { reject } of dispatch.abandon()) reject(unavailable(retryAfterSeconds))
    onIdle()
    onDeath(reason)
  }

  const finish = async (): Promise<void> => {
    isOpen = false
    dispatch.sendNext()
    if (!dispatch.isIdle()) await new Promise<void>((resolve) => (onIdle = resolve))
    await worker.close()
  }

  const start = { folder, memory: metrics?.memory }
  const worker = await startWorker({ module, start, onReply: dispatch.settle, onDeath: die })

  return {
    run(name, input, bytes = 0) {
      if (!isOpen || !queue.hasRoom(bytes)) return Promise.reject(unavailable(retryAfterSeconds))
      return new Promise((resolve, reject) => {
        queue.add({ name, input, bytes, resolve, reject })
        dispatch.gather()
      })
    },
    isFailing: dispatch.isFailing,
    isOpen: () => isOpen,
    queued: dispatch.waiting,
    close: () => (closed ??= finish()),
  }
}
