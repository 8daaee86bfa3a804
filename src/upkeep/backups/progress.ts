import { sizeOf } from '../../storage/files.ts'

/**
 * Shows on a terminal how much of a copy is written. What is copied is checked before, and the copy afterwards: each takes
 * about as long as copying. When the work ends, the line is cleared.
 *
 * @param path the file that grows
 * @param totalBytes about how large it will be
 * @param first what is done before there is any of it
 */
export const showProgress = async <T>(
  path: string,
  totalBytes: number,
  work: Promise<T>,
  first = 'checking',
): Promise<T> => {
  const show = (): void => {
    const bytes = sizeOf(path)
    // A copy leaves out the free pages of the source, so its exact size is not known.
    const isCopied = bytes > 0 && bytes === lastBytes && bytes > totalBytes / 2
    lastBytes = bytes
    const percent = Math.min(99, Math.floor((bytes / totalBytes) * 100))
    const step = bytes === 0 ? first : isCopied ? 'checking the copy of' : `${percent} % of`
    process.stderr.write(`${lineStart}${step} ${toMegabytes(totalBytes)}`)
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

/** A smaller file takes only a moment. */
const largeBytes = 16 * 1024 * 1024

/** Whether there is a terminal, and the work takes long enough. */
export const isWorthShowing = (bytes: number): boolean => process.stderr.isTTY === true && bytes >= largeBytes

/** Shows on a terminal what is being done, in place of the last step; null clears it. In a pipe it shows nothing. */
export const showStep = (step: string | null): void => {
  if (process.stderr.isTTY) process.stderr.write(`${lineStart}${step ?? ''}`)
}

/** Moves to the first column and clears the line. */
const lineStart = '\r\x1b[K'

export const toMegabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1_000_000))} MB`
