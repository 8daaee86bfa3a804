import type { Task, TaskResult } from './worker.ts'

/**
 * Starts the thread of worker.ts, and resolves to its result. In the executable, all code is in one folder, but for entry
 * points: they keep their path below `src`.
 */
export const startImportWorker = (task: Task): Promise<TaskResult> => {
  const path = Bun.isStandaloneExecutable ? './transfer/import/worker.ts' : './worker.ts'
  const worker = new Worker(new URL(path, import.meta.url).href)
  const { promise, resolve, reject } = Promise.withResolvers<TaskResult>()
  worker.onmessage = ({ data }: MessageEvent<TaskResult>) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.postMessage(task)
  return promise
}
