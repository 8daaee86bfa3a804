// Files from many senders at once, from slow ones, and onto a full disk.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { bytesOfFile } from '../../../contract/collected.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { sendSlowly } from '../../../slow-sender.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { caller, createUser, isLong, peakBytes, startProcess, tell, timeout } from '../../../torture/process.ts'
import { fillDisk, smallDisk } from '../../../torture/small-disk.ts'
import { slowly, until } from '../../../until.ts'

const mebibyte = 1024 * 1024

const prepare = async (settings: Record<string, string> = {}, folder = temporaryFolder()) => {
  const key = createUser(folder)
  const server = await startProcess({ folder, settings: { FORMBOX_TRUST_PROXY: '127.0.0.1', ...settings } })
  const call = caller(server.url, key)
  const formId: string = (await call('POST', '/forms', { title: 'Contact' })).body.id
  const post = async (address: string, fields: readonly (string | Uint8Array)[]) => {
    const body = new FormData()
    for (const field of fields)
      if (typeof field === 'string') body.append('text', field)
      else body.append('cv', new File([field as Uint8Array<ArrayBuffer>], 'cv.bin'))
    const headers = { 'x-forwarded-for': address }
    const response = await fetch(`${server.url}/s/${formId}`, { method: 'POST', body, headers, keepalive: false })
    await response.text()
    return response
  }
  const listed = async (): Promise<{ data: { cv: { file: string } } }[]> =>
    (await call('GET', `/forms/${formId}/submissions`)).body.submissions
  return { server, folder, formId, post, listed }
}

test(
  '64 uploads at once are all taken, in less than 300 MB of memory, and texts beside them',
  async () => {
    const { server, folder, post } = await prepare()
    const content = randomBytes(8 * mebibyte)
    const files = isLong ? [content, content, content] : [content.subarray(0, 3 * mebibyte)]
    for (let i = 0; i < 3; i++) expect((await post('192.0.2.100', ['warm', content])).status).toBe(200)
    let isOver = false
    const waits: number[] = []
    const sendTexts = async () => {
      while (!isOver) {
        const startedAt = performance.now()
        expect((await post('198.51.100.1', ['Hello'])).status).toBe(200)
        waits.push(performance.now() - startedAt)
      }
    }
    const texts = sendTexts()
    const startedAt = performance.now()
    const uploads = await Promise.all(Array.from({ length: 64 }, (_, i) => post(`192.0.2.${i}`, files)))
    const seconds = (performance.now() - startedAt) / 1000
    isOver = true
    await texts
    expect(uploads.map(({ status }) => status)).toEqual(Array(64).fill(200))
    expect(rowsOf(folder, 'SELECT number FROM files')).toHaveLength(64 * files.length + 3)
    const peak = peakBytes(server)
    const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0
    tell(`64 uploads in ${seconds.toFixed(0)} s, peak ${(peak / 1e6).toFixed(0)} MB, texts p99 ${p99.toFixed(0)} ms`)
    expect(peak).toBeLessThan(300e6)
  },
  timeout,
)

test(
  'one address may send 100 MiB of files in ten minutes, and texts after that',
  async () => {
    const { folder, post, listed } = await prepare()
    const files = Array.from({ length: 2 }, () => randomBytes(10 * mebibyte))
    for (let i = 0; i < 4; i++) expect((await post('192.0.2.1', files)).status).toBe(200)
    const refused = await post('192.0.2.1', [...files, randomBytes(2 * mebibyte)])
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 601)
    expect((await post('192.0.2.1', ['Hello'])).status).toBe(200)
    expect((await post('192.0.2.2', files)).status).toBe(200)
    await until(() => rowsOf(folder, 'SELECT number FROM files').length === 10, 'nothing is left of the refused one')
    expect(await listed()).toHaveLength(6)
  },
  timeout,
)

test(
  'a file may arrive slowly, and what a sender leaves who stops is removed',
  async () => {
    const { server, folder, formId, listed } = await prepare()
    const seconds = isLong ? 170 : 40
    const content = randomBytes(seconds * 5000)
    const start = (length: number) => {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname)
      afterThisTest(() => socket.destroy())
      const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
      const part = 'Content-Disposition: form-data; name="cv"; filename="cv.bin"'
      const [before, after] = [`--b\r\n${part}\r\n\r\n`, '\r\n--b--\r\n']
      const head = `POST /s/${formId} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b`
      socket.write(`${head}\r\nContent-Length: ${before.length + length + after.length}\r\n\r\n${before}`)
      return { socket, answer, after }
    }
    const slow = start(content.length)
    const stopped = start(mebibyte)
    const stoppedAt = performance.now()
    stopped.socket.write(content.subarray(0, 1000))
    await sendSlowly(slow.socket, content, 5000)
    slow.socket.write(slow.after)
    expect(await slow.answer).toStartWith('HTTP/1.1 200 OK')
    expect(await stopped.answer).toContain('body: must be sent with at least 4000 bytes a second')
    expect((performance.now() - stoppedAt) / 1000).toBeWithin(30, seconds + 30)
    const [submission] = await listed()
    expect(bytesOfFile(folder, submission?.data.cv.file ?? '').equals(content)).toBe(true)
    await until(() => rowsOf(folder, 'SELECT number FROM files').length === 1, 'only the slow one is left')
  },
  Math.max(timeout, 120_000),
)

test(
  'an upload that a full disk stops is in no list, takes no room after the next start, and others are taken again',
  async () => {
    const disk = smallDisk(40)
    if (!disk)
      return noteSkipped('The test of an upload onto a full disk is skipped: only root can mount a small disk.')
    const { server, folder, post, listed } = await prepare({}, join(disk, 'data'))
    const content = randomBytes(8 * mebibyte)
    const ballast = join(disk, 'ballast')
    fillDisk(disk, ballast, 6 * mebibyte)
    const refused = await post('192.0.2.1', [content, content])
    expect(refused.status).toBe(503)
    expect(await listed()).toEqual([])
    await Bun.file(ballast).delete()
    expect((await post('192.0.2.1', ['Hello', content])).status).toBe(200)
    const [submission] = await listed()
    expect(bytesOfFile(folder, submission?.data.cv.file ?? '').equals(content)).toBe(true)
    // The full disk could not take that the files are given up.
    server.kill('SIGTERM')
    await server.ended()
    await startProcess({ folder })
    await until(() => rowsOf(folder, 'SELECT number FROM files').length === 1, 'only the second file is left', slowly)
    expectSound(folder)
  },
  timeout,
)
