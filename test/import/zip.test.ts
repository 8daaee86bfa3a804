import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openZip } from '../../src/transfer/import/zip.ts'
import { openFiles } from '../open-files.ts'
import { partsOf, workbookFile } from './workbooks.ts'

// A thread ends once it has said what it found, and what is open then stays open.
test.skipIf(process.platform !== 'linux')('an archive is closed at once, however far it was read', async () => {
  const path = await workbookFile(partsOf({ rows: '' }))
  const folder = dirname(path)
  for (const isRead of [true, false]) {
    const zip = await openZip(path, 100)
    expect(openFiles(folder)).toEqual([path])
    for (const entry of zip.entries) for await (const chunk of zip.read(entry)) if (!isRead && chunk.length > 0) break
    zip.close()
    expect(openFiles(folder)).toEqual([])
    // What has its number meanwhile stays open.
    zip.close()
  }
  const damaged = join(folder, 'damaged')
  writeFileSync(damaged, 'PK')
  await openZip(damaged, 100).catch(() => {})
  expect(openFiles(folder)).toEqual([])
})
