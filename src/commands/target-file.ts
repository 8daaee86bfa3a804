import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { cannot, OperatorError } from '../base/operator-errors.ts'
import { nameToo } from '../storage/copy-database.ts'
import { isSameFile, lookAt, syncToDisk } from '../storage/files.ts'
import { isPartialOfOthers, partialFile, removeAbandoned, removePartial } from '../storage/partial-file.ts'
import { showStep, toMegabytes } from '../upkeep/backups/progress.ts'
import { type Parts, writeOutput } from './output.ts'

/** @throws OperatorError if writing the file would replace something that must not be replaced */
export const checkTarget = (target: string, dataFolder: string, isReplacing: boolean): void => {
  const what = `write ${target}`
  const folder = dirname(target)
  if (!lookAt(folder, what)) throw cannot(what, 'its folder does not exist')
  // In lower case, because file names on Windows and macOS ignore case.
  const isOwn = isSameFile(folder, dataFolder) && ownNames.includes(basename(target).toLowerCase())
  if (isOwn) throw cannot(what, 'it is a file that the data folder uses')
  if (isPartialOfOthers(basename(target))) throw cannot(what, 'a file that is being written has such a name')
  const present = lookAt(target, what)
  if (present && !present.isFile()) throw cannot(what, 'it is not a file')
  if (present && !isReplacing) throw cannot(what, 'it already exists; use --force to overwrite it')
}

const ownNames = [
  ...['', '-wal', '-shm', '-journal'].map((suffix) => `formbox.db${suffix}`),
  'formbox.lock',
  'formbox.commands.lock',
]

/**
 * How to write where there is no file to put in place: standard output, or a pipe that has a name. Undefined for a file.
 *
 * @param operand as the user typed it
 */
export const streamTo = (operand: string): ((parts: Parts) => Promise<void>) | undefined => {
  if (standardOutput.includes(operand)) return writeOutput
  const path = resolve(operand)
  return lookAt(path, `write ${path}`)?.isFIFO() ? (parts) => writePipe(parts, path) : undefined
}

/** Also what leads there under Linux: where that is a file, a rename would replace the link. */
const standardOutput = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

const writePipe = async (parts: Parts, path: string): Promise<void> => {
  try {
    // Waits for a reader on another thread, so that signals are handled meanwhile.
    const pipe = await open(path, 'w')
    await pipe.writeFile(parts).finally(() => pipe.close())
  } catch (error) {
    throw cannot(`write ${path}`, error)
  }
}

/**
 * Writes the parts to a file for the owner alone, which appears under its name when it is whole and on the disk.
 *
 * @throws OperatorError; then no part of it is left, and a file that had this name is unchanged
 */
export const writeFile = async (parts: Parts, target: string, isReplacing: boolean): Promise<void> => {
  const partial = partialFile(target, process.pid)
  let isInterrupted = false
  const interrupt = (): void => {
    isInterrupted = true
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    removeAbandoned(target)
    await writePartial(parts, partial, () => isInterrupted)
    if (isReplacing) renameSync(partial, target)
    else nameToo(partial, target)
    rmSync(partial, { force: true })
    syncToDisk(dirname(target))
  } catch (error) {
    removePartial(partial)
    throw cannot(`write ${target}`, error)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    showStep(null)
  }
}

const chunkBytes = 1024 * 1024

const writePartial = async (parts: Parts, path: string, isInterrupted: () => boolean): Promise<void> => {
  const file = openSync(path, 'wx', 0o600)
  try {
    let written = 0
    let seen = 0
    for await (const part of parts) {
      written += writeWhole(file, typeof part === 'string' ? Buffer.from(part) : part)
      if (written - seen < chunkBytes) continue
      seen = written
      showStep(`${toMegabytes(written)} written`)
      // Lets signals be handled.
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (isInterrupted()) throw new OperatorError('the export was interrupted')
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const writeWhole = (file: number, bytes: Uint8Array): number => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  return bytes.length
}
