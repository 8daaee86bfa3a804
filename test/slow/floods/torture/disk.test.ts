import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../harness.ts'
import { startLoad } from '../../../load.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import {
  caller,
  createUser,
  faultsOf,
  isLong,
  listAll,
  run,
  startProcess,
  tell,
  timeout,
} from '../../../torture/process.ts'
import { fillDisk, resizeDisk, smallDisk } from '../../../torture/small-disk.ts'

describe('a full disk', () => {
  test(
    'refuses writes with 503, lets reads go on, and takes writes again once there is room',
    async () => {
      const disk = smallDisk(24)
      if (!disk) return skip('only root can mount a small disk')
      const folder = join(disk, 'data')
      const key = createUser(folder)
      const server = await startProcess({ folder })
      const call = caller(server.url, key)
      const formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
      const before = await submit(server.url, formId, 'value=before')
      expect(before.status).toBe(200)
      const ballast = join(disk, 'ballast')
      const answered: string[] = ['before']

      for (let round = 0; round < (isLong ? 10 : 2); round++) {
        fillDisk(disk, ballast)
        let refused: Response | undefined
        // What is left of the last block may still take a few.
        for (let i = 0; i < 300 && !refused; i++) {
          const value = `full-${round}-${i}-${'x'.repeat(20_000)}`
          const response = await submit(server.url, formId, `value=${value}`)
          if (response.status === 200) answered.push(value)
          else refused = response
        }
        expect(refused?.status).toBe(503)
        expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
        const text = (await refused?.text()) ?? ''
        expect(JSON.parse(text).message).toMatch(/^Temporarily unable to write, retry after \d+ seconds$/)
        expect(text).not.toContain(disk)
        expect(text.toLowerCase()).not.toContain('sqlite')
        const created = await call('POST', '/forms', { title: 'T', description: 'd'.repeat(1000) })
        expect([200, 503]).toContain(created.status)
        expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(answered.length)
        expect((await call('GET', `/forms/${formId}/submissions`)).status).toBe(200)
        const health = await fetch(`${server.url}/healthz`)
        expect({ status: health.status, body: ((await health.json()) as { code: string }).code }).toEqual({
          status: 503,
          body: 'INTERNAL_SERVER_ERROR',
        })

        rmSync(ballast)
        const value = `again-${round}`
        expect((await submit(server.url, formId, `value=${value}`)).status).toBe(200)
        answered.push(value)
        expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      }
      expect(server.errors()).not.toContain(disk)
      expect(server.errors()).toContain('formbox: cannot write the data file: the disk is full\n')
      const { submissions, total } = await listAll(call, formId)
      expect(submissions.map(({ data }) => data.value).sort()).toEqual(answered.sort())
      expect(total).toBe(answered.length)
      server.kill('SIGTERM')
      expect(await server.ended()).toEqual({ exitCode: 0, signal: null })
      expect(faultsOf(folder)).toEqual([])
    },
    timeout,
  )

  test(
    'is what a command says, in one line, and changes nothing',
    async () => {
      const disk = smallDisk(24)
      if (!disk) return skip('only root can mount a small disk')
      const folder = join(disk, 'data')
      createUser(folder)
      const { formId, db } = openData(folder)
      const file = join(temporaryFolder(), 'x.csv')
      writeFileSync(file, `a\n${'x'.repeat(1000)}`.padEnd(20_000_000, `\n${'x'.repeat(1000)}`))
      const users = db.$client.query('SELECT count(*) AS users FROM users').get()
      const line = /^formbox: [^\n]+: the disk is full$/

      // What it has read is put beside the data, and then into it.
      for (const megabytes of [24, 44]) {
        resizeDisk(disk, megabytes)
        const imported = await run(folder, ['import', formId, file, '--no-dates'])
        const errors = `formbox: cannot import ${file}, nothing was changed: the disk is full`
        expect([megabytes, imported]).toEqual([megabytes, { exitCode: 1, output: '', errors }])
      }
      resizeDisk(disk, 24)
      fillDisk(disk, join(disk, 'ballast'), 0)
      for (const words of [
        ['user', 'create', 'bob@example.com'],
        ['user', 'disable', 'ada@example.com'],
        ['user', 'password', 'ada@example.com'],
        ['key', 'create', '--user', 'ada@example.com', '--name', 'Test'],
        ['user', 'delete', 'ada@example.com', '--yes'],
      ])
        expect([words, await run(folder, words)]).toEqual([
          words,
          { exitCode: 1, output: '', errors: expect.stringMatching(line) },
        ])
      const other = join(disk, 'other')
      expect((await run(other, ['user', 'create', 'ada@example.com'])).errors).toMatch(line)

      rmSync(join(disk, 'ballast'))
      expect(db.$client.query('SELECT count(*) AS users FROM users').get()).toEqual(users)
      expect(db.$client.query('SELECT * FROM submissions').all()).toEqual([])
      expect(faultsOf(folder)).toEqual([])
    },
    timeout,
  )

  test(
    'is the same with a limit on the size of files: the server lives, reads, and says 503',
    async () => {
      if (!Bun.which('prlimit')) return skip('prlimit, which lifts the limit again, is not installed')
      const folder = temporaryFolder()
      const key = createUser(folder)
      const server = await startProcess({
        folder,
        wrap: (words) => ['bash', '-c', 'ulimit -S -f 1024; exec "$@"', 'bash', ...words],
      })
      const call = caller(server.url, key)
      const formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
      let [kept, refused] = [0, 0]
      for (let i = 0; i < 80; i++) {
        const { status } = await submit(server.url, formId, `value=${i}-${'x'.repeat(50_000)}`)
        expect([200, 503]).toContain(status)
        if (status === 200) kept++
        else refused++
      }
      expect(kept).toBeGreaterThan(0)
      expect(refused).toBeGreaterThan(0)
      expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(kept)
      const health = async () => (await fetch(`${server.url}/healthz`)).status
      // One small write after the other, until not even a page fits.
      for (let i = 0; i < 50 && (await health()) === 200; i++)
        if ((await submit(server.url, formId, 'value=x')).status === 200) kept++
      expect(await health()).toBe(503)
      expect(server.isAlive()).toBe(true)

      spawnSync('prlimit', [`--pid=${server.pid}`, '--fsize=unlimited'])

      expect(await health()).toBe(200)
      expect((await submit(server.url, formId, `value=${'x'.repeat(50_000)}`)).status).toBe(200)
      expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(kept + 1)
      server.kill('SIGKILL')
      await server.ended()
      expect(faultsOf(folder)).toEqual([])
    },
    timeout,
  )
})

