import { write } from 'node:fs'

/** Writes lines to a file, a pipe or a terminal without ever delaying a request. */
interface LineOutput {
  write(line: string): void
  /** Waits until everything is written. Returns false if the reader did not read it in time. */
  close(): Promise<boolean>
}

interface Options {
  /** Makes the line that replaces dropped lines. */
  readonly toDroppedLine: (count: number) => string
  readonly maxPendingBytes?: number
  readonly maxCloseMilliseconds?: number
}

/** Lines within this time share one system call. */
const gatherMilliseconds = 20

/** Characters that are encoded at once. Encoding each line alone, or a whole flush at once, takes twice as long. */
const encodedAtOnce = 4096

/**
 * Writes on a thread of the runtime's pool, one call at a time. If no one reads, lines above the limit are dropped, and
 * their number is written once there is room again. No error here stops the service.
 *
 * Two buffers take turns. Allocating a new one for each flush took a quarter of the main thread's time while it
 * answered reads.
 */
export const openLineOutput = (
  descriptor: number,
  { toDroppedLine, maxPendingBytes = 1024 * 1024, maxCloseMilliseconds = 500 }: Options,
): LineOutput => {
  let filling = Buffer.allocUnsafeSlow(maxPendingBytes)
  let spare = Buffer.allocUnsafeSlow(maxPendingBytes)
  let filled = 0
  let gathered = ''
  let dropped = 0
  let isBroken = false
  let flushing: Promise<void> | undefined

  const encode = (): void => {
    filled += filling.write(gathered, filled)
    gathered = ''
  }

  const put = (line: string): void => {
    // A UTF-16 unit takes at most three bytes.
    if (filled + 3 * (gathered.length + line.length + 1) > maxPendingBytes) {
      dropped += 1
      return
    }
    gathered += `${line}\n`
    if (gathered.length >= encodedAtOnce) encode()
  }

  const flush = async (): Promise<void> => {
    await Bun.sleep(gatherMilliseconds)
    for (encode(); filled > 0 && !isBroken; encode()) {
      const bytes = filling.subarray(0, filled)
      ;[filling, spare] = [spare, filling]
      filled = 0
      if (dropped > 0) gathered = `${toDroppedLine(dropped)}\n`
      dropped = 0
      isBroken = await isGoneAfter(descriptor, bytes)
    }
    flushing = undefined
  }

  return {
    write(line) {
      if (isBroken) return
      put(line)
      flushing ??= flush()
    },
    async close() {
      // Cleared because a pending timer keeps the process alive.
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, maxCloseMilliseconds)
      await Promise.race([flushing, late.promise])
      clearTimeout(timer)
      return flushing === undefined
    },
  }
}

/** Writes all bytes. If the disk is full, they are lost. Returns true if the reader of a pipe is gone for good. */
const isGoneAfter = async (descriptor: number, bytes: Buffer): Promise<boolean> => {
  for (let at = 0; at < bytes.length; ) {
    const written = await new Promise<number | string>((resolve) =>
      write(descriptor, bytes, at, bytes.length - at, null, (error, count) => resolve(error?.code ?? count)),
    )
    if (typeof written === 'number') at += written
    // Another program that shares the pipe or terminal made it non-blocking.
    else if (written === 'EAGAIN') await Bun.sleep(gatherMilliseconds)
    else return written === 'EPIPE' || written === 'EBADF'
  }
  return false
}
