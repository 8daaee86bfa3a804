// An export of many submissions while others read, send and delete: what is in it, what memory it takes, and what the
// others wait.
import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../src/base/id.ts'
import { walFile } from '../../../../src/storage/open.ts'
import { zipParts } from '../../../../src/transfer/export/archive.ts'
import { openArchive } from '../../../../src/transfer/import/archive.ts'
import { temporaryFolder, writeKey } from '../../../harness.ts'
import { stall } from '../../../raw-http.ts'
import { openData } from '../../../storage/data.ts'
import { dataFile, expectSound } from '../../../storage/sound.ts'
import { caller, isLong, type Process, residentBytes, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const count = isLong ? 1_000_000 : 30_000
const maxBytes = 60_000_000
/** Times the 99th percentile while nothing is exported. Beside other tests on the same two cores it says little. */
const maxSlowdown = isLong ? 3 : 50

/** A form with many submissions, another one, and a server that has not seen them yet. */
const serveMany = async () => {
  const folder = temporaryFolder()
  const data = openData(folder)
  const start = Date.now() - count * 1000
  const ids = data.submit(
    data.formId,
    Array.from({ length: count }, (_, i) => start + i * 1000),
  )
  const other = data.createForm(data.userId, 'Other')
  const { key } = writeKey(folder, data.userId)
  const server = await startProcess({ folder })
  return { folder, formId: data.formId, other, ids, key, server, call: caller(server.url, key) }
}

type Served = Awaited<ReturnType<typeof serveMany>>

/** Reads as an ordinary client does until `work` is done; returns what the slowest in a hundred waited. */
const p99Until = async ({ call, other }: Served, work: Promise<unknown>): Promise<number> => {
  const waits: number[] = []
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const startedAt = performance.now()
    expect((await call('GET', `/forms/${other}`)).status).toBe(200)
    waits.push(performance.now() - startedAt)
  }
  return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0
}

/** Sends to the form, and deletes some of its submissions, until `work` is done. */
const disturbUntil = async ({ server, call, formId, ids }: Served, work: Promise<unknown>): Promise<number> => {
  let isOver = false
  let round = 0
  void work.finally(() => {
    isOver = true
  })
  for (; !isOver; round++) {
    const sent = await fetch(`${server.url}/s/${formId}`, { method: 'POST', body: new URLSearchParams({ late: 'x' }) })
    expect(sent.status).toBe(200)
    // From the end, which the export reaches last.
    if (round % 10 === 0) await call('DELETE', `/forms/${formId}/submissions/${ids[ids.length - 1 - round]}`)
    await Bun.sleep(2)
  }
  return round
}

/** By a process of its own: what it takes to receive must not delay those whose time is measured here. */
const download = ({ server, key, formId, folder }: Served, format: string) => {
  const path = join(folder, `exported.${format}`)
  const receive = `
    const [, url, key, path] = process.argv
    const response = await fetch(url, { headers: { authorization: 'Bearer ' + key } })
    if (response.status !== 200) throw new Error('status ' + response.status)
    console.log('begun')
    const file = require('node:fs').openSync(path, 'w')
    for await (const chunk of response.body) require('node:fs').writeSync(file, chunk)`
  const url = `${server.url}/api/v1/forms/${formId}/export?format=${format}`
  const child = Bun.spawn([process.execPath, '-e', receive, url, key, path], { stdout: 'pipe', stderr: 'inherit' })
  const begun = child.stdout.getReader().read()
  const ended = child.exited.then((code) => expect(code).toBe(0))
  return { path, begun, ended }
}

/** The most memory that the server has until `work` is done. */
const residentUntil = async (server: Process, work: Promise<unknown>): Promise<number> => {
  let most = 0
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    most = Math.max(most, residentBytes(server))
    await Bun.sleep(20)
  }
  return most
}

