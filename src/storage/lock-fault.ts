import { Database } from 'bun:sqlite'
import { rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../base/operator-errors.ts'

/**
 * The reason of an error that looks like a lock of another process, if no lock works in this folder: on some network
 * shares they all fail, and SQLite then says that the file is busy. Undefined if they work, or for any other error.
 *
 * @param error of SQLite
 */
export const lockFault = (folder: string, error: unknown): OperatorError | undefined => {
  if (!isOfLock(error) || canLock(folder)) return undefined
  const system = shares.get(statfsSync(folder).type >>> 0)
  const where = system === undefined ? folder : `${folder}, whose file system is ${system}`
  return new OperatorError(`file locks do not work in ${where}; the data must be on a local disk`)
}

const isOfLock = (error: unknown): boolean =>
  /^SQLITE_(BUSY|PERM|IOERR_\w*LOCK)/.test(String((error as { readonly code?: unknown }).code))

/** Tries it with a file that no other process knows. */
const canLock = (folder: string): boolean => {
  const path = join(folder, `formbox.lock-${process.pid}`)
  try {
    const db = new Database(path, { readwrite: true, create: true })
    try {
      db.run('BEGIN IMMEDIATE')
      return true
    } finally {
      db.close()
    }
  } catch (error) {
    return !isOfLock(error)
  } finally {
    rmSync(path, { force: true })
  }
}

/** Of network shares and what is like them, by their numbers in statfs(2). */
const shares = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse'],
])