describe('a disk that takes 200 ms to write', () => {
  test(
    'loses nothing and hangs nothing',
    async () => {
      if (!Bun.which('strace')) return skip('strace, which slows the disk down, is not installed')
      const folder = temporaryFolder()
      const key = createUser(folder)
      const server = await startProcess({ folder, wrap: slowDisk })
      const call = caller(server.url, key)
      const formId = (await call('POST', '/forms', { title: 'Contact' })).body.id
      const load = startLoad({ url: server.url, formId, run: 'slow', connections: isLong ? 500 : 50 })
      const seconds = isLong ? 20 : 2
      const reads: number[] = []
      const end = performance.now() + seconds * 1000
      while (performance.now() < end) {
        const startedAt = performance.now()
        expect((await call('GET', `/forms/${formId}`)).status).toBe(200)
        reads.push(performance.now() - startedAt)
        await Bun.sleep(20)
      }
      await load.stop()
      expect([...load.refused]).toEqual([])
      expect(load.answered.length).toBe(load.sent.size)
      expect(load.answered.length).toBeGreaterThan(0)
      // Reads do not wait for the disk: the typical one is far below the 200 ms that each write takes.
      expect(reads.toSorted((a, b) => a - b)[Math.floor(reads.length / 2)]).toBeLessThan(200)
      const { submissions } = await listAll(call, formId)
      expect(submissions.map(({ data }) => data.value as string).sort()).toEqual([...load.sent].sort())
      const rate = load.answered.length / seconds
      tell(`slow disk: ${rate.toFixed(0)} submissions a second, slowest read ${Math.max(...reads).toFixed(0)} ms`)
    },
    timeout,
  )
})

const slowDisk = (words: readonly string[]): string[] => [
  ...['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fdatasync,fsync'],
  ...['-e', 'inject=fdatasync,fsync:delay_exit=200000', ...words],
]

const submit = (url: string, formId: string, body: string): Promise<Response> =>
  fetch(`${url}/s/${formId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })

const skip = (reason: string): void => {
  noteSkipped(`A test of full disks is skipped: ${reason}.`)
}
