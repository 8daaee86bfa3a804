/**
 * The operator's request cannot be carried out, because of the data folder, a file, another process or a missing user.
 * The command prints one line on standard error and exits with 1. It may name paths, so no client ever gets it.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/**
 * `cannot open the data file /x/formbox.db: it is not a database`. Returns an OperatorError as it is, and
 * puts codes of the system and of SQLite into words.
 *
 * @param what such as `open the data file /x/formbox.db`
 */
export const cannot = (what: string, reason: unknown): OperatorError =>
  reason instanceof OperatorError ? reason : new OperatorError(`cannot ${what}: ${inWords(reason)}`, { cause: reason })

/**
 * The error of the system or of SQLite behind an error, such as of a full disk. Undefined for an OperatorError,
 * which says it already, and for anything else, such as a defect.
 */
export const failureOfMachine = (error: unknown): Error | undefined => {
  if (!(error instanceof Error) || error instanceof OperatorError) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && wordsFor(code) ? error : failureOfMachine(error.cause)
}

const inWords = (reason: unknown): string => {
  if (typeof reason === 'string') return reason
  if (!(reason instanceof Error)) return 'a value that is not an Error was thrown'
  const { code } = reason as { code?: unknown }
  if (typeof code !== 'string') return reason.message
  return wordsFor(code) ?? `${reason.message.split('\n', 1)[0]} (${code})`
}

const wordsFor = (code: string): string | undefined => words.find(([start]) => code.startsWith(start))?.[1]

/** By the start of the code: SQLite also has longer ones, such as SQLITE_IOERR_WRITE. */
const words: readonly (readonly [string, string])[] = [
  ['SQLITE_NOTADB', 'it is not a database'],
  ['SQLITE_CORRUPT', 'it is damaged'],
  ['SQLITE_READONLY', 'it cannot be written'],
  ['SQLITE_CANTOPEN', 'a file in its folder cannot be opened'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk failed to read or write'],
  ['SQLITE_BUSY', 'another process is using it'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
  ['ENOTDIR', 'part of the path is a file'],
  ['EEXIST', 'it already exists'],
  ['EISDIR', 'it is a folder'],
  ['ENOENT', 'it does not exist'],
]
