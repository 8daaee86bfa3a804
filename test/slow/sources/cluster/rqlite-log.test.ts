// What is special about rqlite: leaders that change, several nodes, answers over HTTP.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { OperatorError } from '../../../../src/base/operator-errors.ts'
import { LogUnavailable } from '../../../../src/storage/cluster/log.ts'
import { appendSurely, failure, idsOf, open, row, surely } from '../../../cluster/log-calls.ts'
import { startRqlite, whyNoRqlite } from '../../../cluster/rqlite.ts'
import { expectBelow, millisecondsOf } from '../../../expect-below.ts'
import { afterThisTest } from '../../../harness.ts'
import { ownCertificate } from '../../../mail/certificate.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'

setDefaultTimeout(180_000)

const why = whyNoRqlite()
if (why !== null) noteSkipped(`The tests of rqlite are skipped: ${why}.`)

describe.skipIf(why !== null)('rqlite', () => {
  test('tells the operator of a wrong password, and of missing permissions', async () => {
    const { urls } = await startRqlite(1, [
      { username: 'formbox', password: 'Of the:tests', perms: ['all'] },
      { username: 'reader', password: 'secret', perms: ['query'] },
    ])
    const [url = ''] = urls
    const log = open([url])
    await log.prepare()
    expect(await log.append(row('a'))).toEqual({ seq: 1, previousId: null })
    for (const account of ['formbox:wrong', 'reader:secret', '']) {
      const other = open([url.replace(/\/\/.*@/, `//${account}${account && '@'}`)])
      const error = await failure(other.append(row('b')))
      expect(error).toBeInstanceOf(OperatorError)
      expect(error.message).toBe(`rqlite at ${new URL(url).host}: wrong user or password, or missing permissions`)
      expect(await other.warnings()).toEqual([])
    }
    expect((await log.ends())!.last).toBe(1)
    expect(await log.warnings()).toEqual(['rqlite: 1 of its nodes vote, so none may fail; of three, one may'])
  })

  test('goes on when the leader is killed, or hangs', async () => {
    const { urls, nodes, leader, settle } = await startRqlite(3)
    const log = open(urls, { callMilliseconds: 1500, connectMilliseconds: 500 })
    await surely(log.prepare)
    let count = 0
    const write = async (rows: number) => {
      for (const end = count + rows; count < end; count++)
        expect(await appendSurely(log, `row ${count}`)).toBe(count + 1)
    }
    await write(20)
    const killed = await leader()
    const writing = write(60)
    await nodes[killed]!.kill()
    await writing
    await until(
      async () => (await log.warnings()).join().includes('is not reachable'),
      'a node is not reachable',
      slowly,
    )
    nodes[killed]!.start()
    await settle([killed])
    await until(async () => (await log.warnings()).length === 0, 'nothing is warned of', slowly)
    const frozen = await leader()
    nodes[frozen]!.freeze()
    await write(20)
    nodes[frozen]!.thaw()
    await write(20)
    expect(await idsOf(log)).toEqual(Array.from({ length: 120 }, (_, index) => `row ${index}`))
  })

  test('appends nothing without a majority, and says so in time', async () => {
    const { urls, nodes, settle } = await startRqlite(3)
    const log = open(urls, { callMilliseconds: 1500, connectMilliseconds: 500 })
    await surely(log.prepare)
    await appendSurely(log, 'a')
    await Promise.all([nodes[0]!.kill(), nodes[1]!.kill()])
    expect(await failure(log.append(row('b')))).toBeInstanceOf(LogUnavailable)
    nodes[0]!.start()
    await settle([0])
    expect(await appendSurely(log, 'b')).toBe(2)
    expect(await idsOf(log)).toEqual(['a', 'b'])
  })
})

