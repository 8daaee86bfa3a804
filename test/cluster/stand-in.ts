import { type ClusterLog, type LogRow, LogUnavailable, type NodeReport } from '../../src/storage/cluster/log.ts'

export type StandIn = ReturnType<typeof createStandIn>

/** A log in memory, for faults that a real engine rarely shows. */
export const createStandIn = () => {
  const rows: LogRow[] = []
  const reports = new Map<string, NodeReport & { at: number }>()
  const wakers = new Set<(seq: number | null) => void>()
  let token: string | undefined
  /** Milliseconds that a test moves the clock of the engine forward. */
  const clock = { ahead: 0 }
  const now = () => performance.now() + clock.ahead
  const faults = {
    loseAnswers: 0,
    refuseReads: 0,
    refuseAppends: false,
    hang: false,
    /** No call is answered before the connection is closed. */
    isStuck: false,
    repeatRows: false,
    /** It deletes a row at a time. */
    slowTrim: false,
    /** Why no machine may say how far it is. */
    refuseReports: null as Error | null,
  }
  let asked = 0
  const stuck = new Set<() => void>()

  const append = async (row: Omit<LogRow, 'seq'>) => {
    await answerable()
    if (faults.refuseAppends) throw new LogUnavailable('it takes no rows')
    const present = rows.find(({ id }) => id === row.id)
    const seq = present?.seq ?? (rows.at(-1)?.seq ?? 0) + 1
    if (!present) rows.push({ ...row, seq })
    for (const wake of wakers) wake(seq)
    if (faults.loseAnswers > 0) {
      faults.loseAnswers--
      throw new LogUnavailable('the answer was lost')
    }
    return { seq, previousId: rows.find((other) => other.seq === seq - 1)?.id ?? null }
  }

  const answerable = async (): Promise<void> => {
    await new Promise(setImmediate)
    if (faults.isStuck) {
      await new Promise<void>((resolve) => stuck.add(resolve))
      throw new LogUnavailable('closed')
    }
    if (faults.hang) throw new LogUnavailable('it did not answer in time')
  }

  return {
    rows,
    faults,
    reports,
    /** How often machines asked for the others. */
    asked: () => asked,
    clock,
    /** Calls that are not answered. */
    calls: () => stuck.size,
    /** A connection of one machine. */
    connect(): ClusterLog {
      const own = new Set<(seq: number | null) => void>()
      return {
        prepare: answerable,
        append,
        async readFrom(seq) {
          await answerable()
          if (faults.refuseReads > 0) {
            faults.refuseReads--
            throw new LogUnavailable('it refuses')
          }
          const found = rows.filter((row) => row.seq >= seq).slice(0, 50)
          const cut = found.map((row) => (row.seq === seq ? { ...row, batch: '' } : row))
          return {
            rows: faults.repeatRows ? cut.flatMap((row) => [row, row]) : cut,
            end: rows.at(-1)?.seq ?? 0,
          }
        },
        async ends() {
          await answerable()
          const [first, last] = [rows[0], rows.at(-1)]
          return first && last ? { first: first.seq, last: last.seq } : null
        },
        onAppended(wake) {
          own.add(wake)
          wakers.add(wake)
        },
        async report(node) {
          await answerable()
          if (faults.refuseReports) throw faults.refuseReports
          reports.set(node.name, { ...node, at: now() })
        },
        async nodes() {
          asked++
          await answerable()
          return [...reports.values()]
            .map(({ at, ...node }) => ({ ...node, secondsAgo: (now() - at) / 1000 }))
            .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        },
        async forget(name) {
          reports.delete(name)
        },
        async trim(before) {
          const index = Math.max(
            0,
            rows.findIndex(({ seq }) => seq >= before),
          )
          rows.splice(0, faults.slowTrim ? Math.min(1, index) : index)
          return faults.slowTrim && index > 1
        },
        async token() {
          token ??= crypto.randomUUID()
          return token
        },
        async warnings() {
          return []
        },
        async close() {
          for (const wake of own) wakers.delete(wake)
          for (const end of stuck) end()
        },
      }
    },
  }
}
