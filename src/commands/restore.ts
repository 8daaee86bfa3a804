import { resolve } from 'node:path'
import { checkBackup, restoreDataFile } from '../backups/restore.ts'
import { parseConfig } from '../config.ts'
import { makeFolder } from '../db/folder.ts'
import { lockFolder } from '../db/lock.ts'
import { dataFile } from '../db/open.ts'
import type { Flags } from './flags.ts'
import { settingFlags } from './setting-flags.ts'

export const run = async (flags: Flags, operands: readonly string[]): Promise<number> => {
  const { dataFolder } = parseConfig(process.env, settingFlags(flags))
  const backup = resolve(operands[0] ?? '')
  checkBackup(backup, dataFolder)
  makeFolder(dataFolder)
  const lock = lockFolder(dataFolder)
  try {
    const kept = restoreDataFile(backup, dataFolder, Date.now())
    process.stdout.write(`Restored ${dataFile(dataFolder)} from ${backup}\n`)
    if (kept !== null) process.stdout.write(`What it replaced is kept in ${kept}\n`)
    return 0
  } finally {
    lock.release()
  }
}
