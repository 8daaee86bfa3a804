import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { newId } from '../../../../src/base/id.ts'
import { expectBelow } from '../../../expect-below.ts'
import { afterThisTest, temporaryFolder, writeKey } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'
import {
  type Call,
  caller,
  createUser,
  isLong,
  type Process,
  run,
  startProcess,
  tell,
  timeout,
} from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const megabyte = 1_000_000
const maxBytes = 250 * megabyte
/** What others may wait. Beside other tests on the same two cores, a turn of the event loop alone takes some of it. */
const maxWaitMilliseconds = isLong ? 100 : 500

/** JSON text of 2 MiB, the most that is stored of a submission. */
const longest = (number: number): string =>
  `{"number":${number},"text":"${'"'.repeat(1024 * 1024 - 20).replaceAll('"', '\\"')}"}`

/** A form with so many of the longest submissions, and a server that has not seen them yet. */
const serveLongest = async (count: number) => {
  const folder = temporaryFolder()
  const { userId, formId, run: write } = openData(folder)
  const ids = Array.from({ length: count }, (_, i) => newId(Date.now() - count + i))
  ids.forEach((id, number) => {
    write('createSubmission', { formId, id, data: longest(number), fieldNames: ['number', 'text'] })
  })
  const { key } = writeKey(folder, userId)
  const server = await startProcess({ folder })
  const email = `${userId}@example.com`
  return { server, call: caller(server.url, key), key, email, formId, ids }
}

