import { newSetupToken } from './accounts/setup-token.ts'
import { hasUsers } from './accounts/writes.ts'
import { createApp, type Writes } from './app.ts'
import { keepBackups } from './backups/keeper.ts'
import type { Config } from './config.ts'
import { openDataFolder } from './db/open.ts'
import { openReader } from './db/reader.ts'
import { startWriter } from './db/writer.ts'
import type { Reporter } from './http/error-response.ts'
import { openLastUsed } from './keys/last-used.ts'

interface Options {
  readonly config: Config
  readonly report: Reporter
  /** Told when the writer's thread is gone: nothing can be written any more. */
  readonly onWriterDeath: (reason: string) => void
  /** Told in one line when a backup that was due failed. It is tried again. */
  readonly onBackupFailure: (reason: string) => void
  readonly now?: () => number
}

export interface Running {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Where the first account is made, such as `/setup?token=…`; null when there is an account. */
  readonly setupPath: string | null
  /** Finishes the requests that are under way, writes what is queued and closes the data file. */
  stop(): Promise<void>
}

/** Idle connections are closed after so many seconds; a body may pause no longer. */
const idleTimeoutSeconds = 30
/** The limits are ours, which answer with a reason: Bun's answer has no body. What nobody reads takes no memory. */
const maxRequestBodySize = Number.MAX_SAFE_INTEGER

/** Opens the data folder and listens. Resolves when requests are answered. */
export const startFormbox = async ({
  config,
  report,
  onWriterDeath,
  onBackupFailure,
  now = Date.now,
}: Options): Promise<Running> => {
  const lock = openDataFolder(config.dataFolder)
  const writer = await startWriter<Writes>({
    folder: config.dataFolder,
    // In the executable the Worker is a second entry point beside the first, and this file is part of that.
    module: new URL('./writer.ts', import.meta.url),
    onDeath: onWriterDeath,
  })
  const reader = openReader(config.dataFolder)
  const lastUsed = openLastUsed({ writer, now })
  const setupToken = newSetupToken(now)
  const app = createApp({ config, reader, writer, lastUsed, setupToken, now, report })
  app.listen({
    hostname: config.host,
    port: config.port,
    reusePort: false,
    development: false,
    idleTimeout: idleTimeoutSeconds,
    maxRequestBodySize,
  })
  const server = app.server
  if (!server) throw new Error('the server did not start')
  const backups = keepBackups({ config, now, onFailure: onBackupFailure })

  return {
    url: server.url.origin,
    setupPath: hasUsers(reader.db) ? null : `/setup?token=${setupToken.value}`,
    async stop() {
      const answered = server.stop()
      while (server.pendingRequests > 0) await Bun.sleep(5)
      await lastUsed.close()
      await writer.close()
      await Promise.race([answered, server.stop(true)])
      reader.close()
      await backups.stop()
      lock.release()
    },
  }
}
