import { Halt, type LogRow } from './log.ts'
import type { Position } from './position.ts'

/**
 * The rows that follow a position, of those that were read from there on. If the first does not follow the row that this
 * machine executed last, none may be executed.
 *
 * @throws Halt if the log does not hold the row of the position, or has a gap
 */
export const rowsAfter = (position: Position, rows: readonly LogRow[], end: number): LogRow[] => {
  const [first] = rows
  if (position.seq > 0 && first?.id !== position.id) throw positionNotInLog(position, first, end)
  const following: LogRow[] = []
  let expected = position.seq + 1
  for (const row of rows) {
    // The same row twice is no gap.
    if (row.seq < expected) continue
    if (row.seq > expected)
      throw position.seq === 0 && expected === 1 ? tooFarBehind(0, row.seq) : gap(expected, row.seq)
    following.push(row)
    expected++
  }
  return following
}

const positionNotInLog = ({ seq }: Position, first: LogRow | undefined, end: number): Halt =>
  first !== undefined && first.seq > seq
    ? tooFarBehind(seq, first.seq)
    : new Halt(
        `the log of the cluster ${end < seq ? `ends at ${end}, but this machine has executed row ${seq}` : `has another row ${seq} than this machine has executed`}: ` +
          'the engine was restored from a backup, or failed over without a synchronous standby; restore a backup of a ' +
          'machine that still works on this machine, or see "When the log was lost" in docs/cluster.md',
      )

const tooFarBehind = (seq: number, first: number): Halt =>
  new Halt(
    `this machine is at row ${seq} of the cluster's log, which begins at row ${first} by now: it was off for too long; ` +
      'run formbox restore with a newer backup of another machine of the cluster',
  )

const gap = (expected: number, seq: number): Halt =>
  new Halt(`the log of the cluster has a gap: row ${expected} is missing before row ${seq}; no machine may go on`)
