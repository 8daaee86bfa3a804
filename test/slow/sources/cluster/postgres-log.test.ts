// What is special about PostgreSQL: rights, synchronous standbys, fail-over.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../../src/base/operator-errors.ts'
import { LogUnavailable } from '../../../../src/storage/cluster/log.ts'
import { appendSurely, failure, idsOf, open, row, surely } from '../../../cluster/log-calls.ts'
import {
  ownByServer,
  type PostgresProcess,
  startPostgres,
  startStandby,
  whyNoPostgres,
} from '../../../cluster/postgres.ts'
import { startProxy } from '../../../cluster/proxy.ts'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { temporaryFolder } from '../../../harness.ts'
import { ownCertificate } from '../../../mail/certificate.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

const why = whyNoPostgres()
if (why !== null) noteSkipped(`The tests of PostgreSQL are skipped: ${why}.`)

describe.skipIf(why !== null)('PostgreSQL', () => {
  test('tells the operator what is wrong with the set-up, and not the password', async () => {
    const server = await startPostgres()
    await server.ask(`
      CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;`)
    await server.ask('CREATE DATABASE strict')
    await server.ask(`ALTER DATABASE strict SET default_transaction_isolation = 'serializable'`)
    await server.ask(`CREATE ROLE guest LOGIN PASSWORD 'guest'`)
    await server.ask('CREATE TABLE formbox_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)', 'template1')
    await server.ask(`INSERT INTO formbox_meta VALUES ('format', '2')`, 'template1')
    await server.ask('CREATE DATABASE newer')
    const wrong: [string, string][] = [
      [server.urlOf().replace(/:[^:@]+@/, ':wrong-secret@'), 'password authentication failed for user "formbox"'],
      [server.urlOf('missing'), 'database "missing" does not exist'],
      [server.urlOf('latin'), 'the database must have the encoding UTF8, not LATIN1'],
      [server.urlOf('strict'), 'default_transaction_isolation must be read committed, not serializable'],
      [server.urlOf('newer'), 'the tables are of another version of Formbox; upgrade this machine'],
      [server.urlOf().replace(/\/\/.*@/, '//guest:guest@'), 'permission denied for schema public'],
      [`${server.urlOf()}?sslmode=require`, 'Server does not support SSL'],
    ]
    for (const [url, message] of wrong) {
      const error = await failure(open(url).prepare())
      expect(error.message).toBe(`PostgreSQL at 127.0.0.1:${server.port}: ${message}`)
      expect(error).toBeInstanceOf(OperatorError)
    }
  })

  test('closes no other connection when the set-up is wrong, and sees on a new one that it was corrected', async () => {
    const server = await startPostgres()
    await server.ask(`ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'`)
    const proxy = await startProxy(server.port)
    const log = open(server.urlOf().replace(`:${server.port}/`, `:${proxy.port}/`))
    const heard: (number | null)[] = []
    log.onAppended((seq) => heard.push(seq))
    await until(() => heard.length > 0, 'a row is heard', slowly)
    const before = proxy.connections()
    for (let n = 0; n < 5; n++) expect(await failure(log.prepare())).toBeInstanceOf(OperatorError)
    expect(proxy.connections()).toBeWithin(before, before + 6)
    await until(
      async () => {
        await server.ask(`SELECT pg_notify('formbox_log', '7')`)
        return heard.includes(7)
      },
      'row 7 is heard',
      slowly,
    )
    // It did not have to listen again.
    expect(heard.filter((seq) => seq === null)).toHaveLength(1)
    await server.ask('ALTER DATABASE postgres RESET default_transaction_isolation')
    await log.prepare()
  })

  test('throws in time though it has to look for a row that is there already', async () => {
    const server = await startPostgres()
    const log = open(server.urlOf(), { callMilliseconds: 2000 })
    await surely(log.prepare)
    await appendSurely(log, 'a')
    await server.ask(`
      ALTER TABLE formbox_log RENAME TO all_rows;
      CREATE TABLE pace (seconds real);
      INSERT INTO pace VALUES (10);
      CREATE FUNCTION slow() RETURNS boolean LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(seconds) FROM pace; RETURN TRUE; END';
      CREATE FUNCTION slow_row() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(seconds) FROM pace; RETURN NEW; END';
      CREATE TRIGGER slow_row BEFORE INSERT ON all_rows FOR EACH ROW EXECUTE FUNCTION slow_row();
      CREATE VIEW formbox_log AS SELECT * FROM all_rows WHERE slow()`)
    const append = async () => expect(await failure(log.append(row('a')))).toBeInstanceOf(LogUnavailable)
    const whole = await millisecondsOf(append)
    await server.ask('UPDATE pace SET seconds = 1.5')
    // The second alone would take as long as the whole.
    await expectBelow(1.6 * whole, () => millisecondsOf(append))
  })

  test('needs no more than a schema of its own, or tables that someone else made', async () => {
    const server = await startPostgres()
    await server.ask(`
      CREATE ROLE owner LOGIN PASSWORD 'secret';
      CREATE ROLE reader LOGIN PASSWORD 'secret';
      CREATE SCHEMA box AUTHORIZATION owner;
      GRANT USAGE ON SCHEMA box TO reader;`)
    const urlOf = (role: string) =>
      `${server.urlOf().replace(/\/\/.*@/, `//${role}:secret@`)}?options=-c%20search_path%3Dbox`
    const owner = open(urlOf('owner'))
    await owner.prepare()
    await owner.append(row('a'))
    expect(await failure(open(urlOf('reader')).prepare())).toBeInstanceOf(OperatorError)
    await server.ask(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA box TO reader`)
    const reader = open(urlOf('reader'))
    await reader.prepare()
    expect(await reader.append(row('b'))).toEqual({ seq: 2, previousId: 'a' })
    // It may not see whether there is a standby.
    expect((await reader.warnings()).join()).not.toContain('no synchronous standby')
    expect((await server.ask('SELECT id FROM box.formbox_log ORDER BY seq')).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('commits to disk even if the server or the role says otherwise', async () => {
    const server = await startPostgres({ synchronous_commit: 'off', synchronous_standby_names: 'nobody' })
    await open(server.urlOf()).prepare()
    const log = open(server.urlOf(), { callMilliseconds: 1000 })
    expect(await log.ends()).toBeNull()
    expect(await failure(log.append(row('a')))).toBeInstanceOf(LogUnavailable)
  })

  test('warns of writes that one machine alone has', async () => {
    const server = await startPostgres()
    const log = open(server.urlOf())
    expect(await log.warnings()).toEqual([
      'PostgreSQL: fsync is off; writes are lost when the machine fails',
      expect.stringContaining('synchronous_standby_names is empty'),
    ])
    const lonely = await startPostgres({ fsync: 'on', synchronous_standby_names: 's1' })
    expect(await open(lonely.urlOf()).warnings()).toEqual([
      'PostgreSQL: no synchronous standby is connected; writes wait for one',
    ])
  })

  test('encrypts if the server can, and checks its certificate if told to', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    writeFileSync(certificate, ownCertificate.cert)
    writeFileSync(key, ownCertificate.key, { mode: 0o600 })
    for (const file of [certificate, key]) ownByServer(file)
    const server = await startPostgres({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key })
    const url = server.urlOf().replace('127.0.0.1', 'localhost')
    const encrypted = async (query: string): Promise<boolean[]> => {
      const log = open(url + query)
      await log.prepare()
      let calls = 0
      log.onAppended(() => {
        calls += 1
      })
      await until(() => calls > 0, 'a row is heard', slowly)
      const found = await server.ask<{ ssl: boolean }>(`
        SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
      await log.close()
      await until(
        async () =>
          (await server.ask(`SELECT FROM pg_stat_activity WHERE backend_type = 'client backend'`)).length === 1,
        'one connection is left',
        slowly,
      )
      return found.map(({ ssl }) => ssl)
    }
    expect(await encrypted('')).toEqual([true, true])
    expect(await encrypted('?sslmode=require')).toEqual([true, true])
    expect(await encrypted(`?sslmode=verify-full&sslrootcert=${certificate}`)).toEqual([true, true])
    expect(await encrypted('?sslmode=disable')).toEqual([false, false])
    for (const query of ['?sslmode=verify-full', `?sslmode=verify-full&sslrootcert=${certificate}`]) {
      const other = query.includes('sslrootcert') ? server.urlOf() : url
      const error = await failure(open(other + query).prepare())
      expect(error).toBeInstanceOf(OperatorError)
      expect(error.message).toMatch(/self.signed certificate$|does not match certificate's altnames$/)
    }
  })

  test('goes by its URL, and not by variables that other programs use', async () => {
    const server = await startPostgres()
    const variables = {
      PGDATABASE: 'other',
      PGUSER: 'other',
      PGPASSWORD: 'x',
      PGPORT: '1',
      PGHOST: 'x',
    }
    const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
    Object.assign(process.env, variables, { DATABASE_URL: 'postgres://other@x/other' })
    try {
      await open(server.urlOf()).prepare()
    } finally {
      for (const [name, value] of Object.entries({ ...before, DATABASE_URL: undefined }))
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    }
    expect(await server.ask('SELECT * FROM formbox_log')).toHaveLength(0)
  })

  const startPair = async () => {
    const primary = await startPostgres({ fsync: 'on', synchronous_standby_names: 'FIRST 1 (s1)' })
    const standby = await startStandby(primary, 's1')
    const log = open(primary.urlOf())
    await until(async () => (await log.warnings()).length === 0, 'nothing is warned of', slowly)
    return { primary, standby, urls: [primary.urlOf(), standby.urlOf()] }
  }

  test('has each row on the standby before it is answered or read, and frees what waits for it', async () => {
    const { primary, standby } = await startPair()
    const log = open(primary.urlOf())
    await log.prepare()
    await log.append(row('a'))
    const hasty = open(primary.urlOf(), { callMilliseconds: 500 })
    standby.freeze()
    const before = await connectionsOf(primary)
    for (let attempt = 0; attempt < 6; attempt++)
      expect(await failure(hasty.append(row('b')))).toBeInstanceOf(LogUnavailable)
    expect(await idsOf(log)).toEqual(['a'])
    // One waits for the standby. Those that waited for its lock have given up.
    await until(
      async () => (await connectionsOf(primary)) <= before + 2,
      'the connections are closed but for two',
      slowly,
    )
    standby.thaw()
    expect(await appendSurely(log, 'b')).toBe(2)
    expect(await idsOf(log)).toEqual(['a', 'b'])
  })

  test('neither waits for a standby to say where a machine is, nor lets that take connections of the server', async () => {
    const { primary, standby } = await startPair()
    const log = open(primary.urlOf())
    await log.prepare()
    await log.append(row('a'))
    standby.freeze()
    const before = await connectionsOf(primary)
    const node = { name: 'one', instance: 'i', version: 1, backedUp: null, url: null }
    for (let applied = 1; applied <= 8; applied++) {
      await log.report({ ...node, applied })
      await log.trim(1)
    }
    await until(async () => (await connectionsOf(primary)) <= before, 'the connections are closed', slowly)
    expect((await log.nodes()).map(({ applied }) => applied)).toEqual([8])
    standby.thaw()
  })

  const connectionsOf = async (server: PostgresProcess): Promise<number> => {
    const [found] = await server.ask<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'`,
    )
    return Number(found?.count)
  }

  test('goes on with the standby that was promoted, and is woken by it', async () => {
    const { primary, standby, urls } = await startPair()
    const [log, other] = [open(urls), open(urls.toReversed())]
    await Promise.all([log.prepare(), other.prepare()])
    let calls = 0
    other.onAppended(() => {
      calls += 1
    })
    let count = 0
    const write = async (rows: number) => {
      for (const end = count + rows; count < end; count++)
        expect(await appendSurely(log, `row ${count}`)).toBe(count + 1)
    }
    await write(50)
    const writing = write(50)
    await primary.kill()
    expect(await failure(other.append(row('before')))).toMatchObject({ name: 'LogUnavailable' })
    await standby.promote()
    await writing
    const before = calls
    await until(
      async () => {
        await write(1)
        return calls > before + 1
      },
      'rows are heard again',
      slowly,
    )
    expect((await idsOf(other)).slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, index) => `row ${index}`))
    expect(await log.warnings()).toEqual([expect.any(String), expect.any(String)])
    // The one that was replaced comes back by mistake. No one listens to it.
    await primary.start()
    const late = open(urls)
    expect((await late.ends())!.last).toBe(count)
    await log.close()
    expect(await failure(open(primary.urlOf(), { callMilliseconds: 500 }).append(row('lost')))).toBeInstanceOf(
      LogUnavailable,
    )
    expect((await other.ends())!.last).toBe(count)
  })

  test('uses no server that is a standby or read-only', async () => {
    const { primary, standby } = await startPair()
    const log = open(standby.urlOf())
    expect((await failure(log.ends())).message).toBe(`PostgreSQL at 127.0.0.1:${standby.port}: it is a standby`)
    const own = open(primary.urlOf())
    await own.prepare()
    const reader = open(primary.urlOf())
    await reader.ends()
    await own.append(row('a'))
    await primary.ask('ALTER SYSTEM SET default_transaction_read_only = on')
    await primary.ask('SELECT pg_reload_conf()')
    await until(
      async () => (await failure(own.append(row('b')))).message.includes('it is read-only'),
      'the server is read-only',
      slowly,
    )
    // Also not when it had a connection from before: that one is not used to connect again.
    await primary.kill()
    await primary.start()
    for (const each of [reader, own]) expect((await failure(each.ends())).message).toEndWith('it is read-only')
    await primary.ask('ALTER SYSTEM RESET default_transaction_read_only')
    await primary.ask('SELECT pg_reload_conf()')
    expect(await appendSurely(own, 'c')).toBeGreaterThan(1)
  })
})
