import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { writeFile } from '../../../../src/commands/target-file.ts'
import { partialFile } from '../../../../src/storage/partial-file.ts'
import { changeIn, damagePage, fillFolder, middlePage, refusal, submit } from '../../../backup/data.ts'
import { formbox, serve } from '../../../commands/formbox.ts'
import { someBytes, submitFiles } from '../../../export/archived.ts'
import { afterThisTest, startServer, temporaryFolder, writeKey } from '../../../harness.ts'
import { program } from '../../../program.ts'
import { noteSkipped } from '../../../skips.ts'
import { openData } from '../../../storage/data.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'
import { smallDisk } from '../../../torture/small-disk.ts'

const canMount = smallDisk(1) !== null
if (!canMount) noteSkipped('Backups to small disks are not tried: only root can mount one.')

/** The folder that a backup file is in, as if it were a data folder. */
const asFolder = (): string => temporaryFolder()

const linkTo = (folder: string): string => {
  const link = join(temporaryFolder(), 'link')
  symlinkSync(folder, link)
  return link
}

describe('formbox backup', () => {
  test('copies everything that was answered before it began, while the server goes on writing', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const form = await ada.createForm()
    const before = await submit(server, form, 400)
    const copies = [asFolder(), asFolder(), asFolder()]
    const writing = submit(server, form, 3000)
    for (const copy of copies)
      expect(await formbox(['backup', dataFile(copy), '--data', server.folder])).toEqual({
        exitCode: 0,
        stdout: '',
        stderr: '',
      })
    const after = await writing
    expect([before.length, after.length]).toEqual([400, 3000])

    const counts = copies.map((copy) => {
      expectSound(copy)
      const ids = rowsOf<{ id: string }>(copy, 'SELECT id FROM submissions').map(({ id }) => id)
      const answered = new Set([...before, ...after])
      expect(ids.filter((id) => !answered.has(id))).toEqual([])
      expect(before.filter((id) => !ids.includes(id))).toEqual([])
      return ids.length
    })
    expect(counts).toEqual([...counts].sort((one, other) => one - other))
    expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount).toBe(3400)
    expectSound(server.folder)
  })

  test('leaves one file, for its owner alone', async () => {
    const data = temporaryFolder()
    fillFolder(data, 100_000)
    const copy = asFolder()
    expect((await formbox(['backup', dataFile(copy), '--data', data])).exitCode).toBe(0)
    expect(readdirSync(copy)).toEqual(['formbox.db'])
    expect((statSync(dataFile(copy)).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(data).sort()).toEqual(['formbox.commands.lock', 'formbox.db'])
  })

  test('replaces a file only with --force', async () => {
    const data = temporaryFolder()
    fillFolder(data, 100_000)
    const copy = asFolder()
    writeFileSync(dataFile(copy), 'precious')
    expect(await refusal(['backup', dataFile(copy), '--data', data])).toContain('--force')
    expect(readFileSync(dataFile(copy), 'utf8')).toBe('precious')
    expect((await formbox(['backup', dataFile(copy), '--data', data, '--force'])).exitCode).toBe(0)
    expectSound(copy)
    expect(readdirSync(copy)).toEqual(['formbox.db'])
  })

  test.each<[string, (data: string) => string, string]>([
    ['the data file', (data) => join(data, 'formbox.db'), 'the data folder uses'],
    ['the data file in capitals', (data) => join(data, 'FORMBOX.DB'), 'the data folder uses'],
    ['the data file by another path', (data) => join(linkTo(data), 'formbox.db'), 'the data folder uses'],
    ['its log', (data) => join(data, 'formbox.db-wal'), 'the data folder uses'],
    ['the lock', (data) => join(data, 'formbox.lock'), 'the data folder uses'],
    ['the lock of the commands', (data) => join(data, 'formbox.commands.lock'), 'the data folder uses'],
    ['its journal', (data) => join(data, 'formbox.db-journal'), 'the data folder uses'],
    [
      'a file that is being written',
      (data) => join(data, 'x.db.partial-0123abcd-7'),
      'a file that is being written has such a name',
    ],
    ['a folder', (data) => join(data, 'folder'), 'it is not a file'],
    ['a file in no folder', (data) => join(data, 'none', 'x.db'), 'its folder does not exist'],
  ])('is refused where its target is %s, with --force too', async (_, target, reason) => {
    const data = temporaryFolder()
    fillFolder(data, 100_000)
    mkdirSync(join(data, 'folder'))
    const before = readFileSync(dataFile(data))
    const path = target(data)
    const line = await refusal(['backup', path, '--data', data, '--force'])
    expect(line).toContain(path)
    expect(line).toContain(reason)
    expect(readFileSync(dataFile(data)).equals(before)).toBe(true)
    expect(readdirSync(data).sort()).toEqual(['folder', 'formbox.db'])
  })

  test('is refused where there is no data, and makes none', async () => {
    const data = join(temporaryFolder(), 'data')
    const copy = asFolder()
    expect(await refusal(['backup', dataFile(copy), '--data', data])).toContain('it does not exist')
    expect([existsSync(data), readdirSync(copy)]).toEqual([false, []])
  })

  test.skipIf(!canMount)(
    'is refused with both numbers where its disk is too small, and writes nothing there',
    async () => {
      const data = temporaryFolder()
      fillFolder(data, 20_000_000)
      const disk = smallDisk(16) as string
      writeFileSync(join(disk, 'backup.db'), 'precious')
      const line = await refusal(['backup', join(disk, 'backup.db'), '--data', data, '--force'])
      expect(line).toMatch(/backup\.db: that needs \d\d MB of free disk space in its folder, which has 16 MB\n$/)
      expect(readdirSync(disk)).toEqual(['backup.db'])
      expect(readFileSync(join(disk, 'backup.db'), 'utf8')).toBe('precious')
    },
  )

  test('is refused when a page is damaged: the good copy that is there stays', async () => {
    const data = temporaryFolder()
    fillFolder(data, 1_000_000)
    const copy = asFolder()
    expect((await formbox(['backup', dataFile(copy), '--data', data])).exitCode).toBe(0)
    const good = readFileSync(dataFile(copy))
    damagePage(dataFile(data), middlePage(data))
    const line = await refusal(['backup', dataFile(copy), '--data', data, '--force'])
    expect(line).toContain(dataFile(data))
    expect(line).toContain('damaged')
    expect(readdirSync(copy)).toEqual(['formbox.db'])
    expect(readFileSync(dataFile(copy)).equals(good)).toBe(true)
  })

  test('that is killed leaves nothing under the name, and the next one clears away what it left', async () => {
    const data = temporaryFolder()
    fillFolder(data, 30_000_000)
    const copy = asFolder()
    writeFileSync(join(copy, 'formbox.db.partial-notes'), 'not a partial copy')
    const child = Bun.spawn([...program, 'backup', dataFile(copy), '--data', data], { stderr: 'ignore' })
    const partial = basename(partialFile(dataFile(copy), child.pid))
    await changeIn(copy, () => existsSync(join(copy, partial)))
    child.kill('SIGKILL')
    await child.exited
    expect(readdirSync(copy)).toContain(partial)
    expect(existsSync(dataFile(copy))).toBe(false)

    expect((await formbox(['backup', dataFile(copy), '--data', data])).exitCode).toBe(0)
    expect(readdirSync(copy).sort()).toEqual(['formbox.db', 'formbox.db.partial-notes'])
    expectSound(copy)
  })

  test('that is killed leaves nothing once another file is written to that folder: a backup, or an export', async () => {
    const data = temporaryFolder()
    fillFolder(data, 30_000_000)
    const copies = asFolder()
    const names = () => readdirSync(copies).sort()
    const killOne = async (): Promise<void> => {
      const child = Bun.spawn([...program, 'backup', join(copies, 'monday.db'), '--data', data], { stderr: 'ignore' })
      await changeIn(copies, () => names().some((name) => name.startsWith('monday.db.partial-')))
      child.kill('SIGKILL')
      await child.exited
      expect(names().filter((name) => name.startsWith('monday.db.partial-'))).not.toEqual([])
    }
    await killOne()
    expect((await formbox(['backup', join(copies, 'tuesday.db'), '--data', data])).exitCode).toBe(0)
    expect(names()).toEqual(['tuesday.db'])
    await killOne()
    await writeFile(['name'], join(copies, 'f.csv'), false)
    expect(names()).toEqual(['f.csv', 'tuesday.db'])
  })

  test('leaves files that another process may be writing, such as one with the same number in another container', async () => {
    const data = temporaryFolder()
    fillFolder(data, 10_000)
    const copy = asFolder()
    const inAnother = (name: string) => join(copy, `formbox.db.partial-${name}`)
    for (const name of ['0123abcd-1', '0123abcd-7', '0123abcd-8']) writeFileSync(inAnother(name), 'what grows')
    const yesterday = Date.now() / 1000 - 25 * 3600
    utimesSync(inAnother('0123abcd-8'), yesterday, yesterday)

    expect((await formbox(['backup', dataFile(copy), '--data', data])).exitCode).toBe(0)

    expect(readdirSync(copy).sort()).toEqual([
      'formbox.db',
      'formbox.db.partial-0123abcd-1',
      'formbox.db.partial-0123abcd-7',
    ])
  })

  const canSeparate = Bun.which('unshare') !== null && Bun.spawnSync(['unshare', '--pid', '--fork', 'true']).success
  if (!canSeparate) noteSkipped('Copies from two process namespaces are not tried: they cannot be made here.')

  test.skipIf(!canSeparate)('has another name for its partial file in another process namespace', () => {
    const script = `console.log((await import('${join(import.meta.dir, '../../../../src/storage/partial-file.ts')}')).partialFile('x', 7))`
    const inside = Bun.spawnSync(['unshare', '--pid', '--fork', process.execPath, '-e', script])
      .stdout.toString()
      .trim()
    expect(inside).toMatch(/^x\.partial-[0-9a-f]{8}-7$/)
    expect(inside).not.toBe(partialFile('x', 7))
  })

  test.skipIf(process.platform === 'win32')('tells on a terminal how far it is, and what it made', async () => {
    const data = temporaryFolder()
    fillFolder(data, 30_000_000)
    const copy = asFolder()
    let shown = ''
    const child = Bun.spawn([...program, 'backup', dataFile(copy), '--data', data], {
      terminal: { cols: 80, rows: 24, data: (_, chunk) => (shown += new TextDecoder().decode(chunk)) },
    })
    afterThisTest(() => child.kill('SIGKILL'))
    expect(await child.exited).toBe(0)
    child.terminal?.close()
    expect(shown).toMatch(/checking \d+ MB/)
    expect(shown).toMatch(/formbox\.db: \d+ MB, checked/)
    expectSound(copy)
  })

  test('has every file whole that its submissions name, while others arrive and are deleted', async () => {
    const data = temporaryFolder()
    const opened = openData(data)
    const { formId, userId } = opened
    const { key } = writeKey(data, userId)
    for (let i = 0; i < 20; i++) submitFiles(opened, { cv: [{ name: 'old', bytes: someBytes(1_500_000) }] })
    const { url } = await serve(['--data', data])
    const authorized = { headers: { authorization: `Bearer ${key}` } }
    let isOver = false
    const upload = async (): Promise<number> => {
      let sent = 0
      for (; !isOver; sent++) {
        const body = new FormData()
        body.set('cv', new File([someBytes(700_000)], 'new.bin'))
        const { status } = await fetch(`${url}/s/${formId}`, { method: 'POST', body })
        expect(status).toBe(200)
        const list = await fetch(`${url}/api/v1/forms/${formId}/submissions?perPage=1&page=5`, authorized)
        const [{ id } = { id: '' }] = ((await list.json()) as { submissions: { id: string }[] }).submissions
        await fetch(`${url}/api/v1/forms/${formId}/submissions/${id}`, { ...authorized, method: 'DELETE' })
      }
      return sent
    }
    const uploading = upload()
    const copies = [asFolder(), asFolder()]
    for (const copy of copies)
      expect(await formbox(['backup', dataFile(copy), '--data', data])).toMatchObject({ exitCode: 0, stderr: '' })
    isOver = true
    expect(await uploading).toBeGreaterThan(0)
    for (const copy of copies) {
      expectSound(copy)
      const query = 'SELECT count(*) AS count FROM files WHERE submission IS NOT NULL'
      expect(rowsOf(copy, query)).not.toEqual([{ count: 0 }])
    }
  })
})
