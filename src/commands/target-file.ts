import { basename, dirname } from 'node:path'
import { isSameFile, lookAt } from '../db/files.ts'
import { isPartialOfOthers } from '../db/partial-file.ts'
import { cannot } from '../operator-errors.ts'

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
