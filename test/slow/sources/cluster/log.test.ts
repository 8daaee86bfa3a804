// What every engine must do with the log, against real servers of each.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type ClusterLog, type LogLimits, type LogRow, LogUnavailable } from '../../../../src/storage/cluster/log.ts'
import { appendSurely, failure, idsOf, open, row, surely } from '../../../cluster/log-calls.ts'
import { startPostgres, whyNoPostgres } from '../../../cluster/postgres.ts'
import { startProxy } from '../../../cluster/proxy.ts'
import { startRqlite, whyNoRqlite } from '../../../cluster/rqlite.ts'
import { forThisFile } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

interface Engine {
  /** The URLs of a log that no one has used. */
  freshUrl(): Promise<readonly string[]>
  freeze(): void
  thaw(): void
  kill(): Promise<void>
  start(): Promise<void>
  readonly port: number
}

const postgres = async (): Promise<Engine> => {
  const server = await startPostgres()
  let databases = 0
  return {
    ...server,
    async freshUrl() {
      const name = `log${++databases}`
      await server.ask(`CREATE DATABASE ${name}`)
      return [server.urlOf(name)]
    },
  }
}

const rqlite = async (): Promise<Engine> => {
  const { nodes, urls, ask, settle } = await startRqlite(3)
  const all = nodes.keys().toArray()
  return {
    port: nodes[0]!.port,
    async freshUrl() {
      await ask(
        '/db/execute',
        ['log', 'nodes', 'meta'].map((table) => `DROP TABLE IF EXISTS formbox_${table}`),
      )
      return urls
    },
    freeze: () => nodes.forEach((node) => void node.freeze()),
    thaw: () => nodes.forEach((node) => void node.thaw()),
    kill: async () => void (await Promise.all(nodes.map((node) => node.kill()))),
    async start() {
      for (const node of nodes) node.start()
      await settle(all)
    },
  }
}

const engines = [
  { name: 'PostgreSQL', why: whyNoPostgres(), start: postgres },
  { name: 'rqlite', why: whyNoRqlite(), start: rqlite },
]

const appendAll = async (log: ClusterLog, ids: readonly string[]) => {
  for (const id of ids) await log.append(row(id))
}
const readAll = async (log: ClusterLog): Promise<LogRow[]> => {
  const rows: LogRow[] = []
  while (true) {
    const from = rows.at(-1)?.seq ?? 0
    const found = await log.readFrom(from)
    rows.push(...found.rows.filter(({ seq }) => seq > from))
    if (rows.length === 0 || rows.at(-1)?.seq === found.end) return rows
  }
}
const names = (count: number, start: string): string[] =>
  Array.from({ length: count }, (_, index) => `${start}${index}`)

