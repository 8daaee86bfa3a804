import { openLastUsed } from '../accounts/keys/last-used.ts'
import { newSetupToken } from '../accounts/users/setup-token.ts'
import { userReads } from '../accounts/users/user-reads.ts'
import { putAddressesBelow, setupPath } from '../config/addresses.ts'
import type { ClusterConfig } from '../config/cluster.ts'
import type { Config } from '../config/config.ts'
import { withSenders } from '../config/senders.ts'
import type { WatchForm } from '../forms/remembered-forms.ts'
import type { Reporter } from '../http/error-response.ts'
import { type EventStreams, openEventStreams } from '../http/event-streams.ts'
import { refuseIfClustered } from '../storage/cluster/position.ts'
import { type ClusterState, openClusterState } from '../storage/cluster/state.ts'
import type { ClusterStart } from '../storage/cluster/worker.ts'
import { openDataFolder } from '../storage/data-folder.ts'
import { openFileCheck } from '../storage/file-check.ts'
import { turnMilliseconds } from '../storage/folder-lock.ts'
import { openReader } from '../storage/reader.ts'
import { sign } from '../storage/secrets/signing-key.ts'
import { openWriteMetrics } from '../storage/writer/histograms.ts'
import { startWriter } from '../storage/writer/writer.ts'
import type { Writes } from '../upkeep/all-writes.ts'
import type { Job } from '../upkeep/jobs/job.ts'
import { openSinceStart } from '../upkeep/since-start.ts'
import { startWriterThread } from '../upkeep/writer-thread.ts'
import { createJobs } from './all-jobs.ts'
import { type App, createApp } from './app.ts'
import { listen } from './listen.ts'
import type { RequestLog } from './log/log-lines.ts'
import { createBackupMetrics, createDeliveryMetrics } from './metrics/counters.ts'
import { isMeasured } from './metrics/page.ts'

interface Options {
  readonly config: Config
  readonly report: Reporter
  /** Called when the writer's thread has ended. After that, nothing can be written. */
  readonly onWriterDeath: (reason: string) => void
  /** Called with one line when the data file cannot be written, when something fails in the cluster, and when its log works again. */
  readonly onFault?: (line: string) => void
  /** Called with the reason in one line when this machine executes nothing more of the log. If not outdated, it must end. */
  readonly onHalt?: (line: string, isOutdated: boolean) => void
  /** Called for every request. */
  readonly requestLog?: RequestLog | undefined
  /** Called when a job failed, such as a backup, with the reason in one line. The job tries again. */
  readonly onJobFailure: (reason: string) => void
  /** Called by `openDataFolder` for each step of the start that may take minutes. */
  readonly onStep?: (step: string | null) => void
  readonly now?: () => number
  readonly watchForm?: WatchForm | undefined
}

export interface Running {
  /** URL such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Page that creates the first account, such as `/setup?token=…`; null if there is an account. */
  readonly setupPath: string | null
  /** Resolves when each job has begun its first step. Requests are answered before. */
  readonly begun: Promise<void>
  /**
   * Waits for the configured delay, during which everything but `/readyz` is served as before. Then waits up to 2.5
   * seconds for the requests under way, stops the jobs, writes what is queued and closes the data file.
   */
  stop(): Promise<void>
  /** Whether the data file is another one or missing. Then no exit of the process may close it (see `FileCheck`). */
  isGone(): boolean
}

/** Opens the data folder and listens. Resolves when requests are answered. */
export const startFormbox = async (options: Options): Promise<Running> => {
  const { report, onJobFailure, requestLog, watchForm, now = Date.now } = options
  const config = await withSenders(options.config)
  putAddressesBelow(config.basePath)
  if (config.cluster) await copyIfLeftBehind(config.cluster, options)
  const storage = openStorage(options)
  const { reader, writer, writeMetrics, cluster } = storage
  const lastUsed = openLastUsed({ writer, now })
  const metrics = { deliveryMetrics: createDeliveryMetrics(), backupMetrics: createBackupMetrics() }
  const sinceStart = openSinceStart(now)
  const jobs = createJobs({ config, reader, writer, lastUsed, ...metrics, sinceStart, now, onFailure: onJobFailure })
  const { hasUsers } = userReads(reader.db)
  const sharedToken = config.cluster && !hasUsers() ? await setupTokenOf(config.cluster) : undefined
  const setupToken = newSetupToken(sharedToken)
  const streams = openEventStreams({ version: reader.version, report })
  let isStopping = false
  const ending = new AbortController()
  const { app } = createApp({
    config,
    reader,
    writer,
    writeMetrics,
    ...metrics,
    lastUsed,
    onDeleted: jobs.onDeleted,
    onDue: jobs.onDue,
    onImport: jobs.onImport,
    backUpNow: jobs.backUpNow,
    sinceStart,
    onFields: jobs.onFields,
    setupToken,
    streams,
    now,
    watchForm,
    // An error of a file that is another one has its cause told already.
    report: (message, requestId) => void (storage.isWhole() && report(message, requestId)),
    requestLog,
    isStopping: () => isStopping,
    ending: ending.signal,
    cluster,
  })
  const { server, url } = await listenWhenReady(app, config, storage)
  const begun = startBetweenRequests(jobs.all)

  return {
    url,
    begun,
    isGone: storage.isGone,
    setupPath: hasUsers() ? null : `${setupPath()}?token=${setupToken.value}`,
    async stop() {
      isStopping = true
      // A load balancer should notice before new requests are refused.
      if (config.stopDelaySeconds > 0) await Bun.sleep(config.stopDelaySeconds * 1000)
      // Even a server that is always restarted at once does its work.
      await begun
      await shutDown({ server, streams, ending, jobs: jobs.all, storage })
    },
  }
}

