/**
 * Starts the thread of write-worker.ts. In the executable, all code is in one folder, but for entry points, of which it is the
 * second: they keep their path below `src`.
 */
export const startWriterThread = (options?: { readonly ref: boolean }): Worker => {
  const path = Bun.isStandaloneExecutable ? './upkeep/write-worker.ts' : './write-worker.ts'
  return new Worker(new URL(path, import.meta.url).href, options)
}
