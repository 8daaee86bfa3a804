import type { SQL } from 'bun'
import { OperatorError } from '../../base/operator-errors.ts'
import { newToken } from '../../base/token.ts'
import {
  adaptSliceSize,
  type ClusterLog,
  type LogLimits,
  type LogRow,
  type LogServer,
  maxReadRows,
  type NodeReport,
  type NodeSeen,
} from './log.ts'
import { isDuplicate } from './postgres-errors.ts'
import { channel, openListener } from './postgres-listener.ts'
import { openPool, type PostgresPool } from './postgres-pool.ts'
import { prepare } from './postgres-tables.ts'

/**
 * The log in a PostgreSQL database. A row is durable when `append` resolves, also on the synchronous standby if there
 * is one, and no reader sees it earlier.
 *
 * Statements are not prepared and the session is not set up, so that PgBouncer may pool transactions. Then nothing
 * notifies, and rows of other machines are found when someone looks.
 */
export const openPostgresLog = (servers: readonly LogServer[], limits: LogLimits): ClusterLog => {
  const pool = openPool(servers, limits)
  const listener = openListener(pool)
  const sized = adaptSliceSize()
  return {
    prepare: () => pool.run((sql, server) => prepare(sql, server, limits)),
    append: (row) => append(pool, row, limits),
    async readFrom(seq) {
      const found = await sized((maxBytes) => pool.run((sql) => readFrom(sql, seq, maxBytes)))
      listener.noteRead(found.end)
      return found
    },
    ends: () => pool.run(ends),
    onAppended: listener.start,
    report: (node) => pool.run((sql) => report(sql, node, limits)),
    nodes: () => pool.run(nodes),
    forget: (name) => pool.run((sql) => forget(sql, name)),
    trim: (before) => pool.run((sql) => trim(sql, before, limits)),
    token: () => pool.run(token),
    warnings: () => pool.run(warnings),
    async close() {
      listener.close()
      pool.close()
    },
  }
}

const append = async (
  pool: PostgresPool,
  row: Omit<LogRow, 'seq'>,
  limits: LogLimits,
): Promise<{ seq: number; previousId: string | null }> => {
  const deadline = pool.endOfCall()
  try {
    return await pool.run((sql) => insert(sql, row, limits), deadline)
  } catch (error) {
    if (!(error instanceof Error) || !isDuplicate(error.cause)) throw error
    return await pool.run((sql, { label }) => find(sql, row.id, label), deadline)
  }
}

/**
 * The lock on the only row of formbox_log_head puts all appends in order. It is held until the commit is on the
 * standby, so a later number is never seen before an earlier one.
 *
 * `remote_apply` is more than `on`, every other level is less. A call that waits for the lock, behind a commit that
 * waits for a missing standby, gives up in time and takes no connection of the server for longer.
 */
const insert = async (sql: SQL, { id, version, batch }: Omit<LogRow, 'seq'>, { callMilliseconds }: LogLimits) => {
  const [row] = await sql<{ seq: string; previousId: string | null }[]>`
    WITH settings AS MATERIALIZED (
      SELECT set_config('lock_timeout', ${String(callMilliseconds)}, true), set_config('synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
    ), head AS (
      UPDATE formbox_log_head SET seq = seq + 1, previous_id = id, id = ${id}
      WHERE (SELECT count(*) FROM settings) = 1
      RETURNING seq, previous_id
    ), appended AS (
      INSERT INTO formbox_log (seq, id, version, batch)
      SELECT seq, ${id}, ${version}::int, ${batch} FROM head
      RETURNING seq
    )
    SELECT seq, previous_id AS "previousId", pg_notify(${channel}, seq::text) FROM appended JOIN head USING (seq)`
  if (!row) throw new OperatorError('PostgreSQL: the table formbox_log_head is empty; restore it from a backup')
  return { seq: Number(row.seq), previousId: row.previousId }
}

const find = async (sql: SQL, id: string, label: string) => {
  const [row] = await sql<{ seq: string; previousId: string | null }[]>`
    SELECT seq, (SELECT id FROM formbox_log WHERE seq = own.seq - 1) AS "previousId"
    FROM formbox_log AS own WHERE id = ${id}`
  if (!row)
    throw new OperatorError(
      `PostgreSQL at ${label}: formbox_log_head and formbox_log do not fit; restore them together`,
    )
  return { seq: Number(row.seq), previousId: row.previousId }
}

/** The end of the log comes with every row, or alone: it is of the same state. */
const readFrom = async (sql: SQL, from: number, maxBytes: number): Promise<{ rows: LogRow[]; end: number }> => {
  const found = await sql<{ end: string; seq: string; id: string | null; version: number; batch: string }[]>`
    SELECT tail.seq AS end, counted.seq, id, version, CASE WHEN counted.seq > ${from}::bigint THEN batch ELSE '' END AS batch
    FROM (SELECT coalesce(max(seq), 0) AS seq FROM formbox_log) AS tail
    LEFT JOIN (
      SELECT *, sum(octet_length(batch)) FILTER (WHERE seq > ${from}::bigint) OVER (ORDER BY seq) AS bytes,
        count(*) FILTER (WHERE seq > ${from}::bigint) OVER (ORDER BY seq) AS nth
      FROM (
        SELECT seq, id, version, batch FROM formbox_log
        WHERE seq >= ${from}::bigint ORDER BY seq LIMIT ${maxReadRows}::int
      ) AS following
    ) AS counted ON nth <= 1 OR bytes <= ${maxBytes}::int
    ORDER BY counted.seq`
  const rows = found.flatMap(({ seq, id, version, batch }) =>
    id === null ? [] : [{ seq: Number(seq), id, version: Number(version), batch }],
  )
  return { rows, end: Number(found[0]?.end ?? 0) }
}