describe('an answer that is not that of rqlite', () => {
  const serve = (answer: (request: Request) => Response | Promise<Response>) => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
    afterThisTest(() => server.stop(true))
    return `http://127.0.0.1:${server.port}`
  }
  const results = (...values: unknown[][]) => Response.json({ results: [{ values }] })

  test('is asked again of the majority if it does not know the row that was asked for', async () => {
    const levels: string[] = []
    const url = serve((request) => {
      const level = new URL(request.url).searchParams.get('level') as string
      levels.push(level)
      if (level === 'weak') return results([7, null, null, null, null])
      return results([9, 8, 'h', 1, ''], [9, 9, 'i', 1, '[]'])
    })
    expect(await open([url]).readFrom(8)).toEqual({
      rows: [
        { seq: 8, id: 'h', version: 1, batch: '' },
        { seq: 9, id: 'i', version: 1, batch: '[]' },
      ],
      end: 9,
    })
    expect(levels).toEqual(['weak', 'strong'])
  })

  test.each<[string, () => Response, typeof OperatorError | typeof LogUnavailable, RegExp]>([
    ['a page', () => new Response('<h1>It works</h1>'), OperatorError, /its response is not JSON/],
    ['other JSON', () => Response.json({ it: 'works' }), OperatorError, /has no results/],
    ['no such path', () => new Response('', { status: 404 }), OperatorError, /responded with 404/],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 301), OperatorError, /responded with 301/],
    ['a limit of a proxy', () => new Response('', { status: 413 }), OperatorError, /limits the size/],
    ['an unknown table', () => failed('no such table: formbox_log'), OperatorError, /no such table/],
    ['no leader', () => new Response('leader not found\n', { status: 503 }), LogUnavailable, /: leader not found$/],
    ['a full disk', () => failed('database or disk is full'), LogUnavailable, /: database or disk is full$/],
    ['an error without text', () => new Response('', { status: 500 }), LogUnavailable, /responded with 500$/],
  ])('%s is told', async (_, answer, kind, message) => {
    const url = serve(answer)
    const error = await failure(open([url]).ends())
    expect(error).toBeInstanceOf(kind)
    expect(error.message).toMatch(message)
    expect(error.message).toStartWith(`rqlite at ${new URL(url).host}: `)
  })
  const failed = (error: string) => Response.json({ results: [{ error }] })

  test('comes from a server that can be trusted', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: ownCertificate, fetch: () => results([1, 4]) })
    afterThisTest(() => server.stop(true))
    const error = await failure(open([`https://localhost:${server.port}`]).ends())
    expect(error).toBeInstanceOf(OperatorError)
    expect(error.message).toMatch(/^rqlite at localhost:\d+: self.signed certificate$/)
    const url = serve(() => results([1, 4]))
    const plain = await failure(open([url.replace('http:', 'https:')]).ends())
    expect(plain).toBeInstanceOf(LogUnavailable)
    expect(plain.message).toBe(`rqlite at ${new URL(url).host}: it does not speak TLS`)
  })

  test('is not read without end', async () => {
    let sent = 0
    const url = serve(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              sent += 65_536
              controller.enqueue(new Uint8Array(65_536).fill(32))
            },
          }),
        ),
    )
    const error = await failure(open([url]).ends())
    expect(error.message).toEndWith('its response is larger than 1048576 bytes')
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  test('is asked for in smaller slices while none arrives, and in larger ones afterwards', async () => {
    const asked: unknown[] = []
    let isSlow = true
    const url = serve(async (request) => {
      asked.push(((await request.json()) as unknown[][])[0]?.at(-1))
      return isSlow ? new Response('', { status: 504 }) : results([9, 9, 'i', 1, ''])
    })
    const log = open([url])
    for (let count = 0; count < 5; count++) expect(await failure(log.readFrom(9))).toBeInstanceOf(LogUnavailable)
    isSlow = false
    for (let count = 0; count < 8; count++) await log.readFrom(9)
    const kib = [4096, 1024, 256, 64, 64, 64, 128, 256, 512, 1024, 2048, 4096, 4096]
    expect(asked).toEqual(kib.map((size) => size * 1024))
  })

  test('has no more time when it is the second that a call needs', async () => {
    let firstTakes = 10_000
    const url = serve(async (request) => {
      // It holds less than was asked for, or the tables are not all there.
      const isFirst =
        new URL(request.url).searchParams.get('level') === 'weak' || (await request.text()).includes('sqlite_master')
      await Bun.sleep(isFirst ? firstTakes : 10_000)
      return results([1, null, null, null, null])
    })
    const log = open([url], { callMilliseconds: 2000 })
    const call = async (): Promise<void> => {
      for (const error of await Promise.all([failure(log.readFrom(8)), failure(log.prepare())]))
        expect(error).toBeInstanceOf(LogUnavailable)
    }
    const whole = await millisecondsOf(call)
    firstTakes = 1500
    // The second alone would take as long as the whole.
    await expectBelow(1.6 * whole, () => millisecondsOf(call))
  })

  test('is followed by the next server, which is then asked first', async () => {
    const asked: string[] = []
    const down = serve(() => {
      asked.push('down')
      return new Response('leader not found\n', { status: 503 })
    })
    const up = serve(() => {
      asked.push('up')
      return results([1, 4])
    })
    const log = open([down, up])
    expect(await log.ends()).toEqual({ first: 1, last: 4 })
    expect(await log.ends()).toEqual({ first: 1, last: 4 })
    expect(asked).toEqual(['down', 'up', 'up'])
  })
})
