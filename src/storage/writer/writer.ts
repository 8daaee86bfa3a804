import { unavailable } from '../../base/errors.ts'
import type { FileCheck } from '../file-check.ts'
import type { Batch, Commands, InputOf, ResultOf } from './batch.ts'
import { Dispatch } from './dispatch.ts'
import type { WriteMetrics } from './histograms.ts'
import { emptyWalMessage, fromWalReply, limitWaitsMessage, toMessage, toTimedMessage, toTransfer } from './messages.ts'
import { createQueue } from './queue.ts'
import type { Notice, Start } from './worker.ts'

/** Executes every write of the server, in batches, on a thread of its own. */
export interface Writer<C extends Commands> {
  /** Resolves when its thread has opened the file, before which nothing may be run. Rejects if that fails. */
  readonly started: Promise<void>
  /**
   * Resolves after the commit that holds this command is on the disk. Rejects with the AppError that the command threw,
   * or with `unavailable` if the queue is full, it waited there for too long or the disk cannot be written; then nothing
   * has changed. In a cluster, the message says so if it may have been carried out all the same.
   *
   * @param bytes how much memory the input takes in the queue, if that is worth counting
   */
  run<N extends keyof C & string>(name: N, input: InputOf<C[N]>, bytes?: number): Promise<ResultOf<C[N]>>
  /** Whether the last batch could not be written to the disk. */
  isFailing(): boolean
  /** Whether the data file and its log are still those that were opened. If not, all writes are refused. */
  isWhole(): boolean
  /** False after `close` was called or the Worker has died. */
  isOpen(): boolean
  /** Commands that wait for their commit. */
  queued(): number
  /**
   * Moves the write-ahead log into the file and cuts it to nothing, between two batches. Resolves with false if a reader
   * prevents it. Rejects with `unavailable` when the writer is closed or the file is gone.
   */
  emptyWal(): Promise<boolean>
  /** On a machine of a cluster, lets writes wait for its log for two more seconds: the server is about to end. */
  limitWaits(): void
  /** Refuses all writes from now on. Resolves when those that are queued are written. */
  close(): Promise<void>
}

interface WriterOptions {
  readonly folder: string
  /** Runs `runWriter`. It was created in this turn of the event loop. */
  readonly worker: Worker
  /** Where the Worker writes what it measures. Without it, it measures nothing. */
  readonly metrics?: WriteMetrics | undefined
  /** Called once, with the reason in one line, when the Worker has ended without having been closed. */
  readonly onDeath: (reason: string) => void
  /** Called when a batch was committed or refused, before its promises are settled. */
  readonly onSettled?: () => void
  /** Without it, nothing notices that the data file was replaced. */
  readonly fileCheck?: Omit<FileCheck, 'close'>
  /** How to follow the log of a cluster, for the Worker; absent on a standalone server. */
  readonly cluster?: unknown
  /** Called with what the Worker notices of the disk and the cluster. */
  readonly onNotice?: (notice: Notice) => void
  /** How many commands may wait. The next one is refused. */
  readonly maxQueued?: number
  /** How many bytes may wait. */
  readonly maxQueuedBytes?: number
  /** How long a command may wait before it is sent to the Worker. Without it, as long as the others take. */
  readonly maxQueuedMilliseconds?: number
  /** How many bytes one transaction may have, unless a single command has more. */
  readonly maxBatchBytes?: number
}

/** Half a second of waiting at 20,000 commands a second. */
const defaultMaxQueued = 10_000
const defaultMaxQueuedBytes = 64 * 1024 * 1024
/** Keeps a transaction short, and so the wait of the writes behind it. */
const defaultMaxBatchBytes = 8 * 1024 * 1024
const retryAfterSeconds = 1

const unchecked: Omit<FileCheck, 'close'> = {
  isWhole: () => true,
  isKept: () => true,
  isGone: () => false,
}