const ends = async (sql: SQL): Promise<{ first: number; last: number } | null> => {
  const [row] = await sql<{ first: string | null; last: string | null }[]>`
    SELECT min(seq) AS first, max(seq) AS last FROM formbox_log`
  return row?.first && row.last ? { first: Number(row.first), last: Number(row.last) } : null
}

/**
 * Settings for writes that may get lost in a fail-over. They wait for no standby: if that hangs, each try would hold
 * one more connection of the server, until there are none left for appends.
 */
const withoutStandby = (sql: SQL, { callMilliseconds }: LogLimits) => sql`
  SELECT set_config('lock_timeout', ${String(callMilliseconds)}, true), set_config('synchronous_commit', 'off', true)`

const report = async (sql: SQL, node: NodeReport, limits: LogLimits): Promise<void> => {
  await sql`
    WITH settings AS MATERIALIZED (${withoutStandby(sql, limits)})
    INSERT INTO formbox_nodes (name, instance, applied, version, backed_up, url, seen_at)
    SELECT
      ${node.name}, ${node.instance}, ${node.applied}::bigint, ${node.version}::int, ${node.backedUp}::bigint,
      ${node.url}, clock_timestamp()
    FROM settings
    ON CONFLICT (name) DO UPDATE SET
      instance = excluded.instance, applied = excluded.applied, version = excluded.version,
      backed_up = excluded.backed_up, url = excluded.url, seen_at = excluded.seen_at`
}

const nodes = async (sql: SQL): Promise<NodeSeen[]> => {
  const rows = await sql<
    Record<'name' | 'instance' | 'applied' | 'version' | 'backedUp' | 'url' | 'secondsAgo', string>[]
  >`
    SELECT name, instance, applied, version, backed_up AS "backedUp", url,
      greatest(0, extract(epoch FROM clock_timestamp() - seen_at))::float8 AS "secondsAgo"
    FROM formbox_nodes ORDER BY name COLLATE "C"`
  return rows.map((row) => ({
    name: row.name,
    instance: row.instance,
    applied: Number(row.applied),
    version: Number(row.version),
    backedUp: row.backedUp === null ? null : Number(row.backedUp),
    url: row.url,
    secondsAgo: Number(row.secondsAgo),
  }))
}

const forget = async (sql: SQL, name: string): Promise<void> => {
  await sql`DELETE FROM formbox_nodes WHERE name = ${name}`
}

const trimmedAtOnce = 500

/** Deletes from the oldest row on, so that the rest has no gap. The last row stays: it says where the log is. */
const trim = async (sql: SQL, before: number, limits: LogLimits): Promise<boolean> => {
  const deleted = await sql`
    WITH settings AS MATERIALIZED (${withoutStandby(sql, limits)})
    DELETE FROM formbox_log WHERE seq IN (
      SELECT seq FROM formbox_log
      WHERE (SELECT count(*) FROM settings) = 1 AND seq < least(${before}::bigint, (SELECT seq FROM formbox_log_head))
      ORDER BY seq LIMIT ${trimmedAtOnce}::int
    )`
  return deleted.affectedRows === trimmedAtOnce
}

const token = async (sql: SQL): Promise<string> => {
  const proposed = newToken()
  await sql`INSERT INTO formbox_meta (key, value) VALUES ('token', ${proposed}) ON CONFLICT DO NOTHING`
  const [row] = await sql<{ value: string }[]>`SELECT value FROM formbox_meta WHERE key = 'token'`
  return row?.value ?? proposed
}

/** Without the rights to see it, pg_stat_replication has rows without a state. */
const warnings = async (sql: SQL): Promise<string[]> => {
  const [row] = await sql<Record<'names' | 'fsync' | 'synchronous' | 'hidden', string>[]>`
    SELECT current_setting('synchronous_standby_names') AS names, current_setting('fsync') AS fsync,
      count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) AS synchronous,
      count(*) FILTER (WHERE pid IS NOT NULL AND state IS NULL) AS hidden
    FROM pg_stat_replication`
  const found: string[] = []
  if (!row) return found
  if (row.fsync === 'off') found.push('PostgreSQL: fsync is off; writes are lost when the machine fails')
  if (row.names.trim() === '')
    found.push(
      'PostgreSQL: synchronous_standby_names is empty; if this server is lost, so are acknowledged writes, unless its ' +
        'storage is replicated',
    )
  else if (Number(row.synchronous) === 0 && Number(row.hidden) === 0)
    found.push('PostgreSQL: no synchronous standby is connected; writes wait for one')
  return found
}
