import type { Figure, Measurement } from './measurement.ts'
import type { World } from './seed.ts'

/** A bound for a figure of a case, or for its ratio to the same figure of another case, or its difference from it. */
export interface Goal {
  readonly says: string
  readonly of: string
  readonly figure: Figure
  /** The case that the figure is divided by, in each round; absent if the bound is for the figure itself. */
  readonly to?: string
  /** The case whose figure is subtracted, in each round. */
  readonly above?: string
  readonly atLeast?: number
  readonly atMost?: number
}

export type Measure = (seconds: number) => Promise<Measurement>

interface Stage {
  /** How to measure each case of the scene, baselines included. */
  readonly measures: Readonly<Record<string, Measure>>
  close(): Promise<void>
}

/** Cases that are compared with each other, and therefore measured in turn, round by round. */
export interface Scene {
  /** Names in the order of the table. */
  readonly cases: readonly string[]
  /** Run whenever one of the cases does. */
  readonly baselines: readonly string[]
  readonly goals: readonly Goal[]
  /** The most rounds, for a scene that takes long and varies little. */
  readonly maxRounds?: number
  /** Needs `strace`. */
  readonly isSlow?: true
  open(world: World): Promise<Stage>
}

/** Closes the last one first, and all of them even if one fails to close. */
export const closeAll = async (closables: readonly { stop(): Promise<void> }[]): Promise<void> => {
  await Promise.allSettled([...closables].reverse().map((one) => one.stop()))
}
