// The threads of the sources in one file each. A server's thread loads 150 modules otherwise, which takes two fifths of the
// processor time of its start and its end. make compiled tests the threads of the executable, which are bundled as well.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dir, '..')
const threads = ['src/upkeep/write-worker.ts', 'src/transfer/import/worker.ts', 'test/storage/writer-thread.ts']

/** Bundles the threads into the folder, from which this process starts them from then on. */
export const bundleThreads = async (folder: string): Promise<void> => {
  const entrypoints = threads.map((path) => join(root, path))
  await Bun.build({ entrypoints, root, outdir: folder, target: 'bun', splitting: true })
  const bundled = new Map(
    threads.map((path) => [pathToFileURL(join(root, path)).href, join(folder, path.replace(/ts$/, 'js'))]),
  )
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(bundled.get(`${url}`) ?? url, options)
    }
  }
}
