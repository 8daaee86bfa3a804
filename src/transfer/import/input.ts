import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A file that is imported, which may have to be read twice. */
interface Input {
  /** @param onProgress called with the share that has been read, from 0 to 1 */
  read(onProgress: (share: number) => void): AsyncGenerator<Uint8Array, void>
  close(): void
}

/** @param path `-` is standard input @param folder where what comes from a pipe is kept until the file is closed */
export const openInput = (path: string, folder: string): Input => {
  const isStandardInput = path === '-'
  const source = isStandardInput ? Bun.stdin : Bun.file(path)
  const size = isStandardInput ? Number.POSITIVE_INFINITY : statSync(path).size
  const isPipe = isStandardInput || statSync(path).isFIFO()
  let kept: number | undefined
  let keptBytes = 0

  async function* fromPipe(): AsyncGenerator<Uint8Array, void> {
    kept = openUnnamed(folder)
    for await (const chunk of source.stream()) {
      for (let at = 0; at < chunk.length; ) at += writeSync(kept, chunk, at)
      keptBytes += chunk.length
      yield chunk
    }
  }

  async function* again(file: number): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < keptBytes; ) {
      const chunk = new Uint8Array(Math.min(pieceBytes, keptBytes - at))
      const bytes = readSync(file, chunk, 0, chunk.length, at)
      at += bytes
      yield chunk.subarray(0, bytes)
    }
  }

  return {
    async *read(onProgress) {
      let read = 0
      for await (const chunk of !isPipe ? source.stream() : kept === undefined ? fromPipe() : again(kept)) {
        yield chunk
        read += chunk.length
        onProgress(Math.min(1, read / size))
      }
    },
    close(): void {
      if (kept !== undefined) closeSync(kept)
    },
  }
}

const pieceBytes = 256 * 1024

/** Opens a new file that has no name any more, so that nothing is left of it when the process is killed. */
export const openUnnamed = (folder: string): number => {
  const path = join(folder, `formbox.import-${process.pid}`)
  const file = openSync(path, 'wx+', 0o600)
  rmSync(path)
  return file
}
