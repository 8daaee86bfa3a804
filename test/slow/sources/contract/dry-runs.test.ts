import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { fileFormats } from '../../../../src/transfer/formats.ts'
import { csv, startImports } from '../../../contract/imported.ts'
import { expectBelow } from '../../../expect-below.ts'
import { partsOf, workbookFile } from '../../../import/workbooks.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { until } from '../../../until.ts'

test('an import reads no further when the client of a dry run has gone', async () => {
  const { ada, server, imports } = await startImports()
  const sheet = Buffer.from('<a/>'.repeat(2 ** 20))
  const parts = {
    ...partsOf({ rows: '' }),
    'xl/worksheets/sheet1.xml': [Buffer.from('<b>'), ...Array(2).fill(sheet)],
  }
  const body = await Bun.file(await workbookFile(parts)).bytes()
  const isReading = () => readdirSync(server.folder).some((name) => name.startsWith('formbox.upload-'))
  const taken = async ({ isGone }: { readonly isGone: boolean }): Promise<number> => {
    const client = new AbortController()
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': fileFormats.xlsx.mediaType }
    const sent = { method: 'POST', headers, body, signal: client.signal }
    const answered = server.fetch(`/api/v1${imports}?dryRun=true`, sent).catch(() => {})
    await until(isReading, 'the file is read')
    const began = performance.now()
    if (isGone) client.abort()
    await until(() => !isReading(), 'the file is read no more')
    await answered
    return performance.now() - began
  }
  const whole = await taken({ isGone: false })
  await expectBelow(whole / 2, () => taken({ isGone: true }))
})

test('an import keeps ten dry runs of a user, and short reports of wide files', async () => {
  const { ada, send, stateOf, server, imports } = await startImports()
  const ids: string[] = []
  for (let i = 0; i < 11; i++) ids.push((await send(ada, csv, '?dryRun=true')).body.id ?? '')
  const wide = `${Array.from({ length: 2000 }, () => 'n'.repeat(300)).join()}\n1${','.repeat(1999)}\n`
  const { status, body } = await send(ada, wide, '?dryRun=true&noDates=true')
  expect({ status, body }).toMatchObject({ status: 200 })
  const columns = (body.columns ?? []) as { name: string; renamedFrom?: string }[]
  expect(columns.length).toBe(1000)
  for (const { name, renamedFrom = '' } of columns) expect(Math.max(name.length, renamedFrom.length)).toBe(201)
  const forgotten = await Promise.all(ids.map(async (id) => (await ada.call('GET', `${imports}/${id}`)).status === 404))
  expect(forgotten.indexOf(false)).toBe(2)
  expect(await stateOf(ids[2] ?? '')).toMatchObject({ state: 'planned' })
  const [kept] = rowsOf(server.folder, 'SELECT octet_length(report) AS size FROM imports WHERE id = ?', body.id ?? '')
  expect(kept?.size).toBeLessThan(500_000)
})
