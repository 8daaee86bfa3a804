import { createHistogram, type Histogram, histogramLength } from '../../base/histogram.ts'

/** Measurements of the writer's thread, in memory that the main thread reads. So it adds nothing to the messages. */
export interface WriteMetrics {
  readonly memory: SharedArrayBuffer
  /** Commands in one transaction. */
  readonly batchSizes: Histogram
  /** How long a COMMIT took: with `synchronous=FULL`, mostly the fsync. */
  readonly commitSeconds: Histogram
}

const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
const seconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const lengths = [histogramLength(sizes), histogramLength(seconds)] as const

/** Makes new ones, or opens those of the other thread in its `memory`. */
export const openWriteMetrics = (
  memory = new SharedArrayBuffer((lengths[0] + lengths[1]) * Float64Array.BYTES_PER_ELEMENT),
): WriteMetrics => {
  const numbers = new Float64Array(memory)
  return {
    memory,
    batchSizes: createHistogram(sizes, numbers.subarray(0, lengths[0])),
    commitSeconds: createHistogram(seconds, numbers.subarray(lengths[0])),
  }
}
