import { OperatorError } from '../../base/operator-errors.ts'
import { newToken } from '../../base/token.ts'
import {
  adaptSliceSize,
  type ClusterLog,
  type LogLimits,
  type LogRow,
  type LogServer,
  LogUnavailable,
  maxReadRows,
  type NodeReport,
  type NodeSeen,
} from './log.ts'
import { pollEnd } from './rqlite-poll.ts'
import { type Level, openServers, type RqliteCall } from './rqlite-servers.ts'

/** The log in an rqlite cluster. A row is on a majority of its nodes when `append` resolves. */
export const openRqliteLog = (nodes: readonly LogServer[], limits: LogLimits): ClusterLog => {
  const servers = openServers(nodes, limits)
  const sized = adaptSliceSize()
  const poll = pollEnd(() => endOf(servers.begin()))
  return {
    prepare: () => prepare(servers.begin()),
    append: (row) => append(servers.begin(), row),
    readFrom: (seq) => sized((maxBytes) => readFrom(servers.begin(), seq, maxBytes)),
    ends: () => ends(servers.begin()),
    onAppended: poll.start,
    report: (node) => report(servers.begin(), node),
    nodes: () => nodesOf(servers.begin()),
    forget: async (name) => void (await servers.begin().write([['DELETE FROM formbox_nodes WHERE name = ?', name]])),
    trim: (before) => trim(servers.begin(), before),
    token: () => token(servers.begin()),
    warnings: () => warnings(servers.begin()),
    async close() {
      poll.close()
      servers.close()
    },
  }
}

/** Version of the tables below. A later Formbox that changes them counts on. */
const format = '1'

const prepare = async (call: RqliteCall): Promise<void> => {
  const [present] = await call.read(
    [
      `SELECT count(*), octet_length('') FROM sqlite_master
      WHERE name IN ('formbox_log', 'formbox_nodes', 'formbox_meta')`,
    ],
    'strong',
  )
  if (Number(present?.rows[0]?.[0]) < 3) await createTables(call)
  const [found] = await call.read([`SELECT value FROM formbox_meta WHERE key = 'format'`], 'strong')
  if (found?.rows[0]?.[0] !== format)
    throw new OperatorError('rqlite: the tables are of another version of Formbox; upgrade this machine')
}

const createTables = (call: RqliteCall): Promise<unknown> =>
  call.write([
    [
      `CREATE TABLE IF NOT EXISTS formbox_log (
          seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, batch TEXT NOT NULL
        )`,
    ],
    [
      `CREATE TABLE IF NOT EXISTS formbox_nodes (
          name TEXT PRIMARY KEY, instance TEXT NOT NULL, applied INTEGER NOT NULL, version INTEGER NOT NULL,
          backed_up INTEGER, url TEXT, seen_at REAL NOT NULL
        )`,
    ],
    ['CREATE TABLE IF NOT EXISTS formbox_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)'],
    [`INSERT INTO formbox_meta VALUES ('format', ?) ON CONFLICT DO NOTHING`, format],
  ])

const append = async (call: RqliteCall, { id, version, batch }: Omit<LogRow, 'seq'>) => {
  const [, found] = await call.write([
    [
      `INSERT INTO formbox_log (seq, id, version, batch)
      SELECT coalesce(max(seq), 0) + 1, ?, ?, ? FROM formbox_log WHERE TRUE ON CONFLICT (id) DO NOTHING`,
      id,
      version,
      batch,
    ],
    ['SELECT seq, (SELECT id FROM formbox_log WHERE seq = own.seq - 1) FROM formbox_log AS own WHERE id = ?', id],
  ])
  const [seq, previousId] = found?.rows[0] ?? []
  if (typeof seq !== 'number') throw new LogUnavailable('rqlite: the row was not found after it was appended')
  return { seq, previousId: previousId === undefined ? null : (previousId as string | null) }
}

/** JSON writes `<`, `>` and `&` in six bytes each. A single row may be larger than a read. */
const maxReadAnswerBytes = 128 * 1024 * 1024

/**
 * A server that was the leader until a moment ago does not know the last rows. If a row is not there, the majority is
 * asked: otherwise it would seem to be lost.
 */
const readFrom = async (call: RqliteCall, from: number, maxBytes: number): Promise<{ rows: LogRow[]; end: number }> => {
  const found = await readAt(call, from, maxBytes, 'weak')
  const isThere = found.rows[0]?.seq === from || (from === 0 && found.end > 0)
  return isThere ? found : await readAt(call, from, maxBytes, 'strong')
}

