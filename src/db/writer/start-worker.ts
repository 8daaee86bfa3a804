import { emptyWalMessage, fromWalReply, hurryMessage } from './messages.ts'
import type { Notice, Start } from './worker.ts'

interface Options {
  /** Module that runs `runWriter` in a Worker. */
  readonly module: URL
  readonly start: Start
  readonly onReply: (reply: string) => void
  readonly onNotice: (notice: Notice) => void
  /** Called once, with the reason in one line, when the Worker has ended without having been closed. */
  readonly onDeath: (reason: string) => void
}

/** Starts the writer's Worker. */
export const startWorker = ({ module, start, onReply, onNotice, onDeath }: Options) => {
  const worker = new Worker(module.href)
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
    send: (message: string): void => worker.postMessage(message),
    /** Only on a machine of a cluster. */
    hurry: (): void => worker.postMessage(hurryMessage),
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
