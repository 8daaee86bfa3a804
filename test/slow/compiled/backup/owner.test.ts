// `sudo formbox …` beside a server that runs as a user of its own, as systemd and containers run it.
import { describe, expect, test } from 'bun:test'
import { chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { giveToFolderOwner } from '../../../../src/storage/files.ts'
import { filesIn, formbox } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'

const isRoot = process.geteuid?.() === 0
if (!isRoot) noteSkipped('The tests of what root leaves to the owner of a data folder are skipped: only root can.')

const owner = 12_345
const ownersIn = (folder: string) =>
  filesIn(folder).map((file) => [file, statSync(join(folder, file)).uid, statSync(join(folder, file)).gid])

describe.skipIf(!isRoot)('as root, in a data folder of another user', () => {
  test('every command leaves files that this user can open', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    const backup = join(folder, 'backup.db')
    mkdirSync(data)
    chownSync(data, owner, owner)
    const run = async (...words: string[]) => {
      const { exitCode, stderr } = await formbox([...words, '--data', data])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    }

    expect(await formbox(['user', 'create', 'ada@example.com', '--data', data])).toMatchObject({ exitCode: 0 })
    expect(ownersIn(data)).toEqual(['formbox.commands.lock', 'formbox.db'].map((file) => [file, owner, owner]))

    await run('backup', backup)
    expect(statSync(backup).uid).toBe(0)
    await run('restore', backup)
    const files = [
      'formbox.commands.lock',
      'formbox.db',
      expect.stringContaining('formbox.db.replaced-'),
      'formbox.lock',
    ]
    expect(ownersIn(data)).toEqual(files.map((file) => [file, owner, owner]))
  })

  test('a link that this user put there gives away nothing', () => {
    const folder = temporaryFolder()
    const secret = join(folder, 'secret')
    const data = join(folder, 'data')
    writeFileSync(secret, '')
    mkdirSync(data)
    chownSync(data, owner, owner)
    symlinkSync(secret, join(data, 'link'))

    giveToFolderOwner(join(data, 'link'))

    expect(statSync(secret).uid).toBe(0)
  })
})
