// A thread of imports that finds nothing in its file. One with the identifier `polite` ends when it is to.
import type { Task } from '../../src/transfer/import/worker.ts'

declare const self: Worker

self.onmessage = ({ data: { id, stop } }: MessageEvent<Task>) => {
  while (id !== 'polite' || Atomics.load(stop, 0) === 0);
  process.exit(0)
}