/** Reads and writes as an ordinary client does until `work` is done; returns the longest that it had to wait. */
const longestWait = async (server: Process, call: Call, work: Promise<unknown>): Promise<number> => {
  const otherForm: string = (await call('POST', '/forms', { title: 'Other' })).body.id
  let isOver = false
  let longest = 0
  const timed = async (request: () => Promise<{ status: number }>) => {
    const startedAt = performance.now()
    expect((await request()).status).toBe(200)
    longest = Math.max(longest, performance.now() - startedAt)
  }
  const behave = async () => {
    while (!isOver) {
      await timed(() => call('GET', `/forms/${otherForm}`))
      await timed(() =>
        fetch(`${server.url}/s/${otherForm}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) }),
      )
    }
  }
  const behaving = behave()
  await Promise.race([work, behaving])
  isOver = true
  await behaving
  return longest
}

const peakOf = async (server: Process): Promise<number> => {
  const status = await Bun.file(`/proc/${server.pid}/status`).text()
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** Asks on a socket of its own and reads nothing. */
const ask = async (server: Process, key: string, path: string): Promise<Socket> => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  afterThisTest(() => socket.destroy())
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.pause()
  socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return socket
}

/** Reads all of an answer. What it says is looked at later: that takes a while, in which this process does nothing else. */
const readOn = async (socket: Socket): Promise<Buffer[]> => {
  const received: Buffer[] = []
  socket.on('data', (data: Buffer) => received.push(data))
  await new Promise((resolve) => socket.once('close', resolve).once('error', resolve).resume())
  return received
}

interface List {
  readonly submissions: readonly { readonly id: string; readonly data: object }[]
  readonly pagination: object
}

const toList = (received: readonly Buffer[]): List => {
  const bytes = Buffer.concat(received)
  const bodyAt = bytes.indexOf('\r\n\r\n') + 4
  expect(bytes.toString('latin1', 0, bodyAt)).toMatch(/^HTTP\/1\.1 200 .*transfer-encoding: chunked\r\n/is)
  const chunks: Buffer[] = []
  for (let at = bodyAt; ; ) {
    const sizeEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, sizeEnd), 16)
    if (size === 0) return JSON.parse(Buffer.concat(chunks).toString())
    expect(size, 'size of a chunk').toBeGreaterThan(0)
    chunks.push(bytes.subarray(sizeEnd + 2, sizeEnd + 2 + size))
    at = sizeEnd + 2 + size + 2
  }
}

const count = isLong ? 100 : 50

describe('a list of the longest submissions', () => {
  test(
    'is read whole, and others have their turn while it is sent',
    async () => {
      const { server, call, key, formId, ids } = await serveLongest(count)
      let answer: Promise<Buffer[]> = Promise.resolve([])
      await expectBelow(maxWaitMilliseconds, async () => {
        answer = ask(server, key, `/forms/${formId}/submissions?perPage=100`).then(readOn)
        const wait = await longestWait(server, call, answer)
        tell(`list of ${2 * count} MiB: others waited ${wait.toFixed(0)} ms at most`)
        return wait
      })
      const peak = await peakOf(server)
      tell(`peak ${(peak / megabyte).toFixed(0)} MB`)
      expect(peak).toBeLessThan(maxBytes)
      const { submissions, pagination } = toList(await answer)
      expect(pagination).toMatchObject({ total: count, totalPages: 1 })
      expect(submissions.map(({ id }) => id)).toEqual(ids.toReversed())
      // Compared, not shown: a difference would be 2 MiB long.
      const wrong = submissions.filter(({ data }, i) => JSON.stringify(data) !== longest(count - 1 - i))
      expect(wrong.length).toBe(0)
    },
    2 * timeout,
  )

  test(
    'that nobody reads takes no memory, and is there when somebody reads on',
    () =>
      expectBelow(maxWaitMilliseconds, async () => {
        const { server, call, key, formId } = await serveLongest(count)
        const asked = Promise.all(
          Array.from({ length: 15 }, () => ask(server, key, `/forms/${formId}/submissions?perPage=100`)),
        )
        const wait = await longestWait(
          server,
          call,
          asked.then(() => Bun.sleep(isLong ? 10_000 : 1000)),
        )
        const peak = await peakOf(server)
        tell(`15 lists that nobody reads: others waited ${wait.toFixed(0)} ms, peak ${(peak / megabyte).toFixed(0)} MB`)
        expect(peak).toBeLessThan(maxBytes)
        const [one] = await asked
        expect(toList(await readOn(one as Socket)).submissions).toHaveLength(count)
        return wait
      }),
    2 * timeout,
  )
})

describe('deleting the longest submissions', () => {
  test.each([
    ['with their form', (call: Call, formId: string) => call('DELETE', `/forms/${formId}`)],
    [
      'all at once',
      (call: Call, formId: string, ids: string[]) => call('DELETE', `/forms/${formId}/submissions/bulk`, { ids }),
    ],
  ])(
    '%s lets other writes through',
    (_how, remove) =>
      expectBelow(isLong ? 250 : 750, async () => {
        const { server, call, formId, ids } = await serveLongest(isLong ? 450 : 60)
        const gone = async () => {
          expect((await remove(call, formId, ids)).status).toBe(200)
          await until(
            () => rowsOf(server.folder, 'SELECT 1 FROM pieces LIMIT 1').length === 0,
            'all pieces are gone',
            slowly,
          )
        }
        const wait = await longestWait(server, call, gone())
        tell(`deleting ${ids.length} times 2 MiB: other writes waited ${wait.toFixed(0)} ms at most`)
        expectSound(server.folder)
        return wait
      }),
    2 * timeout,
  )

  test(
    'with their user, by a command beside the server, lets other writes through',
    () =>
      expectBelow(isLong ? 250 : 750, async () => {
        const { server, key, email } = await serveLongest(isLong ? 450 : 100)
        const other = caller(server.url, createUser(server.folder, 'bob@example.com'))
        const gone = run(server.folder, ['user', 'delete', email, '--yes'])
        const wait = await longestWait(server, other, gone)
        expect(await gone).toMatchObject({ exitCode: 0, errors: '' })
        expect((await caller(server.url, key)('GET', '/forms')).status).toBe(401)
        expect(rowsOf(server.folder, 'SELECT 1 FROM pieces')).toEqual([])
        tell(`deleting a user with them: other writes waited ${wait.toFixed(0)} ms at most`)
        return wait
      }),
    2 * timeout,
  )
})

test(
  'what breaks in the middle of a long answer ends it, and is told on standard error',
  async () => {
    const { server, key, formId } = await serveLongest(3)
    // As a damaged file would: the submission is there, and its pieces cannot be read.
    const db = new Database(dataFile(server.folder))
    db.run('PRAGMA busy_timeout = 5000')
    db.run('ALTER TABLE pieces RENAME TO lost_pieces')
    db.close()
    const socket = await ask(server, key, `/forms/${formId}/submissions`)
    expect(Buffer.concat(await readOn(socket)).toString()).not.toContain('"pagination"')
    await until(() => server.errors() !== '', 'the server has written an error', slowly)
    expect(server.errors()).toMatch(/^formbox: request \S+: .+\n$/)
  },
  timeout,
)

describe('a form with all the field names that it can have', () => {
  test(
    'takes submissions about as fast as another one, and so does one of an earlier version with 3 MB of them',
    async () => {
      const folder = temporaryFolder()
      const { userId, formId, createForm, run: write, db } = openData(folder)
      const { key } = writeKey(folder, userId)
      const names = (length: number) => Array.from({ length: 500 }, (_, i) => `${i}${'\v'.repeat(length)}`)
      write('createSubmission', { formId, id: newId(Date.now()), data: '{"a":1}', fieldNames: names(20) })
      const old = createForm(userId, 'Old')
      db.$client.query("UPDATE forms SET field_names = '' WHERE id = ?").run(old)
      db.$client
        .query('INSERT INTO long_field_names SELECT number, ? FROM forms WHERE id = ?')
        .run(JSON.stringify(names(1000)), old)
      const plain = createForm(userId, 'Plain')
      const copies = Array.from({ length: 100 }, () => newId(Date.now()))
      for (const copyId of copies) write('duplicateForm', { userId, id: formId, copyId, now: Date.now() })
      const server = await startProcess({ folder })

      const times = new Map([plain, formId, old].map((id) => [id, [] as number[]]))
      for (let round = 0; round < 60; round++)
        for (const [id, milliseconds] of times) {
          const startedAt = performance.now()
          const body = new URLSearchParams({ [`new ${round}`]: '1' })
          expect((await fetch(`${server.url}/s/${id}`, { method: 'POST', body })).status).toBe(200)
          milliseconds.push(performance.now() - startedAt)
        }
      const [one, full, oldest] = [...times.values()].map((list) => list.toSorted((a, b) => a - b)[30] as number)
      tell(`a submission to a form without names ${one} ms, with all ${full} ms, with 3 MB of them ${oldest} ms`)
      expect(full as number).toBeLessThan(4 * (one as number))
      expect(oldest as number).toBeLessThan(4 * (one as number))

      const headers = { authorization: `Bearer ${key}` }
      const list = await (await fetch(`${server.url}/api/v1/forms?perPage=100`, { headers })).bytes()
      expect(list.length).toBeGreaterThan(6 * megabyte)
      expect(list.length).toBeLessThan(7 * megabyte)
    },
    timeout,
  )
})
