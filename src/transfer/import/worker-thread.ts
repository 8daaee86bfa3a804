import { minuteMilliseconds, secondMilliseconds } from '../../base/durations.ts'
import { invalid, unavailable } from '../../base/errors.ts'
import { emptyPlan } from './plan.ts'
import { removeFilesOf } from './task-files.ts'
import type { Task, TaskResult } from './worker.ts'

export interface Patience {
  /** How long the thread may find nothing new in the file. */
  readonly idleMilliseconds: number
  /** For it to end by itself, so that it closes its files: what they take of the disk is free then. */
  readonly graceMilliseconds: number
}

const usual: Patience = { idleMilliseconds: 5 * minuteMilliseconds, graceMilliseconds: 10 * secondMilliseconds }
const retryAfterSeconds = 10

interface Started {
  /** Rejects with the AppError `unavailable` once the signal is aborted. */
  readonly result: Promise<TaskResult>
  /** Resolves when the thread takes no more memory. It may be later than the result: an expression cannot be interrupted. */
  readonly ended: Promise<void>
}

/**
 * Starts the thread of worker.ts. In the executable, all code is in one folder, but for entry points: they keep their path
 * below `src`. A thread that still runs does not keep the process alive.
 */
export const startImportWorker = (
  task: Omit<Task, 'stop'>,
  signal: AbortSignal,
  patience = usual,
  path = Bun.isStandaloneExecutable ? './transfer/import/worker.ts' : './worker.ts',
): Started => {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(path, import.meta.url).href, { ref: false })
  const { promise: result, resolve, reject } = Promise.withResolvers<TaskResult>()
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>()
  let isDone = false
  let forced: Timer | undefined

  const settle = (): void => {
    clearTimeout(idle)
    signal.removeEventListener('abort', giveUp)
  }
  const stopThread = (): void => {
    settle()
    Atomics.store(stop, 0, 1)
    // The process may end before the thread.
    removeFilesOf(task)
    forced = setTimeout(() => worker.terminate(), patience.graceMilliseconds).unref()
  }
  const end = (): void => {
    clearTimeout(forced)
    settle()
    // It was given up, or something has ended it.
    if (!isDone) removeFilesOf(task)
    reject(new Error('a thread of an import has ended before it was done'))
    resolveEnded()
  }
  const giveUp = (): void => {
    stopThread()
    reject(unavailable(retryAfterSeconds))
  }
  const wait = () =>
    setTimeout(() => {
      stopThread()
      const minutes = Math.ceil(patience.idleMilliseconds / minuteMilliseconds)
      const { issues } = invalid({ message: `cannot be read: nothing was found in it for ${minutes} minutes` })
      resolve({ state: 'refused', issues, plan: emptyPlan() })
    }, patience.idleMilliseconds)
  let idle = wait()

  worker.onmessage = ({ data }: MessageEvent<TaskResult | 'more'>) => {
    if (Atomics.load(stop, 0) !== 0) return
    clearTimeout(idle)
    if (data === 'more') {
      idle = wait()
      return
    }
    isDone = true
    resolve(data)
    end()
  }
  worker.onerror = ({ message }) => {
    reject(new Error(message))
    end()
  }
  worker.addEventListener('close', end)
  signal.addEventListener('abort', giveUp)
  worker.postMessage({ ...task, stop } satisfies Task)
  if (signal.aborted) giveUp()
  return { result, ended }
}
