import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { invalid } from '../base/errors.ts'
import { cannot, OperatorError } from '../base/operator-errors.ts'
import { isS3Url } from '../config/s3.ts'
import { copyDatabase } from '../storage/copy-database.ts'
import { examine } from '../storage/examine-database.ts'
import { lookAt } from '../storage/files.ts'
import { joinFolder, refuseReplaced } from '../storage/folder-lock.ts'
import { connect, dataFile } from '../storage/open.ts'
import { partialFile, removePartial } from '../storage/partial-file.ts'
import { isWorthShowing, showProgress, toMegabytes } from '../upkeep/backups/progress.ts'
import { startBackup } from '../upkeep/backups/start-command.ts'
import type { Command, Flags } from './command.ts'
import { findData } from './data-folder.ts'
import { configFor, dataFlag } from './flags.ts'
import { type Parts, writeOutput } from './output.ts'
import { checkTarget, streamTo } from './target-file.ts'

export const backup: Command = {
  words: ['backup'],
  operands: ['FILE'],
  summary: 'back up to FILE (- is standard output) or s3://…; a server may be running',
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
    const stream = streamTo(operand)
    if (stream) return await toStream(dataFolder, stream)
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
    refuseReplaced(folder)
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

const toStream = async (dataFolder: string, write: (parts: Parts) => Promise<void>): Promise<number> => {
  if (write === writeOutput && process.stdout.isTTY)
    throw invalid({ field: 'FILE', message: 'a terminal cannot show a backup; redirect it' })
  return await withCopy(dataFolder, async (file) => {
    await write(Bun.file(file).stream())
    return 0
  })
}

const toS3 = async (flags: Flags, url: string, isReplacing: boolean): Promise<number> => {
  // No other command, and no server, needs a client for S3.
  const { openUpload } = await import('../upkeep/backups/upload.ts')
  const { s3, dataFolder } = configFor(flags)
  const put = openUpload({ access: s3, url, keep: flags.keep as string | undefined, isReplacing, now: Date.now() })
  if (flags.from === undefined) return await withCopy(dataFolder, put)
  const from = resolve(flags.from as string)
  // It is read twice.
  if (flags.from === '-' || lookAt(from, `read ${from}`)?.isFIFO())
    throw invalid({ field: '--from', message: 'must be a file' })
  return await put(from)
}

/** A backup to send is made beside the data first: it must be whole and checked before its first byte leaves. */
const withCopy = async (dataFolder: string, send: (file: string) => Promise<number>): Promise<number> => {
  // Its name has the number of this process: another command may be doing the same.
  const file = partialFile(join(dataFolder, 'formbox-to-send.db'), process.pid)
  const remove = (): void => removePartial(file)
  // Also where the reader of standard output has gone.
  process.once('exit', remove)
  try {
    await toFile(dataFolder, file, true)
    process.once('SIGINT', () => process.exit(130))
    return await send(file)
  } finally {
    remove()
  }
}
