import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { fillFolder, refusal } from '../../../backup/data.ts'
import { formbox } from '../../../commands/formbox.ts'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { dataFile, expectSound, rowsOf } from '../../../storage/sound.ts'

/** A process with a namespace of its own sees no other process in `/proc`, as in a container. */
const alone = ['unshare', '--pid', '--fork', '--mount-proc']
const canBeAlone = Bun.which('unshare') !== null && Bun.spawnSync([...alone, 'true']).success
if (!canBeAlone) noteSkipped('Restores that see no other process are not tried: a namespace cannot be made here.')

/** Another program that opens the data file, reads from it if it should, and keeps it open until it is ended. */
const openInAnotherProgram = async (data: string, isReading: boolean) => {
  const script = `
    const db = new (await import('bun:sqlite')).Database(process.argv[1])
    if (${isReading}) db.query('SELECT count(*) FROM submissions').get()
    console.log('open')
    setInterval(() => db, 60_000)`
  const child = Bun.spawn([process.execPath, '-e', script, dataFile(data)], { stdout: 'pipe' })
  afterThisTest(() => child.kill('SIGKILL'))
  await child.stdout.getReader().read()
  return {
    pid: child.pid,
    end: () => {
      child.kill('SIGKILL')
      return child.exited
    },
  }
}

const prepare = async () => {
  const data = temporaryFolder()
  fillFolder(data, 100_000)
  const backup = dataFile(temporaryFolder())
  expect((await formbox(['backup', backup, '--data', data])).exitCode).toBe(0)
  // As after a server: the file has a log, and someone who reads from it keeps the index of the log.
  const db = new Database(dataFile(data))
  db.run('PRAGMA journal_mode = WAL')
  db.run("UPDATE forms SET title = 'Newer'")
  db.close()
  return { data, backup }
}

const titles = (data: string) => rowsOf(data, 'SELECT title FROM forms')

describe('restore while another program has the data file open', () => {
  test.skipIf(process.platform !== 'linux')(
    'is refused, also if that program only opened it, and names it',
    async () => {
      const { data, backup } = await prepare()
      for (const isReading of [false, true]) {
        const other = await openInAnotherProgram(data, isReading)
        const line = await refusal(['restore', backup, '--data', data])
        expect(line).toContain(`formbox: cannot replace ${dataFile(data)}: process ${other.pid} (`)
        expect(line).toContain('has it open; stop it first')
        await other.end()
        expect(readdirSync(data).filter((name) => name.includes('replaced') || name.includes('partial'))).toEqual([])
        expect(titles(data)).toEqual([{ title: 'Newer' }])
      }
      expect((await formbox(['restore', backup, '--data', data])).exitCode).toBe(0)
      expect(titles(data)).toEqual([{ title: 'Contact' }])
      expectSound(data)
    },
  )

  test.skipIf(!canBeAlone)('is refused by its lock, where no other process can be seen', async () => {
    const { data, backup } = await prepare()
    const other = await openInAnotherProgram(data, true)
    const restore = () => formbox(['restore', backup, '--data', data], { wrap: alone })
    expect(await restore()).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `formbox: cannot replace ${dataFile(data)}: another process has it open; stop it first, even if it is Litestream or a shell of SQLite\n`,
    })
    await other.end()
    expect((await restore()).exitCode).toBe(0)
    expect(titles(data)).toEqual([{ title: 'Contact' }])
    expectSound(data)
  })
})
