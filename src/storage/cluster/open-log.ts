import { isPostgres, labelOf } from '../../config/cluster.ts'
import type { ClusterLog, LogLimits } from './log.ts'
import { openPostgresLog } from './postgres-log.ts'
import { openRqliteLog } from './rqlite-log.ts'

const usual: LogLimits = { callMilliseconds: 5000, connectMilliseconds: 3000 }

/**
 * Connects to nothing before the first call.
 *
 * @param engine URLs of one kind, as `parseEngine` returns them
 */
export const openLog = (engine: readonly string[], limits: Partial<LogLimits> = {}): ClusterLog => {
  const servers = engine.map((text) => {
    const url = new URL(text)
    return {
      url,
      label: labelOf(url),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    }
  })
  const open = servers.some(({ url }) => isPostgres(url)) ? openPostgresLog : openRqliteLog
  return open(servers, { ...usual, ...limits })
}
