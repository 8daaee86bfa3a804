import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../base/operator-errors.ts'
import { isS3Url } from '../config/s3.ts'
import { lookAt, makeFolder } from '../storage/files.ts'
import { lockFolder, lockOutCommands } from '../storage/folder-lock.ts'
import { dataFile } from '../storage/open.ts'
import { isWorthShowing, showProgress } from '../upkeep/backups/progress.ts'
import { type BackupSource, backupFile, pipedBackup, restoreDataFile } from '../upkeep/backups/restore.ts'
import { startRestore } from '../upkeep/backups/start-command.ts'
import type { Command } from './command.ts'
import { configFor, dataFlag } from './flags.ts'

export const restore: Command = {
  words: ['restore'],
  operands: ['FILE'],
  summary: 'restore a backup, FILE (- is standard input) or s3://…; keeps the old data',
  flags: [dataFlag],
  run: async (flags, [operand = '']) => {
    const { dataFolder, s3 } = configFor(flags)
    if (isS3Url(operand)) {
      const { backupInS3 } = await import('../upkeep/backups/download.ts')
      return await restoreFrom(await backupInS3({ access: s3, url: operand, now: Date.now() }), dataFolder)
    }
    if (operand === '-') return await restoreFrom(pipedBackup('standard input', Bun.stdin), dataFolder)
    const path = resolve(operand)
    if (lookAt(path, `restore ${path}`)?.isFIFO())
      return await restoreFrom(pipedBackup(path, Bun.file(path)), dataFolder)
    const source = backupFile(path, dataFolder)
    const { size } = statSync(path)
    return await (isWorthShowing(size) ? showRestore(dataFolder, path, size) : restoreFrom(source, dataFolder))
  },
}

const restoreFrom = async (source: BackupSource, folder: string): Promise<number> => {
  makeFolder(folder)
  const lock = lockFolder(folder)
  try {
    const replaced = await restoreAlone(source, folder)
    process.stdout.write(`Restored ${dataFile(folder)} from ${source.name}\n`)
    if (replaced !== null) process.stdout.write(`The replaced data is kept in ${replaced}\n`)
    return 0
  } finally {
    lock.release()
  }
}

/** A command that still had the replaced file open would write to it, and that write would be lost. */
const restoreAlone = async (source: BackupSource, folder: string): Promise<string | null> => {
  const lock = lockOutCommands(folder)
  try {
    return await restoreDataFile(source, folder, Date.now())
  } finally {
    lock.release()
  }
}

/** Runs in a child process: copying and checking block the process, which could not show its progress meanwhile. */
const showRestore = async (folder: string, backup: string, size: number): Promise<number> => {
  const child = startRestore({ folder, backup })
  // The terminal sends the signal to the child too. The data file does not change before the last step.
  process.once('SIGINT', () => child.cancel())
  const reason = await showProgress(child.partial, size, child.ended)
  if (reason !== null) throw new OperatorError(reason)
  process.stdout.write(await child.printed)
  return 0
}
