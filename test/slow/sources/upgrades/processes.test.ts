// What commands and servers do with data files that are new, of a newer version or of an unreleased one.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../../../src/storage/migrations.ts'
import { fillFolder, refusal } from '../../../backup/data.ts'
import { formbox } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { openData } from '../../../storage/data.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'

test('a new folder is made once when several processes begin on it at the same time', async () => {
  const folder = join(temporaryFolder(), 'data')
  const names = ['ada', 'bob', 'eve', 'zoe']
  const outcomes = await Promise.all(
    names.map((name) => formbox(['user', 'create', `${name}@example.com`, '--data', folder])),
  )
  const isQuiet = expect.stringMatching(/^(formbox: there was no data yet in .*\n)?$/)
  for (const outcome of outcomes) expect(outcome).toMatchObject({ exitCode: 0, stderr: isQuiet })
  expect(rowsOf(folder, 'SELECT count(*) AS rows FROM migrations')).toEqual([{ rows: migrations.length }])
  expectSound(folder)
})

describe('a file of a newer version', () => {
  test.each([[['serve', '--port', '0']], [['user', 'list']], [['backup', 'copy.db']]])(
    'is refused by name by %j, and stays as it was to the byte',
    async (words) => {
      const folder = temporaryFolder()
      fillFolder(folder, 300_000)
      const db = new Database(dataFile(folder))
      db.run("INSERT INTO migrations VALUES ('9999_later', 'x')")
      db.run('PRAGMA user_version = 2003004')
      db.close()
      const before = readFileSync(dataFile(folder))
      writeFileSync(join(folder, 'notes.txt'), 'mine')
      const line = await refusal([...words, '--data', folder])
      expect(line).toContain(dataFile(folder))
      expect(line).toContain('a newer version of Formbox (it has 9999_later); version 2.3.4 or later can read it')
      expect(readFileSync(dataFile(folder)).equals(before)).toBe(true)
      expect(readdirSync(folder).sort()).toEqual(['formbox.db', 'notes.txt'])
    },
  )
})

test('a file of an unreleased version is refused in one line, and left as it was', async () => {
  const { folder, db } = openData()
  db.$client.run("UPDATE migrations SET hash = 'x'; INSERT INTO migrations VALUES ('0001_more', 'x')")
  const before = rowsOf(folder, 'SELECT * FROM migrations')
  for (const command of [
    ['serve', '--port', '0'],
    ['user', 'list'],
  ]) {
    const { exitCode, stdout, stderr } = await formbox([...command, '--data', folder])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^formbox: [^\n]+\n$/)
    expect(stderr).toMatch(/unreleased version .* 0000_init .* \(formbox export\) .* \(formbox import\)/)
  }
  expect(rowsOf(folder, 'SELECT * FROM migrations')).toEqual(before)
  expectSound(folder)
})
