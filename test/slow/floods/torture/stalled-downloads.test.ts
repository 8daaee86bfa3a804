// What an owner saves of a submission, asked for on many connections by clients that never read it: each holds a piece in
// the server's memory, not the whole.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { afterThisTest } from '../../../harness.ts'
import { isLong, residentBytes, startProcess, tell, timeout } from '../../../torture/process.ts'
import { countStalled, openStalledReader } from '../../../torture/stalled-reader.ts'
import { slowly, until } from '../../../until.ts'
import { signedIn } from '../../../visitor.ts'

const readers = isLong ? 900 : 300
/**
 * Of each reader, once what was needed to find its beginning has been collected: 190,000 to 280,000 of a text here. A whole
 * one takes at least 640,000.
 */
const maxBytesEach = { text: 400_000, file: 250_000 }

const toMB = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const content = Buffer.alloc(5_000_000, createHash('sha256').update('content').digest())

test.each([
  ['file', content],
  ['text', Buffer.from('é"\r\n'.repeat(80_000))],
] as const)(
  'who saves a long %s and does not read it holds a piece of it',
  async (kind, expected) => {
    const server = await startProcess()
    const port = Number(new URL(server.url).port)
    const ask = (path: string, init: RequestInit = {}) => fetch(server.url + path, { redirect: 'manual', ...init })
    const ada = await signedIn({ ...server, fetch: ask })
    await ada.post('/forms/new', { title: 'Contact' })
    const [, formId = ''] = /href="\/forms\/(\w{28})"/.exec((await ada.get('/forms')).html) ?? []
    const form = new FormData()
    if (kind === 'file') form.append('cv', new File([content], 'cv.bin'))
    else form.append('text', expected.toString())
    const sent = await ask(`/s/${formId}`, { method: 'POST', body: form, headers: { accept: 'application/json' } })
    const { id } = (await sent.json()) as { id: string }
    const page = `/forms/${formId}/submissions/${id}`
    const [, whole = ''] =
      new RegExp(`href="(${page}/(?:files|fields)/\\w+)" download`).exec((await ada.get(page)).html) ?? []
    const headers = { cookie: ada.cookie() as string }
    const read = async () => Buffer.from(await (await ask(whole, { headers })).arrayBuffer())
    // What was compiled and collected before does not count.
    for (let i = 0; i < 100; i++) expect((await read()).equals(expected)).toBe(true)
    const before = residentBytes(server)

    const request = Buffer.from(
      `GET ${whole} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nCookie: ${headers.cookie}\r\n\r\n`,
    )
    for (let reader = 0; reader < readers; reader++) {
      afterThisTest(openStalledReader(port, request))
      // The system refuses who comes while too many wait to be let in.
      if (reader % 50 === 49)
        await until(() => countStalled(port).answered === reader + 1, `${reader + 1} downloads are answered`, slowly)
    }

    // No one else is harmed.
    expect((await read()).equals(expected)).toBe(true)
    expect((await ada.get(`/forms/${formId}`)).status).toBe(200)
    const taken = () => residentBytes(server) - before
    await until(() => taken() < readers * maxBytesEach[kind], 'the readers have taken less than all', slowly)
    expect(countStalled(port).waiting).toBeGreaterThanOrEqual(readers)
    tell(`${readers} stalled readers of a ${kind}: ${toMB(taken())} more than ${toMB(before)}`)
    expect(server.errors()).toBe('')
  },
  timeout,
)
