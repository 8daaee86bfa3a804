import type { Figure, Measurement } from './measurement.ts'
import type { World } from './seed.ts'

/** A promise of the table: a figure of a case, or its ratio to the same figure of another one, within a bound. */
export interface Goal {
  readonly says: string
  readonly of: string
  readonly figure: Figure
  /** The case that it is divided by, in each round anew; absent where the figure itself counts. */
  readonly to?: string
  readonly atLeast?: number
  readonly atMost?: number
}

export type Measure = (seconds: number) => Promise<Measurement>

export interface Stage {
  /** How to measure each case of the scene, baselines included. */
  readonly measures: Readonly<Record<string, Measure>>
  close(): Promise<void>
}

/** Cases that are measured in turn, round by round, because they are compared with each other. */
export interface Scene {
  /** Names in the order of the table. */
  readonly cases: readonly string[]
  /** Run whenever one of the cases does. */
  readonly baselines: readonly string[]
  readonly goals: readonly Goal[]
  /** No more rounds than this, for what takes long and varies little. */
  readonly maxRounds?: number
  /** Needs `strace`. */
  readonly isSlow?: true
  open(world: World): Promise<Stage>
}

/** Closes the last one first, all of them even when one fails to. */
export const closeAll = async (closables: readonly { stop(): Promise<void> }[]): Promise<void> => {
  await Promise.allSettled([...closables].reverse().map((one) => one.stop()))
}
