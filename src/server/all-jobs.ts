import type { LastUsed } from '../accounts/keys/last-used.ts'
import { lazily } from '../base/lazily.ts'
import { type Config, nodeOf } from '../config/config.ts'
import { outboxReads } from '../outbox/receivers.ts'
import { dueLook } from '../outbox/waiting.ts'
import type { Reader } from '../storage/reader.ts'
import { openSigningKey } from '../storage/secrets/signing-key.ts'
import type { Writer } from '../storage/writer/writer.ts'
import type { OnDue } from '../submissions/deliveries/store.ts'
import { abandonedImports, stagedFileReader } from '../submissions/files/file-reads.ts'
import { expiredFileReader } from '../submissions/files/file-writes.ts'
import { importReads } from '../submissions/imports/import-reads.ts'
import type { Writes } from '../upkeep/all-writes.ts'
import { expiryReader } from '../upkeep/expiries.ts'
import { countLimits } from '../upkeep/jobs/count-limits.ts'
import { emptyWalRegularly } from '../upkeep/jobs/empty-wal.ts'
import { flushLastUsed } from '../upkeep/jobs/flush-last-used.ts'
import type { Job } from '../upkeep/jobs/job.ts'
import { openLease } from '../upkeep/jobs/lease.ts'
import { type BackUpNow, makeBackups, type OnBackup } from '../upkeep/jobs/make-backups.ts'
import { putOffSite } from '../upkeep/jobs/put-off-site.ts'
import { removePartialFiles } from '../upkeep/jobs/remove-partial-files.ts'
import {
  giveUpFiles,
  hasDeletedRows,
  hasHeldRows,
  removeDeleted,
  removeExpired,
  removeOldDeliveries,
  removeOldSubmissions,
  removeUnconfirmed,
  retentionReads,
} from '../upkeep/jobs/remove-rows.ts'
import { runImports } from '../upkeep/jobs/run-imports.ts'
import { sendDeliveries } from '../upkeep/jobs/send-deliveries.ts'
import { tellOfSilence } from '../upkeep/jobs/tell-of-silence.ts'
import type { SinceStart } from '../upkeep/since-start.ts'
import type { BackupMetrics, DeliveryMetrics } from './metrics/counters.ts'

interface Options {
  readonly config: Config
  readonly reader: Reader
  readonly writer: Writer<Writes>
  readonly lastUsed: LastUsed
  readonly deliveryMetrics: DeliveryMetrics
  readonly backupMetrics: BackupMetrics
  readonly sinceStart: SinceStart
  readonly now: () => number
  /** Called when a job failed, with the reason in one line. The job tries again. */
  readonly onFailure: (reason: string) => void
}

interface Jobs {
  readonly all: readonly Job[]
  /** To be called when something was deleted whose rows must still be removed. */
  readonly onDeleted: () => void
  /** To be called when a delivery is due. */
  readonly onDue: OnDue
  /** To be called when an import has become sure, or is to be taken back. */
  readonly onImport: () => void
  readonly backUpNow: BackUpNow
  /** To be called when fields of a form were changed: places may have to be counted. */
  readonly onFields: () => void
}

/** All that the server does by itself. Nothing runs before it is started. */
export const createJobs = (options: Options): Jobs => {
  const { config, reader, writer, lastUsed, now, onFailure } = options
  const { db } = reader
  const lease = config.cluster ? openLease({ db, writer, node: config.cluster.node, now }) : undefined
  const common = { writer, now, onFailure }
  const removal = removeDeleted({ ...common, hasDeleted: hasDeletedRows(db) })
  const sending = deliveries(options)
  const { hasReceivers } = outboxReads(db)
  const { withRest } = importReads(db)
  const counting = countLimits({ reader, writer, signingKey: openSigningKey({ reader, writer }), now, onFailure })
  const importing = runImports({
    ...common,
    node: nodeOf(config),
    withRest,
    onDeleted: removal.wake,
    onAdded: counting.wake,
  })
  const { mayHaveOld } = retentionReads(db)
  const backups = backupJobs(options, lease)
  return {
    all: [
      removal,
      sending,
      importing,
      tellOfSilence({ ...common, lease, db, onDue: sending.wake }),
      counting,
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
      removeUnconfirmed({ ...common, lease, hasHeld: hasHeldRows(db), onDeleted: removal.wake }),
      removePartialFiles({ now, onFailure, folder: config.dataFolder }),
      emptyWalRegularly({ ...common, folder: config.dataFolder }),
      flushLastUsed({ lastUsed, now, onFailure }),
      ...backups.all,
    ],
    onDeleted: removal.wake,
    onDue: ({ isByHand } = {}) => {
      if (isByHand) sending.resume()
      sending.wake()
    },
    onImport: importing.wake,
    backUpNow: backups.backUpNow,
    onFields: counting.wake,
  }
}

const deliveries = ({ config, reader, writer, deliveryMetrics, sinceStart, now, onFailure }: Options) => {
  // With what makes and sends messages, a start would take 20 ms more.
  const attempts = lazily(async () =>
    (await import('../upkeep/jobs/attempt-delivery.ts')).loadAttempts({ config, reader, writer, now }),
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
    onAttempted(kind, attempted, milliseconds) {
      deliveryMetrics.count(kind, attempted, milliseconds)
      sinceStart.noteDelivery(kind, attempted)
    },
    now,
    onFailure,
  })
}

/** Every machine of a cluster keeps backups of its own. One of them puts its backups off site. */
const backupJobs = (
  { config, writer, backupMetrics, sinceStart, now, onFailure }: Options,
  lease: ReturnType<typeof openLease> | undefined,
) => {
  const count: OnBackup = (backup) => {
    backupMetrics.count(backup)
    sinceStart.noteBackup(backup)
  }
  const failed = (place: Parameters<OnBackup>[0]['place']) => (reason: string) => {
    sinceStart.noteFailure(place, reason)
    onFailure(reason)
  }
  const offSite = putOffSite({ config, onBackup: count, now, lease, onFailure: failed('s3') })
  const onBackup: OnBackup = (backup) => {
    count(backup)
    if (backup.result === 'made') offSite.wake()
  }
  const local = makeBackups({ config, isWhole: writer.isWhole, onBackup, now, onFailure: failed('local') })
  return { all: [local, offSite], backUpNow: local.backUpNow }
}
