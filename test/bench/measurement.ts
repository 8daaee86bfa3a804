/** The memory of a process in MB (a million bytes); null if it is unknown. */
export interface Memory {
  /** All resident memory. Most of it are pages of the executable, which the system can take back. */
  readonly memory: number | null
  /** The memory that the process itself wrote. */
  readonly anonymous: number | null
}

/** The result of one case in one round. */
export interface Measurement extends Memory {
  /** Requests, or other operations, per second. */
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Answers other than success, and broken connections. */
  readonly errors: number
  /** Microseconds of processor time of the process for each of them; null if it is unknown. */
  readonly cpu: number | null
}

export const unknownMemory: Memory = { memory: null, anonymous: null }

export type Figure = 'perSecond' | 'p50' | 'p99' | 'cpu' | 'memory' | 'anonymous'

export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** The middle value; of an even number of them, the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  const high = sorted[Math.ceil((sorted.length - 1) / 2)] ?? Number.NaN
  return (low + high) / 2
}

/** Of operations that ran one after another and took so many milliseconds each. */
export const ofDurations = (milliseconds: readonly number[], memory: Memory = unknownMemory): Measurement => ({
  perSecond: (milliseconds.length * 1000) / milliseconds.reduce((sum, one) => sum + one, 0),
  p50: percentile(milliseconds, 50),
  p99: percentile(milliseconds, 99),
  errors: 0,
  cpu: null,
  ...memory,
})
