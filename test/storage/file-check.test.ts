import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { openFileCheck } from '../../src/storage/file-check.ts'
import { connect, dataFile } from '../../src/storage/open.ts'
import { openReader } from '../../src/storage/reader.ts'
import { temporaryFolder } from '../clean-ups.ts'

test('a log that is made after the file was opened belongs to it, and is missed when it is removed', () => {
  const folder = temporaryFolder()
  prepareDataFolder(folder)
  const lines: string[] = []
  const reader = openReader(folder)
  const check = openFileCheck({ folder, hasMoved: reader.hasMoved }, (_, line) => void lines.push(line))
  expect(check.isWhole()).toBe(true)

  const db = connect(folder)
  db.$client.run("INSERT INTO secrets (name, value) VALUES ('a', 'AA==')")
  expect([check.isWhole(), lines]).toEqual([true, []])

  rmSync(`${dataFile(folder)}-wal`)
  expect(check.isWhole()).toBe(false)
  expect(lines).toEqual([expect.stringContaining('formbox.db-wal was removed while the server was running')])
  db.$client.close()
  reader.close()
  check.close()
})
