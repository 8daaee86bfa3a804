import http from 'node:http'
import { isIP } from 'node:net'
import type { Writes } from './all-writes.ts'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { openDataFolder } from './db/data-folder.ts'
import { openReader } from './db/reader.ts'
import { openWriteMetrics } from './db/writer/histograms.ts'
import { startWriter } from './db/writer/writer.ts'
import { AppError, describeError } from './errors.ts'
import { idleTimeoutSeconds } from './http/arriving-bodies.ts'
import type { Reporter } from './http/error-response.ts'
import { hostAddresses } from './http/host-addresses.ts'
import { flushLastUsed } from './jobs/flush-last-used.ts'
import { keepBackups } from './jobs/keep-backups.ts'
import { removeDeleted } from './jobs/remove-deleted.ts'
import { openLastUsed } from './keys/last-used.ts'
import type { RequestLog } from './log/request-log.ts'
import { isMeasured } from './metrics/access.ts'
import { newSetupToken } from './users/setup-token.ts'
import { userReads } from './users/user-reads.ts'

interface Options {
  readonly config: Config
  readonly report: Reporter
  /** Told when the writer's thread has ended: nothing can be written any more. */
  readonly onWriterDeath: (reason: string) => void
  /** Told of every request. */
  readonly log?: RequestLog | undefined
  /** Told in one line when a job failed, such as a backup. The job tries again. */
  readonly onJobFailure: (reason: string) => void
  /** Told of each step of the start that may take minutes, by `openDataFolder`. */
  readonly onStep?: (step: string | null) => void
  readonly now?: () => number
}

interface Running {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Where the first account is created, such as `/setup?token=…`; null if there is an account. */
  readonly setupPath: string | null
  /**
   * Waits for the configured delay, during which everything but `/readyz` is served as before. Then waits up to 2.5
   * seconds for the requests under way, stops the jobs, writes what is queued and closes the data file.
   */
  stop(): Promise<void>
}

/** How long requests may take when the server stops: a client that stops sending would hold it up forever. */
const graceMilliseconds = 2500

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; use --port to name another one',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'permission denied; ports below 1024 usually need root',
  EAFNOSUPPORT: 'this machine has no IPv6',
  EINVAL: 'a server cannot listen on this address',
}

/** Opens the data folder and listens. Resolves when requests are answered. */
export const startFormbox = async ({
  config,
  report,
  onWriterDeath,
  onJobFailure,
  log,
  onStep,
  now = Date.now,
}: Options): Promise<Running> => {
  const lock = openDataFolder(config.dataFolder, onStep)
  const writeMetrics = isMeasured(config.metrics) ? openWriteMetrics() : undefined
  const reader = openReader(config.dataFolder)
  const writer = await startWriter<Writes>({
    folder: config.dataFolder,
    metrics: writeMetrics,
    // In the executable, this file is part of the first entry point, and the Worker is the second one beside it.
    module: new URL('./write-worker.ts', import.meta.url),
    onDeath: onWriterDeath,
    onSettled: reader.release,
  })
  const lastUsed = openLastUsed({ writer, now })
  const removal = removeDeleted({ writer, now, onFailure: onJobFailure })
  const jobs = [
    removal,
    flushLastUsed({ lastUsed, now, onFailure: onJobFailure }),
    keepBackups({ config, now, onFailure: onJobFailure }),
  ]
  const setupToken = newSetupToken(now)
  let isStopping = false
  const app = createApp({
    config,
    reader,
    writer,
    writeMetrics,
    lastUsed,
    onDeleted: removal.wake,
    setupToken,
    now,
    report,
    log,
    isStopping: () => isStopping,
  })
  let listening: Awaited<ReturnType<typeof listen>>
  try {
    listening = await listen(app, config)
  } catch (error) {
    await writer.close()
    reader.close()
    lock.release()
    throw error
  }
  const { server, url } = listening
  for (const job of jobs) job.start()

  return {
    url,
    setupPath: userReads(reader.db).hasUsers() ? null : `/setup?token=${setupToken.value}`,
    async stop() {
      isStopping = true
      // A load balancer should notice before new requests are refused.
      if (config.stopDelaySeconds > 0) await Bun.sleep(config.stopDelaySeconds * 1000)
      const answered = server.stop()
      const end = performance.now() + graceMilliseconds
      while (server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(5)
      await Promise.all(jobs.map((job) => job.stop()))
      await writer.close()
      await Promise.race([answered, server.stop(true)])
      reader.close()
      lock.release()
    },
  }
}

/** The code that reads a body limits it and answers with a reason: Bun's answer has no body. Unread bytes use no memory. */
const maxRequestBodySize = Number.MAX_SAFE_INTEGER

/** Bytes of a request's line and headers: 1,000 identifiers in the query of a bulk deletion take 33,000. */
const maxHeaderBytes = 64 * 1024

/** @throws AppError `unavailable` if another process listens there, or the machine has no such host or address */
const listen = async (app: ReturnType<typeof createApp>, { host, port }: Config) => {
  // Bun has no option for this limit. It reads it from here.
  Object.assign(http, { maxHeaderSize: maxHeaderBytes })
  try {
    listenOnFirst(app, await hostAddresses(host), port)
  } catch (error) {
    const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const { code } = error as { code?: unknown }
    const reason = error instanceof AppError ? error.message : (listenErrors[String(code)] ?? describeError(error))
    throw new AppError('unavailable', `cannot listen on ${place}: ${reason}`)
  }
  const server = app.server as NonNullable<typeof app.server>
  // The name that was given, not the address that it has at the moment.
  const url = isIP(host) ? server.url : new URL(`http://${host}:${server.port}`)
  return { server, url: url.origin }
}

/** In many containers, `localhost` also has an IPv6 address that the container lacks. Then the next address is tried. */
const listenOnFirst = (app: ReturnType<typeof createApp>, addresses: readonly string[], port: number): void => {
  const [hostname = '', ...others] = addresses
  try {
    app.listen({
      hostname,
      port,
      reusePort: false,
      development: false,
      idleTimeout: idleTimeoutSeconds,
      maxRequestBodySize,
    })
  } catch (error) {
    const isMissing = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(String((error as { code?: unknown }).code))
    if (!isMissing || others.length === 0) throw error
    listenOnFirst(app, others, port)
  }
}