export const startWriter = <C extends Commands>(options: WriterOptions): Writer<C> => {
  const {
    folder,
    metrics,
    cluster,
    onDeath,
    onSettled = () => {},
    onNotice = () => {},
    fileCheck = unchecked,
  } = options
  const { maxQueued = defaultMaxQueued, maxQueuedBytes = defaultMaxQueuedBytes } = options
  const { maxBatchBytes = defaultMaxBatchBytes, maxQueuedMilliseconds } = options
  let isOpen = true
  let closed: Promise<void> | undefined
  const queue = createQueue({ maxQueued, maxQueuedBytes, maxBatchBytes })
  const send = (batch: Batch, queuedAt: number): void => {
    if (cluster === undefined) worker.send(toTransfer(batch))
    else worker.send({ message: toTimedMessage(performance.timeOrigin + queuedAt, toMessage(batch)), transferred: [] })
  }
  const dispatch = new Dispatch({ queue, send, maxQueuedMilliseconds, onSettled, fileCheck })

  const die = (reason: string): void => {
    isOpen = false
    dispatch.reject(unavailable(retryAfterSeconds))
    onDeath(reason)
  }

  const finish = async (): Promise<void> => {
    isOpen = false
    dispatch.sendNext()
    await dispatch.idle()
    // Its connection may not be closed then.
    if (!fileCheck.isGone()) await worker.close()
  }

  const start = { folder, memory: metrics?.memory, cluster }
  const worker = startWorker({
    worker: options.worker,
    start,
    onReply: (reply) => dispatch.settle(reply),
    onNotice,
    onDeath: die,
  })

  return {
    started: worker.started,
    run(name, input, bytes = 0) {
      if (!isOpen || !queue.hasRoom(bytes)) return Promise.reject(unavailable(retryAfterSeconds))
      const { promise, resolve, reject } = Promise.withResolvers<ResultOf<C[typeof name]>>()
      queue.add({ name, input, bytes, queuedAt: performance.now(), resolve, reject })
      dispatch.gather()
      return promise
    },
    emptyWal: () =>
      isOpen && !fileCheck.isGone() ? worker.emptyWal() : Promise.reject(unavailable(retryAfterSeconds)),
    limitWaits: () => void (isOpen && cluster !== undefined && worker.limitWaits()),
    isFailing: () => dispatch.isFailing(),
    isWhole: fileCheck.isWhole,
    isOpen: () => isOpen,
    queued: () => dispatch.waiting(),
    close: () => (closed ??= finish()),
  }
}

interface Options {
  readonly worker: Worker
  readonly start: Start
  readonly onReply: (reply: string) => void
  readonly onNotice: (notice: Notice) => void
  /** Called once, with the reason in one line, when the Worker has ended without having been closed. */
  readonly onDeath: (reason: string) => void
}

/** Starts the writer's Worker. */
const startWorker = ({ worker, start, onReply, onNotice, onDeath }: Options) => {
  const ended = new Promise<void>((resolve) => worker.addEventListener('close', () => resolve()))
  let isOver = false
  let walEmptied: PromiseWithResolvers<boolean> | undefined

  const die = (reason: string): void => {
    if (isOver) return
    isOver = true
    walEmptied?.reject(new Error(toLine(reason)))
    onDeath(toLine(reason))
  }
  const take = (reply: string): void => {
    const result = fromWalReply(reply)
    if (result === undefined) onReply(reply)
    else if (typeof result === 'boolean') walEmptied?.resolve(result)
    else walEmptied?.reject(new Error(result.failed))
    if (result !== undefined) walEmptied = undefined
  }
  const begin = async (): Promise<void> => {
    try {
      await started(worker, start, ended)
    } catch (error) {
      isOver = true
      throw error
    }
    worker.onmessage = ({ data }: MessageEvent<string | Notice>) =>
      typeof data === 'string' ? take(data) : onNotice(data)
    worker.onerror = (event) => die(event.message)
    void ended.then(() => die('its thread ended'))
  }

  return {
    /** Resolves when it has opened the file and takes batches. Rejects if it fails before that. */
    started: begin(),
    send: ({ message, transferred }: ReturnType<typeof toTransfer>): void => worker.postMessage(message, transferred),
    /** Only on a machine of a cluster. */
    limitWaits: (): void => worker.postMessage(limitWaitsMessage),
    /** See `emptyWal`. Between two batches. */
    emptyWal(): Promise<boolean> {
      if (!walEmptied) {
        walEmptied = Promise.withResolvers()
        worker.postMessage(emptyWalMessage)
      }
      return walEmptied.promise
    },
    /** Resolves when its thread has ended. */
    async close(): Promise<void> {
      if (isOver) return
      isOver = true
      worker.postMessage('close')
      await ended
    },
  }
}

const started = (worker: Worker, start: Start, ended: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`cannot start the writer: ${reason}`))
    worker.onerror = (event) => fail(event.message)
    worker.onmessage = ({ data }) => data === 'ready' && resolve()
    void ended.then(() => fail('its thread ended'))
    worker.postMessage(start)
  })

/** Bun's message of an error in a Worker has several lines: the source around it, and somewhere below, the error. */
const toLine = (message: string): string => {
  const lines = message.split('\n')
  return lines.find((line) => /^(\w+)?error: /i.test(line)) ?? (lines[0] as string)
}
