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
import { cannot } from '../base/operator-errors.ts'

/**
 * Makes the folder, for its owner only, if it is missing.
 *
 * @throws OperatorError if it cannot be made, is a file, or cannot be written
 */
export const makeFolder = (folder: string): void => {
  const what = `use the data folder ${folder}`
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw cannot(what, 'it is not a folder')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT') throw cannot(what, 'it does not exist and cannot be created')
    if (code === 'EACCES' || code === 'EPERM') throw cannot(what, `permission denied${owners(folder)}`)
    throw cannot(what, code === 'EEXIST' ? 'it is not a folder' : error)
  }
}

/** Who a folder of someone else belongs to, as a volume of a container often does, and who this is. */
const owners = (folder: string): string => {
  const found = lookQuietly(folder)
  // It is missing, or in a folder into which this user may not look.
  if (!found) return folder === dirname(folder) ? '' : owners(dirname(folder))
  const [user, group] = [process.geteuid?.(), process.getegid?.()]
  if (found.uid === user) return ''
  return `; ${folder} belongs to ${found.uid}:${found.gid}, and Formbox runs as ${user}:${group}`
}

const lookQuietly = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/**
 * Looks at a path; undefined if there is nothing. `existsSync` also says so if this user has no permission to look.
 *
 * @param what the action for the error message, such as `restore /x/backup.db`
 * @throws OperatorError if this user has no permission to look
 */
export const lookAt = (path: string, what: string): BigIntStats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true })
  } catch (error) {
    throw cannot(what, error)
  }
}

/** Makes an empty file, for its owner only. An existing file is left unchanged. */
export const createFile = (path: string): void => {
  try {
    // `wx` does not open an existing file: when a process closes a file, it loses every lock that it has on it, also
    // those of SQLite (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    closeSync(openSync(path, 'wx', 0o600))
    giveToFolderOwner(path)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    if (!statSync(path).isFile()) throw new Error('it is not a file')
    accessSync(path, constants.R_OK | constants.W_OK)
  }
}

/**
 * If run as root, makes the owner of the folder the owner of a new file, as SQLite does with the files that it makes
 * beside a database. Otherwise the server could not open the file that `sudo formbox restore` leaves behind.
 */
export const giveToFolderOwner = (path: string): void => {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  try {
    // The owner of the folder may have put a link there, which must not be followed.
    lchownSync(path, uid, gid)
  } catch {
    // Some shared volumes have no owners: all files on them belong to root.
  }
}

/**
 * Whether two paths lead to the same file or folder, also through links; false if one leads to none. It does not compare
 * real paths, because Bun reads them from `/proc`, which may be missing in a chroot.
 */
export const isSameFile = (path: string, other: string): boolean => {
  // As bigint: numbers on Windows have 64 bits, and two different ones could be rounded to the same.
  const [one, two] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}

/** Bytes of a file; 0 if there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Returns when the content of the file, or the list of files of the folder, is on the disk. */
export const syncToDisk = (path: string): void => {
  // Windows cannot open folders, and does not need it.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const descriptor = openSync(path, statSync(path).isDirectory() ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
