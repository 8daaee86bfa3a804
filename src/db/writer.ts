import { unavailable } from '../errors.ts'
import { type Batch, type Commands, type Outcome, toError } from './batch.ts'

/** Where every write goes. */
export interface Writer<C extends Commands> {
  /**
   * Resolves after the commit that holds this command is on the disk. Rejects with the AppError that the command threw,
   * or with `unavailable` when the queue is full or the disk does not take writes; then nothing has changed.
   */
  run<N extends keyof C & string>(name: N, input: Parameters<C[N]>[0]): Promise<ReturnType<C[N]>>
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
}

interface Waiting {
  readonly name: string
  readonly input: unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
}

/** At 20,000 commands a second, half a second of waiting. */
const defaultMaxQueued = 10_000
/** Keeps one transaction, and so the wait of those behind it, short. */
const maxBatch = 1000
const retryAfterSeconds = 1

export const startWriter = async <C extends Commands>(options: WriterOptions): Promise<Writer<C>> => {
  const { maxQueued = defaultMaxQueued } = options
  const worker = new Worker(options.module.href)
  let queue: Waiting[] = []
  let underWay: Waiting[] = []
  let isOpen = true
  let closing: (() => void) | undefined

  const sendNext = (): void => {
    if (underWay.length > 0 || queue.length === 0) return
    underWay = queue.length <= maxBatch ? queue : queue.slice(0, maxBatch)
    queue = queue.length <= maxBatch ? [] : queue.slice(maxBatch)
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
    run(name, input) {
      if (!isOpen || queue.length >= maxQueued) return Promise.reject(unavailable(retryAfterSeconds))
      return new Promise((resolve, reject) => {
        queue.push({ name, input, resolve, reject })
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
