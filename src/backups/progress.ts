import { sizeOf } from '../db/files.ts'

/**
 * Shows on a terminal how much of a file is written, until the work ends; what was shown is then wiped.
 *
 * @param path the file that grows
 * @param totalBytes about what it will hold
 */
export const showProgress = async <T>(path: string, totalBytes: number, work: Promise<T>): Promise<T> => {
  const show = (): void => {
    const bytes = sizeOf(path)
    // A copy leaves out what is free in the source, so the end is not known exactly.
    const isCopied = bytes > 0 && bytes === lastBytes && bytes > totalBytes / 2
    lastBytes = bytes
    const percent = Math.min(99, Math.floor((bytes / totalBytes) * 100))
    process.stderr.write(`${lineStart}${isCopied ? 'checking' : `${percent} %`} of ${toMegabytes(totalBytes)}`)
  }
  let lastBytes = 0
  show()
  const timer = setInterval(show, 250)
  try {
    return await work
  } finally {
    clearInterval(timer)
    process.stderr.write(lineStart)
  }
}

/** Below that it takes a moment, and nobody looks at a percentage. */
const largeBytes = 16 * 1024 * 1024

/** Whether somebody looks, and there is time to. */
export const isWorthShowing = (bytes: number): boolean => process.stderr.isTTY === true && bytes >= largeBytes

/** Says on a terminal what is being done, in place of what it said before; null wipes it. In a pipe it says nothing. */
export const showStep = (step: string | null): void => {
  if (process.stderr.isTTY) process.stderr.write(`${lineStart}${step ?? ''}`)
}

/** To the first column, and wipe what stands there. */
const lineStart = '\r\x1b[K'

export const toMegabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1_000_000))} MB`
