import { Database } from 'bun:sqlite'
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { cannot } from '../base/operator-errors.ts'
import { checkPages } from './examine-database.ts'
import { syncToDisk } from './files.ts'
import { copyBytes, requireFree } from './free-disk.ts'
import { moveLog } from './open.ts'
import { partialFile, removeAbandoned, removePartial } from './partial-file.ts'

interface CopyOptions {
  /** Whether an existing file may be replaced. */
  readonly isReplacing: boolean
}

/**
 * Writes the database in its present state to one file, for its owner only, while other processes continue to write. The
 * file gets its name when it is complete, checked and on the disk; until then it is called `partialFile`.
 *
 * VACUUM INTO reads in one transaction, which blocks no writer in WAL mode, and needs 5 MB of memory whatever the size
 * (2.6 s a GB). Copying the file and its WAL in such a transaction is no faster, and would depend on how SQLite orders
 * its checkpoints. bun:sqlite has no backup API, and its `serialize` holds the whole file in memory.
 *
 * @throws OperatorError; then no copy is left, and a file that had the name before is unchanged.
 */
export const copyDatabase = (source: Database, target: string, { isReplacing }: CopyOptions): void => {
  // Damage must be noticed here, while the good copies of earlier days still exist.
  checkSource(source)
  const partial = partialFile(target, process.pid)
  try {
    removeAbandoned(target)
    // Submissions to a server on the same disk would be refused until the copy had failed.
    requireFree(dirname(target), copyBytes(source))
    closeSync(openSync(partial, 'wx', 0o600))
    source.query('VACUUM INTO ?').run(partial)
    moveLog(source)
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
    moveLog(source)
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
 * Gives a file a second name, which no file may have yet: unlike a rename, a link replaces nothing. On a file system
 * without links, the file is renamed.
 */
export const nameToo = (path: string, target: string): void => {
  try {
    linkSync(path, target)
  } catch (error) {
    if (existsSync(target)) throw error
    renameSync(path, target)
  }
}
