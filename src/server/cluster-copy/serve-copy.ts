import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, unavailable } from '../../base/errors.ts'
import { lazily } from '../../base/lazily.ts'
import { secureCompare } from '../../base/secure-compare.ts'
import { clusterCopyPath } from '../../config/addresses.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { Reporter } from '../../http/error-response.ts'
import { type Exchange, routes } from '../../http/exchange.ts'
import { bearerToken } from '../../http/headers.ts'
import { idleTimeoutSeconds } from '../../http/read-body.ts'
import { BrokenOff, streamed } from '../../http/streamed.ts'
import { partialFile } from '../../storage/partial-file.ts'
import { startBackup } from '../../upkeep/backups/start-command.ts'

interface Options {
  readonly dataFolder: string
  readonly cluster: ClusterConfig
  readonly report: Reporter
}

const pieceBytes = 256 * 1024

/** A cluster's token cannot be withdrawn. */
const mayRead = () => true

/**
 * `GET /cluster/copy`: the data of this machine, for a machine of the same cluster that needs rows that the log no
 * longer has. Only machines that reach the engine know the token. One copy is made at a time, in a file beside the
 * data.
 */
export const clusterCopy = ({ dataFolder, cluster, report }: Options) => {
  const checkToken = createTokenCheck(cluster)
  let isBusy = false

  return routes('cluster').get(clusterCopyPath.route, async ({ exchange }) => {
    await checkToken(exchange.request)
    if (isBusy) throw unavailable(60)
    isBusy = true
    const path = partialFile(join(dataFolder, 'formbox.cluster-copy'), process.pid)
    let file: number | undefined
    let timer: Timer | undefined
    const close = (): void => {
      clearTimeout(timer)
      if (file !== undefined) closeSync(file)
      isBusy = false
    }
    try {
      await makeCopy(exchange, dataFolder, path)
      file = openSync(path, 'r')
      const tooSlow = new AbortController()
      timer = setTimeout(
        () => tooSlow.abort(new BrokenOff('it was read too slowly')),
        longestMilliseconds(fstatSync(file).size),
      )
      const answer = { mediaType: 'application/vnd.sqlite3', disposition: 'attachment', parts: piecesOf(file), close }
      return streamed(exchange, { ...answer, signal: tooSlow.signal }, { report, mayRead })
    } catch (error) {
      close()
      throw error
    } finally {
      // It is read to its end all the same, and leaves nothing behind if this process ends before.
      rmSync(path, { force: true })
    }
  })
}

/** Time for a machine that reads 256 KiB a second, and a minute more. A slower one would keep all others from a copy. */
const longestMilliseconds = (bytes: number): number => 60_000 + (bytes / pieceBytes) * 1000

/** It takes 3 s a GB, in which nothing is sent. It is given up when the client leaves, also because this machine stops. */
const makeCopy = async ({ server, request }: Exchange, folder: string, target: string): Promise<void> => {
  const { signal } = request
  const child = startBackup({ folder, target, isReplacing: true })
  signal.addEventListener('abort', child.cancel)
  // The event may have come before.
  if (signal.aborted) child.cancel()
  server?.timeout(request, 0)
  const reason = await child.ended
  signal.removeEventListener('abort', child.cancel)
  // From now on, a client that reads nothing is disconnected.
  server?.timeout(request, idleTimeoutSeconds)
  if (signal.aborted) throw unavailable(1)
  if (reason !== null) throw new Error(reason)
}

function* piecesOf(file: number): Generator<Uint8Array, void> {
  for (;;) {
    const piece = new Uint8Array(pieceBytes)
    const length = readSync(file, piece)
    if (length === 0) return
    yield piece.subarray(0, length)
  }
}

/** Asks the engine for the token once, when it is first needed. */
const createTokenCheck = ({ engine }: ClusterConfig) => {
  let askedAt = Number.NEGATIVE_INFINITY

  const token = lazily(async () => {
    const { openLog } = await import('../../storage/cluster/open-log.ts')
    const log = openLog(engine)
    try {
      return await log.token()
    } finally {
      await log.close()
    }
  })

  return async (request: Request): Promise<void> => {
    const given = bearerToken(request)
    if (given === undefined) throw new AppError('unauthenticated', 'Invalid token')
    // A stranger's requests must not reach the engine each time.
    const isKnown = token.loaded() !== undefined
    if (!isKnown && performance.now() - askedAt < retryMilliseconds) throw unavailable(5)
    if (!isKnown) askedAt = performance.now()
    const expected = await token().catch(() => {
      throw unavailable(5)
    })
    if (!secureCompare(given, expected)) throw new AppError('unauthenticated', 'Invalid token')
  }
}

const retryMilliseconds = 5000
