import { describeError, unavailable } from '../../errors.ts'
import { type Commands, type Outcome, toError } from './batch.ts'
import type { WriteMetrics } from './histograms.ts'
import { fromReply, toMessage } from './messages.ts'
import type { Start } from './worker.ts'

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
/** Answers in a row: 256 of them took 3 ms, during which no read was answered. */
const maxTold = 32
/**
 * Where a commit takes long, for the disk or for all else that there is to do, the next batch waits for more: as long
 * as commands keep coming, a quarter of what the last commit took at most. Clients that were answered together ask
 * together, but not in the same instant: where an fsync took 20 ms, they fell into two halves, of which each waited for
 * the commit of the other.
 */
const gatherShare = 0.25
const maxGatherMilliseconds = 10

export const startWriter = async <C extends Commands>(options: WriterOptions): Promise<Writer<C>> => {
  const { maxQueued = defaultMaxQueued, maxQueuedBytes = defaultMaxQueuedBytes } = options
  const worker = new Worker(options.module.href)
  const ended = new Promise<void>((resolve) => worker.addEventListener('close', () => resolve()))
  await started(worker, { folder: options.folder, memory: options.metrics?.memory }, ended)

  let queue: Waiting[] = []
  let queuedBytes = 0
  let underWay: Waiting[] = []
  let isOpen = true
  let isDead = false
  let closed: Promise<void> | undefined
  let isFailing = false
  let onIdle = () => {}
  let isGathering = false
  let sentAt = 0
  let commitMilliseconds = 0
  /** The last batch that came back, and how many of it have been told. */
  let settled: readonly Waiting[] = []
  let outcomes: readonly Outcome[] = []
  let told = 0
  let isTelling = false

  const waitsForMore = (): boolean => commitMilliseconds * gatherShare >= 1

  /** Sends what is queued when no more of it comes: on a fast disk, in this turn of the event loop. */
  const gather = (): void => {
    if (isGathering || underWay.length > 0) return
    isGathering = true
    const end = performance.now() + Math.min(commitMilliseconds * gatherShare, maxGatherMilliseconds)
    if (waitsForMore()) setTimeout(gatherMore, 1, end, queue.length)
    else setImmediate(endGathering)
  }

  const gatherMore = (end: number, seen: number): void => {
    if (queue.length === seen || performance.now() >= end) endGathering()
    else setTimeout(gatherMore, 1, end, queue.length)
  }

  const endGathering = (): void => {
    isGathering = false
    sendNext()
  }

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
    sentAt = performance.now()
    try {
      worker.postMessage(toMessage(underWay.map(({ name, input }) => [name, input])))
    } catch (error) {
      settle(underWay.map(() => ({ failed: describeError(error) })))
    }
  }

  const settle = (results: readonly Outcome[]): void => {
    options.onSettled?.()
    commitMilliseconds = performance.now() - sentAt
    // In the order in which they came, and no more than one batch is kept.
    tell(settled.length)
    settled = underWay
    outcomes = results
    told = 0
    underWay = []
    if (!waitsForMore()) sendNext()
    else if (queue.length > 0) gather()
    // What keeps one command from the disk keeps the whole batch from it.
    isFailing = results.every((outcome) => 'refused' in outcome && outcome.refused.code === 'unavailable')
    if (!isTelling) tellOn()
  }

  const tell = (end: number): void => {
    for (; told < end; told++) {
      const { resolve, reject } = settled[told] as Waiting
      const outcome = outcomes[told] as Outcome
      if ('result' in outcome) resolve(outcome.result as never)
      else reject(toError(outcome))
    }
  }

  const tellOn = (): void => {
    tell(Math.min(told + maxTold, settled.length))
    isTelling = told < settled.length
    if (isTelling) setImmediate(tellOn)
    else if (isIdle()) onIdle()
  }

  const isIdle = (): boolean => underWay.length === 0 && queue.length === 0 && !isTelling

  const die = (reason: string): void => {
    if (isDead) return
    isDead = true
    isOpen = false
    for (const { reject } of [...underWay, ...queue]) reject(unavailable(retryAfterSeconds))
    underWay = queue = []
    onIdle()
    options.onDeath(toLine(reason))
  }

  const finish = async (): Promise<void> => {
    isOpen = false
    sendNext()
    if (!isIdle()) await new Promise<void>((resolve) => (onIdle = resolve))
    if (isDead) return
    isDead = true
    worker.postMessage('close')
    await ended
  }

  worker.onmessage = (event: MessageEvent<string>) => settle(fromReply(event.data, underWay.length))
  worker.onerror = (event) => die(event.message)
  void ended.then(() => die('its thread ended'))

  return {
    run(name, input, bytes = 0) {
      const isFull = queue.length >= maxQueued || queuedBytes + bytes > maxQueuedBytes
      if (!isOpen || isFull) return Promise.reject(unavailable(retryAfterSeconds))
      return new Promise((resolve, reject) => {
        queue.push({ name, input, bytes, resolve, reject })
        queuedBytes += bytes
        gather()
      })
    },
    isFailing: () => isFailing,
    isOpen: () => isOpen,
    queued: () => underWay.length + queue.length,
    close() {
      closed ??= finish()
      return closed
    },
  }
}

/** Bun's message of an error in a Worker is a picture of the source around it, with the error somewhere below. */
const toLine = (message: string): string => {
  const lines = message.split('\n')
  return lines.find((line) => /^(\w+)?error: /i.test(line)) ?? (lines[0] as string)
}

const started = (worker: Worker, start: Start, ended: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`the writer did not start: ${reason}`))
    worker.onerror = (event) => fail(event.message)
    worker.onmessage = () => resolve()
    void ended.then(() => fail('its thread ended'))
    worker.postMessage(start)
  })