const readAt = async (
  call: RqliteCall,
  from: number,
  maxBytes: number,
  level: Level,
): Promise<{ rows: LogRow[]; end: number }> => {
  const [found] = await call.read(
    [
      `WITH following AS (
          SELECT seq, octet_length(batch) AS bytes FROM formbox_log WHERE seq >= ? ORDER BY seq LIMIT ?
        ), counted AS (
          SELECT seq, sum(iif(seq > ?, bytes, 0)) OVER (ORDER BY seq) AS bytes, sum(seq > ?) OVER (ORDER BY seq) AS nth
          FROM following
        )
        SELECT tail.seq, own.seq, own.id, own.version, iif(own.seq > ?, own.batch, '')
        FROM (SELECT coalesce(max(seq), 0) AS seq FROM formbox_log) AS tail
        LEFT JOIN counted ON counted.nth <= 1 OR counted.bytes <= ?
        LEFT JOIN formbox_log AS own ON own.seq = counted.seq
        ORDER BY own.seq`,
      from,
      maxReadRows,
      from,
      from,
      from,
      maxBytes,
    ],
    level,
    maxReadAnswerBytes,
  )
  const rows = (found?.rows ?? []).flatMap(([, seq, id, version, batch]) =>
    seq === null ? [] : [{ seq: Number(seq), id: String(id), version: Number(version), batch: String(batch) }],
  )
  return { rows, end: Number(found?.rows[0]?.[0] ?? 0) }
}

const endOf = async (call: RqliteCall): Promise<number> => {
  const [found] = await call.read(['SELECT max(seq) FROM formbox_log'])
  return Number(found?.rows[0]?.[0] ?? 0)
}

const ends = async (call: RqliteCall): Promise<{ first: number; last: number } | null> => {
  const [found] = await call.read(['SELECT (SELECT min(seq) FROM formbox_log), max(seq) FROM formbox_log'], 'strong')
  const [first, last] = found?.rows[0] ?? []
  return typeof first === 'number' && typeof last === 'number' ? { first, last } : null
}

/** rqlite puts the leader's time in place of `now`. */
const report = async (call: RqliteCall, node: NodeReport): Promise<void> => {
  await call.write([
    [
      `INSERT INTO formbox_nodes (name, instance, applied, version, backed_up, url, seen_at)
      VALUES (?, ?, ?, ?, ?, ?, julianday('now'))
      ON CONFLICT (name) DO UPDATE SET
        instance = excluded.instance, applied = excluded.applied, version = excluded.version,
        backed_up = excluded.backed_up, url = excluded.url, seen_at = excluded.seen_at`,
      node.name,
      node.instance,
      node.applied,
      node.version,
      node.backedUp,
      node.url,
    ],
  ])
}

const nodesOf = async (call: RqliteCall): Promise<NodeSeen[]> => {
  const [found] = await call.read([
    `SELECT name, instance, applied, version, backed_up, url, max(0, (julianday('now') - seen_at) * 86400)
      FROM formbox_nodes ORDER BY name`,
  ])
  return (found?.rows ?? []).map(([name, instance, applied, version, backedUp, url, secondsAgo]) => ({
    name: String(name),
    instance: String(instance),
    applied: Number(applied),
    version: Number(version),
    backedUp: typeof backedUp === 'number' ? backedUp : null,
    url: typeof url === 'string' ? url : null,
    secondsAgo: Number(secondsAgo),
  }))
}

const trimmedAtOnce = 500

/** Deletes from the oldest row on, so that the rest has no gap. The last row stays: the next number follows from it. */
const trim = async (call: RqliteCall, before: number): Promise<boolean> => {
  const [deleted] = await call.write([
    [
      `DELETE FROM formbox_log WHERE seq IN (
        SELECT seq FROM formbox_log WHERE seq < min(?, (SELECT max(seq) FROM formbox_log)) ORDER BY seq LIMIT ?
      )`,
      before,
      trimmedAtOnce,
    ],
  ])
  return deleted?.rowsAffected === trimmedAtOnce
}

const token = async (call: RqliteCall): Promise<string> => {
  const [, found] = await call.write([
    [`INSERT INTO formbox_meta VALUES ('token', ?) ON CONFLICT DO NOTHING`, newToken()],
    [`SELECT value FROM formbox_meta WHERE key = 'token'`],
  ])
  return String(found?.rows[0]?.[0])
}

interface RqliteNodes {
  readonly nodes?: readonly { readonly addr: string; readonly voter: boolean; readonly reachable: boolean }[]
}

/** None for a user that may not see the state of rqlite. */
const warnings = async (call: RqliteCall): Promise<string[]> => {
  const { nodes = [] } = await call.get<RqliteNodes>('/nodes?ver=2').catch((error: unknown): RqliteNodes => {
    if (error instanceof OperatorError) return {}
    throw error
  })
  const voters = nodes.filter(({ voter }) => voter)
  const lost = voters.filter(({ reachable }) => !reachable)
  return [
    ...lost.map(({ addr }) => `rqlite: the node at ${addr} is not reachable`),
    ...(voters.length === 1 || voters.length === 2
      ? [`rqlite: ${voters.length} of its nodes vote, so none may fail; of three, one may`]
      : []),
  ]
}
