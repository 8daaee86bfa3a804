import { maxReadBytes } from './log.ts'

const minReadBytes = 64 * 1024

/** Asks for less of the log after a read that failed, so that a slow network gets on, and for more after each success. */
export const adaptSliceSize = () => {
  let bytes = maxReadBytes
  return async <T>(read: (maxBytes: number) => Promise<T>): Promise<T> => {
    try {
      const found = await read(bytes)
      bytes = Math.min(maxReadBytes, bytes * 2)
      return found
    } catch (error) {
      bytes = Math.max(minReadBytes, bytes / 4)
      throw error
    }
  }
}
