import { Database } from 'bun:sqlite'
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { cannot } from '../operator-errors.ts'
import { checkPages } from './examine-database.ts'
import { syncToDisk } from './files.ts'
import { partialFile, removeAbandoned, removePartial } from './partial-file.ts'

interface CopyOptions {
  /** Whether a file that is there already may be replaced. */
  readonly isReplacing: boolean
}

/**
 * Writes the database as it is at this moment to one file for the owner alone, while other processes go on writing. It
 * appears under its name when it is whole, checked and on the disk; until then it is `partialFile`.
 *
 * VACUUM INTO reads in one transaction, which blocks no writer in WAL mode, and needs 5 MB of memory whatever the size
 * (2.6 s a GB). Copying the file and its WAL under such a transaction is no faster and would rest on how SQLite happens
 * to order its checkpoints; bun:sqlite has no backup API, and its `serialize` holds the whole file in memory.
 *
 * @throws OperatorError; then no copy is left, and what had the name before has it still.
 */
export const copyDatabase = (source: Database, target: string, { isReplacing }: CopyOptions): void => {
  // Damage is to be found here, while the good copies of earlier days are still kept.
  checkSource(source)
  const partial = partialFile(target, process.pid)
  try {
    removeAbandoned(target)
    closeSync(openSync(partial, 'wx', 0o600))
    source.query('VACUUM INTO ?').run(partial)
    checkCopy(partial)
    syncToDisk(partial)
    if (isReplacing) renameSync(partial, target)
    else renameToNew(partial, target)
    syncToDisk(dirname(target))
  } catch (error) {
    removePartial(partial)
    throw cannot(`write ${target}`, error)
  }
}

const checkSource = (source: Database): void => {
  try {
    checkPages(source)
  } catch (error) {
    throw cannot(`copy the data file ${source.filename}`, error)
  }
}

const checkCopy = (path: string): void => {
  const copy = new Database(path, { readonly: true })
  try {
    checkPages(copy)
  } finally {
    copy.close()
  }
}

const renameToNew = (path: string, target: string): void => {
  nameToo(path, target)
  rmSync(path, { force: true })
}

/**
 * Gives a file a second name, which none may have yet: unlike a rename, a link replaces nothing. Where the file system
 * has no links, it is renamed.
 */
export const nameToo = (path: string, target: string): void => {
  try {
    linkSync(path, target)
  } catch (error) {
    if (existsSync(target)) throw error
    renameSync(path, target)
  }
}
