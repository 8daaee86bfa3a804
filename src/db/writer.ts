import { unavailable } from '../errors.ts'
import { type Batch, type Commands, type Outcome, toError } from './batch.ts'

/** Where every write goes. */
export interface Writer<C extends Commands> {
  /**
   * Resolves after the commit that holds this command is on the disk. Rejects with the AppError that the command threw,
   * or with `unavailable` when the queue is full or the disk does not take writes; then nothing has changed.
   *
   * @param bytes how much of the queue's memory it takes, where that is worth counting
   */
  run<N extends keyof C & string>(name: N, input: Parameters<C[N]>[0], bytes?: number): Promise<ReturnType<C[N]>>
  /** Waits for what is queued. Afterwards every write is refused. */
  close(): Promise<void>
}

export interface WriterOptions {
  readonly folder: string
  /** Module that runs `runWriter` in a Worker. */
  readonly module: URL
  /** Told once when the Worker is gone without having been closed. */
  readonly onDeath: (reason: string) => void
  /** Commands that may wait; the next one is refused. */
  readonly maxQueued?: number
  /** Bytes that may wait. */
  readonly maxQueuedBytes?: number
}

interface Waiting {
  readonly name: string
  readonly input: unknown
  readonly bytes: number
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

/** At 20,000 commands a second, half a second of waiting. */
const defaultMaxQueued = 10_000
const defaultMaxQueuedBytes = 64 * 1024 * 1024
/** Keep one transaction, and so the wait of those behind it, short. */
const maxBatch = 1000
const maxBatchBytes = 8 * 1024 * 1024
const retryAfterSeconds = 1

export const startWriter = async <C extends Commands>(options: WriterOptions): Promise<Writer<C>> => {
  const { maxQueued = defaultMaxQueued, maxQueuedBytes = defaultMaxQueuedBytes } = options
  const worker = new Worker(options.module.href)
  let queue: Waiting[] = []
  let queuedBytes = 0
  let underWay: Waiting[] = []
  let isOpen = true
  let closing: (() => void) | undefined

  const sendNext = (): void => {
    if (underWay.length > 0 || queue.length === 0) return
    let bytes = 0
    const end = queue.findIndex((waiting, position) => {
      bytes += waiting.bytes
      return position === maxBatch || (position > 0 && bytes > maxBatchBytes)
    })
    underWay = end === -1 ? queue : queue.slice(0, end)
    queue = end === -1 ? [] : queue.slice(end)
    for (const waiting of underWay) queuedBytes -= waiting.bytes
    worker.postMessage(underWay.map(({ name, input }) => [name, input]) satisfies Batch)
  }

  const settle = (outcomes: Outcome[]): void => {
    const settled = underWay
    underWay = []
    sendNext()
    outcomes.forEach((outcome, position) => {
      const { resolve, reject } = settled[position] as Waiting
      if ('result' in outcome) resolve(outcome.result as never)
      else reject(toError(outcome))
    })
    if (underWay.length === 0) closing?.()
  }

  const die = (reason: string): void => {
    if (!isOpen && closing === undefined) return
    isOpen = false
    closing = undefined
    for (const { reject } of [...underWay, ...queue]) reject(unavailable(retryAfterSeconds))
    underWay = queue = []
    options.onDeath(reason)
  }

  await new Promise<void>((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(`the writer did not start: ${event.message}`))
    worker.onmessage = () => resolve()
    worker.postMessage(options.folder)
  })
  worker.onmessage = (event: MessageEvent<Outcome[]>) => settle(event.data)
  worker.onerror = (event) => die(event.message)
  worker.addEventListener('close', () => die('its thread ended'))

  return {
    run(name, input, bytes = 0) {
      const isFull = queue.length >= maxQueued || queuedBytes + bytes > maxQueuedBytes
      if (!isOpen || isFull) return Promise.reject(unavailable(retryAfterSeconds))
      return new Promise((resolve, reject) => {
        queue.push({ name, input, bytes, resolve, reject })
        queuedBytes += bytes
        sendNext()
      })
    },
    async close() {
      if (!isOpen) return
      isOpen = false
      if (underWay.length > 0) await new Promise<void>((resolve) => (closing = resolve))
      closing = undefined
      const ended = new Promise((resolve) => worker.addEventListener('close', resolve))
      worker.postMessage('close')
      await ended
    },
  }
}
