import { write } from 'node:fs'

/** Lines on their way to a file, a pipe or a terminal, none of which may ever hold up a request. */
export interface LineOutput {
  write(line: string): void
  /** Waits until everything is written, but not for a reader that does not read: then it is false. */
  close(): Promise<boolean>
}

interface Options {
  /** What stands in the place of so many lines that were dropped. */
  readonly toDroppedLine: (count: number) => string
  readonly maxPendingBytes?: number
  readonly maxCloseMilliseconds?: number
}

/** Lines that come this close together share one call of the system. */
const gatherMilliseconds = 20

/** So many characters are encoded at once: one line at a time takes twice as long, and so does all of a flush. */
const encodedAtOnce = 4096

/**
 * Writes by a thread of the system's pool, one call at a time. When nobody reads, lines are dropped past the bound, and
 * their number is told once there is room again. Nothing that goes wrong here is worth stopping the service for.
 *
 * Two buffers take turns for good. With a new one for each flush, allocating it was a quarter of what the main thread
 * did while it answered reads.
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
    // A UTF-16 unit takes three bytes at most.
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
      // Cleared, for a timer that is left keeps the process from ending.
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, maxCloseMilliseconds)
      await Promise.race([flushing, late.promise])
      clearTimeout(timer)
      return flushing === undefined
    },
  }
}

/** Writes all of it. What a full disk does not take is lost; a pipe that nobody reads any more is gone for good. */
const isGoneAfter = async (descriptor: number, bytes: Buffer): Promise<boolean> => {
  for (let at = 0; at < bytes.length; ) {
    const written = await new Promise<number | string>((resolve) =>
      write(descriptor, bytes, at, bytes.length - at, null, (error, count) => resolve(error?.code ?? count)),
    )
    if (typeof written === 'number') at += written
    // Another program has made the pipe or terminal that it shares with us one that does not wait.
    else if (written === 'EAGAIN') await Bun.sleep(gatherMilliseconds)
    else return written === 'EPIPE' || written === 'EBADF'
  }
  return false
}
