import type { Writes } from './all-writes.ts'
import { type Config, nodeOf } from './config/config.ts'
import type { Reader } from './db/reader.ts'
import type { Writer } from './db/writer/writer.ts'
import { expiryReader } from './expiries.ts'
import { abandonedImports, stagedFileReader } from './files/file-reads.ts'
import { expiredFileReader } from './files/file-writes.ts'
import { emptyWalRegularly } from './jobs/empty-wal.ts'
import { flushLastUsed } from './jobs/flush-last-used.ts'
import type { Job } from './jobs/job.ts'
import { openLease } from './jobs/lease.ts'
import { makeBackups, type OnBackup } from './jobs/make-backups.ts'
import { putOffSite } from './jobs/put-off-site.ts'
import { removePartialFiles } from './jobs/remove-partial-files.ts'
import {
  giveUpFiles,
  removeDeleted,
  removeExpired,
  removeOldDeliveries,
  removeOldSubmissions,
} from './jobs/remove-rows.ts'
import { sendDeliveries } from './jobs/send-deliveries.ts'
import type { LastUsed } from './keys/last-used.ts'
import { lazily } from './lazily.ts'
import type { BackupMetrics, DeliveryMetrics } from './metrics/counters.ts'
import { outboxReads } from './outbox/receivers.ts'
import { dueLook } from './outbox/waiting.ts'
import { retentionReads } from './submissions/retention.ts'

interface Options {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<Writes>
  readonly lastUsed: LastUsed
  readonly deliveryMetrics: DeliveryMetrics
  readonly backupMetrics: BackupMetrics
  readonly now: () => number
  /** Called when a job failed, with the reason in one line. The job tries again. */
  readonly onFailure: (reason: string) => void
}

interface Jobs {
  readonly all: readonly Job[]
  /** To be called when something was deleted whose rows must still be removed. */
  readonly onDeleted: () => void
  /** To be called when a delivery is due. */
  readonly onDue: () => void
}

/** All that the server does by itself. Nothing runs before it is started. */
export const createJobs = (options: Options): Jobs => {
  const { config, reader, writer, lastUsed, now, onFailure } = options
  const { db } = reader
  const lease = config.cluster ? openLease({ db, writer, node: config.cluster.node, now }) : undefined
  const common = { writer, now, onFailure }
  const removal = removeDeleted(common)
  const sending = deliveries(options)
  const { hasReceivers } = outboxReads(db)
  const { mayHaveOld } = retentionReads(db)
  return {
    all: [
      removal,
      sending,
      removeOldDeliveries({ ...common, lease, hasReceivers }),
      removeExpired({ ...common, lease, hasRows: expiryReader(db) }),
      giveUpFiles({
        ...common,
        node: nodeOf(config),
        hasStaged: stagedFileReader(db),
        hasExpired: expiredFileReader(db),
        abandonedImports: abandonedImports(db),
        onDeleted: removal.wake,
      }),
      removeOldSubmissions({ ...common, lease, mayHaveOld, onDeleted: removal.wake }),
      removePartialFiles({ now, onFailure, folder: config.dataFolder }),
      emptyWalRegularly({ ...common, folder: config.dataFolder }),
      flushLastUsed({ lastUsed, now, onFailure }),
      ...backups(options, lease),
    ],
    onDeleted: removal.wake,
    onDue: sending.wake,
  }
}

const deliveries = ({ config, reader, writer, deliveryMetrics, now, onFailure }: Options): Job => {
  // With what makes and sends messages, a start would take 20 ms more.
  const attempts = lazily(async () =>
    (await import('./jobs/attempt-delivery.ts')).loadAttempts({ config, reader, writer, now }),
  )
  return sendDeliveries({
    writer,
    node: nodeOf(config),
    hasPending: outboxReads(reader.db).hasPending,
    look: dueLook(reader.db),
    attempts: {
      attempt: async (claimed, signal) => (await attempts()).attempt(claimed, signal),
      close: async () => (await attempts.loaded())?.close(),
    },
    onAttempted: deliveryMetrics.count,
    now,
    onFailure,
  })
}

/** Every machine of a cluster keeps backups of its own. One of them puts its backups off site. */
const backups = (
  { config, backupMetrics, now, onFailure }: Options,
  lease: ReturnType<typeof openLease> | undefined,
) => {
  const offSite = putOffSite({ config, onBackup: backupMetrics.count, now, lease, onFailure })
  const onBackup: OnBackup = (backup) => {
    backupMetrics.count(backup)
    if (backup.result === 'made') offSite.wake()
  }
  return [makeBackups({ config, onBackup, now, onFailure }), offSite]
}
