import { isNotNull } from 'drizzle-orm'
import { dayMilliseconds, hourMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { afterEveryId, timePrefix } from '../../base/id.ts'
import type { SweepPosition as DeliveryPosition, OutboxWrites } from '../../outbox/outbox-writes.ts'
import { type Db, hasRows } from '../../storage/open.ts'
import {
  abandonedLists,
  abandonedPieces,
  confirmations,
  files,
  forms,
  isDetached,
  isHeld,
} from '../../storage/tables.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { FileWrites } from '../../submissions/files/file-writes.ts'
import { type ListName, listNames, ofEachList } from '../../submissions/lists.ts'
import type { SweepPosition } from '../../submissions/retention.ts'
import { oneSlice } from '../../submissions/slices.ts'
import type { SubmissionWrites } from '../../submissions/submission-writes.ts'
import { type ExpiryName, type ExpiryWrites, expiryNames, expiryOf, maxExpiredRows } from '../expiries.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

interface Common extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds' | 'lease'> {
  readonly writer: Writer<ExpiryWrites & FileWrites & OutboxWrites & SubmissionWrites>
}

interface Deleted extends Common {
  /** Whether rows of anything that was deleted are still there. */
  readonly hasDeleted: () => boolean
}

/** Removes the rows of deleted forms and of long submissions that were deleted, slice by slice, between other writes. */
export const removeDeleted = ({ writer, hasDeleted, ...options }: Deleted): Job => {
  let isFirst = true
  return createJob({
    ...options,
    task: 'remove what was deleted',
    async step() {
      // In a cluster, a command that removes nothing is a row in the log, too. Whoever wakes the job has deleted something.
      const isNeeded = !isFirst || hasDeleted()
      isFirst = false
      return isNeeded && (await writer.run('removeDeletedSlice', oneSlice)) > 0 ? options.now() : null
    },
  })
}

/** Whether rows of anything that was deleted are still there. */
export const hasDeletedRows = (db: Db): (() => boolean) => {
  const reads = [
    hasRows(db, files, isDetached(files)),
    hasRows(db, abandonedPieces),
    hasRows(db, abandonedLists),
    hasRows(db, forms, isNotNull(forms.deletedAt)),
  ]
  return () => reads.some((hasSome) => hasSome())
}

// One write looks at or deletes this many rows: it takes about 2 ms, in which other writes wait.
const maxRows = 500
const maxForms = 500
const maxSubmissions = 200

/** Whether any form may have something too old in such a list. If none does, the writer need not be asked. */
export const retentionReads = (db: Db): { mayHaveOld: (name: ListName) => boolean } => {
  const hasForms = ofEachList(({ swept }) => swept && hasRows(db, forms, swept.isIn))
  return { mayHaveOld: (name) => hasForms[name]?.() ?? false }
}

interface Submissions extends Common {
  readonly mayHaveOld: (list: ListName) => boolean
  /** Called after long submissions were deleted. Their pieces still have to be removed. */
  readonly onDeleted: () => void
}

interface SubmissionSweep extends SweepPosition {
  readonly now: number
  readonly list: ListName
  /** Lists that come after this one. */
  readonly others: readonly ListName[]
}

/** Deletes submissions and spam after the days that the settings of their forms say: once an hour. */
export const removeOldSubmissions = ({ mayHaveOld, onDeleted, ...common }: Submissions): Job => {
  const sweepOf = (now: number, [list, ...others]: readonly ListName[]): SubmissionSweep | null =>
    list ? { now, list, others, form: 0, from: '' } : null

  return everyHour<SubmissionSweep>(common, {
    task: 'remove old submissions and spam',
    begin: (now) => sweepOf(now, listNames.filter(mayHaveOld)),
    async removeSome({ others, ...position }) {
      const input = { ...position, maxForms, maxRows: maxSubmissions }
      const { next, isMoreLeft } = await common.writer.run('removeOldSubmissions', input)
      if (isMoreLeft) onDeleted()
      return next ? { ...position, ...next, others } : sweepOf(position.now, others)
    },
  })
}

interface Unconfirmed extends Common {
  /** Whether anything waits until its address is confirmed. */
  readonly hasHeld: () => boolean
  readonly onDeleted: () => void
}

/** Deletes what waited for too long until its address is confirmed: once an hour. */
export const removeUnconfirmed = ({ hasHeld, onDeleted, ...common }: Unconfirmed): Job =>
  everyHour<{ readonly now: number }>(common, {
    task: 'remove what was not confirmed',
    begin: (now) => (hasHeld() ? { now } : null),
    async removeSome(sweep) {
      const input = { now: sweep.now, maxRows: maxSubmissions }
      const { removed, isMoreLeft } = await common.writer.run('removeUnconfirmed', input)
      if (isMoreLeft) onDeleted()
      return removed === maxSubmissions ? sweep : null
    },
  })

