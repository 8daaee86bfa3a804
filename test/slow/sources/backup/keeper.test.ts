import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupName, backupTime } from '../../../../src/storage/backup-names.ts'
import { changeIn, damagePage, fillFolder, middlePage } from '../../../backup/data.ts'
import { checkFile } from '../../../backup/sound-file.ts'
import { serve } from '../../../commands/formbox.ts'
import { startServer, takeReported, temporaryFolder } from '../../../harness.ts'
import { isCompiled } from '../../../program.ts'

const minute = 60_000
const environment = { FORMBOX_BACKUP_EVERY: '24h', FORMBOX_BACKUP_KEEP: '2' }

/** A data folder with a folder of backups that were made so many minutes ago. */
const withBackups = (...minutesAgo: number[]): { data: string; backups: string; names: string[] } => {
  const data = temporaryFolder()
  fillFolder(data, 100_000)
  const backups = join(data, 'backups')
  mkdirSync(backups)
  const names = minutesAgo.map((minutes) => backupName(Date.now() - minutes * minute))
  for (const name of names) writeFileSync(join(backups, name), 'made before')
  return { data, backups, names }
}
const own = (folder: string): string[] => readdirSync(folder).filter((name) => backupTime(name) !== undefined)

describe('a server with FORMBOX_BACKUP_EVERY', () => {
  test('makes its first backup at once: whole, checked, for its owner alone', async () => {
    const data = temporaryFolder()
    fillFolder(data, 1_000_000)
    const server = await serve(['--data', data], { environment })
    const backups = join(data, 'backups')
    await changeIn(data, () => existsSync(backups))
    await changeIn(backups, () => own(backups).length === 1)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    const [name = ''] = readdirSync(backups)
    expect(readdirSync(backups)).toEqual([name])
    expect(Math.abs(Date.now() - (backupTime(name) ?? 0))).toBeLessThan(30_000)
    expect(checkFile(join(backups, name))).toEqual({ check: 'ok', submissions: 489 })
    expect([backups, join(backups, name)].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      '700',
      '600',
    ])
  })

  test('makes the one that fell due while it was off, and removes only its own beyond those it keeps', async () => {
    const { data, backups, names } = withBackups(25 * 60, 49 * 60, 73 * 60)
    const others = ['mine.db', `${names[0]}.gz`, 'formbox-old.db']
    for (const name of others) writeFileSync(join(backups, name), 'mine')
    writeFileSync(join(backups, `${backupName(0)}.partial-0123abcd-1`), 'what a killed server left')
    const server = await serve(['--data', data], { environment })
    await changeIn(backups, () => !existsSync(join(backups, names[2] ?? '')))
    await changeIn(backups, () => !existsSync(join(backups, names[1] ?? '')))
    server.kill('SIGTERM')
    expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    const made = own(backups).filter((name) => !names.includes(name))
    expect(made).toHaveLength(1)
    expect(readdirSync(backups).sort()).toEqual([...others, names[0] ?? '', ...made].sort())
    expect(checkFile(join(backups, made[0] ?? '')).check).toBe('ok')
  })

  test('makes none before it is due, however often it starts', async () => {
    const { data, backups, names } = withBackups(23 * 60)
    for (let start = 0; start < 2; start++) {
      const server = await serve(['--data', data], { environment })
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      server.kill('SIGTERM')
      expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    }
    expect(readdirSync(backups)).toEqual(names)
  })

  test('goes on when a backup fails, and says so in one line', async () => {
    const { data, backups } = withBackups()
    rmSync(backups, { recursive: true })
    writeFileSync(backups, 'no folder')
    const server = await serve(['--data', data], { environment })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    server.kill('SIGTERM')
    const { exitCode, stderr } = await server.end()
    expect(exitCode).toBe(0)
    expect(stderr).toBe(
      `formbox: cannot keep the backups in ${backups}: part of the path is a file; the next try is in 10 minutes\n`,
    )
  })

  test.skipIf(isCompiled)('finds a damaged page of a large file, keeps the good backups and tries again', async () => {
    const { data, backups, names } = withBackups(25 * 60, 49 * 60, 73 * 60)
    fillLarge(data)
    damagePage(join(data, 'formbox.db'), middlePage(data))
    const reported = Promise.withResolvers<void>()
    const check = setInterval(() => reports.push(...takeReported()) && reports.length > 0 && reported.resolve(), 20)
    const reports: string[] = []
    const server = await startServer({ folder: data, settings: environment })
    await reported.promise
    clearInterval(check)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    await server.stop()
    expect(reports).toHaveLength(1)
    expect(reports[0]).toContain(join(data, 'formbox.db'))
    expect(reports[0]).toContain('it is damaged')
    expect(reports[0]).toEndWith('the next try is in 10 minutes')
    expect(readdirSync(backups).sort()).toEqual([...names].sort())
  })

  test('that is stopped while it makes one ends at once and leaves nothing half', async () => {
    const { data, backups } = withBackups()
    fillLarge(data)
    const stopWhileMaking = async (): Promise<void> => {
      const server = await serve(['--data', data], { environment })
      await changeIn(backups, () => readdirSync(backups).length > 0)
      server.kill('SIGTERM')
      expect(await server.end()).toMatchObject({ exitCode: 0, stderr: '' })
    }
    await stopWhileMaking()
    // It may be done before it is stopped.
    for (; own(backups).length > 0; await stopWhileMaking())
      for (const name of own(backups)) rmSync(join(backups, name))
    expect(readdirSync(backups)).toEqual([])
  })
})

/** More than what is checked in full at the start. */
const fillLarge = (data: string): void => {
  rmSync(join(data, 'formbox.db'))
  fillFolder(data, 40_000_000)
}
