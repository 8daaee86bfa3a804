// A server that is killed while it imports: what is there after the next start.
import { expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { sheetFormat, xlsxParts } from '../../../../src/transfer/export/xlsx.ts'
import { temporaryFolder, writeKey } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { caller, isLong, startProcess, tell, timeout } from '../../../torture/process.ts'
import { slowly, until } from '../../../until.ts'

const rounds = isLong ? 40 : 4
const count = 10_000

const start = Date.UTC(2026, 0, 1)

const toCsv = (): Uint8Array => {
  const lines = Array.from(
    { length: count },
    (_, i) => `${new Date(start + i * 1000).toISOString()},Ada ${i},${'more '.repeat(20)}\n`,
  )
  return Buffer.from(`created at,name,message\n${lines.join('')}`)
}

const toXlsx = async (): Promise<Uint8Array> => {
  const format = sheetFormat('UTC')
  function* lines() {
    yield format.line(['created at', 'name', 'message'].map(format.text))
    for (let i = 0; i < count; i++)
      yield format.line([format.time(start + i * 1000), format.text(`Ada ${i}`), format.text('more '.repeat(20))])
  }
  const parts: Uint8Array[] = []
  for await (const part of xlsxParts({ lines: lines(), format })) parts.push(part)
  return Buffer.concat(parts)
}

const begun = ['staging', 'adding', 'removing']

test(
  'SIGKILL in every stage of an import leaves all of it or nothing, and no file',
  async () => {
    const folder = temporaryFolder()
    const { userId, formId, createForm } = openData(folder)
    const key = writeKey(folder, userId).key
    const files = { csv: toCsv(), xlsx: await toXlsx() }
    /** Sends a file. Resolves when it is checked, or the server is gone. */
    const send = (url: string, format: keyof typeof files, form = formId): Promise<string | undefined> =>
      fetch(`${url}/api/v1/forms/${form}/imports?format=${format}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
        body: files[format] as Uint8Array<ArrayBuffer>,
      }).then(
        async (response) => ((await response.json()) as { id?: string }).id,
        () => undefined,
      )
    const states = () => rowsOf<{ state: string }>(folder, 'SELECT state FROM imports').map(({ state }) => state)
    const ended = () => until(() => !states().some((state) => begun.includes(state)), 'every import has ended', slowly)

    // How long one takes, so that all of its stages are hit.
    const first = await startProcess({ folder })
    const began = performance.now()
    await send(first.url, 'csv', createForm(userId))
    await ended()
    const whole = performance.now() - began
    first.kill('SIGKILL')
    await first.exited

    let expected = 0
    const seen = new Map<string, number>()
    for (let round = 0; round < rounds; round++) {
      const server = await startProcess({ folder })
      const sent = send(server.url, round % 2 === 0 ? 'csv' : 'xlsx')
      await Bun.sleep(randomInt(Math.ceil(1.2 * whole)))
      server.kill('SIGKILL')
      await server.exited
      const state = states().find((each) => begun.includes(each)) ?? ((await sent) ? 'ended' : 'before')
      seen.set(state, (seen.get(state) ?? 0) + 1)

      const next = await startProcess({ folder })
      await ended()
      const { submissionCount } = (await caller(next.url, key)('GET', `/forms/${formId}`)).body
      expect([expected, expected + count]).toContain(submissionCount)
      // What was answered as begun is not lost without a word: it says that it failed.
      const id = await sent
      if (id) {
        const found = (await caller(next.url, key)('GET', `/forms/${formId}/imports/${id}`)).body
        expect(found).toMatchObject(
          submissionCount === expected ? { state: 'failed', added: 0 } : { state: 'done', added: count },
        )
      }
      expected = submissionCount
      next.kill('SIGTERM')
      await next.exited
      expect(readdirSync(folder).filter((name) => name.includes('import'))).toEqual([])
      expectSound(folder)
    }
    tell(`of ${rounds} imports, killed: ${[...seen].map(([state, times]) => `${times} ${state}`).join(', ')}`)
  },
  timeout,
)

test(
  'a form that is deleted while something is imported into it takes all of it along',
  async () => {
    const folder = temporaryFolder()
    const { userId, createForm } = openData(folder)
    const key = writeKey(folder, userId).key
    const server = await startProcess({ folder })
    const call = caller(server.url, key)
    for (const wait of [true, false]) {
      const form = createForm(userId)
      const sending = fetch(`${server.url}/api/v1/forms/${form}/imports?format=csv`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
        body: toCsv() as Uint8Array<ArrayBuffer>,
      })
      if (wait) await sending
      expect((await call('DELETE', `/forms/${form}`)).status).toBe(200)
      expect([200, 404]).toContain((await sending).status)
      const left = () => rowsOf(folder, 'SELECT id FROM submissions UNION ALL SELECT id FROM staged_rows').length
      await until(() => left() === 0, 'nothing of it is left', slowly)
      // Nor does it keep its user from the next one.
      const states = "SELECT state FROM imports WHERE state IN ('staging', 'adding', 'removing')"
      await until(() => rowsOf(folder, states).length === 0, 'the import has ended', slowly)
    }
    server.kill('SIGTERM')
    await server.exited
    expectSound(folder)
  },
  timeout,
)
