import { amount } from '../../base/short-text.ts'
import type { NodeSeen } from './log.ts'

/** One machine as `formbox cluster status` shows it. */
export interface NodeState {
  readonly name: string
  readonly url: string | null
  /** Number of the row that it executed last. */
  readonly applied: number
  /** Number of rows that it has not executed yet. */
  readonly behind: number
  readonly secondsAgo: number
  /** Problem in words; null if there is none. */
  readonly problem: string | null
}

interface LogEnds {
  readonly first: number
  readonly last: number
}

/** A machine that runs reports every two seconds. */
const silentSeconds = 15
/** Rows that come in within a report and a second. */
const usualRows = 2000

/**
 * Describes each machine, and its problem in words that say what to do.
 *
 * @param ends as they were after the machines had reported
 */
export const describeNodes = (nodes: readonly NodeSeen[], ends: LogEnds | null): NodeState[] => {
  const newest = Math.max(...nodes.map(({ version }) => version))
  return nodes.map(({ name, url, applied, version, secondsAgo }) => {
    const behind = Math.max(0, (ends?.last ?? 0) - applied)
    const isSilent = secondsAgo > silentSeconds
    const problem =
      ends && applied > ends.last
        ? 'has executed more than the log has: see "When the log was lost" in docs/cluster.md'
        : ends && isBefore(ends.first, applied)
          ? `needs rows that the log no longer has: restore a newer backup of another machine on it${isSilent ? ', or forget it' : ''}`
          : isSilent
            ? `has not reported for ${inWords(secondsAgo)}: start it, or forget it if it will not return`
            : version < newest
              ? 'runs an older Formbox: upgrade it'
              : behind > usualRows
                ? `is ${behind} rows behind and catches up`
                : null
    return { name, url, applied, behind, secondsAgo, problem }
  })
}

/** Whether the log lacks a row that a machine needs: it also looks at the one that it executed last. */
const isBefore = (first: number, applied: number): boolean => (applied > 0 ? applied < first : first > 1)

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

const inWords = (seconds: number): string => {
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ['second', 1]
  return amount(Math.floor(seconds / length), unit)
}