/** Before the file is opened: a machine that was off for too long gets a copy of another one's data. */
const copyIfLeftBehind = async (cluster: ClusterConfig, { config, onFault, now = Date.now }: Options) => {
  const { copyFromNeighbour } = await import('./cluster-copy/fetch-copy.ts')
  await copyFromNeighbour({ cluster, folder: config.dataFolder, now, onStep: (line) => onFault?.(line) })
}

/**
 * Makes the token, which is the same on all machines, because a proxy may lead the link to any of them. Without the
 * log, each has its own.
 */
const setupTokenOf = async ({ engine }: ClusterConfig): Promise<string | undefined> => {
  const { openLog } = await import('../storage/cluster/open-log.ts')
  const log = openLog(engine)
  try {
    return sign(await log.token(), 'setup', '')
  } catch {
    return undefined
  } finally {
    await log.close()
  }
}

type Storage = ReturnType<typeof openStorage>

/** Locks the data folder, and opens its data file for reading and for writing. */
const openStorage = (options: Options) => {
  // It loads its modules meanwhile.
  const thread = startWriterThread()
  try {
    return openWith(thread, options)
  } catch (error) {
    thread.terminate()
    throw error
  }
}

const openWith = (thread: Worker, { config, onWriterDeath, onStep, onFault, onHalt }: Options) => {
  const lock = openDataFolder(config.dataFolder, onStep, config.cluster ? turnMilliseconds : 0)
  const cluster = config.cluster ? openClusterState() : undefined
  const writeMetrics = isMeasured(config.metrics) ? openWriteMetrics() : undefined
  const reader = openReader(config.dataFolder)
  if (!config.cluster) refuseIfClustered(reader.db)
  const fileCheck = openFileCheck({ folder: config.dataFolder, hasMoved: reader.hasMoved }, (loss, line) => {
    onFault?.(line)
    // The log is still open here.
    if (loss === 'no log') writer.emptyWal().catch(() => {})
  })
  reader.guard(fileCheck.isGone)
  const writer = startWriter<Writes>({
    folder: config.dataFolder,
    fileCheck,
    metrics: writeMetrics,
    worker: thread,
    onDeath: onWriterDeath,
    onSettled: reader.release,
    ...(cluster && { maxBatchBytes: maxRowBytes, maxQueuedMilliseconds }),
    cluster: config.cluster && cluster ? toStart(config, config.cluster, cluster) : undefined,
    onNotice: (notice) => {
      if ('fault' in notice) onFault?.(notice.fault)
      else onHalt?.(notice.halted, notice.isOutdated)
    },
  })
  const close = async (): Promise<void> => {
    await writer.close()
    if (!fileCheck.isGone()) {
      reader.close()
      fileCheck.close()
    }
    lock.release()
  }
  return { reader, writer, writeMetrics, cluster, isWhole: fileCheck.isWhole, isGone: fileCheck.isGone, close }
}

/** A row of the log that is larger makes all others wait: engines take some 10 MB a second. */
const maxRowBytes = 1024 * 1024
/** Half of what a write waits for the log of its cluster at most. So when it is sent, the other half is left. */
const maxQueuedMilliseconds = 5000

const toStart = (config: Config, cluster: ClusterConfig, { memory }: ClusterState): ClusterStart => ({
  ...cluster,
  folder: config.dataFolder,
  hasBackups: config.backupEveryMilliseconds !== null,
  memory,
})

/** The writer's thread starts while the app is made, which takes as long. */
const listenWhenReady = async (app: App, config: Config, storage: Storage) => {
  try {
    await storage.writer.started
    return await listen(app, config)
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** One job a turn of the event loop: their first steps together take a tenth of a start, and a request would wait for all. */
const startBetweenRequests = async (jobs: readonly Job[]): Promise<void> => {
  for (const job of jobs) {
    await new Promise(setImmediate)
    job.start()
  }
}

/** Time for requests when the server stops: a client that stops sending would hold it up forever. */
const graceMilliseconds = 2500

interface Open {
  readonly server: Awaited<ReturnType<typeof listen>>['server']
  readonly streams: EventStreams
  readonly ending: AbortController
  readonly jobs: readonly Job[]
  readonly storage: Storage
}

const shutDown = async ({ server, streams, ending, jobs, storage }: Open): Promise<void> => {
  const answered = server.stop()
  storage.writer.limitWaits()
  // They are requests under way that would never end.
  streams.close()
  ending.abort()
  const end = performance.now() + graceMilliseconds
  while (server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(5)
  await Promise.all(jobs.map((job) => job.stop()))
  // Before connections are closed: queued writes are still carried out and answered.
  await storage.writer.close()
  await Promise.race([answered, server.stop(true)])
  await storage.close()
}
