/** Counts of values by size, and their sum: what Prometheus calls a histogram. */
export interface Histogram {
  readonly bounds: readonly number[]
  observe(value: number): void
  /** How many values were at most as large as each bound, then how many there were. */
  cumulative(): number[]
  sum(): number
}

/** Numbers that a histogram of these bounds keeps: one a bucket, one for what is larger than all, the sum. */
export const histogramLength = (bounds: readonly number[]): number => bounds.length + 2

/**
 * @param bounds the largest values of the buckets, ascending
 * @param memory may be shared with another thread, if one of the two only reads
 */
export const createHistogram = (
  bounds: readonly number[],
  memory: Float64Array = new Float64Array(histogramLength(bounds)),
): Histogram => {
  const over = bounds.length
  const sum = over + 1
  return {
    bounds,
    observe(value) {
      let bucket = 0
      while (bucket < over && value > (bounds[bucket] as number)) bucket++
      memory[bucket] = (memory[bucket] as number) + 1
      memory[sum] = (memory[sum] as number) + value
    },
    cumulative() {
      let count = 0
      return Array.from(memory.subarray(0, sum), (inBucket) => (count += inBucket))
    },
    sum: () => memory[sum] as number,
  }
}
