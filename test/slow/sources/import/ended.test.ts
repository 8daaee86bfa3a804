// Imports through the API that end otherwise than they began.
import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, writeKey } from '../../../harness.ts'
import { partsOf, workbookFile } from '../../../import/workbooks.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { caller, createUser, startProcess, timeout } from '../../../torture/process.ts'
import { fillDisk, smallDisk } from '../../../torture/small-disk.ts'
import { slowly, until } from '../../../until.ts'

const csv = (rows: number): string =>
  `_date,name,message\n${Array.from({ length: rows }, (_, i) => `${new Date((i + 1) * 1000).toISOString()},Ada ${i},${'more '.repeat(20)}\n`).join('')}`

const start = async (folder = temporaryFolder()) => {
  const { formId, userId } = openData(folder)
  const server = await startProcess({ folder })
  const { key } = writeKey(folder, userId)
  const call = caller(server.url, key)
  const send = async (body: string, sender = key) => {
    const headers = { authorization: `Bearer ${sender}`, 'content-type': 'text/csv' }
    const response = await fetch(`${server.url}/api/v1/forms/${formId}/imports`, { method: 'POST', headers, body })
    return { status: response.status, body: (await response.json()) as { id: string } }
  }
  const nothingLeft = (): Promise<void> =>
    until(
      () =>
        ['staged_rows', 'imported_pages', 'files', 'file_pieces'].every(
          (table) => rowsOf(folder, `SELECT 1 FROM ${table} LIMIT 1`).length === 0,
        ) && readdirSync(folder).every((name) => !name.includes('.partial-')),
      'nothing of the import is left',
      slowly,
    )
  return { folder, formId, server, key, call, send, nothingLeft }
}

test(
  'a form that is deleted takes its import along',
  async () => {
    const { folder, formId, call, send, nothingLeft } = await start()
    const { body } = await send(csv(30_000))
    expect(body.id).toBeString()
    expect((await call('DELETE', `/forms/${formId}`)).status).toBe(200)
    await nothingLeft()
    for (const table of ['forms', 'imports', 'submissions'])
      await until(() => rowsOf(folder, `SELECT 1 FROM ${table}`).length === 0, `${table} are gone`, slowly)
    expectSound(folder)
  },
  timeout,
)

test(
  'an import that is cancelled leaves nothing',
  async () => {
    const { folder, formId, call, send, nothingLeft } = await start()
    const { body } = await send(csv(30_000))
    const path = `/forms/${formId}/imports/${body.id}`
    expect((await call('DELETE', path)).status).toBe(200)
    await until(
      async () => ['failed', 'removed'].includes((await call('GET', path)).body.state),
      'it has ended',
      slowly,
    )
    await nothingLeft()
    expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(0)
    expectSound(folder)
    const again = await send(csv(10))
    await until(
      async () => (await call('GET', `/forms/${formId}/imports/${again.body.id}`)).body.state === 'done',
      'the next import is done',
      slowly,
    )
  },
  timeout,
)

test(
  'a server that stops reads no further',
  async () => {
    const { folder, formId, server, key } = await start()
    const sheet = Buffer.from('<a/>'.repeat(2 ** 20))
    const parts = {
      ...partsOf({ rows: '' }),
      'xl/worksheets/sheet1.xml': [Buffer.from('<b>'), ...Array(20).fill(sheet)],
    }
    const body = await Bun.file(await workbookFile(parts)).bytes()
    const path = `${server.url}/api/v1/forms/${formId}/imports?format=xlsx`
    const headers = { authorization: `Bearer ${key}` }
    const answered = fetch(path, { method: 'POST', headers, body })
    await until(
      () => readdirSync(folder).some((name) => name.startsWith('formbox.upload-')),
      'the file is read',
      slowly,
    )
    server.kill('SIGTERM')
    expect((await answered).status).toBe(503)
    expect(await server.exited).toBe(0)
    expect(readdirSync(folder).filter((name) => name.includes('.partial-'))).toEqual([])
  },
  timeout,
)

test(
  'two users import into one form at once',
  async () => {
    const { folder, formId, call, send } = await start()
    const grace = createUser(folder, 'grace@example.com')
    expect(
      (await call('POST', `/forms/${formId}/members`, { email: 'grace@example.com', role: 'manager' })).status,
    ).toBe(200)
    const sent = await Promise.all([send(csv(5000)), send(csv(3000), grace)])
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    for (const { body } of sent)
      await until(
        async () => (await call('GET', `/forms/${formId}/imports/${body.id}`)).body.state === 'done',
        'it is done',
        slowly,
      )
    expect((await call('GET', `/forms/${formId}`)).body.submissionCount).toBe(8000)
    expectSound(folder)
  },
  timeout,
)

test(
  'an import for which the disk has no room leaves nothing, and can be sent again',
  async () => {
    const disk = smallDisk(48)
    if (!disk) return void noteSkipped('Skipping an import on a full disk: only root can mount a small one.')
    const { folder, formId, call, send } = await start(join(disk, 'data'))
    const ballast = join(disk, 'ballast')
    fillDisk(disk, ballast, 6_000_000)
    const { status, body } = await send(csv(30_000))
    rmSync(ballast)
    if (status === 200)
      await until(
        async () => (await call('GET', `/forms/${formId}/imports/${body.id}`)).body.state !== 'running',
        'it has ended',
        slowly,
      )
    else expect(status).toBe(503)
    const { submissionCount } = (await call('GET', `/forms/${formId}`)).body
    expect([0, 30_000]).toContain(submissionCount)
    // What could not be given up for want of room is gone a quarter of an hour later.
    const files = () => rowsOf(folder, 'SELECT 1 FROM staged_rows UNION SELECT 1 FROM imported_pages')
    if (submissionCount === 0) await until(() => files().length === 0, 'no row of the import is left', slowly)
    expect(readdirSync(folder).filter((name) => name.includes('.partial-'))).toEqual([])
    expectSound(folder)
    await until(async () => (await send(csv(100))).status === 200, 'the disk takes writes again', slowly)
    await until(
      async () => (await call('GET', `/forms/${formId}`)).body.submissionCount === submissionCount + 100,
      'all are there',
      slowly,
    )
  },
  timeout,
)
