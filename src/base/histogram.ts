/** Counts of values by size, and their sum: a histogram as in Prometheus. */
export interface Histogram {
  readonly bounds: readonly number[]
  observe(value: number): void
  /** For each bound, the number of values up to it; at the end, the number of all values. */
  cumulative(): number[]
  sum(): number
}

/** The numbers that a histogram needs: one for each bucket, one for larger values, and the sum. */
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
