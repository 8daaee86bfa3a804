import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { startRestore } from '../backups/child-process.ts'
import { isWorthShowing, showProgress } from '../backups/progress.ts'
import { checkBackup, restoreDataFile } from '../backups/restore.ts'
import { makeFolder } from '../db/files.ts'
import { lockFolder, lockOutCommands } from '../db/folder-lock.ts'
import { dataFile } from '../db/open.ts'
import { OperatorError } from '../errors.ts'
import type { Command } from './command.ts'
import { configFor, dataFlag } from './setting-flags.ts'

export const restore: Command = {
  words: ['restore'],
  operands: ['FILE'],
  summary: 'replace the data with a backup; keeps the old data in the data folder',
  flags: [dataFlag],
  run: (flags, [operand = '']) => {
    const { dataFolder } = configFor(flags)
    const backup = resolve(operand)
    checkBackup(backup, dataFolder)
    const { size } = statSync(backup)
    if (isWorthShowing(size)) return showRestore(dataFolder, backup, size)
    makeFolder(dataFolder)
    const lock = lockFolder(dataFolder)
    try {
      const kept = restoreAlone(backup, dataFolder)
      process.stdout.write(`Restored ${dataFile(dataFolder)} from ${backup}\n`)
      if (kept !== null) process.stdout.write(`The replaced data is kept in ${kept}\n`)
      return 0
    } finally {
      lock.release()
    }
  },
}

/** A command that still had the replaced file open would write to it, and that write would be lost. */
const restoreAlone = (backup: string, folder: string): string | null => {
  const lock = lockOutCommands(folder)
  try {
    return restoreDataFile(backup, folder, Date.now())
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
