/** Of a small file. A longer row makes it grow. */
const firstBytes = 512 * 1024

/**
 * The bytes of a file that arrived and were not read yet. They stay where they are while more arrive: the parts of an archive
 * have 16 KiB, and to join a row of 8 MiB anew with each of them takes a gigabyte.
 */
export class UnreadBytes {
  private held = Buffer.allocUnsafe(firstBytes)
  private length = 0

  /** Returns all that was not read, until it is called again. */
  add(chunk: Uint8Array): Buffer {
    const length = this.length + chunk.length
    if (length > this.held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.held.length))
      this.held.copy(larger, 0, 0, this.length)
      this.held = larger
    }
    this.held.set(chunk, this.length)
    this.length = length
    return this.held.subarray(0, length)
  }

  /** What stands before this position was read. Returns the rest. */
  skipTo(start: number): Buffer {
    if (start > 0) this.held.copyWithin(0, start, this.length)
    this.length -= start
    return this.held.subarray(0, this.length)
  }
}
