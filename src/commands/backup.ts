import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { startBackup } from '../backups/child-process.ts'
import { isWorthShowing, showProgress, toMegabytes } from '../backups/progress.ts'
import { copyDatabase } from '../db/copy-database.ts'
import { examine } from '../db/examine-database.ts'
import { joinFolder } from '../db/folder-lock.ts'
import { connect, dataFile } from '../db/open.ts'
import { OperatorError } from '../errors.ts'
import { cannot } from '../operator-errors.ts'
import type { Command } from './command.ts'
import { findData } from './data-folder.ts'
import { configFor, dataFlag } from './setting-flags.ts'
import { checkTarget } from './target-file.ts'

export const backup: Command = {
  words: ['backup'],
  operands: ['FILE'],
  summary: 'back up all data to FILE; the server may be running',
  flags: [{ name: 'force', help: 'overwrite FILE if it exists' }, dataFlag],
  run: async (flags, [operand = '']) => {
    const { dataFolder } = configFor(flags)
    const target = resolve(operand)
    const isReplacing = flags.force === true
    const source = dataFile(dataFolder)
    findData(dataFolder, `back up ${source}`)
    checkTarget(target, dataFolder, isReplacing)
    const { size } = statSync(source)
    if (!isWorthShowing(size)) return copy(dataFolder, target, isReplacing)

    const child = startBackup({ folder: dataFolder, target, isReplacing })
    // The terminal sends the signal to the child too. When the child has ended, its partial file is removed.
    process.once('SIGINT', () => child.cancel())
    const reason = await showProgress(child.partial, size, child.ended)
    if (reason !== null) throw new OperatorError(reason)
    process.stderr.write(`${target}: ${toMegabytes(statSync(target).size)}, checked\n`)
    return 0
  },
}

const copy = (folder: string, target: string, isReplacing: boolean): number => {
  const source = dataFile(folder)
  try {
    examine(source, 'none')
    const lock = joinFolder(folder)
    try {
      const db = connect(folder)
      try {
        copyDatabase(db.$client, target, { isReplacing })
      } finally {
        db.$client.close()
      }
    } finally {
      lock.release()
    }
  } catch (error) {
    throw cannot(`back up ${source}`, error)
  }
  return 0
}
