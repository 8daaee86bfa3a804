import { OperatorError } from './errors.ts'

/**
 * `cannot open the data file /x/formbox.db: it is no database`. Keeps an OperatorError as it is, and names what the
 * system or SQLite says in words.
 *
 * @param what such as `open the data file /x/formbox.db`
 */
export const cannot = (what: string, reason: unknown): OperatorError =>
  reason instanceof OperatorError ? reason : new OperatorError(`cannot ${what}: ${inWords(reason)}`, { cause: reason })

const inWords = (reason: unknown): string => {
  if (typeof reason === 'string') return reason
  if (!(reason instanceof Error)) return 'something that is no Error was thrown'
  const { code } = reason as { code?: unknown }
  if (typeof code !== 'string') return reason.message
  const known = words.find(([start]) => code.startsWith(start))?.[1]
  return known ?? `${reason.message.split('\n', 1)[0]} (${code})`
}

/** By the start of the code: SQLite says more exactly, such as SQLITE_IOERR_WRITE. */
const words: readonly (readonly [string, string])[] = [
  ['SQLITE_NOTADB', 'it is no database'],
  ['SQLITE_CORRUPT', 'it is damaged'],
  ['SQLITE_READONLY', 'it cannot be written'],
  ['SQLITE_CANTOPEN', 'a file in its folder cannot be opened'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk does not read or write'],
  ['SQLITE_BUSY', 'another process holds it'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'it is on a file system that is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EEXIST', 'it exists'],
  ['EISDIR', 'it is a folder'],
  ['ENOENT', 'it does not exist'],
]
