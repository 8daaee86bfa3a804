import { statSync } from 'node:fs'

/**
 * Shows on a terminal how much of a file is written, until the work ends; what was shown is then wiped.
 *
 * @param path the file that grows
 * @param totalBytes about what it will hold
 */
export const showProgress = async <T>(path: string, totalBytes: number, work: Promise<T>): Promise<T> => {
  const show = (): void => {
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
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

/** To the first column, and wipe what stands there. */
const lineStart = '\r\x1b[K'

export const toMegabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1_000_000))} MB`