/** Whether anything waits until its address is confirmed. */
export const hasHeldRows = (db: Db): (() => boolean) => hasRows(db, confirmations, isHeld(confirmations))

interface Deliveries extends Common {
  readonly hasReceivers: () => boolean
}

const deliveredMilliseconds = 30 * dayMilliseconds
const failedMilliseconds = 90 * dayMilliseconds

/** Removes deliveries 30 days after their submission if they were delivered, after 90 if they failed: once an hour. */
export const removeOldDeliveries = ({ hasReceivers, ...common }: Deliveries): Job =>
  everyHour<DeliveryPosition & { readonly now: number }>(common, {
    task: 'remove old deliveries',
    begin: (now) => (hasReceivers() ? { now, form: 0, from: '' } : null),
    async removeSome({ now, ...position }) {
      const next = await common.writer.run('removeOldDeliveries', {
        now,
        ...position,
        deliveredBefore: timePrefix(Math.max(0, now - deliveredMilliseconds)),
        failedBefore: timePrefix(Math.max(0, now - failedMilliseconds)),
        maxForms,
        maxRows,
      })
      return next && { now, ...next }
    },
  })

interface Expired extends Common {
  readonly hasRows: (name: ExpiryName) => boolean
}

/** Removes what has expired: once an hour, one kind after the other. */
export const removeExpired = ({ hasRows, ...common }: Expired): Job =>
  everyHour<{ readonly now: number; readonly names: readonly ExpiryName[] }>(common, {
    task: 'remove what has expired',
    begin(now) {
      const names = expiryNames.filter(hasRows)
      return names.length > 0 ? { now, names } : null
    },
    async removeSome({ now, names }) {
      const [name, ...others] = names
      if (name === undefined) return null
      const maxRows = maxExpiredRows
      const removed = await common.writer.run('removeExpired', { name, before: expiryOf(name).before(now), maxRows })
      return { now, names: removed === maxRows ? names : others }
    },
  })

interface StagedFiles extends Common {
  /** Name of this machine. */
  readonly node: string
  readonly hasStaged: () => boolean
  /** Whether the time of one is over. */
  readonly hasExpired: (now: number) => boolean
  /** Names of imports that were killed on this machine. */
  readonly abandonedImports: () => readonly string[]
  /** Called after files were given up whose pieces still have to be removed. */
  readonly onDeleted: () => void
}

/**
 * Gives up staged files: at the start those that a process before this one has left, and once a minute those whose sender
 * went away, and those of imports that were killed.
 */
export const giveUpFiles = (files: StagedFiles): Job => {
  const { writer, node, hasStaged, hasExpired, abandonedImports, onDeleted, ...options } = files
  const before = timePrefix(options.now())
  let isFirst = true

  return createJob({
    ...options,
    task: 'remove what is left of files that did not arrive',
    async step() {
      const now = options.now()
      if (hasStaged()) {
        const input = isFirst ? { stagedBy: node, before } : { now }
        // In a cluster, a command that gives up nothing is a row in the log, too.
        if ((isFirst || hasExpired(now)) && (await writer.run('giveUpFiles', input))) onDeleted()
        for (const stagedBy of abandonedImports())
          if (await writer.run('giveUpFiles', { stagedBy, before: afterEveryId })) onDeleted()
      }
      isFirst = false
      return now + minuteMilliseconds
    },
  })
}

interface Removal<Sweep> {
  readonly task: string
  /** Null if there is nothing to remove. */
  readonly begin: (now: number) => Sweep | null
  /** Removes a part, and returns where to continue; null at the end. */
  readonly removeSome: (sweep: Sweep) => Promise<Sweep | null>
}

/**
 * Removes what is too old, part by part, and looks again after an hour. In the day after the clock was set, it goes by
 * the last time that was sure (see `clockCheck`). A sweep goes by the time at which it began: what becomes too old meanwhile,
 * or because the clock is set, is left to the next one.
 */
const everyHour = <Sweep>({ writer, now, ...options }: Common, { task, begin, removeSome }: Removal<Sweep>): Job => {
  let sweep: Sweep | null = null

  const beginNow = async (): Promise<Sweep | null> => {
    const at = now()
    // Without anything to remove, nothing is written.
    if (begin(at) === null) return null
    const asOf = await writer.run('checkClock', { now: at })
    return asOf > 0 ? begin(asOf) : null
  }

  return createJob({
    ...options,
    task,
    now,
    async step() {
      sweep ??= await beginNow()
      if (sweep !== null) sweep = await removeSome(sweep)
      return sweep === null ? now() + hourMilliseconds : now()
    },
  })
}
