import { describeError } from '../../base/errors.ts'
import { OperatorError } from '../../base/operator-errors.ts'
import type { LogExecutor } from './execute.ts'
import { type ClusterLog, Halt, LogUnavailable, type NodeSeen } from './log.ts'

interface Options {
  readonly log: ClusterLog
  readonly executor: Pick<LogExecutor, 'position'>
  readonly node: string
  readonly instance: string
  readonly version: number
  readonly url: string | null
  /** Number of the last row in the newest backup; null if this machine makes none. */
  readonly backedUp: () => number | null
  readonly onHalt: (halt: Halt) => void
  /** Called with one line when something fails. That the log does not respond is reported by the follower instead. */
  readonly onFault: (line: string) => void
  readonly limits?: Partial<typeof usual>
}

const usual = {
  reportMilliseconds: 2000,
  /** A process that has not reported for this long has ended. */
  silentSeconds: 7,
  reportsBetweenTrims: 30,
  /** Longest time that the log keeps rows for a machine that is off. */
  waitSeconds: 7 * 24 * 3600,
  /** Rows that stay though all machines have executed them: one whose disk lost its last writes reads them again. */
  margin: 10_000,
  /** Time for which they stay. By then they are on every disk, and the log must not contain deleted data for ever. */
  marginSeconds: 6 * 3600,
}

/** Reports to the other machines that this one runs and how far it is. Removes rows that all have executed from the log. */
export const startMembership = ({ log, executor, node, onHalt, onFault, backedUp, limits = {}, ...own }: Options) => {
  const { reportMilliseconds, silentSeconds, reportsBetweenTrims, waitSeconds, ...margin } = { ...usual, ...limits }
  const firstToKeep = createMargin(margin)
  let isClosed = false
  let reports = 0
  let hasMoreToTrim = false
  /** Row of the newest backup, as it was read last. Until one could be read, the log keeps all rows. */
  let newestBackup: number | null = 0
  /** The line that was reported of each task that fails. */
  const reported = new Map<string, string>()
  /** Another process with this name, as it was seen last. It may have died a moment ago, or it may be another machine. */
  let namesake: NodeSeen | undefined
  /** Number of its reports while this process looked. */
  let namesakeReports = 0
  let timer: Timer | undefined
  let underWay: Promise<unknown> = Promise.resolve()

  const report = async (): Promise<void> => {
    const nodes = await log.nodes()
    const seen = nodes.find(({ name, instance }) => name === node && instance !== own.instance)
    if (seen && hasReported(seen)) namesakeReports++
    // The last report of a process that dies may arrive late, but only that one.
    if (namesakeReports > 1) throw sharedName(node)
    namesake = seen ?? namesake
    if (seen && seen.secondsAgo < silentSeconds) return
    await attempt('read its backups', () => {
      newestBackup = backedUp()
    })
    await log.report({ ...own, name: node, applied: executor.position().seq, backedUp: newestBackup })
    if (reports++ % reportsBetweenTrims === 1 || hasMoreToTrim)
      await attempt('trim the log of the cluster', () => trim(nodes))
  }

  /** Whether the other process has reported since the last look. */
  const hasReported = ({ instance, secondsAgo }: NodeSeen): boolean =>
    namesake ? namesake.instance !== instance || secondsAgo < namesake.secondsAgo : reports > 0

  /** Trims for as long as the pause between two reports. After that, other machines would believe that this one is off. */
  const trim = async (nodes: readonly NodeSeen[]): Promise<void> => {
    const needed = nodes
      .filter(({ secondsAgo }) => secondsAgo < waitSeconds)
      .flatMap(({ applied, backedUp }) => [applied, ...(backedUp === null ? [] : [backedUp])])
    const before = firstToKeep(Math.min(executor.position().seq, ...needed))
    const endAt = performance.now() + reportMilliseconds
    for (; !isClosed && performance.now() < endAt; await Bun.sleep(10)) {
      hasMoreToTrim = before > 1 && (await log.trim(before))
      if (!hasMoreToTrim) return
    }
  }

  const next = (): void => {
    underWay = attempt('tell the others of the cluster how far it is', report).finally(() => {
      if (!isClosed) timer = setTimeout(next, reportMilliseconds)
    })
  }

  /** Reports a fault once, until it is over or has another reason. */
  const attempt = async (task: string, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work()
      reported.delete(task)
    } catch (error) {
      if (error instanceof Halt) return onHalt(error)
      if (error instanceof LogUnavailable) return
      const reason = error instanceof OperatorError ? error.message : describeError(error)
      const line = `this machine cannot ${task}: ${reason}`
      if (reported.get(task) !== line) onFault(line)
      reported.set(task, line)
    }
  }
  next()

  return {
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await underWay
    },
  }
}

/** Turns the row that all have executed into the first one to keep. */
const createMargin = ({ margin, marginSeconds }: Pick<typeof usual, 'margin' | 'marginSeconds'>) => {
  let history: { at: number; executed: number }[] = []
  return (executed: number): number => {
    const now = performance.now()
    history.push({ at: now, executed })
    const old = history.findLastIndex(({ at }) => now - at >= marginSeconds * 1000)
    if (old > 0) history = history.slice(old)
    return Math.max(executed - margin, old >= 0 ? Math.min(executed, history[0]?.executed ?? 0) : 0)
  }
}

const sharedName = (node: string): Halt =>
  new Halt(
    `another machine of the cluster that runs is called ${node} as well; give this one another name with FORMBOX_NODE`,
  )
