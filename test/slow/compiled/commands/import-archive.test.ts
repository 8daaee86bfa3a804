// `formbox import` of an archive as a process of its own: what it says, and what it leaves when it is killed.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formbox, serve } from '../../../commands/formbox.ts'
import { someBytes, submitFiles } from '../../../export/archived.ts'
import { temporaryFolder } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { openData } from '../../../storage/data.ts'
import { expectSound, rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'

/** A data folder with an empty form, beside an archive of submissions that have a file each. */
const withArchive = async ({ count, size }: { count: number; size: number }) => {
  const from = openData()
  for (let i = 0; i < count; i++) submitFiles(from, { n: `${i}`, cv: [{ name: `${i}.bin`, bytes: someBytes(size) }] })
  const folder = temporaryFolder()
  const archive = join(folder, 'contact.zip')
  await formbox(['export', from.formId, '--data', from.folder, '--output', archive])
  mkdirSync(join(folder, 'data'))
  const data = openData(join(folder, 'data'))
  const words = ['import', data.formId, archive, '--data', data.folder]
  return { ...data, root: folder, archive, words, from }
}

const left = (folder: string) =>
  rowsOf(folder, 'SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM file_pieces) AS pieces')[0]

describe('formbox import of an archive', () => {
  test('says how many files came, or would come, and how many are missing', async () => {
    const { words, folder, archive, from } = await withArchive({ count: 3, size: 100_000 })
    const dry = await formbox([...words, '--dry-run'])
    expect(dry.stdout).toMatch(/^Would import 3 submissions with 3 files, dated \S+ to \S+Z; fields: “.+”\n$/)
    expect(left(folder)).toEqual({ files: 0, pieces: 0 })
    expect((await formbox(words)).stdout).toMatch(/^Imported 3 submissions with 3 files, dated \S+ to \S+Z\n/)
    expect((await formbox(words)).stdout).toBe(
      'Imported 0 submissions; the form has 3 submissions of the file already\n',
    )
    expectSound(folder)
    const table = archive.replace('.zip', '.ndjson')
    await formbox(['export', from.formId, '--data', from.folder, '--output', table])
    const other = openData()
    const { stdout } = await formbox(['import', other.formId, table, '--data', other.folder])
    expect(stdout).toMatch(
      /^Imported 3 submissions, dated .*; 3 of their files are missing: only an export as ZIP has files\n/,
    )
  })

  test('says in one line what is wrong with one', async () => {
    const { words, archive, folder } = await withArchive({ count: 1, size: 100_000 })
    const bytes = readFileSync(archive)
    bytes.fill('wrong', bytes.indexOf('0.bin') + 1000, bytes.indexOf('0.bin') + 1005)
    await Bun.write(archive, bytes)
    const { exitCode, stderr } = await formbox(words)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^formbox: cannot import \S+contact.zip, nothing was changed: files\/\w+\/1-0.bin: is damaged: its checksum is another\n$/,
      ),
    ])
    expect(left(folder)).toEqual({ files: 0, pieces: 0 })
    expectSound(folder)
  })

  test.each(['with a server that is started', 'with the next import'])(
    'that is killed leaves nothing for long %s',
    async (how) => {
      const { words, folder, root } = await withArchive({ count: 60, size: 1_000_000 })
      const child = Bun.spawn([...program, ...words], { env: {}, stdout: 'ignore', stderr: 'ignore' })
      await until(() => Number(left(folder)?.files) > 0, 'some files are staged', slowly)
      child.kill('SIGKILL')
      await child.exited
      expect(rowsOf(folder, 'SELECT id FROM submissions')).toEqual([])
      expect(Number(left(folder)?.files)).toBeGreaterThan(0)
      expectSound(folder)
      if (how === 'with a server that is started') {
        await serve(['--data', 'data'], { folder: root })
        await until(() => left(folder)?.pieces === 0 && left(folder)?.files === 0, 'nothing is left', slowly)
      }
      expect((await formbox(words)).stdout).toStartWith('Imported 60 submissions with 60 files')
      expect(left(folder)).toEqual({ files: 60, pieces: 60 * 16 })
      expectSound(folder)
    },
  )
})
