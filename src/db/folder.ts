import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { cannot } from './cannot.ts'

/**
 * Makes the folder for the owner alone where it is missing.
 *
 * @throws OperatorError where it cannot be made, is a file, or cannot be written.
 */
export const makeFolder = (folder: string): void => {
  const what = `use the data folder ${folder}`
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw cannot(what, 'it is no folder')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT') throw cannot(what, 'it does not exist and cannot be made')
    throw cannot(what, code === 'EEXIST' ? 'it is no folder' : error)
  }
}

/** Makes an empty file for the owner alone, and leaves one that is there alone. */
export const createFile = (path: string): void => {
  try {
    // `wx` opens nothing that exists: closing a file in a process drops every lock which that process has on it, and
    // with them those of SQLite (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    if (!statSync(path).isFile()) throw new Error('it is no file')
    accessSync(path, constants.R_OK | constants.W_OK)
  }
}

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
