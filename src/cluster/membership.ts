import { describeError } from '../errors.ts'
import { OperatorError } from '../operator-errors.ts'
import type { LogExecutor } from './execute.ts'
import { Halt } from './halt.ts'
import { type ClusterLog, LogUnavailable, type NodeSeen } from './log.ts'

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
  /** Told in one line what fails, unless the log does not answer: whoever follows it tells of that. */
  readonly onTrouble: (line: string) => void
  readonly limits?: Partial<typeof usual>
}

const usual = {
  reportMilliseconds: 2000,
  /** A process that has not reported for so long has ended. */
  silentSeconds: 7,
  reportsBetweenTrims: 30,
  /** How long the log keeps rows for a machine that is off. */
  waitSeconds: 7 * 24 * 3600,
  /** How many rows stay for a while that all have executed: a machine whose disk lost its last writes reads them again. */
  margin: 10_000,
  /** How long they stay. By then they are on every disk, and what was deleted must not be in the log for ever. */
  marginSeconds: 6 * 3600,
}

/** Tells the other machines that this one runs and how far it is, and removes what all have executed from the log. */
export const takePart = ({ log, executor, node, onHalt, onTrouble, backedUp, limits = {}, ...own }: Options) => {
  const { reportMilliseconds, silentSeconds, reportsBetweenTrims, waitSeconds, ...kept } = { ...usual, ...limits }
  const toTrim = createMargin(kept)
  let isClosed = false
  let reports = 0
  let hasMoreToTrim = false
  /** Of the newest backup, as it was read last. As long as none could be read, the log keeps all rows for it. */
  let ofBackup: number | null = 0
  /** What fails, and the line that was told of it. */
  const told = new Map<string, string>()
  /** Another process with this name, as it was seen last. It may have died a moment ago, or it may be another machine. */
  let namesake: NodeSeen | undefined
  /** How often that has reported while this one looked. */
  let news = 0
  let timer: Timer | undefined
  let underWay: Promise<unknown> = Promise.resolve()

  const report = async (): Promise<void> => {
    const nodes = await log.nodes()
    const seen = nodes.find(({ name, instance }) => name === node && instance !== own.instance)
    if (seen && hasReported(seen)) news++
    // What a process reports last before it dies may arrive late, but only that.
    if (news > 1) throw sharedName(node)
    namesake = seen ?? namesake
    if (seen && seen.secondsAgo < silentSeconds) return
    await attempt('read its backups', () => {
      ofBackup = backedUp()
    })
    await log.report({ ...own, name: node, applied: executor.position().seq, backedUp: ofBackup })
    if (reports++ % reportsBetweenTrims === 1 || hasMoreToTrim)
      await attempt('trim the log of the cluster', () => trim(nodes))
  }

  /** Whether the other process has reported since this one looked last. */
  const hasReported = ({ instance, secondsAgo }: NodeSeen): boolean =>
    namesake ? namesake.instance !== instance || secondsAgo < namesake.secondsAgo : reports > 0

  /** For as long as the pause between two reports: after that, other machines would take this one for silent. */
  const trim = async (nodes: readonly NodeSeen[]): Promise<void> => {
    const needed = nodes
      .filter(({ secondsAgo }) => secondsAgo < waitSeconds)
      .flatMap(({ applied, backedUp }) => [applied, ...(backedUp === null ? [] : [backedUp])])
    const before = toTrim(Math.min(executor.position().seq, ...needed))
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

  /** Tells of a fault once, until it is over or another one. */
  const attempt = async (what: string, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work()
      told.delete(what)
    } catch (error) {
      if (error instanceof Halt) return onHalt(error)
      if (error instanceof LogUnavailable) return
      const reason = error instanceof OperatorError ? error.message : describeError(error)
      const line = `this machine cannot ${what}: ${reason}`
      if (told.get(what) !== line) onTrouble(line)
      told.set(what, line)
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