describe(`an export of ${count} submissions`, () => {
  test.each(['csv', 'ndjson', 'json'])(
    'as %s has those that were there, each once, takes little memory, and holds nobody up',
    async (format) => {
      const served = await serveMany()
      const { server, ids, folder } = served
      await p99Until(served, Bun.sleep(1000))
      const idle = await p99Until(served, Bun.sleep(isLong ? 10_000 : 2000))
      const before = residentBytes(server)

      const startedAt = performance.now()
      const { path, begun, ended } = download(served, format)
      await begun
      const [busy, most, disturbances] = await Promise.all([
        p99Until(served, ended),
        residentUntil(server, ended),
        disturbUntil(served, ended),
      ])

      const seconds = (performance.now() - startedAt) / 1000
      const extra = Math.round((most - before) / 1_000_000)
      tell(`${format}: ${seconds.toFixed(1)} s, ${extra} MB more, ${disturbances} submissions meanwhile`)
      tell(`p99 of a read ${idle.toFixed(2)} ms idle, ${busy.toFixed(2)} ms meanwhile`)
      const pattern = format === 'csv' ? /^(\w{28}),/gm : /^\{"id":"(\w{28})"/gm
      const found = [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, id]) => id as string)
      expect(found.length).toBe(ids.length)
      expect(Bun.hash(found.join())).toBe(Bun.hash(ids.join()))
      expect(most - before).toBeLessThan(maxBytes)
      expect(busy).toBeLessThan(Math.max(maxSlowdown * idle, isLong ? 2 : 100))
      expectSound(folder)
    },
    timeout,
  )
})

// It takes 10 seconds of a processor. The file has holes where the bytes are 0, so it takes no room.
describe.skipIf(!isLong)('an archive of more than 4 GiB', () => {
  test('is read by Info-ZIP, Python and Formbox to its last file', async () => {
    const piece = new Uint8Array(64 * 1024)
    const ids = Array.from({ length: 42 }, (_, i) => `${i}`.padStart(28, '0'))
    const last = 'files/x/1-last.txt'
    function* entries() {
      const at = Date.now()
      yield { name: 'submissions.ndjson', parts: [''], at }
      for (const id of ids) yield { name: `files/${id}/1-a`, parts: Array.from({ length: 1600 }, () => piece), at }
      yield { name: last, parts: ['the end'], at }
    }
    const path = join(temporaryFolder(), 'large.zip')
    const file = openSync(path, 'w')
    let length = 0
    for await (const part of zipParts(entries())) {
      if (part !== piece) writeSync(file, part, 0, part.length, length)
      length += part.length
    }
    closeSync(file)
    expect(length).toBeGreaterThan(2 ** 32)

    const read = 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())'
    for (const command of [
      ['unzip', '-p', path, last],
      ['python3', '-c', read, path, last],
    ])
      expect(Bun.spawnSync(command).stdout.toString().trim()).toBe('the end')
    const archive = await openArchive(path)
    const found = archive.find('x', 1)
    const bytes = await Array.fromAsync(found?.read() ?? [])
    expect([String(Buffer.concat(bytes)), archive.fileBytes]).toEqual(['the end', 42 * 100 * 1024 * 1024 + 7])
    archive.close()
  }, 120_000)
})

test(
  'an export that lasts has another thread move what others wrote meanwhile into the file when it ends',
  async () => {
    const folder = temporaryFolder()
    const { userId, formId, createForm, run } = openData(folder)
    const { key } = writeKey(folder, userId)
    const write = (form: string, count: number) => {
      for (let i = 0; i < count; i++)
        run('createSubmission', {
          ...{ formId: form, id: newId(Date.now()), fieldNames: ['text'] },
          data: JSON.stringify({ text: 'x'.repeat(900_000) }),
        })
    }
    // No socket takes so much at once.
    write(formId, 10)
    const other = createForm(userId)
    const server = await startProcess({ folder })
    const logs = () => {
      const open = readdirSync(`/proc/${server.pid}/fd`).map((number) => targetOf(`/proc/${server.pid}/fd/${number}`))
      return open.filter((path) => path === walFile(folder)).length
    }
    const idle = logs()
    const socket = await stall(server.url, `/api/v1/forms/${formId}/export`, `Authorization: Bearer ${key}`)
    await until(() => logs() > idle, 'the export reads')
    write(other, 20)
    await until(() => logs() > idle + 2, 'another thread holds the log', slowly)
    const before = statSync(dataFile(folder)).size
    socket.destroy()
    await until(() => statSync(dataFile(folder)).size > before + 17_000_000, 'what was written is in the file', slowly)
    // That of the export is closed when its statements are garbage-collected.
    await until(() => logs() <= idle + 1, 'the other thread has ended', slowly)
    expectSound(folder)
  },
  timeout,
)

/** The file may be closed by now. */
const targetOf = (link: string): string => {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
