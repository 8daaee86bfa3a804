import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { invalid } from '../base/errors.ts'
import { cannot, OperatorError } from '../base/operator-errors.ts'
import { isS3Url } from '../config/s3.ts'
import { copyDatabase } from '../storage/copy-database.ts'
import { examine } from '../storage/examine-database.ts'
import { joinFolder } from '../storage/folder-lock.ts'
import { connect, dataFile } from '../storage/open.ts'
import { partialFile, removePartial } from '../storage/partial-file.ts'
import { startBackup } from '../upkeep/backups/child-process.ts'
import { isWorthShowing, showProgress, toMegabytes } from '../upkeep/backups/progress.ts'
import type { Command, Flags } from './command.ts'
import { findData } from './data-folder.ts'
import { configFor, dataFlag } from './flags.ts'
import { checkTarget } from './target-file.ts'

export const backup: Command = {
  words: ['backup'],
  operands: ['FILE'],
  summary: 'back up all data to FILE or s3://BUCKET/NAME; the server may be running',
  flags: [
    { name: 'force', help: 'overwrite FILE if it exists' },
    { name: 'from', value: 'BACKUP', help: 'upload this backup to s3://… instead of making one' },
    { name: 'keep', value: 'COUNT', help: "then keep only this many of the server's backups beside it" },
    dataFlag,
  ],
  run: async (flags, [operand = '']) => {
    const { dataFolder } = configFor(flags)
    const isReplacing = flags.force === true
    if (isS3Url(operand)) return await toS3(flags, operand, isReplacing)
    for (const name of ['from', 'keep'])
      if (flags[name] !== undefined)
        throw invalid({ field: `--${name}`, message: 'needs a target that begins with s3://' })
    const target = resolve(operand)
    if (await toFile(dataFolder, target, isReplacing))
      process.stderr.write(`${target}: ${toMegabytes(statSync(target).size)}, checked\n`)
    return 0
  },
}

/** Makes the backup, with a line of progress if that is worth showing. Returns whether it was. */
const toFile = async (dataFolder: string, target: string, isReplacing: boolean): Promise<boolean> => {
  const source = dataFile(dataFolder)
  findData(dataFolder, `back up ${source}`)
  checkTarget(target, dataFolder, isReplacing)
  const { size } = statSync(source)
  if (!isWorthShowing(size)) {
    copy(dataFolder, target, isReplacing)
    return false
  }
  const child = startBackup({ folder: dataFolder, target, isReplacing })
  // The terminal sends the signal to the child too. When the child has ended, its partial file is removed.
  process.once('SIGINT', () => child.cancel())
  const reason = await showProgress(child.partial, size, child.ended)
  if (reason !== null) throw new OperatorError(reason)
  return true
}

const copy = (folder: string, target: string, isReplacing: boolean): void => {
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
}

/** A backup that is made here is put beside the data first: its sum must be known before it is sent. */
const toS3 = async (flags: Flags, url: string, isReplacing: boolean): Promise<number> => {
  // No other command, and no server, needs a client for S3.
  const { openUpload } = await import('../upkeep/backups/upload.ts')
  const { s3, dataFolder } = configFor(flags)
  const put = openUpload({ access: s3, url, keep: flags.keep as string | undefined, isReplacing, now: Date.now() })
  if (flags.from !== undefined) return await put(resolve(flags.from as string))
  // Its name has the number of this process: another command may be doing the same.
  const file = partialFile(join(dataFolder, 'formbox-for-s3.db'), process.pid)
  const remove = (): void => removePartial(file)
  try {
    await toFile(dataFolder, file, true)
    process.once('SIGINT', () => {
      remove()
      process.exit(130)
    })
    return await put(file)
  } finally {
    remove()
  }
}
