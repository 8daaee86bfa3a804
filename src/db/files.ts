import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { cannot } from '../operator-errors.ts'

/**
 * Makes the folder for the owner alone where it is missing.
 *
 * @throws OperatorError where it cannot be made, is a file, or cannot be written.
 */
export const makeFolder = (folder: string): void => {
  const what = `use the data folder ${folder}`
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw cannot(what, 'it is not a folder')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT') throw cannot(what, 'it does not exist and cannot be made')
    throw cannot(what, code === 'EEXIST' ? 'it is not a folder' : error)
  }
}

/**
 * What is at the path, and undefined where nothing is. `existsSync` says that too of what this user may not look at.
 *
 * @param what cannot be done otherwise, such as `restore /x/backup.db`
 * @throws OperatorError where it is not allowed to look.
 */
export const lookAt = (path: string, what: string): BigIntStats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true })
  } catch (error) {
    throw cannot(what, error)
  }
}

/** Makes an empty file for the owner alone, and leaves one that is there alone. */
export const createFile = (path: string): void => {
  try {
    // `wx` opens nothing that exists: closing a file in a process drops every lock which that process has on it, and
    // with them those of SQLite (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    closeSync(openSync(path, 'wx', 0o600))
    giveToFolderOwner(path)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    if (!statSync(path).isFile()) throw new Error('it is not a file')
    accessSync(path, constants.R_OK | constants.W_OK)
  }
}

/**
 * As root, gives a new file to whom its folder belongs, as SQLite does with what it makes beside a database: the server
 * could not open what `sudo formbox restore` would leave behind.
 */
export const giveToFolderOwner = (path: string): void => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  try {
    // Never through a link that the owner of the folder may have put there.
    lchownSync(path, uid, gid)
  } catch {
    // Some shared volumes know no owners, and then everybody's files are root's.
  }
}

/**
 * Whether two paths, through whatever links, lead to one file or folder; false where there is none. Not by comparing
 * real paths: Bun asks `/proc` for them, which a root folder of its own may lack.
 */
export const isSameFile = (path: string, other: string): boolean => {
  // As whole numbers: those of Windows have 64 bits, and two files would seem one.
  const [one, two] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}

/** Bytes of a file; 0 where there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Returns when the file, or what a folder lists, is on the disk. */
export const syncToDisk = (path: string): void => {
  // Windows neither opens folders nor needs it.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const descriptor = openSync(path, statSync(path).isDirectory() ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
