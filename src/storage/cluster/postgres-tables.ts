import type { SQL } from 'bun'
import { OperatorError } from '../../base/operator-errors.ts'
import type { LogLimits, LogServer } from './log.ts'

/** Version of the tables below. A later Formbox that changes them counts on. */
const format = '1'

/**
 * Creates the tables of the log, unless they are there.
 *
 * @throws OperatorError if the server or its tables cannot be used
 */
export const prepare = async (sql: SQL, { label }: LogServer, limits: LogLimits): Promise<void> => {
  const problem = await problemOf(sql)
  if (problem !== null) throw new OperatorError(`PostgreSQL at ${label}: ${problem}`)
  const [tables] = await sql<{ count: number }[]>`
    SELECT count(to_regclass(name))::int AS count
    FROM unnest(ARRAY['formbox_log', 'formbox_log_head', 'formbox_nodes', 'formbox_meta']) AS name`
  // A user that may not create tables can be given them.
  if (Number(tables?.count) < 4) await createTables(sql, limits)
  const [found] = await sql<{ value: string }[]>`SELECT value FROM formbox_meta WHERE key = 'format'`
  if (found?.value !== format)
    throw new OperatorError(
      `PostgreSQL at ${label}: the tables are of another version of Formbox; upgrade this machine`,
    )
}

const problemOf = async (sql: SQL): Promise<string | null> => {
  const [server] = await sql<Record<'version' | 'encoding' | 'isolation', string>[]>`
    SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
      current_setting('default_transaction_isolation') AS isolation`
  if (Number(server?.version) < 120_000) return 'Formbox needs PostgreSQL 12 or newer'
  if (server?.encoding !== 'UTF8') return `the database must have the encoding UTF8, not ${server?.encoding}`
  // Otherwise every append that waited for another would fail.
  if (server.isolation !== 'read committed')
    return `default_transaction_isolation must be read committed, not ${server.isolation}`
  return null
}

/** Creates them in one transaction, because it is one message. Machines that start together take turns. */
const createTables = (sql: SQL, limits: LogLimits): Promise<unknown> =>
  sql
    .unsafe(`
SELECT set_config('lock_timeout', '${limits.callMilliseconds}', true), set_config('client_min_messages', 'warning', true);
SELECT pg_advisory_xact_lock(7293650167);
CREATE TABLE IF NOT EXISTS formbox_log (
  seq BIGINT PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INT NOT NULL, batch TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS formbox_log_head (
  one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one), seq BIGINT NOT NULL, id TEXT, previous_id TEXT
);
INSERT INTO formbox_log_head (seq) VALUES (0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS formbox_nodes (
  name TEXT PRIMARY KEY, instance TEXT NOT NULL, applied BIGINT NOT NULL, version INT NOT NULL,
  backed_up BIGINT, url TEXT, seen_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE IF NOT EXISTS formbox_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO formbox_meta VALUES ('format', '${format}') ON CONFLICT DO NOTHING`)
    .simple()