for (const { name, why, start } of engines) {
  if (why !== null) noteSkipped(`The tests of the log in ${name} are skipped: ${why}.`)

  describe.skipIf(why !== null)(`the log in ${name}`, () => {
    let shared: Promise<Engine> | null = null
    const engine = (): Promise<Engine> => (shared ??= forThisFile(start))
    const freshLog = async () => {
      const log = open(await (await engine()).freshUrl())
      await log.prepare()
      return log
    }

    test('makes its tables once, when machines start together', async () => {
      const url = await (await engine()).freshUrl()
      const logs = [1, 2, 3].map(() => open(url))
      await Promise.all(logs.map((log) => log.prepare()))
      await logs[0]!.prepare()
      expect(await logs[1]!.ends()).toBeNull()
      expect(await logs[2]!.readFrom(0)).toEqual({ rows: [], end: 0 })
      expect(await logs[2]!.readFrom(5)).toEqual({ rows: [], end: 0 })
      expect(await logs[0]!.nodes()).toEqual([])
    })

    test('returns the number of each row and the identifier of the one before', async () => {
      const log = await freshLog()
      expect(await log.append(row('a'))).toEqual({ seq: 1, previousId: null })
      expect(await log.append(row('b'))).toEqual({ seq: 2, previousId: 'a' })
      expect(await log.append(row('c'))).toEqual({ seq: 3, previousId: 'b' })
      expect(await log.ends()).toEqual({ first: 1, last: 3 })
      const [b, c] = [
        { seq: 2, ...row('b') },
        { seq: 3, ...row('c') },
      ]
      expect(await log.readFrom(0)).toEqual({ rows: [{ seq: 1, ...row('a') }, b, c], end: 3 })
      expect(await log.readFrom(2)).toEqual({ rows: [{ ...b, batch: '' }, c], end: 3 })
      expect(await log.readFrom(3)).toEqual({ rows: [{ ...c, batch: '' }], end: 3 })
      expect(await log.readFrom(4)).toEqual({ rows: [], end: 3 })
    })

    test('keeps any text as it is', async () => {
      const log = await freshLog()
      const batch = JSON.stringify([`ä€😀'"\\ \u0000 \ud800 $1 ? :name`, '\u2028 \r\n %'])
      await log.append(row(`it's ?`, batch))
      expect((await log.readFrom(0)).rows).toEqual([{ seq: 1, ...row(`it's ?`, batch) }])
    })

    test('puts rows of three machines in one order, without gaps', async () => {
      const url = await (await engine()).freshUrl()
      const logs = [1, 2, 3].map(() => open(url))
      await logs[0]!.prepare()
      const seen: LogRow[] = []
      let isOver = false
      const reading = (async () => {
        while (true) {
          const isLast = isOver
          const { rows } = await logs[0]!.readFrom(seen.at(-1)?.seq ?? 0)
          seen.push(...(seen.length > 0 ? rows.slice(1) : rows))
          if (isLast) return
        }
      })()
      const appended = await Promise.all(
        logs.flatMap((log, machine) =>
          [0, 1].map(async (lane) => {
            const own = names(40, `${machine}-${lane}-`)
            return await Promise.all(own.map(async (id) => ({ id, ...(await log.append(row(id))) })))
          }),
        ),
      )
      isOver = true
      await reading
      const all = appended.flat().sort((a, b) => a.seq - b.seq)
      expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 240 }, (_, index) => index + 1))
      expect(all.map(({ previousId }) => previousId)).toEqual([null, ...all.slice(0, -1).map(({ id }) => id)])
      // Someone who read while rows were appended has missed none.
      expect(seen.map(({ seq, id }) => ({ seq, id }))).toEqual(all.map(({ seq, id }) => ({ seq, id })))
      for (const log of logs) expect((await readAll(log)).map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    })

    test('finds a row that was appended before, also while it is being appended', async () => {
      const log = await freshLog()
      await appendAll(log, ['a', 'b', 'c'])
      expect(await log.append(row('b', 'other'))).toEqual({ seq: 2, previousId: 'a' })
      expect(await log.append(row('a'))).toEqual({ seq: 1, previousId: null })
      const raced = await Promise.all(names(8, '').map(() => log.append(row('same'))))
      expect(raced).toEqual(raced.map(() => ({ seq: 4, previousId: 'c' })))
      expect(await log.ends()).toEqual({ first: 1, last: 4 })
      expect(await log.append(row('d'))).toEqual({ seq: 5, previousId: 'same' })
    })

    test('reads in slices of 4 MiB, and a larger row alone', async () => {
      const log = await freshLog()
      const sizes = [10, 2_000_000, 2_000_000, 500_000, 5_000_000, 10, 4_194_304, 1]
      for (const [index, size] of sizes.entries())
        await log.append(row(`row ${index}`, 'é'.repeat(size / 2).padEnd(size)))
      const slice = async (from: number) =>
        (await log.readFrom(from)).rows.map(({ seq, batch }) => [seq, Buffer.byteLength(batch)])
      const bytes = (index: number) => Buffer.byteLength('é'.repeat(sizes[index]! / 2).padEnd(sizes[index]!))
      expect(sizes.map((_, index) => bytes(index)).every((size, index) => size >= sizes[index]!)).toBe(true)
      const lengths: number[][] = []
      for (let from = 0; ; ) {
        const found = await slice(from)
        const news = found.filter(([seq]) => seq! > from)
        if (news.length === 0) break
        if (from > 0) expect(found[0]).toEqual([from, 0])
        const total = news.reduce((sum, [, size]) => sum + size!, 0)
        expect(total <= 4 * 1024 * 1024 || news.length === 1).toBe(true)
        lengths.push(...(news as number[][]))
        from = news.at(-1)![0]!
      }
      expect(lengths).toEqual(sizes.map((_, index) => [index + 1, bytes(index)]))
    })

    test('trims from the oldest row on, in slices, and keeps the last', async () => {
      const log = await freshLog()
      await Promise.all(names(600, 'row ').map((id) => log.append(row(id))))
      expect(await log.trim(1)).toBe(false)
      expect(await log.ends()).toEqual({ first: 1, last: 600 })
      let slices = 1
      while (await log.trim(550)) {
        const now = (await log.ends())!
        expect(now).toEqual({ first: 1 + slices * 500, last: 600 })
        slices += 1
      }
      expect(slices).toBe(2)
      expect(await log.ends()).toEqual({ first: 550, last: 600 })
      expect((await log.readFrom(3)).rows[0]?.seq).toBe(550)
      expect(await log.trim(10_000)).toBe(false)
      expect(await log.ends()).toEqual({ first: 600, last: 600 })
      expect((await log.append(row('next'))).seq).toBe(601)
    })

    test('remembers what each machine said last, by its own clock', async () => {
      const log = await freshLog()
      const b = { name: 'b', instance: 'i1', applied: 9_007_199_254_740_991, version: 7, backedUp: null, url: null }
      const a = { name: 'Z', instance: 'i2', applied: 3, version: 8, backedUp: 2, url: 'http://[::1]:8080' }
      await log.report({ ...b, applied: 1, instance: 'old' })
      await log.report(a)
      await log.report(b)
      const seen = await log.nodes()
      expect(seen).toEqual([
        { ...a, secondsAgo: expect.any(Number) },
        { ...b, secondsAgo: expect.any(Number) },
      ])
      for (const { secondsAgo } of seen) expect(secondsAgo >= 0 && secondsAgo < 30).toBe(true)
      await until(async () => (await log.nodes())[0]!.secondsAgo > seen[0]!.secondsAgo, 'the report is older', slowly)
      await log.forget('b')
      await log.forget('nobody')
      expect((await log.nodes()).map(({ name }) => name)).toEqual(['Z'])
    })

    test('chooses one token, however many machines ask first', async () => {
      const url = await (await engine()).freshUrl()
      const logs = [1, 2, 3].map(() => open(url))
      await logs[0]!.prepare()
      const tokens = await Promise.all(logs.map((log) => log.token()))
      expect(tokens[0]).toMatch(/^[\w-]{43}$/)
      expect(new Set(tokens).size).toBe(1)
      expect((await (await freshLog()).token()) === tokens[0]).toBe(false)
    })

    test('wakes other machines when a row is appended', async () => {
      const url = await (await engine()).freshUrl()
      const [writer, reader] = [open(url), open(url)]
      await writer.prepare()
      let calls = 0
      reader.onAppended(() => {
        calls += 1
      })
      // The call that says that it listens now.
      if (name === 'PostgreSQL') await until(() => calls > 0, 'something was heard')
      for (const id of ['a', 'b', 'c']) {
        const before = calls
        await writer.append(row(id))
        await until(() => calls > before, 'something was heard again', slowly)
      }
    })
  })

  describe.skipIf(why !== null)(`the log in ${name}, when it fails`, () => {
    const limits = { callMilliseconds: 1000, connectMilliseconds: 600 }

    test('goes on with a server that was killed and restarted', async () => {
      const engine = await start()
      const log = open(await engine.freshUrl(), { callMilliseconds: 3000 })
      await log.prepare()
      const stop = { is: false }
      const answered: string[] = []
      const writing = (async () => {
        for (let count = 0; !stop.is; count++)
          while (true)
            try {
              await log.append(row(`row ${count}`))
              answered.push(`row ${count}`)
              break
            } catch (error) {
              expect(error).toBeInstanceOf(LogUnavailable)
            }
      })()
      for (let round = 0; round < 2; round++) {
        const before = answered.length
        await until(() => answered.length > before + 20, 'twenty more are answered', slowly)
        await engine.kill()
        await engine.start()
      }
      const before = answered.length
      await until(() => answered.length > before + 20, 'twenty more are answered', slowly)
      stop.is = true
      await writing
      expect((await readAll(log)).map(({ id }) => id)).toEqual(answered)
      expect((await log.ends())!.last).toBe(answered.length)
    })

    test('throws in time while the server hangs, and works again afterwards', async () => {
      const engine = await start()
      const log = open(await engine.freshUrl(), limits)
      await surely(log.prepare)
      await appendSurely(log, 'before')
      engine.freeze()
      const calls = [
        () => log.append(row('meanwhile')),
        () => log.readFrom(0),
        () => log.ends(),
        () => log.nodes(),
        () => log.token(),
        () => log.warnings(),
        () => log.prepare(),
        () => log.report({ name: 'n', instance: 'i', applied: 0, version: 1, backedUp: 0, url: null }),
      ]
      const outcomes = await Promise.all(
        calls.map((call) => (call() as Promise<unknown>).catch((error: Error) => error)),
      )
      expect(outcomes.map((outcome) => (outcome as Error).name)).toEqual(calls.map(() => 'LogUnavailable'))
      engine.thaw()
      await appendSurely(log, 'meanwhile')
      expect(await idsOf(log)).toEqual(['before', 'meanwhile'])
    })

    test('throws at once when no server listens, and never shows the password', async () => {
      const engine = await start()
      const url = await engine.freshUrl()
      await engine.kill()
      const log = open(url, limits)
      const error = await log.ends().catch((thrown) => thrown)
      expect(error).toBeInstanceOf(LogUnavailable)
      expect(error.message).toContain(`127.0.0.1:${engine.port}`)
      expect(error.message).not.toMatch(/Of the|Of%20the|\n/)
    })

    /** A log that is reached through a proxy, and one that is not. */
    const startBehindProxy = async (ownLimits: Partial<LogLimits> = limits) => {
      const engine = await start()
      const urls = await engine.freshUrl()
      const proxy = await startProxy(engine.port)
      const direct = open(urls)
      await direct.prepare()
      const log = open([urls[0]!.replace(`:${engine.port}`, `:${proxy.port}`)], ownLimits)
      return { proxy, direct, log }
    }

    test('finds a row whose answer was lost', async () => {
      const { proxy, direct, log } = await startBehindProxy()
      await appendSurely(log, 'a')
      proxy.set('swallow')
      expect(await failure(log.append(row('b')))).toBeInstanceOf(LogUnavailable)
      await until(async () => (await idsOf(direct)).join() === 'a,b', 'the log has a and b')
      await direct.append(row('c'))
      proxy.set('pass')
      proxy.cut()
      expect(await surely(() => log.append(row('b')))).toEqual({ seq: 2, previousId: 'a' })
      expect(await surely(() => log.append(row('d')))).toEqual({ seq: 4, previousId: 'c' })
    })

    test('throws in time while the network drops everything, and works again afterwards', async () => {
      const { proxy, log } = await startBehindProxy()
      await appendSurely(log, 'a')
      proxy.set('drop')
      for (const id of ['b', 'c']) expect(await failure(log.append(row(id)))).toBeInstanceOf(LogUnavailable)
      proxy.set('pass')
      expect(await surely(() => log.append(row('d')))).toEqual({ seq: 2, previousId: 'a' })
    })

    test('wakes a machine again after the network dropped everything', async () => {
      const { proxy, direct, log } = await startBehindProxy()
      let last = 0
      log.onAppended((seq) => {
        last = Math.max(last, seq ?? 0)
      })
      let count = 0
      const writeUntilWoken = () =>
        until(
          async () => {
            const { seq } = await direct.append(row(`row ${++count}`))
            await log.readFrom(0).catch(() => {})
            return last >= seq - 1
          },
          'the row is heard',
          slowly,
        )
      await writeUntilWoken()
      proxy.set('drop')
      expect(await failure(log.ends())).toBeInstanceOf(LogUnavailable)
      proxy.set('pass')
      await writeUntilWoken()
      proxy.cut()
      await writeUntilWoken()
    })

    test('does not show that connections were cut, or that the network is slow', async () => {
      const { proxy, log } = await startBehindProxy({})
      await log.append(row('a'))
      for (const id of ['b', 'c']) {
        proxy.cut()
        await log.append(row(id))
      }
      proxy.set('delay')
      expect((await log.append(row('d'))).seq).toBe(4)
    })

    test('ends all calls at once when it is closed while the server hangs', async () => {
      const engine = await start()
      const log = open(await engine.freshUrl(), { callMilliseconds: 3_600_000, connectMilliseconds: 3_600_000 })
      await log.prepare()
      log.onAppended(() => {})
      engine.freeze()
      // Some have a connection, and some need one.
      const calls = Array.from({ length: 6 }, (_, n) => failure(n % 2 ? log.readFrom(0) : log.append(row(`${n}`))))
      await Bun.sleep(100)
      await log.close()
      for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(LogUnavailable)
    })

    test('throws after it was closed', async () => {
      const engine = await start()
      const log = open(await engine.freshUrl())
      await log.prepare()
      log.onAppended(() => {})
      await log.close()
      expect(await failure(log.ends())).toBeInstanceOf(LogUnavailable)
      await log.close()
    })
  })
}
