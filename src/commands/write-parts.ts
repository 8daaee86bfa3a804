import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { showStep, toMegabytes } from '../backups/progress.ts'
import { nameToo } from '../db/copy-database.ts'
import { syncToDisk } from '../db/files.ts'
import { partialFile, removeAbandoned, removePartial } from '../db/partial-file.ts'
import { cannot, OperatorError } from '../operator-errors.ts'

type Parts = Iterable<string | Uint8Array>

/** Prints the parts, no faster than they are read. */
export const writeOutput = async (parts: Parts): Promise<void> => {
  for (const part of parts)
    if (!process.stdout.write(part)) await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()))
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
    for (const part of parts) {
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
